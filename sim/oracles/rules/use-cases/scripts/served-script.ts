/** A service script of a use case, and requests to it by the token of a channel. */
import type { QuestionAnswer } from '../../../questions.ts';
import { channels, svcScripts } from '../kit/paths.ts';
import type { Item, UseCase } from '../kit/use-case.ts';

interface ServedScript {
  readonly code: string;
  readonly components: readonly Item[];
  /** Of the channel: how long a request may take. Default: that of the platform. */
  readonly recvTimeoutSec?: number;
  /** Where it is asked, if a request names no other site. */
  readonly site: string;
}

export function tokenOf({ domain }: UseCase, code: string): string {
  return `token-of-${code}-${domain}`;
}

/** Makes the script with its channel. Returns what sends a request to it; `undefined`: they cannot be made. */
export async function serve(
  useCase: UseCase,
  { code, components, recvTimeoutSec, site }: ServedScript,
): Promise<((body: Item, at?: string) => Promise<QuestionAnswer | undefined>) | undefined> {
  const token = tokenOf(useCase, code);
  const opts = recvTimeoutSec === undefined ? {} : { opts: { recv_timeout: recvTimeoutSec } };
  if ((await useCase.make(svcScripts, { code, components })) === undefined) return undefined;
  if ((await useCase.make(channels, { code, token_local: token, svcscriptcode: code, ...opts })) === undefined)
    return undefined;
  await useCase.copied();
  const headers = { authorization: `Bearer ${token}` };
  return (body, at = site) => useCase.ask('/exec', { method: 'POST', site: at, body, headers });
}
