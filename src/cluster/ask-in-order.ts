/** Asking a role, whichever of its instances it is that serves. */
import type { InstanceEntry } from '../model/cluster-map.ts';
import { type Fault, failed, fault, type Outcome } from '../model/fault.ts';
import type { AskType, BodyOf, ReplyOf } from '../model/protocol/catalogue.ts';
import type { RoleName } from '../model/roles.ts';
import { activeInstances, type RoleScope } from './role.ts';

type Asker = Pick<RoleScope, 'map' | 'view' | 'instance' | 'ask' | 'clock'>;

export interface RoleTarget {
  readonly role: RoleName;
  readonly domain: string;
  /** It asks others in turn, and a refusal may be theirs: another one would only ask the same. */
  readonly isRelay?: boolean;
}

export interface AskSpec<T extends AskType> {
  readonly type: T;
  readonly body: BodyOf<T>;
  /** When it must be answered (ms since the epoch). */
  readonly deadlineMs: number;
  /** How long one instance may take. */
  readonly patienceMs?: number;
}

/**
 * Asks the instance that serves, of the own site first. The next one is asked only when it is sure that the one before has
 * done nothing: it was out of reach, does not serve, or has no room. What may be done twice has `patienceMs`: who has not
 * answered in that time, or died of it, is passed over too.
 */
export async function askRole<T extends AskType>(
  asker: Asker,
  { role, domain, isRelay = false }: RoleTarget,
  question: AskSpec<T>,
): Promise<Outcome<ReplyOf<T>>> {
  const away = unreachableFault(role, asker.instance.site);
  return askInTurn(asker, activeInstances(asker, role, domain), question, { away, isRelay });
}

/** The same, of these instances. `away` is the fault where none of them is there. */
export async function askInTurn<T extends AskType>(
  asker: Asker,
  instances: readonly InstanceEntry[],
  { type, body, deadlineMs: lastMs, patienceMs }: AskSpec<T>,
  { away, isRelay = false }: { readonly away: Fault; readonly isRelay?: boolean },
): Promise<Outcome<ReplyOf<T>>> {
  let refusal = away;
  for (const instance of instances) {
    const deadlineMs = Math.min(lastMs, asker.clock.now() + (patienceMs ?? Infinity));
    const outcome = await asker.ask(instance.address, type, body, { deadlineMs });
    if (outcome.ok) return outcome;
    // What has ended one instance would end the next.
    if (outcome.fault.code === 'broken') return outcome;
    const isPassedOver = patienceMs !== undefined && !outcome.fault.definite;
    if (isPassedOver || (outcome.fault.code === 'overloaded' && !isRelay)) refusal = outcome.fault;
    else if (!isAway(outcome.fault, instance)) return outcome;
  }
  return failed(refusal);
}

/** Nobody of a role is in reach: what was asked did not happen. */
export function unreachableFault(what: string, site: string): Fault {
  return fault('unreachable', `${what} is not reachable from site ${site}`, what);
}

/** Whether the instance itself did not serve, and not another one that it asked in turn. */
function isAway({ code, origin }: Fault, { address }: InstanceEntry): boolean {
  return (code === 'unreachable' || code === 'standby') && origin === address;
}
