/** Conferences: look them up, end one, and its participants. */
import type { BodyOf, ReplyOf } from '../model/protocol/catalogue.ts';
import type { SearchKey } from '../model/requests/calls.ts';
import type { RoleScope } from '../runtime/role.ts';
import { type Asker, command, type Found, type Listed, list, lookUp } from './mware.ts';

type Item = Readonly<Record<string, unknown>>;
type Command = BodyOf<'mware.conference.command'>['command'];

export function listConferences(scope: RoleScope, asker: Asker, params: [string, string][]): Promise<Listed> {
  return list(scope, 'mware.conferences', { ...asker, params });
}

export async function showConference(scope: RoleScope, asker: Asker, confid: string): Promise<Item> {
  return (await lookUp(scope, 'mware.conference', { ...asker, confid })).item;
}

export function findConferences(scope: RoleScope, asker: Asker, search: SearchKey): Promise<Found> {
  return lookUp(scope, 'mware.conferences.find', { ...asker, search });
}

export function listParticipants(
  scope: RoleScope,
  asker: Asker,
  { confid, params }: { confid: string; params: [string, string][] },
): Promise<Listed> {
  return list(scope, 'mware.participants', { ...asker, confid, params });
}

export async function showParticipant(
  scope: RoleScope,
  asker: Asker,
  at: { confid: string; participantid: string },
): Promise<Item> {
  return (await lookUp(scope, 'mware.participant', { ...asker, ...at })).item;
}

/** Ends a conference, calls from it, removes a participant, or sets who hears whom. */
export function commandConference(
  scope: RoleScope,
  asker: Asker,
  order: { confid: string; command: Command },
): Promise<ReplyOf<'mware.conference.command'>> {
  return command(scope, 'mware.conference.command', { ...asker, ...order });
}

/** Who hears whom: for each participant those that it hears. */
export async function topologyOf(scope: RoleScope, asker: Asker, confid: string): Promise<{ hears: object }> {
  const order = { ...asker, confid, command: { verb: 'hears' as const } };
  const { hears = {} } = await lookUp(scope, 'mware.conference.command', order);
  return { hears };
}
