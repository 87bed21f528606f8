/** Calls and conferences: the requests of the front to mware. */
import { unreachableFault } from '../cluster/messaging/ask-in-order.ts';
import type { RoleScope } from '../cluster/role.ts';
import type { CallCommand, CallKey, SearchKey } from '../model/call-request-bodies.ts';
import { FaultError, fault } from '../model/fault.ts';
import { limits } from '../model/limits.ts';
import type { BodyOf, ReplyOf } from '../model/protocol/catalogue.ts';
import type { Dialog } from '../model/protocol/messages/callstore.ts';
import type { CallResult } from '../model/protocol/messages/dialog.ts';
import type { CommandReply } from '../model/protocol/messages/mware.ts';
import { type CallRecording, fileNameOf } from '../model/recording/recording.ts';
import {
  type ListAnswer,
  type LookupAnswer,
  mwareCommand,
  mwareList,
  mwareLookup,
  type Requester,
} from './mware-requests.ts';

/** Maximum ringing time of X when it is called to replace its leg, and maximum time until the outcome of Y is known. */
const replacingMs = 30_000;
const calleeMs = limits.longestRingMs + 25_000;

export function listCalls(scope: RoleScope, requester: Requester, params: [string, string][]): Promise<ListAnswer> {
  return mwareList(scope, 'mware.calls', { ...requester, params });
}

export async function showCall(scope: RoleScope, requester: Requester, dialogid: string): Promise<Dialog> {
  return (await mwareLookup(scope, 'mware.call', { ...requester, dialogid })).dialog;
}

export function findCalls(scope: RoleScope, requester: Requester, search: SearchKey<CallKey>): Promise<LookupAnswer> {
  return mwareLookup(scope, 'mware.calls.find', { ...requester, search });
}

/** Starts a call, by IVR, directly or with an IVR script; answers at the moment that `response_mode` selects. */
export function startCall(
  scope: RoleScope,
  requester: Requester,
  { by, call }: Pick<BodyOf<'mware.call.start'>, 'by' | 'call'>,
): Promise<CallResult> {
  const longMs = waitOf(call.response_mode, call.timeout * 1_000);
  return mwareCommand(scope, 'mware.call.start', { ...requester, by, call }, longMs);
}

export function commandCall(
  scope: RoleScope,
  requester: Requester,
  { dialogid, command }: { dialogid: string; command: CallCommand },
): Promise<CommandReply> {
  const longMs = command.verb === 'REFER' ? waitOf(command.body.response_mode, replacingMs) : 0;
  return mwareCommand(scope, 'mware.call.command', { ...requester, dialogid, command }, longMs);
}

/** How long the answer may take: from mode 1 on it waits for X, from mode 2 on for Y too. */
function waitOf(responseMode: number, ringMs: number): number {
  if (responseMode === 0) return 0;
  return responseMode === 1 ? ringMs : ringMs + calleeMs;
}

type Item = Readonly<Record<string, unknown>>;
type Command = BodyOf<'mware.conference.command'>['command'];

export function listConferences(
  scope: RoleScope,
  requester: Requester,
  params: [string, string][],
): Promise<ListAnswer> {
  return mwareList(scope, 'mware.conferences', { ...requester, params });
}

export async function showConference(scope: RoleScope, requester: Requester, confid: string): Promise<Item> {
  return (await mwareLookup(scope, 'mware.conference', { ...requester, confid })).item;
}

export function findConferences(scope: RoleScope, requester: Requester, search: SearchKey): Promise<LookupAnswer> {
  return mwareLookup(scope, 'mware.conferences.find', { ...requester, search });
}

export function listParticipants(
  scope: RoleScope,
  requester: Requester,
  { confid, params }: { confid: string; params: [string, string][] },
): Promise<ListAnswer> {
  return mwareList(scope, 'mware.participants', { ...requester, confid, params });
}

export async function showParticipant(
  scope: RoleScope,
  requester: Requester,
  at: { confid: string; participantid: string },
): Promise<Item> {
  return (await mwareLookup(scope, 'mware.participant', { ...requester, ...at })).item;
}

/** Sends a command to a conference: end it, call a number, remove a participant, or set the audio topology. */
export function commandConference(
  scope: RoleScope,
  requester: Requester,
  request: { confid: string; command: Command },
): Promise<ReplyOf<'mware.conference.command'>> {
  return mwareCommand(scope, 'mware.conference.command', { ...requester, ...request });
}

/** The audio topology: for each participant the ids of the participants that it hears. */
export async function topologyOf(scope: RoleScope, requester: Requester, confid: string): Promise<{ hears: object }> {
  const request = { ...requester, confid, command: { verb: 'hears' as const } };
  const { hears = {} } = await mwareLookup(scope, 'mware.conference.command', request);
  return { hears };
}

/** The recordings of a call by site, and the sites of the domain that did not answer. */
export function listRecordings(
  scope: RoleScope,
  requester: Requester,
  inviteid: string,
): Promise<ReplyOf<'mware.recordings'>> {
  return mwareLookup(scope, 'mware.recordings', { ...requester, inviteid });
}

/** The recording with this file name. Throws `not_found`, or `unreachable` when a site that may have it did not answer. */
export async function findRecording(
  scope: RoleScope,
  requester: Requester,
  { inviteid, name }: { readonly inviteid: string; readonly name: string },
): Promise<CallRecording> {
  const { sites, missing } = await listRecordings(scope, requester, inviteid);
  const all = sites.flatMap(({ recordings }) => recordings);
  const found = all.find((each) => fileNameOf(each) === name);
  if (found !== undefined) return found;
  // The message of the interface. (documented)
  if (missing.length === 0) throw new FaultError(fault('not_found', 'Call record not found'));
  const silent = missing.map((site) => `callstore of site ${site}`).join(', ');
  throw new FaultError(unreachableFault(silent, scope.instance.site));
}

/**
 * Deletes a recording by its file name or, without a name, all recordings of the call. Returns the sites that did not
 * answer.
 */
export async function deleteRecordings(
  scope: RoleScope,
  requester: Requester,
  { inviteid, name }: { readonly inviteid: string; readonly name?: string | undefined },
): Promise<readonly string[]> {
  return (await mwareCommand(scope, 'mware.recordings.delete', { ...requester, inviteid, name })).missing;
}

/** The records of ended calls of a domain, or of one's own. */
export function listRecords(scope: RoleScope, asker: Requester, params: [string, string][]): Promise<ListAnswer> {
  return mwareList(scope, 'mware.records', { ...asker, params });
}

/** The record of an ended call. Throws `not_found`. */
export async function showRecord(
  scope: RoleScope,
  asker: Requester,
  inviteid: string,
): Promise<Readonly<Record<string, unknown>>> {
  return (await mwareLookup(scope, 'mware.record', { ...asker, inviteid })).item;
}
