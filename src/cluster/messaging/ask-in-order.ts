/** Asks a role, by whichever of its instances is active. */
import type { InstanceEntry } from '../../model/cluster/cluster-map.ts';
import type { RoleName } from '../../model/cluster/roles.ts';
import { type Fault, failed, fault, type Outcome } from '../../model/fault.ts';
import type { AskType, BodyOf, ReplyOf } from '../../model/protocol/catalogue.ts';
import { activeInstances, type RoleScope } from '../role.ts';

type Asker = Pick<RoleScope, 'map' | 'view' | 'instance' | 'ask' | 'clock'>;

export interface RoleTarget {
  readonly role: RoleName;
  readonly domain: string;
  /** It asks other instances in turn, so a refusal may be theirs, and another instance would get the same one. */
  readonly isRelay?: boolean;
}

export interface AskSpec<T extends AskType> {
  readonly type: T;
  readonly body: BodyOf<T>;
  /** The deadline for the answer (ms since the epoch). */
  readonly deadlineMs: number;
  /** The maximum time for one instance. */
  readonly patienceMs?: number;
}

/**
 * Asks the active instance, at the own site first. The next instance is asked only when the previous one has certainly not
 * acted: it was unreachable, does not serve, or is overloaded. An idempotent ask sets `patienceMs`: then an instance that
 * does not answer in that time, or crashes, is skipped too.
 */
export async function askRole<T extends AskType>(
  asker: Asker,
  { role, domain, isRelay = false }: RoleTarget,
  question: AskSpec<T>,
): Promise<Outcome<ReplyOf<T>>> {
  const unreachable = unreachableFault(role, asker.instance.site);
  return askInTurn(asker, activeInstances(asker, role, domain), question, { unreachable, isRelay });
}

/** The same, for these instances. `unreachable` is the fault when there are none. */
export async function askInTurn<T extends AskType>(
  asker: Asker,
  instances: readonly InstanceEntry[],
  { type, body, deadlineMs: lastMs, patienceMs }: AskSpec<T>,
  { unreachable, isRelay = false }: { readonly unreachable: Fault; readonly isRelay?: boolean },
): Promise<Outcome<ReplyOf<T>>> {
  let refusal = unreachable;
  for (const instance of instances) {
    const deadlineMs = Math.min(lastMs, asker.clock.now() + (patienceMs ?? Infinity));
    const outcome = await asker.ask(instance.address, type, body, { deadlineMs });
    if (outcome.ok) return outcome;
    // A message that crashed one instance would crash the next.
    if (outcome.fault.code === 'broken') return outcome;
    const isPassedOver = patienceMs !== undefined && !outcome.fault.definite;
    if (isPassedOver || (outcome.fault.code === 'overloaded' && !isRelay)) refusal = outcome.fault;
    else if (!isAway(outcome.fault, instance)) return outcome;
  }
  return failed(refusal);
}

/** No instance of a role is reachable, so the request had no effect. */
export function unreachableFault(what: string, site: string): Fault {
  return fault('unreachable', `${what} is not reachable from site ${site}`, what);
}

/** Whether the instance itself does not serve, rather than one that it asked in turn. */
function isAway({ code, origin }: Fault, { address }: InstanceEntry): boolean {
  return (code === 'unreachable' || code === 'standby') && origin === address;
}
