/** A SIP user of a use case, and devices that register for it. */
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import type { SipResponse } from '../../../../../src/model/sip/message.ts';
import type { Behaviour } from '../../../../../src/model/topology/schema.ts';
import { sipUsers } from '../kit/paths.ts';
import { type Item, type Judge, textOf, type UseCase } from '../kit/use-case.ts';

export interface OwnSipUser {
  readonly id: string;
  readonly login: string;
  readonly pwd: string;
  readonly path: string;
  /** Where devices register; of the last site that has one, and of the first. */
  readonly gate: InstanceEntry;
  readonly other: InstanceEntry;
}

/** It is removed afterwards. `undefined`: there is no gate, or the user cannot be made. */
export async function makeUser(useCase: UseCase, login: string, fields: Item): Promise<OwnSipUser | undefined> {
  const { map } = useCase.context;
  const gates = useCase.sites.flatMap((site) => map.serving('sg', site, useCase.domain).slice(0, 1));
  const [other] = gates;
  if (other === undefined) return undefined;
  const pwd = `${login}-1`;
  const made = await useCase.make(sipUsers, { name: 'Own', login, pwd, ...fields });
  if (made === undefined) return undefined;
  await useCase.copied();
  return { id: made.id, login, pwd, path: made.path, gate: gates.at(-1) ?? other, other };
}

export interface RegisterFields {
  readonly ip: string;
  readonly expires: number;
  readonly gate?: InstanceEntry;
  readonly contact?: string;
  readonly pwd?: string;
  readonly behaviour?: Behaviour;
}

export function register(
  { context, domain }: UseCase,
  { login: username, pwd, gate }: OwnSipUser,
  more: RegisterFields,
): Promise<SipResponse> {
  return context.questions.register({ username, domain, pwd, gate, ...more });
}

/** Exactly these devices are registered. */
export function showing(ips: readonly string[]): Judge {
  return (answer) => {
    const { devices } = (answer?.body ?? {}) as { readonly devices?: readonly Item[] };
    const got = devices?.map(({ device }) => String(device)).toSorted();
    const isRight = answer?.status === 200 && got?.join() === ips.join();
    return isRight ? undefined : `expected the devices ${ips.join() || 'none'}, got ${got?.join() ?? textOf(answer)}`;
  };
}
