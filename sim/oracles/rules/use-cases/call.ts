/** The call of a use case. */
import { expecting, type Item, type UseCase } from './use-case.ts';

export const callsPath = '/rest/v1/uc/calls';
/** A party that does not answer a BYE is given up after 64 T1 (RFC 3261, 17.1.2.2). */
export const endedMs = 34_000;

export interface LiveCall {
  readonly dialogid: string;
  readonly inviteid: string;
  readonly path: string;
}

/** Connects two numbers; `undefined` where that fails, or the call is over already: phones and rules may end it. */
export async function startedCall(
  useCase: UseCase,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<LiveCall | undefined> {
  const body = { from, to, response_mode: 3 };
  const started = await useCase.ask(callsPath, { method: 'INVITE', body });
  const { dialogid, result, last_response: last } = (started?.body ?? {}) as Item;
  const isConnected = started?.status === 200 && result === 'ok' && String(last).includes(' 200 ');
  if (!isConnected || typeof dialogid !== 'string') return undefined;
  const path = `${callsPath}/${dialogid}`;
  const shown = await useCase.ask(path);
  if (shown?.status !== 200) return undefined;
  return { dialogid, inviteid: String((shown.body as Item)['inviteid']), path };
}

/**
 * Ends a call at another site, and waits for its record at all fronts. Returns whether a client has ended it: one that a phone or
 * a rule has ended may have been over before it was looked at.
 */
export async function endCall(useCase: UseCase, { dialogid, inviteid, path }: LiveCall): Promise<boolean> {
  const end = await useCase.ask(path, { site: useCase.there, method: 'DELETE' });
  if (end?.status !== 404)
    useCase.expect(`DELETE of the call at ${useCase.there}`, end, expecting(200, { dialogid, result: 'ok' }));
  const record = `/rest/v1/journal/calls/${inviteid}`;
  await useCase.everywhere(record, expecting(200, { inviteid }), endedMs);
  const { type } = ((await useCase.ask(record))?.body ?? {}) as Item;
  return end?.status !== 404 || type === 'call_terminate';
}
