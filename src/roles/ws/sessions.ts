/**
 * The sessions that a ws instance knows: its own and those that other ws instances told it of. A session id is 256
 * random bits that only the client has; here it goes by its hash.
 */
import { hash } from 'node:crypto';
import { type SessionOrder, sessionMachine } from '../../machines/session.ts';
import { done, failed, type Outcome } from '../../model/fault.ts';
import { limits } from '../../model/limits.ts';
import type { ReplyOf } from '../../model/protocol/catalogue.ts';
import type { SessionRecord, UserRecord } from '../../model/protocol/session.ts';
import { EntityHost } from '../../runtime/entity-host.ts';
import type { RoleScope } from '../../runtime/role.ts';

/** Uses within a second count as one; other instances hear of use once a minute. */
const useGrainMs = 1_000;
const tellGrainMs = 60_000;

export class Sessions {
  readonly #scope: RoleScope;
  readonly #peers: readonly string[];
  readonly #hosts: EntityHost<typeof sessionMachine>;
  /** Sessions that were closed here, so that nobody brings them back. */
  readonly #closed = new Set<string>();
  /** Until when the client keeps its cookie, as far as this instance has set it. */
  readonly #cookiesUntilMs = new Map<string, number>();
  readonly #inReach = new Set<string>();
  readonly #overListeners: ((key: string) => void)[] = [];
  readonly #stopLooking: () => void;
  /** When another ws instance last came into reach: it hears of every session that is used since. */
  #metMs = 0;

  constructor(scope: RoleScope) {
    const { clock, counters, crash, map, instance } = scope;
    this.#scope = scope;
    this.#peers = map
      .instancesOf('ws')
      .filter((each) => each !== instance)
      .map((each) => each.address);
    const onOrder = (key: string, order: SessionOrder) =>
      scope.log.write('debug', order.type, { session: key.slice(0, 8) });
    const onEnd = (key: string) => {
      this.#cookiesUntilMs.delete(key);
      for (const listener of this.#overListeners) listener(key);
    };
    this.#hosts = new EntityHost({ machine: sessionMachine, clock, counters, onOrder, onEnd, onCrash: crash });
    counters.gauge('tombstones', () => this.#closed.size);
    this.#stopLooking = scope.view.onChange(() => this.#look());
  }

  /** Opens a session. The user's session that was idle longest gives way to one over the limit. */
  open(user: UserRecord, homeDomain: string, domain = homeDomain): Outcome<{ id: string; session: SessionRecord }> {
    const own = this.#all().filter((each) => each.user.id === user.id);
    if (own.length >= limits.sessionsPerUser) {
      this.close(own.reduce((oldest, each) => (each.lastUsedMs < oldest.lastUsedMs ? each : oldest)).key);
    }
    const id = Buffer.from(this.#scope.random.stream('ids').bytes(32)).toString('base64url');
    const atMs = this.#scope.clock.now();
    const session = { key: keyOf(id), homeDomain, domain, user, lastUsedMs: atMs, switchedMs: atMs };
    const refusal = this.#hosts.start(session.key, { record: session, atMs });
    if (refusal !== undefined) return failed(refusal);
    this.#tell(session);
    return done({ id, session });
  }

  /** The session with this id, if this instance knows it; using it prolongs it. */
  use(id: string): SessionRecord | undefined {
    const session = this.#record(keyOf(id));
    if (session === undefined) return undefined;
    const atMs = this.#scope.clock.now();
    if (atMs - session.lastUsedMs < useGrainMs) return session;
    this.#hosts.send(session.key, { type: 'session.used', atMs });
    const isNewMinute = Math.floor(atMs / tellGrainMs) !== Math.floor(session.lastUsedMs / tellGrainMs);
    if (isNewMinute || session.lastUsedMs < this.#metMs) this.#tell({ ...session, lastUsedMs: atMs });
    return this.#record(session.key);
  }

  /** Asks every ws instance in reach, once, for a session that this one does not know. */
  async find(id: string): Promise<SessionRecord | undefined> {
    const key = keyOf(id);
    if (this.#closed.has(key)) return undefined;
    const { view, ask, map } = this.#scope;
    const peers = this.#peers.filter((peer) => view.statusOf(map.instance(peer)) === 'active');
    const answers = await Promise.all(peers.map((peer) => ask(peer, 'session.find', { key })));
    const found = answers.flatMap((answer) => (answer.ok ? [answer.value] : []));
    if (found.some((answer) => answer.state === 'closed')) {
      this.#bury(key);
      return undefined;
    }
    for (const { session } of found) if (session !== undefined) this.#adopt(session);
    return this.use(id);
  }

  switchDomain(key: string, domain: string): void {
    const atMs = this.#scope.clock.now();
    // It may have been bound by a node whose clock is ahead.
    const switchedMs = Math.max(atMs, (this.#record(key)?.switchedMs ?? 0) + 1);
    this.#hosts.send(key, { type: 'session.switched', atMs, switchedMs, domain });
    const session = this.#record(key);
    if (session !== undefined) this.#tell(session);
  }

  close(key: string): void {
    this.#bury(key);
    this.#tellClosed(key);
  }

  /** Calls `listener` with the key of each session that is over from now on: closed anywhere, or expired. */
  onOver(listener: (key: string) => void): void {
    this.#overListeners.push(listener);
  }

  /** Whether the client's cookie should be set anew: less than half of its time is left. */
  renewsCookie(key: string): boolean {
    return (this.#cookiesUntilMs.get(key) ?? 0) - this.#scope.clock.now() < limits.sessionMs / 2;
  }

  /** Notes that the client's cookie is set now. */
  noteCookie(key: string): void {
    this.#cookiesUntilMs.set(key, this.#scope.clock.now() + limits.sessionMs);
  }

  readonly handlers = {
    'session.find': ({ key }: { key: string }): Outcome<ReplyOf<'session.find'>> => {
      if (this.#closed.has(key)) return done({ state: 'closed' });
      const session = this.#record(key);
      return done(session === undefined ? { state: 'unknown' } : { state: 'open', session });
    },
    'session.changed': ({ session }: { session: SessionRecord }): void => {
      // Whoever still has it has told others, which need not say so again.
      if (this.#closed.has(session.key)) this.#tellClosed(session.key);
      else this.#adopt(session);
    },
    'session.closed': ({ key }: { key: string }): void => this.#bury(key),
    'session.user_gone': ({ id }: { id: string }): void => {
      for (const { key, user } of this.#all()) if (user.id === id) this.#bury(key);
    },
  };

  stop(): void {
    this.#stopLooking();
    this.#hosts.stopAll();
  }

  /** Notes who is in reach. */
  #look(): void {
    const { view, map, clock } = this.#scope;
    for (const peer of this.#peers) {
      if (view.statusOf(map.instance(peer)) !== 'active') this.#inReach.delete(peer);
      else if (!this.#inReach.has(peer)) {
        this.#inReach.add(peer);
        this.#metMs = clock.now();
      }
    }
  }

  #all(): SessionRecord[] {
    return [...this.#hosts.keys()].flatMap((key) => this.#record(key) ?? []);
  }

  #record(key: string): SessionRecord | undefined {
    return this.#hosts.snapshot(key)?.context.record;
  }

  #adopt(session: SessionRecord): void {
    const atMs = this.#scope.clock.now();
    const { key, lastUsedMs: usedMs, domain, switchedMs } = session;
    const known = this.#record(key);
    if (known === undefined) this.#hosts.start(key, { record: session, atMs });
    else if (isNewer(session, known))
      this.#hosts.send(key, { type: 'session.switched', atMs, usedMs, switchedMs, domain });
    else this.#hosts.send(key, { type: 'session.used', atMs, usedMs });
  }

  #bury(key: string): void {
    this.#hosts.send(key, { type: 'session.closed' });
    if (this.#closed.has(key)) return;
    this.#closed.add(key);
    this.#scope.clock.setTimer(limits.sessionMs, () => this.#closed.delete(key));
  }

  #tellClosed(key: string): void {
    for (const peer of this.#peers) this.#scope.tell(peer, 'session.closed', { key });
  }

  #tell(session: SessionRecord): void {
    if (this.#scope.faultPoints.fires('session.untold')) return;
    for (const peer of this.#peers) this.#scope.tell(peer, 'session.changed', { session });
  }
}

/** Whether `other` was bound to its domain later; of two at the same moment, every instance takes the same one. */
function isNewer(other: SessionRecord, known: SessionRecord): boolean {
  if (other.switchedMs !== known.switchedMs) return other.switchedMs > known.switchedMs;
  return other.domain > known.domain;
}

function keyOf(id: string): string {
  return hash('sha256', id);
}
