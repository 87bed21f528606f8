/**
 * Terminates calls whose b2b is gone: `dlg_dead` instead of the end that the b2b does not publish any more. Only the member of the
 * group that serves does it, and the others receive it from that one. A member that stands by and still has such calls a while later
 * hands them over, for the one that serves may never have known them.
 */

import type { RoleScope } from '../../cluster/role.ts';
import type { InstanceEntry } from '../../model/cluster/cluster-map.ts';
import { done, type Outcome } from '../../model/fault.ts';
import { limits } from '../../model/limits.ts';
import type { BodyOf } from '../../model/protocol/catalogue.ts';
import type { DialogRecord } from '../../model/protocol/messages/dialog.ts';
import type { StreamItem } from '../../model/protocol/messages/stream.ts';
import { isoTime } from '../../model/time.ts';
import { namedUuid } from '../../model/uuid.ts';
import type { Timer } from '../../ports/clock.ts';
import type { StreamSource } from '../../replication/stream-source.ts';
import type { CallLedger } from './call-ledger.ts';
import type { LiveCalls } from './live-calls.ts';

export interface OrphanReaperOptions {
  readonly scope: RoleScope;
  readonly calls: LiveCalls;
  readonly ledger: CallLedger;
  readonly source: StreamSource;
  /** Whether an epoch of a source is over. */
  readonly isOver: (source: string, epoch: number) => boolean;
  /** Takes what was published here as the others take it when they receive it. */
  readonly onPublished: (item: StreamItem) => void;
}

export class OrphanReaper {
  readonly #options: OrphanReaperOptions;
  readonly #others: readonly InstanceEntry[];
  #timer: Timer | undefined;

  constructor(options: OrphanReaperOptions) {
    const { scope } = options;
    this.#options = options;
    this.#others = scope.map.groupOf(scope.instance).filter((each) => each !== scope.instance);
  }

  readonly handlers = {
    'callstore.orphans': ({ source, epoch, calls }: BodyOf<'callstore.orphans'>): Outcome<Record<string, never>> => {
      // Where the source is in reach from here, it publishes the ends of its calls itself.
      if (!this.#options.isOver(source, epoch)) return done({});
      for (const record of calls) {
        this.#options.ledger.note(record, `${source} ${epoch}`);
        this.terminateCall(record);
      }
      return done({});
    },
  };

  /** Terminates all calls of an epoch of a source. */
  terminate(source: string, epoch: number): void {
    const { calls, ledger } = this.#options;
    for (const { record } of calls.ofEpoch(source, epoch)) this.terminateCall(record);
    for (const inviteid of ledger.unfinished(`${source} ${epoch}`)) this.#terminateBegun(inviteid);
  }

  /** Terminates a call. If its end was already published, publishes no second event: only the dialog is removed. */
  terminateCall(record: DialogRecord): void {
    const { ledger, source, onPublished } = this.#options;
    const { dialogid: gone, inviteid, acallid, startts, domains, participations } = record;
    if (ledger.hasEnded(inviteid)) return onPublished(source.publish({ gone }));
    const parties = participations.flatMap(({ name, number }) => [name, number]).filter((name) => name !== '');
    const objects = [...new Set([gone, inviteid, ...parties])];
    const returns = ledger.returnsOf(inviteid);
    const event = deadEvent({ inviteid, dialogid: gone, acallid, startts, domains, objects, returns });
    onPublished(source.publish({ event, gone }));
  }

  /** While this member stands by: hands orphans over to the one that serves, if they are still here in a while. */
  handOverLater(): void {
    if (this.#others.length === 0) return;
    const { scope } = this.#options;
    this.#timer ??= scope.clock.setTimer(limits.orphanMs, () => {
      this.#timer = undefined;
      this.#handOver().catch(scope.crash);
    });
  }

  async #handOver(): Promise<void> {
    const { scope, calls, isOver } = this.#options;
    const over = calls.epochs().filter(({ source, epoch }) => isOver(source, epoch));
    if (over.length === 0) return;
    const active = this.#others.find((each) => scope.view.statusOf(each) === 'active');
    for (const { source, epoch } of active === undefined ? [] : over) {
      const left = calls.ofEpoch(source, epoch).map(({ record }) => record);
      for (let at = 0; at < left.length; at += limits.exchangedRecords) {
        const some = left.slice(at, at + limits.exchangedRecords);
        await scope.ask((active as InstanceEntry).address, 'callstore.orphans', { source, epoch, calls: some });
      }
    }
    // The calls are removed here when the active member has published their end; until then they are sent again.
    this.handOverLater();
  }

  /** Terminates a call that had begun, but had no dialog. */
  #terminateBegun(inviteid: string): void {
    const { ledger, source, onPublished } = this.#options;
    const begun = ledger.describe(inviteid);
    if (begun === undefined) return;
    const returns = ledger.returnsOf(inviteid);
    onPublished(
      source.publish({ event: deadEvent({ inviteid, dialogid: '', ...begun, objects: [inviteid], returns }) }),
    );
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
