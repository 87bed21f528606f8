/**
 * Two callstores of a group and the b2b of one call (`roles/callstore/site-calls.ts`, `call-ledger.ts`): the b2b crashes, the callstores crash and
 * fail over, and any of the three lose sight of each other. How streams arrive is a system of its own (`stream+consumer`).
 */
import {
  actionList,
  type DataAction,
  type DataCheck,
  type DataMessage,
  type DataState,
} from '../system/data-system.ts';
import {
  type CallstoresRules,
  type Done,
  type End,
  type Member,
  memberOf,
  members,
  merged,
  type Name,
  otherOf,
  productRules,
  published,
  rebuilt,
} from './callstore-member.ts';

interface CallstoresState extends DataState<DataMessage> {
  /** `items`: how many it has published. */
  b2b: { epoch: number; items: number };
  members: Record<Name, Member>;
  isCut: boolean;
  cuts: number;
  crashes: number;
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
    if (member.position.epoch === 0) return;
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
    const { position } = member;
    if (position.epoch !== epoch) {
      member.position = { epoch, n: 0 };
      member.isPartial = false;
      if (position.epoch !== 0) this.#end(name);
    } else if (position.n < items) {
      position.n += 1;
      this.#do(name, { type: 'item', n: position.n });
    } else {
      member.isPartial = false;
      const isLive = epoch === 1 && items > 0 && items < published.length;
      if (epoch === 1) this.#do(name, { type: 'list', isLive, upTo: items, isServing: member.isServing });
    }
  }

  consumeOther(name: Name): void {
    const member = this.#member(name);
    const { epoch, items } = this.#member(otherOf[name]);
    if (member.otherPosition.epoch !== epoch) member.otherPosition = { epoch, n: 0 };
    member.otherPosition.n += 1;
    const { n } = member.otherPosition;
    const item = items[n - 1] as End;
    const isInReach = member.sees !== 0 && member.position.epoch === 1;
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
    if (member.isServing) this.#do(name, { type: 'all terminated', isForGood: member.position.epoch > 1 });
    else member.isHandingOver = this.#rules.handsOver;
  }

  #isOver(name: Name): boolean {
    const { position, isLost } = this.#member(name);
    return position.epoch > 1 || isLost;
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

function actionsOf(rules: CallstoresRules, state: CallstoresState): DataAction<CallstoresState>[] {
  const { actions, add } = actionList((changed: CallstoresState) => new CallstoresRun(rules, changed));
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
    const isBehind = member.position.epoch !== of.epoch || member.position.n < of.items || member.isPartial;
    if (member.sees === of.epoch && isBehind) add(`${name} consumes`, (run) => run.consume(name), 'next');
    const { otherPosition } = member;
    const isBehindOther = other.items.length > (otherPosition.epoch === other.epoch ? otherPosition.n : 0);
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
      messages: [],
      losses: 0,
      duplicates: 0,
      isCut: false,
      ...faults,
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
          const { isServing, position, stored } = state.members[name];
          return `${name} ${isServing ? 'serves' : 'stands by'} at ${position.epoch}/${position.n}${stored === '' ? '' : ` with ${stored}`}`;
        })
        .join(', ')}`,
    inFlight: 1,
    bound: { depth: 60, states: 20_000, healedWithinMs: 60_000 },
  };
}
