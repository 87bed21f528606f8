/**
 * A session that is logged out at one of several ws instances, which crash, lose messages, and are out of each other's reach for a while: the
 * logout holds from the moment at which it is acknowledged.
 */
import { actionList, type DataAction, type DataCheck } from '../system/data-system.ts';
import { hasDeadline, startPulling } from './pulling.ts';
import {
  frontOf,
  newFront,
  pullDeadlines,
  type SessionFront,
  type SessionMessage,
  type SessionPeer,
  type SessionRules,
  SessionRun,
  type SessionState,
  sessionRules,
} from './session-fronts.ts';

/** How much may happen. */
export interface SessionFaults {
  readonly fronts: readonly string[];
  readonly losses: number;
  readonly crashes: number;
  /** How often a front misses another one that runs. */
  readonly misses: number;
  /** How often a front is asked with the session. */
  readonly uses: number;
  readonly inFlight: number;
}

/** All have the session, and each other in reach. */
function startOf({ fronts: names, inFlight: _, ...faults }: SessionFaults): SessionState {
  const fronts = names.map((name): [string, SessionFront] => {
    const others = names.filter((each) => each !== name);
    const front = { ...newFront(others, 1), isUp: true, isOpen: true };
    for (const peer of Object.values(front.peers))
      Object.assign(peer, { seen: 1, pulling: { ...startPulling(), state: 'current.quiet' } });
    return [name, front];
  });
  return { messages: [], duplicates: 0, acknowledgedBy: '', ...faults, fronts: Object.fromEntries(fronts) };
}

const peersOf = ({ peers }: SessionFront) => Object.entries(peers) as [string, SessionPeer][];

function accepts({ isUp, isOpen, peers }: SessionFront): boolean {
  return isUp && isOpen && Object.values(peers).every(({ isMeeting }) => !isMeeting);
}

type Action = DataAction<SessionState>;

function actionsOf(rules: SessionRules, state: SessionState): Action[] {
  return Object.keys(state.fronts).flatMap((at) => [...ownActions(rules, state, at), ...peerActions(rules, state, at)]);
}

function ownActions(rules: SessionRules, state: SessionState, at: string): Action[] {
  const front = frontOf(state, at);
  const { actions, add } = actionList((changed: SessionState) => new SessionRun(rules, changed), `${at} `);
  if (!front.isUp) {
    add('starts', (run) => run.start(at), 'next');
    return actions;
  }
  const isFirst = at === Object.keys(state.fronts)[0] && state.acknowledgedBy === '' && !front.isClosing;
  if (isFirst && accepts(front)) add('is asked to log out', (run) => run.logOut(at));
  if (front.isClosing) add('has stored the logout', (run) => run.stored(at), 'next');
  if (front.writing.length > 0) add('has written what it has received', (run) => run.written(at), 'next');
  const isMet = peersOf(front).every(([, { isMeeting }]) => !isMeeting);
  if (state.uses > 0 && isMet && front.finding === null) add('is asked with the session', (run) => run.use(at));
  if (state.crashes > 0) add('crashes', (run) => run.crash(at));
  return actions;
}

function peerActions(rules: SessionRules, state: SessionState, at: string): Action[] {
  const front = frontOf(state, at);
  if (!front.isUp) return [];
  const { actions, add } = actionList((changed: SessionState) => new SessionRun(rules, changed), `${at} `);
  for (const [other, { seen, pulling }] of peersOf(front)) {
    const { isUp, epoch } = frontOf(state, other);
    if (isUp && seen !== epoch) add(`sees ${other}`, (run) => run.see(at, other), 'next');
    if (seen !== 0 && state.misses > 0) add(`misses ${other}`, (run) => run.miss(at, other));
    if (pulling.running !== null && !isAsked(state, at, other))
      add(`has no answer of ${other} in time`, (run) => run.timeOut(at, other), 'next');
    if (front.finding?.left.includes(other) && !isSought(state, at, other))
      add(`has no session of ${other} in time`, (run) => run.missAnswer(at, other), 'next');
  }
  const isDue = peersOf(front).some(([, { pulling }]) => pullDeadlines.some((name) => hasDeadline(pulling, name)));
  // An ask is answered, or fails, before the next deadline.
  if (isDue && state.messages.length === 0 && !isAnyAsking(state))
    add('pulls as time passes', (run) => run.passTime(at), 'later');
  return actions;
}

function isAnyAsking({ fronts }: SessionState): boolean {
  return Object.values(fronts).some(
    (front) => front.finding !== null || peersOf(front).some(([, { pulling }]) => pulling.running !== null),
  );
}

function isBetween({ from, to }: SessionMessage, one: string, other: string): boolean {
  return (from === one && to === other) || (from === other && to === one);
}

function isSearch({ type }: SessionMessage): boolean {
  return type === 'session.find' || type === 'found';
}

function isAsked({ messages }: SessionState, at: string, other: string): boolean {
  return messages.some((message) => 'ask' in message && isBetween(message, at, other));
}

function isSought({ messages }: SessionState, at: string, other: string): boolean {
  return messages.some((message) => isSearch(message) && isBetween(message, at, other));
}

/** An answer that is not waited for any more, and the ask for it. */
function isDead(state: SessionState, message: SessionMessage): boolean {
  const { type, from, to } = message;
  if (type === 'session.changed' || type === 'session.closed') return false;
  const [asker, asked] = type === 'session.changes' || type === 'session.find' ? [from, to] : [to, from];
  const front = frontOf(state, asker);
  if ('ask' in message) return front.peers[asked]?.pulling.running?.ask !== message.ask;
  return front.finding?.left.includes(asked) !== true;
}

function agree(state: SessionState): true | string {
  const { acknowledgedBy } = state;
  for (const [name, front] of Object.entries(state.fronts)) {
    if (!front.isUp) return `${name} does not run`;
    if (front.isClosing || front.writing.length > 0 || front.finding !== null) return `${name} is busy`;
    for (const [other, { seen, pulling }] of peersOf(front))
      if (seen !== frontOf(state, other).epoch || pulling.state !== 'current.quiet')
        return `${name} is not current with ${other}`;
    if (acknowledgedBy !== '' && front.isOpen) return `${name} accepts the session, which is closed`;
  }
  return true;
}

function show({ fronts: all, acknowledgedBy }: SessionState): string {
  const texts = Object.entries(all).map(([name, front]) => {
    if (!front.isUp) return `${name} down`;
    const what = front.isOpen ? 'open' : front.news.length > 0 ? 'closed' : 'unknown';
    return `${name} ${what}${accepts(front) || !front.isOpen ? '' : ', waits'}`;
  });
  return `${texts.join(', ')}${acknowledgedBy === '' ? '' : '; acknowledged'}`;
}

const usualFaults: SessionFaults = { fronts: ['a', 'b'], losses: 1, crashes: 1, misses: 0, uses: 1, inFlight: 2 };

/** The system with the rules of the product, or with others. */
export function sessionsSystem(
  other: Partial<SessionRules> = {},
  faults: SessionFaults = usualFaults,
): DataCheck<SessionMessage, SessionState> {
  const rules = { ...sessionRules, ...other };
  return {
    name: 'session+fronts',
    start: () => startOf(faults),
    deliver: (state, message) => new SessionRun(rules, state).deliver(message),
    isDead,
    actions: (state) => actionsOf(rules, state),
    rules: {
      'a front that has acknowledged a logout does not accept the session any more': (state) =>
        state.acknowledgedBy === '' ||
        !accepts(frontOf(state, state.acknowledgedBy)) ||
        `${state.acknowledgedBy} accepts it`,
      'a front does not accept a session that was closed at a front which it reaches and has asked': (state) => {
        for (const [name, front] of Object.entries(state.fronts)) {
          if (!accepts(front)) continue;
          const informed = peersOf(front).find(([, { owes, hasSaid }]) => owes || hasSaid);
          if (informed !== undefined) return `${name} accepts it, and ${informed[0]} has acknowledged the logout`;
        }
        return true;
      },
    },
    agree,
    show,
    inFlight: faults.inFlight,
    bound: { depth: 60, states: 60_000, healedWithinMs: 60_000 },
  };
}
