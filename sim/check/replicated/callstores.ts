/**
 * Two callstores of a group and the b2b of one call (`roles/callstore/site-calls.ts`, `call-ledger.ts`): the b2b crashes, the callstores crash and
 * fail over, and any of the three lose sight of each other. How streams arrive is a system of its own (`stream+consumer`).
 */
import type { Cdr } from '../../../src/model/protocol/messages/callstore.ts';
import type { DialogRecord } from '../../../src/model/protocol/messages/dialog.ts';
import type { Published } from '../../../src/replication/stream-source.ts';
import { CallLedger } from '../../../src/roles/callstore/call-ledger.ts';
import { SiteCalls, type SiteCallsOptions } from '../../../src/roles/callstore/site-calls.ts';
import type { DataAction, DataCheck, DataMessage, DataState } from '../system/data-system.ts';

const members = ['one', 'two'] as const;
type Name = (typeof members)[number];
const otherOf = { one: 'two', two: 'one' } as const;

const b2b = 'b2b-1';
const [dialogid, inviteid, acme] = ['d', 'i', 'acme.root.test'];
const record: DialogRecord = {
  ...{
    dialogid,
    inviteid,
    acallid: 'a',
    esgdlg: '',
    status: 'dialog',
    legs: [],
    localuri: '',
    remoteuri: '',
    site: '',
  },
  ...{ startts: 0, opts: {}, domains: [acme], b2b, participations: [], bindings: [] },
};
const data = { cid: inviteid, dialogid, type: 'bye', sipcode: 200, reason: 'OK' };
/** What the b2b publishes of its call, one after the other. */
const published: readonly Published[] = [
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
type End = keyof typeof ends;

function deadEvent(of: string) {
  const more = { cid: inviteid, dialogid: of, type: 'dead' };
  return { class: 'callevents' as const, name: 'dlg_dead', domains: [acme], objects: [], data: more };
}

function endOf({ event, gone }: Published): End {
  if (gone === undefined) return 'unborn';
  return event === undefined ? 'gone' : 'dead';
}

/** What a callstore has done since its start, and what it knew of itself and the b2b then, as far as it counts. */
type Done = { isServing?: boolean; isInReach?: boolean; isOver?: boolean } & (
  | { type: 'item'; n: number }
  | { type: 'other’s item'; item: End; n: number; epoch: number }
  | { type: 'list'; isLive: boolean; upTo: number }
  | { type: 'all terminated' | 'serve' | 'orphans' }
);

interface Member {
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
  place: { epoch: number; n: number };
  otherPlace: { epoch: number; n: number };
  isHandingOver: boolean;
  done: Done[];
  /** Its own stream. */
  items: End[];
  /** How its record says that the call has ended; empty: there is none. */
  stored: '' | 'bye' | 'dead';
}

interface CallstoresState extends DataState<DataMessage> {
  /** `items`: how many it has published. */
  b2b: { epoch: number; items: number };
  members: Record<Name, Member>;
  isCut: boolean;
  cuts: number;
  crashes: number;
}

/** What a spoilt version has otherwise. */
export interface CallstoresRules {
  readonly makeCalls: (options: SiteCallsOptions) => SiteCalls;
  /** Whether a member that stands by hands its orphans over. */
  readonly handsOver: boolean;
}

const productRules: CallstoresRules = { makeCalls: (options) => new SiteCalls(options), handsOver: true };

interface Rebuilt {
  readonly calls: SiteCalls;
  readonly stored: Member['stored'][];
  readonly items: End[];
  /** The last thing that it has done calls for the list of the b2b. */
  readonly isInDoubt: boolean;
}

/** A callstore that has done all this. */
function rebuilt({ makeCalls }: CallstoresRules, name: Name, { done, epoch: own }: Member): Rebuilt {
  const [stored, items]: [Member['stored'][], End[]] = [[], []];
  let now: Partial<Done> = {};
  let isInDoubt = false;
  const calls: SiteCalls = makeCalls({
    name,
    ledger: new CallLedger('north', ({ type }: Cdr) => stored.push(type === 'dead' ? 'dead' : 'bye')),
    isServing: () => now.isServing === true,
    isInReach: () => now.isInReach === true,
    isOver: () => now.isOver === true,
    onDoubt: () => {
      isInDoubt = true;
    },
    publish: (item) => {
      items.push(endOf(item));
      calls.take({ n: items.length, ...item }, { source: name, epoch: own }, 0);
    },
    nowMs: () => 0,
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

class CallstoresRun {
  readonly #rules: CallstoresRules;
  readonly #state: CallstoresState;

  constructor(rules: CallstoresRules, state: CallstoresState) {
    this.#rules = rules;
    this.#state = state;
  }

  publish(): void {
    this.#state.b2b.items += 1;
  }

  restartB2b(): void {
    this.#state.crashes -= 1;
    this.#state.b2b = { epoch: 2, items: 0 };
  }

  restart(name: Name): void {
    this.#state.crashes -= 1;
    const { epoch, stored } = this.#state.members[name];
    this.#state.members[name] = { ...memberOf(this.#state.b2b.epoch), epoch: epoch + 1, stored };
  }

  cut(isCut: boolean): void {
    this.#state.cuts -= isCut ? 1 : 0;
    this.#state.isCut = isCut;
  }

  lose(name: Name): void {
    this.#state.cuts -= 1;
    this.#member(name).sees = 0;
  }

  giveUp(name: Name): void {
    const member = this.#member(name);
    member.isLost = true;
    if (member.place.epoch === 0) return;
    member.isPartial = true;
    this.#end(name);
  }

  see(name: Name): void {
    const member = this.#member(name);
    member.sees = this.#state.b2b.epoch;
    member.isLost = false;
  }

  /** The next item, or the epoch that begins; at the end the list, where it is wanted. */
  consume(name: Name): void {
    const member = this.#member(name);
    const { epoch, items } = this.#state.b2b;
    const { place } = member;
    if (place.epoch !== epoch) {
      member.place = { epoch, n: 0 };
      member.isPartial = false;
      if (place.epoch !== 0) this.#end(name);
    } else if (place.n < items) {
      place.n += 1;
      this.#do(name, { type: 'item', n: place.n });
    } else {
      member.isPartial = false;
      const isLive = epoch === 1 && items > 0 && items < published.length;
      if (epoch === 1) this.#do(name, { type: 'list', isLive, upTo: items, isServing: member.isServing });
    }
  }

  consumeOther(name: Name): void {
    const member = this.#member(name);
    const { epoch, items } = this.#member(otherOf[name]);
    if (member.otherPlace.epoch !== epoch) member.otherPlace = { epoch, n: 0 };
    member.otherPlace.n += 1;
    const { n } = member.otherPlace;
    const item = items[n - 1] as End;
    const isInReach = member.sees !== 0 && member.place.epoch === 1;
    this.#do(name, { type: 'other’s item', item, n, epoch, isInReach, isOver: this.#isOver(name) });
  }

  elect(name: Name): void {
    Object.assign(this.#member(name), { isServing: true, isReconciling: true });
  }

  begin(name: Name): void {
    this.#member(name).isReconciling = false;
    this.#do(name, { type: 'serve', isOver: this.#isOver(name) });
  }

  depose(name: Name): void {
    Object.assign(this.#member(name), { isServing: false, isReconciling: false });
  }

  handOver(name: Name): void {
    const hasOrphans = this.orphans(name);
    const other = otherOf[name];
    const isHeard = this.#member(other).isServing && !this.#state.isCut;
    // Until the other one has ended them.
    this.#member(name).isHandingOver = hasOrphans && !(isHeard && this.#isOver(other));
    if (hasOrphans && isHeard) this.#do(other, { type: 'orphans', isOver: this.#isOver(other) });
  }

  compareRecords(): void {
    const all = members.map((name) => this.#member(name).stored);
    for (const name of members) this.#member(name).stored = merged(...all);
  }

  orphans(name: Name): boolean {
    if (!this.#isOver(name)) return false;
    return rebuilt(this.#rules, name, this.#member(name)).calls.live.size > 0;
  }

  /** The epoch of the call is over for a member. */
  #end(name: Name): void {
    const member = this.#member(name);
    if (member.isServing) this.#do(name, { type: 'all terminated' });
    else member.isHandingOver = this.#rules.handsOver;
  }

  #isOver(name: Name): boolean {
    const { place, isLost } = this.#member(name);
    return place.epoch > 1 || isLost;
  }

  #do(name: Name, does: Done): void {
    const member = this.#member(name);
    member.done.push(does);
    const { items, stored, isInDoubt } = rebuilt(this.#rules, name, member);
    member.isPartial ||= isInDoubt;
    member.items = items;
    member.stored = merged(member.stored, ...stored);
  }

  #member(name: Name): Member {
    return this.#state.members[name];
  }
}

/** As records are merged: an end that was heard outweighs one that was not. */
function merged(...all: readonly Member['stored'][]): Member['stored'] {
  return (['bye', 'dead'] as const).find((end) => all.includes(end)) ?? '';
}

function memberOf(sees: number): Member {
  const nowhere = { epoch: 0, n: 0 };
  return {
    ...{ epoch: 1, isServing: false, isReconciling: false, sees, isLost: false, isPartial: false },
    ...{ place: { ...nowhere }, otherPlace: { ...nowhere }, isHandingOver: false, done: [], items: [], stored: '' },
  };
}

function actionsOf(rules: CallstoresRules, state: CallstoresState): DataAction<CallstoresState>[] {
  const actions: DataAction<CallstoresState>[] = [];
  const add = (name: string, does: (run: CallstoresRun) => void, isSure?: 'next' | 'later') => {
    const action = { name, does: (changed: CallstoresState) => does(new CallstoresRun(rules, changed)) };
    actions.push(isSure === undefined ? action : { ...action, isSure });
  };
  const { b2b: of, isCut, cuts, crashes, members: all } = state;
  if (of.epoch === 1 && of.items < published.length) add('b2b publishes', (run) => run.publish());
  if (of.epoch === 1 && crashes > 0) add('b2b crashes', (run) => run.restartB2b());
  if (isCut) add('they see each other', (run) => run.cut(false), 'next');
  else if (cuts > 0) add('they lose sight of each other', (run) => run.cut(true));
  for (const name of members) {
    const member = all[name];
    const other = all[otherOf[name]];
    const isFirst = name === 'one';
    if (member.sees !== of.epoch) add(`${name} sees b2b`, (run) => run.see(name), 'next');
    else if (cuts > 0) add(`${name} loses sight of b2b`, (run) => run.lose(name));
    if (member.sees === 0 && !member.isLost) add(`${name} gives b2b up`, (run) => run.giveUp(name));
    const isBehind = member.place.epoch !== of.epoch || member.place.n < of.items || member.isPartial;
    if (member.sees === of.epoch && isBehind) add(`${name} consumes`, (run) => run.consume(name), 'next');
    const { otherPlace } = member;
    const isBehindOther = other.items.length > (otherPlace.epoch === other.epoch ? otherPlace.n : 0);
    if (!isCut && isBehindOther) add(`${name} consumes the other's`, (run) => run.consumeOther(name), 'next');
    if (!member.isServing && (isCut || !other.isServing))
      add(`${name} is elected`, (run) => run.elect(name), isFirst && !isCut ? 'next' : undefined);
    if (member.isReconciling) add(`${name} begins to serve`, (run) => run.begin(name), 'next');
    if (!isFirst && !isCut && member.isServing && other.isServing)
      add(`${name} is deposed`, (run) => run.depose(name), 'next');
    if (member.isHandingOver) add(`${name} hands over`, (run) => run.handOver(name), 'later');
    if (crashes > 0) add(`${name} crashes`, (run) => run.restart(name));
  }
  if (!isCut && all.one.stored !== all.two.stored) add('they compare records', (run) => run.compareRecords(), 'later');
  return actions;
}

/** How much may happen. */
export interface CallstoresFaults {
  readonly cuts: number;
  readonly crashes: number;
}

const usualFaults: CallstoresFaults = { cuts: 2, crashes: 1 };

/** The system with the rules of the product, or with others. */
export function callstoresSystem(
  other: Partial<CallstoresRules> = {},
  faults: CallstoresFaults = usualFaults,
): DataCheck<DataMessage, CallstoresState> {
  const rules = { ...productRules, ...other };
  const callsOf = (state: CallstoresState, name: Name) => rebuilt(rules, name, state.members[name]).calls;
  return {
    name: 'b2b+callstores',
    start: () => ({
      ...{ messages: [], losses: 0, duplicates: 0, isCut: false, ...faults },
      b2b: { epoch: 1, items: 0 },
      members: { one: { ...memberOf(1), isServing: true }, two: memberOf(1) },
    }),
    deliver: () => {},
    actions: (state) => actionsOf(rules, state),
    rules: {
      'a record says that the call has ended as its b2b has published, if it says how': (state) =>
        state.b2b.epoch === 2 ||
        state.b2b.items > 1 ||
        members.every((name) => state.members[name].stored !== 'bye') ||
        'it says bye',
    },
    agree: (state) => {
      const { b2b: of } = state;
      const isLive = of.epoch === 1 && of.items > 0 && of.items < published.length;
      for (const name of members) {
        const { done, stored } = state.members[name];
        const isShown = callsOf(state, name).live.size > 0;
        if (isShown !== isLive) return `${name} ${isShown ? 'shows a call that is over' : 'does not show the call'}`;
        const isKnown = members.some((each) => state.members[each].done.some(({ type }) => type === 'item'));
        if (!isLive && isKnown && stored === '') return `${name} has no record`;
        const hasHeard = done.some((each) => each.type === 'item' && each.n > 1);
        if (!isLive && hasHeard && stored !== 'bye')
          return `${name} has heard how the call ended, and its record says ${stored}`;
      }
      return true;
    },
    show: (state) =>
      `b2b ${state.b2b.epoch}/${state.b2b.items}, ${members
        .map((name) => {
          const { isServing, place, stored } = state.members[name];
          return `${name} ${isServing ? 'serves' : 'stands by'} at ${place.epoch}/${place.n}${stored === '' ? '' : ` with ${stored}`}`;
        })
        .join(', ')}`,
    inFlight: 1,
    bound: { depth: 60, states: 20_000, healedWithinMs: 60_000 },
  };
}
