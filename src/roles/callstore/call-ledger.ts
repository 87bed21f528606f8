/**
 * The calls as their records will have them: gathers what dialogs and events say of a call, and when its last dialog is gone
 * makes its record. Dialogs of one inviteid are one call; one that goes on after its record gives another, to be merged.
 */

import { limits } from '../../model/limits.ts';
import type { Cdr } from '../../model/protocol/messages/callstore.ts';
import type { DialogRecord, Participation } from '../../model/protocol/messages/dialog.ts';
import type { PlatformEvent, StreamItem } from '../../model/protocol/messages/stream.ts';
import { type CallRecordInput, recordOf } from '../../model/recording/call-record.ts';
import { mergeRecordings, type RecordingList, withEnds } from '../../model/recording/recording.ts';

interface Call {
  readonly inviteid: string;
  /** The source and its epoch, `b2b-214 1711`, from which it comes. */
  epoch: string;
  readonly live: Set<string>;
  /** Dialogs of them whose end was published. */
  readonly ending: Set<string>;
  /** The record that was made when the last of them ended, until they are gone. */
  early: Cdr | undefined;
  names: Pick<CallRecordInput, 'dialogid' | 'acallid' | 'site' | 'from' | 'to' | 'startts'>;
  answerts: number | null;
  end: Pick<CallRecordInput, 'endts' | 'type' | 'status' | 'reason'> | undefined;
  participations: readonly Participation[];
  domains: readonly string[];
  /** SIP users that take part, as `login@domain`. */
  sipusers: string[];
  recordings: RecordingList;
  overMs: number | undefined;
  /** How often it was taken for dead, and went on. */
  revivals: number;
}

const noUsers: string[] = [];
const noRecordings: RecordingList = [];

export class CallLedger {
  readonly #site: string;
  readonly #nowMs: () => number;
  readonly #onOver: (record: Cdr) => void;
  readonly #calls = new Map<string, Call>();
  readonly #byDialog = new Map<string, Call>();
  /** Calls that are over, the one that ended first in front. */
  readonly #over = new Set<Call>();

  /** `nowMs`: the own clock; those of the sources may differ. */
  constructor(site: string, { nowMs, onOver }: { nowMs: () => number; onOver: (record: Cdr) => void }) {
    this.#site = site;
    this.#nowMs = nowMs;
    this.#onOver = onOver;
  }

  /** Calls that are not forgotten yet. */
  get size(): number {
    return this.#calls.size;
  }

  /** Takes an item of a source. `atMs`: when it was published. Returns the SIP users of the call, as `login@domain`. */
  apply({ event, dialog, gone }: StreamItem, epoch: string, atMs: number): string[] {
    if (dialog !== undefined) this.note(dialog, epoch);
    const call = this.#callOf(event, dialog?.dialogid ?? gone, { epoch, atMs });
    if (call === undefined) return noUsers;
    if (event?.class === 'callevents') noteEvent(call, event, atMs);
    if (event?.name === 'dlg_end') this.#noteEnding(call, text(event.data['dialogid']));
    if (gone !== undefined) this.#remove(call, gone, atMs);
    const mayBeOver = gone !== undefined || event?.name === 'dlg_end' || event?.name === 'dlg_dead';
    if (mayBeOver && call.live.size === 0 && call.overMs === undefined) this.#close(call, atMs);
    this.#forget(this.#nowMs());
    return call.sipusers;
  }

  /** Takes a live call as it is now. */
  note(dialog: DialogRecord, epoch: string): void {
    const { dialogid, inviteid, startts } = dialog;
    const call = this.#calls.get(inviteid) ?? this.#open(inviteid, epoch, startts);
    call.epoch = epoch;
    call.live.add(dialogid);
    this.#byDialog.set(dialogid, call);
    if (call.overMs !== undefined) {
      if (call.end?.type === 'dead') call.revivals += 1;
      call.overMs = undefined;
      call.end = undefined;
      this.#over.delete(call);
    }
    noteDialog(call, dialog);
  }

  /** Calls of an epoch that have no dialog yet, or any more, and did not end. */
  unfinished(epoch: string): string[] {
    const left: string[] = [];
    for (const call of this.#calls.values()) {
      if (call.epoch === epoch && call.overMs === undefined && call.live.size === 0) left.push(call.inviteid);
    }
    return left;
  }

  /** Makes the records of calls whose end was published, though a dialog of them is left. */
  closeEnded(): void {
    for (const call of this.#calls.values()) {
      if (call.end !== undefined && call.overMs === undefined) this.#close(call, call.end.endts);
    }
  }

  /** What `dlg_dead` of a call says that never had a dialog. */
  describe(inviteid: string): { acallid: string; startts: number; domains: readonly string[] } | undefined {
    const call = this.#calls.get(inviteid);
    return call && { acallid: call.names.acallid, startts: call.names.startts, domains: call.domains };
  }

  /** How often a call was taken for dead, and went on all the same. */
  revivalsOf(inviteid: string): number {
    return this.#calls.get(inviteid)?.revivals ?? 0;
  }

  /** Whether the end of the call was published, though a dialog of it may be left. */
  hasEnded(inviteid: string): boolean {
    return this.#calls.get(inviteid)?.end !== undefined;
  }

  #callOf(event: PlatformEvent | undefined, dialogid: string | undefined, at: { epoch: string; atMs: number }) {
    const known = dialogid === undefined ? undefined : this.#byDialog.get(dialogid);
    if (known !== undefined || event?.class !== 'callevents') return known;
    const { cid, acallid, from, to } = event.data;
    if (typeof cid !== 'string') return undefined;
    const found = this.#calls.get(cid);
    // What comes 3 s late of a call that is forgotten begins none.
    if (found !== undefined || event.name === 'dlg_stop') return found;
    const call = this.#open(cid, at.epoch, at.atMs);
    call.names = { ...call.names, acallid: text(acallid), from: text(from), to: text(to) };
    call.domains = event.domains;
    return call;
  }

  #open(inviteid: string, epoch: string, startts: number): Call {
    const call: Call = {
      inviteid,
      epoch,
      live: new Set(),
      ending: new Set(),
      early: undefined,
      names: { dialogid: '', acallid: '', site: this.#site, from: '', to: '', startts },
      answerts: null,
      end: undefined,
      participations: [],
      domains: [],
      sipusers: noUsers,
      recordings: noRecordings,
      overMs: undefined,
      revivals: 0,
    };
    this.#calls.set(inviteid, call);
    return call;
  }

  #remove(call: Call, dialogid: string, atMs: number): void {
    endRecordings(call, dialogid, atMs);
    call.live.delete(dialogid);
    call.ending.delete(dialogid);
    this.#byDialog.delete(dialogid);
  }

  /** Makes the record when all dialogs have ended, for a client that reads it then: their legs may be there for seconds. */
  #noteEnding(call: Call, dialogid: string): void {
    if (call.live.has(dialogid)) call.ending.add(dialogid);
    if (call.end === undefined || call.live.size === 0 || call.ending.size < call.live.size) return;
    call.early = recordNow(call, call.end.endts);
    this.#onOver(call.early);
  }

  #close(call: Call, atMs: number): void {
    const { early } = call;
    call.overMs = this.#nowMs();
    call.early = undefined;
    this.#over.add(call);
    const record = recordNow(call, atMs);
    if (early === undefined || JSON.stringify(early) !== JSON.stringify(record)) this.#onOver(record);
  }

  #forget(nowMs: number): void {
    for (const call of this.#over) {
      if ((call.overMs ?? nowMs) + limits.endedCallMs > nowMs) return;
      this.#over.delete(call);
      this.#calls.delete(call.inviteid);
    }
  }
}

/** The record of a call as far as it is known. `atMs`: when it ended, if no end was published. */
function recordNow({ inviteid, names, answerts, end: published, ...call }: Call, atMs: number): Cdr {
  const { participations, domains, recordings } = call;
  const end = published ?? { endts: atMs, type: 'dead', status: null, reason: '' };
  // The end of a dead call is of the clock of the instance that has noticed it.
  const endts = Math.max(end.endts, names.startts, answerts ?? 0);
  const events = { inviteid, ...names, answerts, ...end, endts };
  return recordOf({ ...events, participations: [...participations], domains: [...domains], recordings });
}

function noteDialog(call: Call, dialog: DialogRecord): void {
  const { dialogid, acallid, site, localuri, remoteuri, startts, answerts, participations, domains, recordings } =
    dialog;
  const isFirst = call.names.dialogid === '' || call.names.dialogid === dialogid || startts < call.names.startts;
  if (isFirst) call.names = { dialogid, acallid, site, from: localuri, to: remoteuri, startts };
  if (answerts !== undefined) call.answerts = Math.min(call.answerts ?? answerts, answerts);
  if (recordings !== undefined) call.recordings = mergeRecordings(call.recordings, recordings);
  if (call.domains !== domains) call.domains = merged(call.domains, domains, (domain) => domain);
  noteParties(call, participations);
}

function noteParties(call: Call, participations: readonly Participation[]): void {
  if (call.participations === participations) return;
  call.participations = merged(call.participations, participations, keyOf);
  call.sipusers = call.participations.flatMap(({ kind, id }) => (kind === 'sipuser' && id !== undefined ? [id] : []));
}

function noteEvent(call: Call, { name, data }: PlatformEvent, atMs: number): void {
  if (name === 'dlg_init') noteParties(call, data['participations'] as readonly Participation[]);
  if (name === 'dlg_start') call.answerts ??= atMs;
  if (name === 'dlg_end') call.end = { endts: atMs, type: text(data['type']) || 'unknown', ...finalAnswer(data) };
  if (name === 'dlg_dead') call.end ??= { endts: atMs, type: 'dead', ...finalAnswer(data) };
  if (name === 'dlg_end' || name === 'dlg_dead') endRecordings(call, text(data['dialogid']), atMs);
}

/** A recording that was not stopped ends with its dialog, or when that is gone, where its end was missed. */
function endRecordings(call: Call, dialogid: string, atMs: number): void {
  if (call.recordings.length > 0) call.recordings = withEnds(call.recordings, dialogid, atMs);
}

function finalAnswer(data: Readonly<Record<string, unknown>>): { status: number | null; reason: string } {
  const status = data['sipcode'];
  return { status: Number.isInteger(status) ? (status as number) : null, reason: text(data['reason']) };
}

/** The items of both, without a copy where the first has all. */
function merged<T>(have: readonly T[], more: readonly T[], key: (item: T) => string): readonly T[] {
  if (have.length === 0) return more;
  const known = new Set(have.map(key));
  const fresh = more.filter((item) => !known.has(key(item)));
  return fresh.length === 0 ? have : [...have, ...fresh];
}

function keyOf({ side, kind, domain, name }: Participation): string {
  return `${side}/${kind}/${domain}/${name}`;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
