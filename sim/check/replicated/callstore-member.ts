/** One of the two callstores of a group: what it has done since its start, and what the product's own decisions have made of it. */
import type { Cdr } from '../../../src/model/protocol/messages/callstore.ts';
import type { DialogRecord } from '../../../src/model/protocol/messages/dialog.ts';
import type { Published } from '../../../src/replication/stream-source.ts';
import { CallLedger } from '../../../src/roles/callstore/call-ledger.ts';
import { SiteCalls, type SiteCallsOptions } from '../../../src/roles/callstore/site-calls.ts';

export const members = ['one', 'two'] as const;
export type Name = (typeof members)[number];
export const otherOf = { one: 'two', two: 'one' } as const;

const b2b = 'b2b-1';
const [dialogid, inviteid, acme] = ['d', 'i', 'acme.root.test'];
const record: DialogRecord = {
  dialogid,
  inviteid,
  acallid: 'a',
  esgdlg: '',
  status: 'dialog',
  legs: [],
  localuri: '',
  remoteuri: '',
  site: '',
  startts: 0,
  opts: {},
  domains: [acme],
  b2b,
  participations: [],
  bindings: [],
};
const data = { cid: inviteid, dialogid, type: 'bye', sipcode: 200, reason: 'OK' };
/** What the b2b publishes of its call, one after the other. */
export const published: readonly Published[] = [
  { dialog: record },
  { event: { class: 'callevents', name: 'dlg_end', domains: [acme], objects: [], data }, dialog: record },
  { gone: dialogid },
];

/** What a callstore publishes of the call: that it is dead, that it is gone after its end was published, or that it died before it had a dialog. */
const ends = {
  dead: { event: deadEvent(dialogid), gone: dialogid },
  gone: { gone: dialogid },
  unborn: { event: deadEvent('') },
} satisfies Readonly<Record<string, Published>>;
export type End = keyof typeof ends;

function deadEvent(of: string) {
  const more = { cid: inviteid, dialogid: of, type: 'dead' };
  return { class: 'callevents' as const, name: 'dlg_dead', domains: [acme], objects: [], data: more };
}

function endOf({ event, gone }: Published): End {
  if (gone === undefined) return 'unborn';
  return event === undefined ? 'gone' : 'dead';
}

/** What a callstore has done since its start, and what it knew of itself and the b2b then, as far as it counts. */
export type Done = { isServing?: boolean; isInReach?: boolean; isOver?: boolean; isForGood?: boolean } & (
  | { type: 'item'; n: number }
  | { type: 'other’s item'; item: End; n: number; epoch: number }
  | { type: 'list'; isLive: boolean; upTo: number }
  | { type: 'all terminated' | 'serve' | 'orphans' }
);

export interface Member {
  epoch: number;
  isServing: boolean;
  /** It is elected, and does not know yet that it has heard of all calls. */
  isReconciling: boolean;
  /** The epoch of the b2b that it has in reach; 0: none. */
  sees: number;
  /** It was out of reach for too long. */
  isLost: boolean;
  /** Its list of calls is to be taken. */
  isPartial: boolean;
  position: { epoch: number; n: number };
  otherPosition: { epoch: number; n: number };
  isHandingOver: boolean;
  done: Done[];
  /** Its own stream. */
  items: End[];
  /** How its record says that the call has ended; empty: there is none. */
  stored: '' | 'bye' | 'dead';
}

/** What a spoilt version has otherwise. */
export interface CallstoresRules {
  readonly makeCalls: (options: SiteCallsOptions) => SiteCalls;
  /** Whether a member that stands by hands its orphans over. */
  readonly handsOver: boolean;
}

export const productRules: CallstoresRules = { makeCalls: (options) => new SiteCalls(options), handsOver: true };

export interface Rebuilt {
  readonly calls: SiteCalls;
  readonly stored: Member['stored'][];
  readonly items: End[];
  /** The last thing that it has done calls for the list of the b2b. */
  readonly isInDoubt: boolean;
}

/** A callstore that has done all this. */
export function rebuilt({ makeCalls }: CallstoresRules, name: Name, { done, epoch: own }: Member): Rebuilt {
  const [stored, items]: [Member['stored'][], End[]] = [[], []];
  let now: Partial<Done> = {};
  let isInDoubt = false;
  const nowMs = () => 0;
  const onOver = ({ type }: Cdr) => stored.push(type === 'dead' ? 'dead' : 'bye');
  const calls: SiteCalls = makeCalls({
    name,
    ledger: new CallLedger('north', { nowMs, onOver }),
    isServing: () => now.isServing === true,
    isInReach: () => now.isInReach === true,
    isOver: (_source, _epoch, isForGood) => (isForGood === true ? now.isForGood : now.isOver) === true,
    onDoubt: () => {
      isInDoubt = true;
    },
    publish: (item) => {
      items.push(endOf(item));
      calls.take({ n: items.length, ...item }, { source: name, epoch: own }, 0);
    },
    nowMs,
  });
  const of = { source: b2b, epoch: 1 };
  for (const each of done) {
    now = each;
    isInDoubt = false;
    if (each.type === 'item') calls.take({ n: each.n, ...published[each.n - 1] }, of, 0);
    else if (each.type === 'other’s item')
      calls.take({ n: each.n, ...ends[each.item] }, { source: otherOf[name], epoch: each.epoch }, 0);
    else if (each.type === 'list') {
      const listed = each.isLive ? [{ record, upTo: each.upTo }] : [];
      calls.takeList(of, { calls: listed, upTo: each.upTo });
    } else if (each.type === 'all terminated') calls.terminateAll(of);
    else if (each.type === 'serve') calls.serve();
    else calls.takeOrphans(of, [record]);
  }
  return { calls, stored, items, isInDoubt };
}

/** As records are merged: an end that was heard outweighs one that was not. */
export function merged(...all: readonly Member['stored'][]): Member['stored'] {
  return (['bye', 'dead'] as const).find((end) => all.includes(end)) ?? '';
}

export function memberOf(sees: number): Member {
  const nowhere = { epoch: 0, n: 0 };
  return {
    epoch: 1,
    isServing: false,
    isReconciling: false,
    sees,
    isLost: false,
    isPartial: false,
    position: { ...nowhere },
    otherPosition: { ...nowhere },
    isHandingOver: false,
    done: [],
    items: [],
    stored: '',
  };
}
