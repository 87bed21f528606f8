/** Which participants of a selector meeting hear which others. */
import type { RoleScope } from '../cluster/role.ts';
import {
  type Attendee,
  hearsOf,
  problemOfHears,
  type SelectorHears,
  type SelectorItem,
  selector,
  selectorParticipant,
  selectorTopology,
  selectorTopologyId,
} from '../model/entities/selector.ts';
import { type FaultCode, FaultError, fault } from '../model/fault.ts';
import { limits } from '../model/limits.ts';
import type { EntityCollection } from '../model/protocol/messages/data.ts';
import { createItem, deleteItem, type EntityRead, listItems, patchItem, showItem } from './domain-data.ts';

export interface Meeting {
  readonly domain: string;
  readonly id: string;
}

/** For each participant, the participants that it hears. Throws `not_found` for an unknown meeting. */
export async function showHears(scope: RoleScope, meeting: Meeting): Promise<EntityRead<SelectorHears>> {
  const { value: attendees, mode, ageMs } = await attendeesOf(scope, meeting);
  const set = await settingOf(scope, meeting);
  return { value: hearsOf(attendees, { mode, set }), ageMs };
}

/** Sets which participants some participants hear; the others are unchanged. */
export async function setHears(scope: RoleScope, meeting: Meeting, hears: SelectorHears): Promise<SelectorHears> {
  const { value: attendees, mode } = await attendeesOf(scope, meeting);
  const problem = problemOfHears(attendees, hears);
  if (problem !== undefined) throw new FaultError(fault('invalid', problem));
  const collection = collectionOf(meeting);
  const patch = () => patchItem(scope, collection, { ...rowOf(meeting), patch: { hears } });
  const item =
    (await unless('not_found', patch)) ??
    // Another request may have created the item meanwhile.
    (await unless('conflict', () => createItem(scope, collection, { ...rowOf(meeting), hears }))) ??
    (await patch());
  return hearsOf(attendees, { mode, set: hearsIn(item) });
}

/** Resets the topology: every participant hears the others by its type. */
export async function resetHears(scope: RoleScope, meeting: Meeting): Promise<void> {
  await meetingOf(scope, meeting);
  await unless('not_found', () => deleteItem(scope, collectionOf(meeting), rowOf(meeting).id));
}

/** As set by clients, former participants included. */
async function settingOf(scope: RoleScope, meeting: Meeting): Promise<SelectorHears> {
  const set = await unless('not_found', () =>
    showItem(scope, collectionOf(meeting), { ...rowOf(meeting), isAdmin: false }),
  );
  return hearsIn(set?.value);
}

async function attendeesOf(scope: RoleScope, meeting: Meeting) {
  const { value: item, ageMs } = await meetingOf(scope, meeting);
  const collection = { kind: selectorParticipant.kind, domain: meeting.domain, parent: meeting.id };
  const params: [string, string][] = [['limit', String(limits.pageItems)]];
  const { value } = await listItems(scope, collection, { params, isAdmin: false });
  const mode = (item as unknown as SelectorItem).topology_mode;
  return { value: value as unknown as readonly Attendee[], mode, ageMs };
}

function meetingOf(scope: RoleScope, { domain, id }: Meeting): Promise<EntityRead<object>> {
  return showItem(scope, { kind: selector.kind, domain }, { id, isAdmin: false });
}

function collectionOf({ domain, id }: Meeting): EntityCollection {
  return { kind: selectorTopology.kind, domain, parent: id };
}

function rowOf({ id }: Meeting): { readonly id: string } {
  return { id: selectorTopologyId(id) };
}

function hearsIn(item: Readonly<Record<string, unknown>> = {}): SelectorHears {
  return (item['hears'] ?? {}) as SelectorHears;
}

/** The result of `work`, or `undefined` if it fails with `code`. */
async function unless<T>(code: FaultCode, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FaultError && error.fault.code === code) return undefined;
    throw error;
  }
}
