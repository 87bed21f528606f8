/**
 * Makes the events of calls (class callevents, declared in `model/events/callevents.ts`), as subscribers and callstore get them,
 * with what changes in the lists of live calls.
 */
import type { DialogEnd } from '../../machines/call/dialog-events.ts';
import type { FinalFailure } from '../../machines/call/dialog-forks.ts';
import type { callevents } from '../../model/events/callevents.ts';
import type { DialogRecord, DialogStatus, Side } from '../../model/protocol/messages/dialog.ts';
import type { RecordingList } from '../../model/recording/recording.ts';
import type { Party } from '../../model/sip/message.ts';
import { bracketed, userOf } from '../../model/sip/uri.ts';
import { isoTime } from '../../model/time.ts';
import type { StreamSource } from '../../replication/stream-source.ts';
import type { Call, Fork } from './call.ts';
import { recordOf } from './dialog-record.ts';

export type CallEventName = keyof typeof callevents;

type More = Readonly<Record<string, unknown>>;

/** What the machines of a call know of it. */
export interface CallStates {
  statusOf(call: Call): DialogStatus;
  isListed(call: Call): boolean;
  recordingsOf(call: Call): RecordingList;
}

export class CallEvents {
  readonly #source: StreamSource;
  readonly #states: CallStates;
  readonly #ended = new WeakSet<Call>();
  readonly #owner: { readonly site: string; readonly b2b: string };

  constructor(source: StreamSource, owner: { readonly site: string; readonly b2b: string }, states: CallStates) {
    this.#states = states;
    this.#source = source;
    this.#owner = owner;
  }

  /** Announces a call. */
  invite(call: Call): void {
    const { from, to, participations } = call;
    const caller = { from: bracketed(from.uri), ...named('fromname', from) };
    this.#publish(call, 'invite', { ...caller, to: bracketed(to), participations }, true);
    const { referredBy } = call.origin.request ?? {};
    if (referredBy !== undefined) this.#publish(call, 'referring_invite', { referredby: bracketed(referredBy.uri) });
  }

  /** Routes are known, and devices are called next. */
  init(call: Call): void {
    const { referredBy } = call.origin.request ?? {};
    if (referredBy !== undefined) this.#publish(call, 'route_referred', { referredby: bracketed(referredBy.uri) });
    this.#publish(call, 'dlg_init', { participations: call.participations });
    this.#publish(call, 'dlg_call');
  }

  forkStart(call: Call, fork: Fork): void {
    this.#publish(call, 'fork_start', forkOf(call, fork), true);
  }

  forkRedirect(call: Call, fork: Fork): void {
    const contacts = fork.contacts.map(bracketed);
    this.#publish(call, 'fork_redirect', { ...forkOf(call, fork), contacts }, true);
  }

  /** The audio matcher knows the announcement that a fork plays. */
  forkAnnouncement(call: Call, fork: Fork, sample: string): void {
    this.#publish(call, 'fork_announcement', { ...forkOf(call, fork), sample });
  }

  forkStop(call: Call, fork: Fork, { status, reason }: FinalFailure): void {
    this.#publish(call, 'fork_stop', { ...forkOf(call, fork), sipcode: status, reason }, true);
  }

  start(call: Call, fork: Fork): void {
    const { participations } = call;
    this.#publish(call, 'dlg_start', { ...forkOf(call, fork), bcallid: fork.leg, participations }, true);
  }

  /** A transfer: of a side that is referred elsewhere, or by another call that takes the place of a leg. */
  transfer(call: Call, name: 'refer' | 'replaces_refer', more: More): void {
    this.#publish(call, name, more);
  }

  end(call: Call, end: DialogEnd): void {
    const { participations, answerts } = call;
    this.#ended.add(call);
    const answered = answerts === undefined ? {} : { answerts: isoTime(answerts) };
    this.#publish(call, 'dlg_end', { ...endOf(end), ...answered, participations }, true);
  }

  stop(call: Call, end: DialogEnd): void {
    this.#publish(call, 'dlg_stop', endOf(end));
  }

  /** It ended as no call should: this b2b could not go on with it. A call whose end was published has only gone. */
  dead(call: Call, reason: string): void {
    if (!this.#ended.has(call)) this.#publish(call, 'dlg_dead', { type: 'dead', reason });
    this.gone(call);
  }

  transcription(call: Call, side: Side, text: string): void {
    this.#publish(call, 'transcription', { side, text });
  }

  /** Something that lists show has changed, and no event says so. */
  changed(call: Call): void {
    if (this.#states.isListed(call)) this.#source.publish({ dialog: this.recordOf(call) });
  }

  /** It is gone from the lists. */
  gone(call: Call): void {
    this.#source.publish({ gone: call.dialogid });
  }

  recordOf(call: Call): DialogRecord {
    const [status, recordings] = [this.#states.statusOf(call), this.#states.recordingsOf(call)];
    return recordOf(call, { ...this.#owner, status, recordings });
  }

  #publish(call: Call, name: CallEventName, more: More = {}, hasChanged = false): void {
    const { acallid, inviteid: cid, dialogid, invitets, domains } = call;
    const data = { acallid, cid, inviteid: cid, invitets, dialogid, ...more };
    const event = { class: 'callevents' as const, name, domains: domains as string[], objects: objectsOf(call), data };
    this.#source.publish(hasChanged ? { event, dialog: this.recordOf(call) } : { event });
  }
}

/** The display name of the caller, where it has one. (chosen) */
function named(field: 'fromname' | 'localname', { name }: Party): More {
  return name === undefined ? {} : { [field]: name };
}

/** `forkdir`: where it leads, `inner` within the platform or `outer` through a provider account. */
function forkOf({ from }: Call, { leg, route, side }: Fork): More {
  return {
    localuri: bracketed(from.uri),
    ...named('localname', from),
    remoteuri: bracketed(route.to),
    forkcallid: leg,
    forkcallednum: route.number,
    forkdir: route.account === undefined ? 'inner' : 'outer',
    side,
  };
}

function endOf({ type, status, reason, by }: DialogEnd): More {
  return { type, ...(status === 0 ? {} : { sipcode: status }), reason, ...(by === undefined ? {} : { by }) };
}

/** By what a subscriber may pick the events of a call: ids, logins, numbers. Numbers that were dialled count before their parties are known. */
function objectsOf({ dialogid, inviteid, participations, from, to }: Call): string[] {
  const dialled = [userOf(from.uri), userOf(to)];
  return [
    ...new Set([dialogid, inviteid, ...dialled, ...participations.flatMap(({ name, number }) => [name, number])]),
  ];
}
