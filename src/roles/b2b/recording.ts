/**
 * Recording: begins by the record rules when a call connects, or by command, and lasts until it is stopped or the call ends.
 * What is recorded is told with the call; callstore keeps it, and ends it where the call does.
 */
import { limits } from '../../model/limits.ts';
import type { Side } from '../../model/protocol/dialog.ts';
import type { DomainRules } from '../../model/protocol/directory.ts';
import { type RecordableCall, type Recording, recordingRule } from '../../model/recording.ts';
import type { Media } from '../../model/sip/message.ts';
import { userOf } from '../../model/sip/uri.ts';
import { type Call, otherSide, partyOf } from './call.ts';
import type { Route } from './routes.ts';

const hourMs = 3_600_000;

/** Keeps the rules of the domains that a call may concern, as they are when it is routed. */
export function noteRules(call: Call, found: readonly DomainRules[] | undefined): void {
  if (found === undefined) return;
  call.rules = new Map([...(call.rules ?? []), ...found.map((each) => [each.domain, each] as const)]);
}

/** The call connects: it is recorded when the domain of either side says so, and kept for as long as either wants. */
export function recordByRules(call: Call, route: Route): void {
  const { rules, answerts: atMs } = call;
  if (rules === undefined || atMs === undefined) return;
  const deciding = viewsOf(call, route).flatMap(([domain, view]) => {
    const { rules: each = [], offsetHours = 0 } = rules.get(domain) ?? {};
    return recordingRule(each, { ...view, atMs: atMs + offsetHours * hourMs }) ?? [];
  });
  if (deciding.length === 0) return;
  const keepMs = Math.max(...deciding.map((rule) => rule.keepMs ?? Number.POSITIVE_INFINITY));
  startRecording(call, atMs, keepMs);
  call.opts = { ...call.opts, recording: true };
}

/** The callee has answered with this media; what the offer has kept it from is not its own wish. */
export function answeredWith(call: Call, answer: Media = 'sendrecv'): void {
  const { a: offer } = call.media;
  const isSending = sends(answer) || !takes(offer);
  const isTaking = takes(answer) || !sends(offer);
  call.media.b = isSending ? (isTaking ? 'sendrecv' : 'sendonly') : isTaking ? 'recvonly' : 'inactive';
}

/** A side holds, or goes on. True where that is heard in a recording. */
export function mediaChanged(
  call: Call,
  { side, media, atMs }: { readonly side: Side; readonly media: Media; readonly atMs: number },
): boolean {
  call.media[side] = media;
  const last = call.recordings.at(-1);
  if (last === undefined || !isRecording(call) || changesIn(call) >= limits.recordedChanges) return false;
  const [, a, b] = last.heard.at(-1) ?? [];
  if (a === isHeard(call, 'a') && b === isHeard(call, 'b')) return false;
  setLast(call, {
    ...last,
    heard: [...last.heard, [Math.max(0, atMs - last.startts), isHeard(call, 'a'), isHeard(call, 'b')]],
  });
  return true;
}

export function isRecording(call: Call): boolean {
  const last = call.recordings.at(-1);
  return call.status === 'dialog' && last !== undefined && last.endts === undefined;
}

/** Begins the next recording of a call. False: it has as many as a call may have. */
export function startRecording(call: Call, startts: number, keepMs = Number.POSITIVE_INFINITY): boolean {
  if (call.recordings.length >= limits.recordings) return false;
  const { dialogid } = call;
  const n = call.recordings.length + 1;
  call.recordings = [
    ...call.recordings,
    {
      ...{ dialogid, n, startts, heard: [[0, isHeard(call, 'a'), isHeard(call, 'b')]] },
      ...(Number.isFinite(keepMs) && { keepMs }),
    },
  ];
  return true;
}

/** Ends the recording that goes on, if one does. */
export function endRecording(call: Call, endts: number): void {
  const last = call.recordings.at(-1);
  if (last !== undefined && last.endts === undefined) setLast(call, { ...last, endts });
}

function changesIn({ recordings }: Call): number {
  return recordings.reduce((sum, { heard }) => sum + heard.length, 0);
}

function setLast(call: Call, recording: Recording): void {
  call.recordings = [...call.recordings.slice(0, -1), recording];
}

/** Whether what a side says gets to the other one. */
function isHeard({ media }: Call, side: Side): boolean {
  return sends(media[side]) && takes(media[otherSide(side)]);
}

function sends(media: Media): boolean {
  return media === 'sendrecv' || media === 'sendonly';
}

function takes(media: Media): boolean {
  return media === 'sendrecv' || media === 'recvonly';
}

/** The call as the domain of its caller sees it and, where it is another one, that of its callee. */
function viewsOf(call: Call, route: Route): [domain: string, Omit<RecordableCall, 'atMs'>][] {
  const caller = partyOf(call, 'a');
  const home = caller?.domain ?? call.origin.domain;
  const numbers = { from: caller?.number ?? userOf(call.from.uri), to: route.number };
  const isCross = route.domain !== home;
  const dir = caller?.kind === 'account' ? 'incoming' : isCross || route.account !== undefined ? 'outgoing' : 'inner';
  if (!isCross) return [[home, { ...numbers, dir, crossdomain: '' }]];
  return [
    [home, { ...numbers, dir, crossdomain: route.domain }],
    [route.domain, { ...numbers, dir: 'incoming', crossdomain: home }],
  ];
}
