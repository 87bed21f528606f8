/** The record of a live call, as lists and callstore have it. */
import type { DialogRecord, DialogStatus, LegRecord, Participation } from '../../model/protocol/messages/dialog.ts';
import type { CallRecording, RecordingList } from '../../model/recording/recording.ts';
import { bracketed } from '../../model/sip/uri.ts';
import type { Call } from './call.ts';

/** What a record says of a call beside its own fields: where it is, and what its machines know. */
export interface RecordedState {
  readonly site: string;
  readonly b2b: string;
  readonly status: DialogStatus;
  readonly recordings: RecordingList;
}

/** The call as callstore receives it. Nothing in it is changed later. */
export function recordOf(call: Call, { site, b2b, status, recordings }: RecordedState): DialogRecord {
  const { dialogid, inviteid, acallid, startts, answerts, bindings } = call;
  const [last] = recordings.slice(-1);
  const opts = last === undefined ? call.opts : { ...call.opts, recording: last.endts === undefined };
  return {
    dialogid,
    inviteid,
    acallid,
    esgdlg: call.origin.request?.esgdlg ?? '',
    status,
    legs: legsOf(call),
    localuri: bracketed(call.from.uri),
    remoteuri: bracketed(call.to),
    site,
    startts,
    ...(answerts === undefined ? {} : { answerts }),
    opts: bindings.length === 0 ? opts : { ...opts, bindings },
    domains: call.domains as string[],
    b2b,
    participations: call.participations as Participation[],
    bindings: bindings as string[],
    ...(recordings.length > 0 && { recordings: recordings as CallRecording[] }),
  };
}

function legsOf(call: Call): LegRecord[] {
  const caller = bracketed(call.from.uri);
  const legs: LegRecord[] = [];
  const [a, b] = [call.legOf('a'), call.legOf('b')];
  if (a !== undefined) legs.push({ callid: a, side: 'a', localuri: bracketed(call.to), remoteuri: caller });
  for (const { leg, side, route, untilMs } of call.forks.values()) {
    if (side === 'a') {
      if (a === undefined) legs.push({ callid: leg, side, localuri: caller, remoteuri: bracketed(route.to) });
      continue;
    }
    if (b !== undefined && b !== leg) continue;
    const time = timeOf(call, untilMs);
    legs.push({ callid: leg, side, localuri: caller, remoteuri: bracketed(route.to), ...time });
  }
  return legs;
}

/** Until the callee has answered it may ring for a time, then talk for a time. */
function timeOf({ answerts, talkMs }: Call, untilMs: number): { untilMs: number } {
  return { untilMs: answerts === undefined ? untilMs : answerts + talkMs };
}
