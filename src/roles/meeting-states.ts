/**
 * Selector meetings and participants with their current states: what is planned is domain data, the state comes from mware.
 * While no mware is reachable, no participant is known and planned meetings are shown as waiting. (chosen)
 */
import { activeInstances, type RoleScope } from '../cluster/role.ts';
import { applyCollection } from '../model/collection/collection.ts';
import { parseCollectionQuery } from '../model/collection/query.ts';
import { entityOf } from '../model/entities/entities.ts';
import type { EntityItem } from '../model/entities/entity.ts';
import { isOver, type SelectorItem, type SelectorParticipantItem } from '../model/entities/selector.ts';
import { done, failed, fault, type Outcome } from '../model/fault.ts';
import type { ReplyOf } from '../model/protocol/catalogue.ts';
import type { EntityCollection } from '../model/protocol/messages/data.ts';
import { timeOf } from '../model/time.ts';
import { Pace } from '../ports/pace.ts';

type Values = Record<string, unknown>;
export type RunningMeetings = ReplyOf<'mware.meetings'>['meetings'];

/** Of the states of a group's numbers, which one is shown. */
const shownFirst = ['active', 'held', 'ringing', 'calling', 'leaving'] as const;

/** Whether items of this kind have fields that only the running system knows. */
export function isLive({ kind }: EntityCollection): boolean {
  return kind === 'selector' || kind === 'participant';
}

/** The items with their current states. `running`: the meetings of the domain, as an mware knows them. */
export function withStates(
  { clock }: Pick<RoleScope, 'clock'>,
  { kind, parent }: EntityCollection,
  { items, running }: { readonly items: readonly Values[]; readonly running: RunningMeetings },
): Values[] {
  if (kind === 'selector') return items.map((item) => ({ ...item, state: stateOf(item, running, clock.now()) }));
  const members = running.flatMap(({ id, members: each }) => (id === parent ? each : []));
  return items.map((item) => {
    const { id, ext } = item as unknown as SelectorParticipantItem;
    const own = members.filter((each) => each.id === id && each.ct === ext.ct);
    const states = own.map(({ state }) => state);
    const state = shownFirst.find((each) => states.includes(each)) ?? 'waiting';
    return { ...item, state, hold: state === 'held', is_hand_raised: own.some(({ isHandRaised }) => isHandRaised) };
  });
}

/** A page of a list of items with their current states, filtered and ordered by these too. `invalid`: the parameters; `timeout`. */
export async function pageOf(
  { clock, map }: Pick<RoleScope, 'clock' | 'map'>,
  { kind }: EntityCollection,
  { items, params }: { readonly items: readonly Values[]; readonly params: [string, string][] },
): Promise<Outcome<readonly Values[] | { readonly count: number }>> {
  const { shape } = entityOf(kind);
  const query = parseCollectionQuery(new URLSearchParams(params), shape);
  if (!query.ok) return failed(fault('invalid', query.fault.message));
  const pace = new Pace(clock, clock.now() + map.topology.timings.requestDeadlineMs);
  const page = await pace.inTime(applyCollection(items as EntityItem[], query.value, shape), `${items.length} items`);
  return page.ok ? done(page.value as readonly Values[] | { readonly count: number }) : page;
}

/** Notifies the mware instances that may run the meetings of a domain of a change. */
export function notifyChanged(scope: RoleScope, { domain }: EntityCollection): void {
  for (const { address } of activeInstances(scope, 'mware', domain)) {
    scope.tell(address, 'mware.meetings.changed', { domain });
  }
}

/**
 * `initing`: due, but no conf instance knows it yet; `waiting`: not due yet. A meeting whose conference has ended is
 * `terminating` until mware removes it, unless the item is a newer one with the same id, or was put off since.
 */
function stateOf(item: Values, running: RunningMeetings, nowMs: number): string {
  const meeting = item as unknown as SelectorItem;
  const { id, enabled, timestartutc, ext } = meeting;
  const known = running.filter((each) => each.id === id);
  const found =
    known.find(({ ct }) => ct === ext.ct) ??
    known.find(({ endedMs }) => endedMs !== undefined && isOver(meeting, endedMs));
  if (found !== undefined) return found.state;
  return !enabled || timeOf(timestartutc) > nowMs ? 'waiting' : 'initing';
}
