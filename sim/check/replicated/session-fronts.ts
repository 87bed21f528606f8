/**
 * Fronts (ws instances) that have one session: what they remember of closed sessions
 * (`roles/ws/session-log.ts`), how they pull it from each other, and what they
 * do with it, as `roles/ws/sessions.ts` does.
 */
import type { ChangesPosition, SessionChange } from '../../../src/model/protocol/messages/session.ts';
import { SessionLog, type SessionLogOptions } from '../../../src/roles/ws/session-log.ts';
import type { DataMessage, DataState } from '../system/data-system.ts';
import {
  endPull,
  freeNumber,
  isPulling,
  isUsed,
  lookAtSource,
  type Pulling,
  passDeadline,
  startPulling,
  waitsFor,
} from './pulling.ts';

/** Of a front. */
type Name = string;

/** The one session, as a change that closes it, and as others publish it. */
const origin = { key: 's', user: 'u', openedMs: 1 };
const closed: SessionChange = { type: 'closed', ...origin };
const session = {
  key: origin.key,
  openedMs: origin.openedMs,
  user: { id: origin.user },
};

type Said =
  | { type: 'session.closed' | 'session.changed' }
  | { type: 'session.changes'; ask: number; after: ChangesPosition }
  | {
      type: 'changes';
      ask: number;
      changes: SessionChange[];
      upTo: ChangesPosition;
      isAcknowledged: boolean;
    }
  | { type: 'session.find' }
  | { type: 'found'; isOpen: boolean; isClosed: boolean };
export type SessionMessage = DataMessage & Said;

/** How a front keeps up with another one. */
export interface SessionPeer {
  /** Incarnation that it has in reach; 0: none. */
  seen: number;
  pulling: Pulling;
  position: ChangesPosition;
  /** It came into reach, and has neither answered yet nor failed to. */
  isMeeting: boolean;
  /** When it came into reach it had acknowledged the logout, and it has not failed to answer since. */
  owes: boolean;
  /** It has answered since it acknowledged the logout. */
  hasSaid: boolean;
}

export interface SessionFront {
  epoch: number;
  isUp: boolean;
  /** It has the session. */
  isOpen: boolean;
  /** What it has taken as news in this incarnation, in order. */
  news: SessionChange[];
  /** What is in its store, and what is being written. */
  stored: SessionChange[];
  writing: SessionChange[];
  isClosing: boolean;
  /** Fronts that it has asked for the session, and what they said so far. */
  finding: { left: Name[]; isOpen: boolean; isClosed: boolean } | null;
  peers: Record<Name, SessionPeer>;
}

export interface SessionState extends DataState<SessionMessage> {
  fronts: Record<Name, SessionFront>;
  /** The front that has acknowledged the logout; empty: none. */
  acknowledgedBy: Name;
  crashes: number;
  misses: number;
  uses: number;
}

/** What a spoilt version has otherwise. */
export interface SessionRules {
  readonly makeLog: (options: SessionLogOptions) => SessionLog;
  /** Reads what an earlier incarnation has stored. */
  readonly readsStore: boolean;
  /** Accepts no session until the fronts that came into reach have said which are closed. */
  readonly meets: boolean;
  /** Acknowledges a logout once it is stored. */
  readonly waitsForStore: boolean;
}

export const sessionRules: SessionRules = {
  makeLog: (options) => new SessionLog(options),
  readsStore: true,
  meets: true,
  waitsForStore: true,
};

/** What can happen in a state; it changes that state. */
export class SessionRun {
  readonly #rules: SessionRules;
  readonly #state: SessionState;

  constructor(rules: SessionRules, state: SessionState) {
    this.#rules = rules;
    this.#state = state;
  }

  logOut(at: Name): void {
    const front = this.#front(at);
    front.isClosing = true;
    if (!this.#rules.waitsForStore) this.#acknowledge(at);
  }

  stored(at: Name): void {
    const front = this.#front(at);
    front.isClosing = false;
    front.stored = [closed];
    if (this.#rules.waitsForStore) this.#acknowledge(at);
  }

  written(at: Name): void {
    const front = this.#front(at);
    front.stored = [...front.stored, ...front.writing.splice(0)];
  }

  use(at: Name): void {
    this.#state.uses -= 1;
    const front = this.#front(at);
    if (front.isOpen) return this.#tellAll(at, { type: 'session.changed' });
    if (this.#log(at).hasClosed(origin.key)) return;
    const left = this.#others(at).filter((peer) => front.peers[peer]?.seen !== 0);
    if (left.length === 0) return;
    front.finding = { left, isOpen: false, isClosed: false };
    for (const peer of left) this.#send(at, peer, { type: 'session.find' });
  }

  /** A front that was asked for the session did not answer. */
  missAnswer(at: Name, from: Name): void {
    this.#found(at, from, { isOpen: false, isClosed: false });
  }

  /** What is being written is lost. */
  crash(at: Name): void {
    this.#state.crashes -= 1;
    const { epoch, stored } = this.#front(at);
    this.#state.fronts[at] = { ...newFront(this.#others(at), epoch), stored };
  }

  start(at: Name): void {
    const { epoch, stored } = this.#front(at);
    const front = { ...newFront(this.#others(at), epoch + 1), isUp: true, stored };
    this.#state.fronts[at] = front;
    if (this.#rules.readsStore) front.news = this.#log(at).absorb(stored).news;
  }

  see(at: Name, other: Name): void {
    const peer = this.#peer(at, other);
    peer.seen = this.#front(other).epoch;
    peer.isMeeting = this.#rules.meets;
    peer.owes = this.#state.acknowledgedBy === other;
    lookAtSource(peer.pulling, true, this.#effects(at, other));
  }

  miss(at: Name, other: Name): void {
    this.#state.misses -= 1;
    const peer = this.#peer(at, other);
    peer.seen = 0;
    lookAtSource(peer.pulling, false, this.#effects(at, other));
    if (!isPulling(peer.pulling)) peer.isMeeting = false;
    peer.owes = false;
  }

  /** The deadlines of the pulls of a front: far longer than a message is on its way. */
  passTime(at: Name): void {
    for (const other of this.#others(at))
      for (const deadline of pullDeadlines)
        passDeadline(this.#peer(at, other).pulling, deadline, this.#effects(at, other));
  }

  /** An ask was not answered. */
  timeOut(at: Name, other: Name): void {
    this.#endPull(at, other, false);
  }

  deliver({ from, to, ...said }: SessionMessage): void {
    const front = this.#front(to);
    if (!front.isUp) return;
    const log = this.#log(to);
    switch (said.type) {
      case 'session.closed':
        return this.#take(to, [closed]);
      case 'session.changed':
        if (log.isClosed(session)) this.#tellAll(to, { type: 'session.closed' });
        else front.isOpen = true;
        return;
      case 'session.changes': {
        const { changes, upTo } = log.after(said.after);
        const isAcknowledged = this.#state.acknowledgedBy === to;
        return this.#send(to, from, {
          type: 'changes',
          ask: said.ask,
          changes,
          upTo,
          isAcknowledged,
        });
      }
      case 'changes':
        return this.#changes(to, from, said);
      case 'session.find': {
        const isClosed = log.closedChange(origin.key) !== undefined;
        return this.#send(to, from, {
          type: 'found',
          isOpen: front.isOpen,
          isClosed,
        });
      }
      case 'found':
        return this.#found(to, from, said);
    }
  }

  #changes(at: Name, from: Name, said: Extract<Said, { type: 'changes' }>): void {
    const peer = this.#peer(at, from);
    if (!waitsFor(peer.pulling, said.ask)) return;
    const isTaken = isUsed(peer.pulling);
    if (isTaken) {
      this.#take(at, said.changes);
      peer.position = said.upTo;
      peer.hasSaid = said.isAcknowledged;
    }
    this.#endPull(at, from, isTaken);
  }

  #endPull(at: Name, from: Name, isComplete: boolean): void {
    const peer = this.#peer(at, from);
    if (!isComplete) peer.owes = false;
    endPull(peer.pulling, isComplete, this.#effects(at, from));
    if (!isPulling(peer.pulling)) peer.isMeeting = false;
  }

  #found(at: Name, from: Name, said: { isOpen: boolean; isClosed: boolean }): void {
    const front = this.#front(at);
    const { finding } = front;
    if (!finding?.left.includes(from)) return;
    finding.left = finding.left.filter((each) => each !== from);
    finding.isOpen ||= said.isOpen;
    finding.isClosed ||= said.isClosed;
    if (finding.left.length > 0) return;
    front.finding = null;
    if (finding.isClosed) this.#take(at, [closed]);
    if (finding.isOpen && !this.#log(at).isClosed(session)) front.isOpen = true;
  }

  #acknowledge(at: Name): void {
    this.#state.acknowledgedBy = at;
    const front = this.#front(at);
    front.news = [...front.news, ...this.#log(at).absorb([closed]).news];
    front.isOpen = false;
    this.#tellAll(at, { type: 'session.closed' });
  }

  /** Takes changes that another front has, and writes them without waiting for it. */
  #take(at: Name, changes: readonly SessionChange[]): void {
    const front = this.#front(at);
    const { news } = this.#log(at).absorb(changes);
    front.news = [...front.news, ...news];
    front.writing = [...front.writing, ...news];
    if (news.length > 0) front.isOpen = false;
  }

  #log(at: Name): SessionLog {
    const { epoch, news } = this.#front(at);
    const log = this.#rules.makeLog({ epoch, now: () => 1 });
    log.absorb(news);
    return log;
  }

  #effects(at: Name, to: Name) {
    const ask = () => {
      const number = freeNumber(this.#state.messages, at, to);
      const after = this.#peer(at, to).position;
      this.#send(at, to, { type: 'session.changes', ask: number, after });
      return number;
    };
    return { ask };
  }

  #send(from: Name, to: Name, said: Said): void {
    this.#state.messages.push({ from, to, ...said });
  }

  #tellAll(from: Name, said: Said): void {
    for (const to of this.#others(from)) this.#send(from, to, said);
  }

  #others(at: Name): Name[] {
    return Object.keys(this.#front(at).peers);
  }

  #front(at: Name): SessionFront {
    return frontOf(this.#state, at);
  }

  #peer(at: Name, other: Name): SessionPeer {
    return this.#front(at).peers[other] as SessionPeer;
  }
}

export function frontOf({ fronts }: SessionState, name: Name): SessionFront {
  return fronts[name] as SessionFront;
}

export function newFront(others: readonly Name[], epoch: number): SessionFront {
  const peers = others.map((other): [Name, SessionPeer] => [
    other,
    { seen: 0, pulling: startPulling(), position: { epoch: 0, n: 0 }, isMeeting: false, owes: false, hasSaid: false },
  ]);
  return {
    epoch,
    isUp: false,
    isOpen: false,
    isClosing: false,
    finding: null,
    news: [],
    stored: [],
    writing: [],
    peers: Object.fromEntries(peers),
  };
}

/** The deadlines of pulls that come in time; a source that is away is waited for. */
export const pullDeadlines = ['retry', 'check'];
