import { unreachableFault } from '../cluster/ask-in-order.ts';
import type { RoleScope } from '../cluster/role.ts';
import { FaultError, fault } from '../model/fault.ts';
import { limits } from '../model/limits.ts';
import type { Dialog } from '../model/protocol/callstore.ts';
import type { BodyOf, ReplyOf } from '../model/protocol/catalogue.ts';
import type { CallResult } from '../model/protocol/dialog.ts';
import type { CommandReply } from '../model/protocol/mware.ts';
import { fileNameOf, type Recording } from '../model/recording.ts';
import type { CallBody, CallCommand, CallKey, SearchKey } from '../model/requests.ts';
import { type ListAnswer, type LookupAnswer, mwareCommand, mwareList, mwareLookup, type Requester } from './mware.ts';

/** Live calls: look them up, start one, command one. */

/** How long X may ring when it is called in the place of a leg that it has, and how long it takes to know of Y, at most. */
const replacingMs = 30_000;
const calleeMs = limits.ringMs + 25_000;

export function listCalls(scope: RoleScope, asker: Requester, params: [string, string][]): Promise<ListAnswer> {
  return mwareList(scope, 'mware.calls', { ...asker, params });
}

export async function showCall(scope: RoleScope, asker: Requester, dialogid: string): Promise<Dialog> {
  return (await mwareLookup(scope, 'mware.call', { ...asker, dialogid })).dialog;
}

export function findCalls(scope: RoleScope, asker: Requester, search: SearchKey<CallKey>): Promise<LookupAnswer> {
  return mwareLookup(scope, 'mware.calls.find', { ...asker, search });
}

/** Starts a call, by IVR or directly; answers when `response_mode` says. */
export function startCall(
  scope: RoleScope,
  asker: Requester,
  { by, call }: { by: 'ivr' | 'direct'; call: CallBody },
): Promise<CallResult> {
  const longMs = waitOf(call.response_mode, call.timeout * 1_000);
  return mwareCommand(scope, 'mware.call.start', { ...asker, by, call }, longMs);
}

export function commandCall(
  scope: RoleScope,
  asker: Requester,
  { dialogid, order }: { dialogid: string; order: CallCommand },
): Promise<CommandReply> {
  const longMs = order.verb === 'REFER' ? waitOf(order.body.response_mode, replacingMs) : 0;
  return mwareCommand(scope, 'mware.call.command', { ...asker, dialogid, command: order }, longMs);
}

/** How long the answer may be waited for: for X from mode 1 on, for Y too from mode 2 on. */
function waitOf(responseMode: number, ringMs: number): number {
  if (responseMode === 0) return 0;
  return responseMode === 1 ? ringMs : ringMs + calleeMs;
}

/** Conferences: look them up, end one, and its participants. */

type Item = Readonly<Record<string, unknown>>;
type Command = BodyOf<'mware.conference.command'>['command'];

export function listConferences(scope: RoleScope, asker: Requester, params: [string, string][]): Promise<ListAnswer> {
  return mwareList(scope, 'mware.conferences', { ...asker, params });
}

export async function showConference(scope: RoleScope, asker: Requester, confid: string): Promise<Item> {
  return (await mwareLookup(scope, 'mware.conference', { ...asker, confid })).item;
}

export function findConferences(scope: RoleScope, asker: Requester, search: SearchKey): Promise<LookupAnswer> {
  return mwareLookup(scope, 'mware.conferences.find', { ...asker, search });
}

export function listParticipants(
  scope: RoleScope,
  asker: Requester,
  { confid, params }: { confid: string; params: [string, string][] },
): Promise<ListAnswer> {
  return mwareList(scope, 'mware.participants', { ...asker, confid, params });
}

export async function showParticipant(
  scope: RoleScope,
  asker: Requester,
  at: { confid: string; participantid: string },
): Promise<Item> {
  return (await mwareLookup(scope, 'mware.participant', { ...asker, ...at })).item;
}

/** Ends a conference, calls from it, removes a participant, or sets who hears whom. */
export function commandConference(
  scope: RoleScope,
  asker: Requester,
  order: { confid: string; command: Command },
): Promise<ReplyOf<'mware.conference.command'>> {
  return mwareCommand(scope, 'mware.conference.command', { ...asker, ...order });
}

/** Who hears whom: for each participant the ids of the participants that it hears. */
export async function topologyOf(scope: RoleScope, asker: Requester, confid: string): Promise<{ hears: object }> {
  const order = { ...asker, confid, command: { verb: 'hears' as const } };
  const { hears = {} } = await mwareLookup(scope, 'mware.conference.command', order);
  return { hears };
}

/** Recordings of calls: which ones there are at which site, one of them, and the end of them. */

/** The recordings of a call by site, and the sites of the domain that said nothing. */
export function listRecordings(
  scope: RoleScope,
  asker: Requester,
  inviteid: string,
): Promise<ReplyOf<'mware.recordings'>> {
  return mwareLookup(scope, 'mware.recordings', { ...asker, inviteid });
}

/** The recording with this file name. Throws `not_found`, or `unreachable` where a site that may have it is away. */
export async function findRecording(
  scope: RoleScope,
  asker: Requester,
  { inviteid, name }: { readonly inviteid: string; readonly name: string },
): Promise<Recording> {
  const { sites, missing } = await listRecordings(scope, asker, inviteid);
  const all = sites.flatMap(({ recordings }) => recordings);
  const found = all.find((each) => fileNameOf(each) === name);
  if (found !== undefined) return found;
  // The words of the interface. (documented)
  if (missing.length === 0) throw new FaultError(fault('not_found', 'Call record not found'));
  const away = missing.map((site) => `callstore of site ${site}`).join(', ');
  throw new FaultError(unreachableFault(away, scope.instance.site));
}

/** Deletes a recording by the name of its file or, without a name, all of the call. Answers the sites that were away. */
export async function deleteRecordings(
  scope: RoleScope,
  asker: Requester,
  { inviteid, name }: { readonly inviteid: string; readonly name?: string | undefined },
): Promise<readonly string[]> {
  return (await mwareCommand(scope, 'mware.recordings.delete', { ...asker, inviteid, name })).missing;
}
