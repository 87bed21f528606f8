/**
 * Ends the calls whose b2b instance is gone: `dlg_dead` instead of the end that nobody tells any more. Only the member of the
 * group that serves does it; the others hear it from that one.
 */
import type { DialogRecord } from '../../model/protocol/dialog.ts';
import type { StreamItem } from '../../model/protocol/stream.ts';
import { isoTime } from '../../model/time.ts';
import { namedUuid } from '../../model/uuid.ts';
import type { EventSource } from '../stream/source.ts';
import type { Ledger } from './ledger.ts';
import type { LiveCalls } from './live-calls.ts';

export interface UndertakerOptions {
  readonly calls: LiveCalls;
  readonly ledger: Ledger;
  readonly source: EventSource;
  /** Takes what was told as this instance's own, as others take it when they hear it. */
  readonly onTold: (item: StreamItem) => void;
}

export class Undertaker {
  readonly #options: UndertakerOptions;

  constructor(options: UndertakerOptions) {
    this.#options = options;
  }

  /** Ends all calls of a life of a source. */
  bury(source: string, epoch: number): void {
    const { calls, ledger } = this.#options;
    for (const { record } of calls.ofLife(source, epoch)) this.buryCall(record);
    for (const inviteid of ledger.unfinished(`${source} ${epoch}`)) this.#buryBegun(inviteid);
  }

  /** Ends a call. Where its end was told, only the dialog goes: it has its event. */
  buryCall(record: DialogRecord): void {
    const { ledger, source, onTold } = this.#options;
    const { dialogid: gone, inviteid, acallid, startts, domains, participations } = record;
    if (ledger.hasEnded(inviteid)) return onTold(source.tell({ gone }));
    const parties = participations.flatMap(({ name, number }) => [name, number]).filter((name) => name !== '');
    const objects = [...new Set([gone, inviteid, ...parties])];
    onTold(source.tell({ event: deathOf({ inviteid, dialogid: gone, acallid, startts, domains, objects }), gone }));
  }

  /** Ends a call that had begun, but had no dialog. */
  #buryBegun(inviteid: string): void {
    const { ledger, source, onTold } = this.#options;
    const begun = ledger.describe(inviteid);
    if (begun === undefined) return;
    onTold(source.tell({ event: deathOf({ inviteid, dialogid: '', ...begun, objects: [inviteid] }) }));
  }
}

interface Dead {
  readonly inviteid: string;
  readonly dialogid: string;
  readonly acallid: string;
  readonly startts: number;
  readonly domains: readonly string[];
  readonly objects: string[];
}

/** Its id is the same whoever makes it, so that a second one is known for what it is. */
function deathOf({ inviteid, dialogid, acallid, startts, domains, objects }: Dead) {
  const eventid = namedUuid(`dlg_dead/${inviteid}/${dialogid}/${startts}`);
  const call = { acallid, cid: inviteid, inviteid, invitets: isoTime(startts), dialogid };
  const data = { eventid, ...call, type: 'dead', reason: 'the b2b instance is gone' };
  return { class: 'callevents' as const, name: 'dlg_dead', domains: [...domains], objects, data };
}
