/**
 * What a callstore knows of the calls of its site: live calls, and calls whose record is still to be made. Takes what the sources
 * publish, and decides which calls end because their source is gone: `dlg_dead` instead of the end that it does not publish any more. Only the
 * member of the group that serves does that, and the others receive it from that one.
 */

import type { DialogRecord } from '../../model/protocol/messages/dialog.ts';
import type { StreamItem } from '../../model/protocol/messages/stream.ts';
import { RecentSet } from '../../model/recent-set.ts';
import { isoTime } from '../../model/time.ts';
import { namedUuid } from '../../model/uuid.ts';
import type { Published } from '../../replication/stream-source.ts';
import type { CallLedger } from './call-ledger.ts';
import type { ListedCalls } from './call-sources.ts';
import { LiveCalls, type Origin } from './live-calls.ts';

/** As many as are over within the time of a handover of orphans. */
const mostTerminated = 10_000;

/** An epoch of a source, by the name of its instance. */
export type SourceEpoch = Pick<Origin, 'source' | 'epoch'>;

export interface SiteCallsOptions {
  /** Name of the own instance, which is a source as well. */
  readonly name: string;
  readonly ledger: CallLedger;
  readonly isServing: () => boolean;
  /** Whether a source is in reach in this epoch, and so publishes the ends of its calls itself. */
  readonly isInReach: (source: string, epoch: number) => boolean;
  /** Whether an epoch of a source is over; for good: the source has begun another one, rather than being out of reach. */
  readonly isOver: (source: string, epoch: number, isForGood?: boolean) => boolean;
  /** Another member took a call of this source for dead, which may be alive: the list of the source says. */
  readonly onDoubt: (source: string) => void;
  /** Publishes an item of the own stream, and takes it as the others take it when they receive it. */
  readonly publish: (item: Published) => void;
  readonly nowMs: () => number;
}

export class SiteCalls {
  readonly live = new LiveCalls();
  /** Dialogs that this member has terminated when their epoch was over for good: none of them can have gone on. */
  readonly #terminated = new RecentSet<string>(mostTerminated);
  readonly #options: SiteCallsOptions;

  constructor(options: SiteCallsOptions) {
    this.#options = options;
  }

  /** Takes an item of a source, published at `atMs`. Returns the SIP users of its call, as `login@domain`. */
  take(item: StreamItem, { source, epoch }: SourceEpoch, atMs: number): string[] {
    const { n, dialog, gone } = item;
    const sipusers = this.#options.ledger.apply(item, `${source} ${epoch}`, atMs);
    if (dialog !== undefined && gone === undefined) this.live.set(dialog, { source, epoch, n });
    if (gone !== undefined) this.#end(gone, { source, epoch, n });
    return sipusers;
  }

  /** Takes the list of the live calls of a source: a call that is not on it is over. */
  takeList({ source, epoch }: SourceEpoch, { calls, upTo }: ListedCalls): void {
    const { ledger, isServing } = this.#options;
    const alive = new Set<string>();
    for (const { record, upTo: n } of calls) {
      alive.add(record.dialogid);
      this.live.set(record, { source, epoch, n });
      ledger.note(record, `${source} ${epoch}`);
    }
    for (const { record, origin } of this.live.ofEpoch(source, epoch)) {
      if (origin.n > upTo || alive.has(record.dialogid)) continue;
      if (isServing()) this.#terminate(record);
      else this.#drop(record, origin);
    }
  }

  /** This member serves from now on: terminates the calls of all epochs that are over. */
  serve(): void {
    for (const { source, epoch } of this.orphaned()) this.terminateAll({ source, epoch });
  }

  /** Terminates all calls of an epoch of a source. */
  terminateAll({ source, epoch }: SourceEpoch): void {
    const isForGood = this.#options.isOver(source, epoch, true);
    for (const { record } of this.live.ofEpoch(source, epoch)) {
      if (isForGood) this.#terminated.add(record.dialogid);
      this.#terminate(record);
    }
    for (const inviteid of this.#options.ledger.unfinished(`${source} ${epoch}`)) this.#terminateBegun(inviteid);
  }

  /** Epochs that are over, of which calls are still here. */
  orphaned(): SourceEpoch[] {
    return this.live.epochs().filter(({ source, epoch }) => this.#options.isOver(source, epoch));
  }

  /** Terminates calls that another member has taken for orphans. Where their source is in reach from here, it publishes their ends itself. */
  takeOrphans({ source, epoch }: SourceEpoch, calls: readonly DialogRecord[]): void {
    if (!this.#options.isOver(source, epoch)) return;
    for (const record of calls) {
      // The other member has heard of this end before it knew that the epoch was over, and has kept the call.
      if (this.#terminated.has(record.dialogid)) this.#options.publish({ gone: record.dialogid });
      else {
        this.#options.ledger.note(record, `${source} ${epoch}`);
        this.#terminate(record);
      }
    }
  }

  /** Terminates a call. If its end was already published, publishes no second event: only the dialog is removed. */
  #terminate(record: DialogRecord): void {
    const { ledger, publish } = this.#options;
    const { dialogid: gone, inviteid, acallid, startts, domains, participations } = record;
    if (ledger.hasEnded(inviteid)) return publish({ gone });
    const parties = participations.flatMap(({ name, number }) => [name, number]).filter((name) => name !== '');
    const objects = [...new Set([gone, inviteid, ...parties])];
    const returns = ledger.revivalsOf(inviteid);
    const event = deadEvent({ inviteid, dialogid: gone, acallid, startts, domains, objects, returns });
    publish({ event, gone });
  }

  /** Terminates a call that had begun, but had no dialog. */
  #terminateBegun(inviteid: string): void {
    const { ledger, publish } = this.#options;
    const begun = ledger.describe(inviteid);
    if (begun === undefined) return;
    const returns = ledger.revivalsOf(inviteid);
    publish({ event: deadEvent({ inviteid, dialogid: '', ...begun, objects: [inviteid], returns }) });
  }

  /** A call that another callstore took for dead, cut off from its b2b, goes on here, where that is in reach, or when it is again. */
  #end(gone: string, by: Origin): void {
    const { ledger, name, isInReach, isOver, onDoubt } = this.#options;
    const record = this.live.get(gone);
    const { source = '', epoch = 0 } = this.live.originOf(gone) ?? {};
    const isHearsay = by.source !== source && by.source !== name;
    if (record !== undefined && isHearsay && isInReach(source, epoch)) {
      ledger.note(record, `${source} ${epoch}`);
      return;
    }
    this.live.delete(gone, by);
    if (record !== undefined && isHearsay && !isOver(source, epoch)) onDoubt(source);
  }

  /** Drops a call whose end did not reach this instance; what the other members have received of it comes with their records. */
  #drop({ dialogid: gone }: DialogRecord, { source, epoch, n }: Origin): void {
    this.live.delete(gone);
    this.#options.ledger.apply({ n, gone }, `${source} ${epoch}`, Math.floor(this.#options.nowMs()));
  }
}

interface DeadCall {
  readonly inviteid: string;
  readonly dialogid: string;
  readonly acallid: string;
  readonly startts: number;
  readonly domains: readonly string[];
  readonly objects: string[];
  readonly returns: number;
}

/** Its id is the same from every instance that makes it, so that a second one is recognized. A call that went on may end so again. */
function deadEvent({ inviteid, dialogid, acallid, startts, domains, objects, returns }: DeadCall) {
  const again = returns === 0 ? '' : `/${returns}`;
  const eventid = namedUuid(`dlg_dead/${inviteid}/${dialogid}/${startts}${again}`);
  const call = { acallid, cid: inviteid, inviteid, invitets: isoTime(startts), dialogid };
  const data = { eventid, ...call, type: 'dead', reason: 'the b2b instance is gone' };
  return { class: 'callevents' as const, name: 'dlg_dead', domains: [...domains], objects, data };
}
