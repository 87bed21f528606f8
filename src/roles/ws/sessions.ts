/**
 * The sessions that a ws instance knows: its own and the ones that other ws instances have published. A session id is 256
 * random bits that only the client has; here it goes by its hash. Sessions are in memory only; what ends or moves them is
 * durable (`session-changes.ts`).
 */
import { hash } from 'node:crypto';
import { EntityHost } from '../../actors/entity-host.ts';
import { ExpiringMap } from '../../actors/expiring-map.ts';
import type { RoleScope } from '../../cluster/role.ts';
import { type SessionCommand, sessionMachine } from '../../machines/access/session.ts';
import { done, type Fault, failed, fault, type Outcome } from '../../model/fault.ts';
import { limits } from '../../model/limits.ts';
import type { BodyOf, ReplyOf } from '../../model/protocol/catalogue.ts';
import type { ClosedSession, SessionChange, SessionRecord, UserRecord } from '../../model/protocol/messages/session.ts';
import { StoreClosed, type Stores, StoreUnwritable } from '../../ports/store.ts';
import { SessionChanges } from './session-changes.ts';
import { isLaterBinding } from './session-log.ts';
import { SessionSync } from './session-sync.ts';

/** Uses within a second count as one; use is published once a minute. */
const useGrainMs = 1_000;
const publishGrainMs = 60_000;
/** How long a password that has ended is remembered: longer than any login takes. */
const rememberedMs = 15_000;
/** How long after a login the sessions that its user opens elsewhere count towards the limit at once. */
const crossingMs = 5_000;
/** The number of ids whose keys are remembered. */
const knownKeys = 4_096;

/** The session of an id, if there is one. Not certain: an instance that was asked, and may know it, has not answered. */
export interface SessionLookup {
  readonly session: SessionRecord | undefined;
  readonly isCertain: boolean;
}

export class Sessions {
  readonly #scope: RoleScope;
  readonly #peers: readonly string[];
  readonly #limit: number;
  readonly #hosts: EntityHost<typeof sessionMachine>;
  readonly #changes: SessionChanges;
  readonly #sync: SessionSync;
  /** Keys of sessions whose end is being stored. */
  readonly #closing = new Set<string>();
  /** Until when the client keeps its cookie, as far as this instance has set it. */
  readonly #cookiesUntilMs = new Map<string, number>();
  readonly #overListeners: ((key: string) => void)[] = [];
  /** Keys by the ids that clients have used: hashing an id costs more than to find its session. */
  readonly #keys = new Map<string, string>();
  /** Passwords that ended less than `rememberedMs` ago, by user: a login that read its user before is refused. */
  readonly #endedPasswords: ExpiringMap<true>;
  /** Users who have logged in here less than `crossingMs` ago, by id: logins at several fronts do not know of each other. */
  readonly #recentLogins: ExpiringMap<true>;

  constructor(scope: RoleScope, stores: Stores, limit: number = limits.knownSessions) {
    this.#limit = limit;
    const { clock, counters, crash, map, instance } = scope;
    this.#scope = scope;
    const peers = map.instancesOf('ws').filter((each) => each !== instance);
    this.#endedPasswords = new ExpiringMap(clock, rememberedMs, limits.entities);
    this.#recentLogins = new ExpiringMap(clock, crossingMs, limits.entities);
    this.#peers = peers.map(({ address }) => address);
    const onCommand = (key: string, command: SessionCommand) =>
      scope.log.write('debug', command.type, { session: key.slice(0, 8) });
    this.#hosts = new EntityHost({
      machine: sessionMachine,
      clock,
      counters,
      onCommand,
      onEnd: (key) => this.#ended(key),
      onCrash: crash,
      limit,
    });
    this.#changes = new SessionChanges(scope, stores, (changes) => this.#apply(changes));
    counters.gauge('session-changes', () => this.#changes.log.size);
    const take = (changes: readonly SessionChange[]) => this.#take(changes);
    this.#sync = new SessionSync({ scope, peers, take });
  }

  /** Resolves when what an earlier incarnation has stored is known: before, no session is to be accepted. */
  get loaded(): Promise<void> {
    return this.#changes.loaded;
  }

  /** Resolves when instances that came into reach have answered which sessions are closed: before, none is to be accepted. */
  get met(): Promise<unknown> | undefined {
    return this.#sync.met;
  }

  /** Opens a session. The user's session that was idle longest gives way to one over the limit. */
  async open(
    user: UserRecord,
    homeDomain: string,
    domain = homeDomain,
  ): Promise<Outcome<{ id: string; session: SessionRecord }>> {
    if (this.#hosts.size + this.#changes.log.size >= this.#limit) {
      return failed(fault('overloaded', `no room for another session: the limit is ${this.#limit}`));
    }
    // A user who was made again with the id of a removed one has a password of its own.
    if (this.#endedPasswords.get(passwordKey(user)) !== undefined) {
      return failed(fault('unauthorized', 'the user was removed or got another password meanwhile: log in again'));
    }
    const own = this.#openOf(user.id);
    const id = Buffer.from(this.#scope.random.stream('ids').bytes(32)).toString('base64url');
    const atMs = this.#scope.clock.now();
    const openedMs = Math.max(atMs, this.#changes.log.closedUntilMs(user.id) + 1);
    const session = { key: keyOf(id), homeDomain, domain, user, openedMs, lastUsedMs: atMs, switchedMs: openedMs };
    const refusal = this.#hosts.start(session.key, { record: session, atMs });
    if (refusal !== undefined) return failed(refusal);
    this.#recentLogins.set(user.id, true);
    // Fronts that could not reach each other may have opened more than one too many.
    for (const surplus of longestIdle(own, own.length - limits.sessionsPerUser + 1)) {
      const closed = await this.close(surplus);
      if (closed.ok) continue;
      this.#hosts.send(session.key, { type: 'session.closed' });
      return closed;
    }
    this.#publish(session);
    return done({ id, session });
  }

  /** The session with this id, if this instance knows it; using it prolongs it. */
  use(id: string): SessionRecord | undefined {
    const known = this.#keys.get(id);
    const session = this.#record(known ?? keyOf(id));
    if (session === undefined) {
      this.#keys.delete(id);
      return undefined;
    }
    if (known === undefined) this.#noteKey(id, session.key);
    const atMs = this.#scope.clock.now();
    if (atMs - session.lastUsedMs < useGrainMs) return session;
    this.#hosts.send(session.key, { type: 'session.used', atMs });
    const isNewMinute = Math.floor(atMs / publishGrainMs) !== Math.floor(session.lastUsedMs / publishGrainMs);
    if (isNewMinute || session.lastUsedMs < this.#sync.metMs) this.#publish({ ...session, lastUsedMs: atMs });
    return this.#record(session.key);
  }

  /** Asks every ws instance in reach, once, for a session that this one does not know. */
  async find(id: string): Promise<Outcome<SessionLookup>> {
    const key = keyOf(id);
    if (this.#changes.log.hasClosed(key)) return done({ session: undefined, isCertain: true });
    const { view, ask, map } = this.#scope;
    const peers = this.#peers.filter((peer) => view.statusOf(map.instance(peer)) === 'active');
    const answers = await Promise.all(peers.map((peer) => ask(peer, 'session.find', { key })));
    const found = answers.flatMap((answer) => (answer.ok ? [answer.value] : []));
    this.#take(found.flatMap(({ closed }) => closed ?? []));
    for (const { session } of found) {
      const refusal = session && this.#adopt(session);
      if (refusal !== undefined) return failed(refusal);
    }
    return done({ session: this.use(id), isCertain: found.length === answers.length });
  }

  /** Binds a session to another domain. The change is durable when this resolves. */
  async switchDomain({ key }: SessionRecord, domain: string): Promise<Outcome<void>> {
    const known = this.#record(key);
    if (known === undefined) return failed(fault('unauthorized', 'the session is over'));
    // It may have been bound by a node whose clock is ahead.
    const switchedMs = Math.max(this.#scope.clock.now(), known.switchedMs + 1);
    const outcome = await this.#store(boundChange({ ...known, domain, switchedMs }));
    const session = this.#record(key);
    if (outcome.ok && session !== undefined) this.#publish(session);
    return outcome;
  }

  /** Closes a session. That it is closed is durable when this resolves. */
  async close(session: SessionRecord): Promise<Outcome<void>> {
    const closed = closedChange(session);
    this.#closing.add(session.key);
    const outcome = await this.#store(closed).finally(() => this.#closing.delete(session.key));
    if (outcome.ok) for (const peer of this.#peers) this.#scope.tell(peer, 'session.closed', { session: closed });
    return outcome;
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
    if (this.#hosts.has(key)) this.#cookiesUntilMs.set(key, this.#scope.clock.now() + limits.sessionMs);
  }

  readonly handlers = {
    'session.find': async ({ key }: BodyOf<'session.find'>): Promise<Outcome<ReplyOf<'session.find'>>> => {
      await this.loaded;
      const closed = this.#changes.log.closedChange(key);
      const session = this.#record(key);
      return done({ ...(closed && { closed }), ...(session && { session }) });
    },
    'session.changed': ({ session }: BodyOf<'session.changed'>): void => {
      if (!this.#changes.log.isClosed(session)) return this.#adoptLive(session);
      // An instance that still has it has published it to others, which need not say so again.
      for (const peer of this.#peers) this.#scope.tell(peer, 'session.closed', { session: closedChange(session) });
    },
    'session.closed': ({ session }: BodyOf<'session.closed'>): void => this.#take([session]),
    'session.changes': async ({ after }: BodyOf<'session.changes'>): Promise<Outcome<ReplyOf<'session.changes'>>> => {
      await this.loaded;
      const isShort = this.#scope.faultPoints.fires('session.short_page');
      return done(this.#changes.log.after(after, isShort ? 1 : undefined));
    },
    'session.user_gone': (user: BodyOf<'session.user_gone'>): void => {
      const { id, formerPasswordId } = user;
      if (formerPasswordId !== undefined) {
        this.#endedPasswords.set(passwordKey({ id, passwordId: formerPasswordId }), true);
      }
      this.#closeAllOf(user).catch(this.#scope.crash);
    },
  };

  stop(): void {
    this.#endedPasswords.clear();
    this.#recentLogins.clear();
    this.#hosts.stopAll();
    this.#changes.stop();
  }

  /** Of known sessions only, so that requests with invented ids take no room. */
  #noteKey(id: string, key: string): void {
    if (this.#keys.size >= knownKeys) this.#keys.clear();
    this.#keys.set(id, key);
  }

  #adoptLive(session: SessionRecord): void {
    const isNew = this.#record(session.key) === undefined;
    this.#adopt(session);
    if (isNew) this.#limitLogins(session.user.id).catch(this.#scope.crash);
  }

  /** Every front that has opened one of the sessions closes the same ones. */
  async #limitLogins(user: string): Promise<void> {
    if (this.#recentLogins.get(user) === undefined) return;
    const own = this.#openOf(user);
    await Promise.all(longestIdle(own, own.length - limits.sessionsPerUser).map((surplus) => this.close(surplus)));
  }

  #openOf(user: string): SessionRecord[] {
    return this.#all().filter((each) => each.user.id === user && !this.#closing.has(each.key));
  }

  #all(): SessionRecord[] {
    return [...this.#hosts.keys()].flatMap((key) => this.#record(key) ?? []);
  }

  #record(key: string): SessionRecord | undefined {
    return this.#hosts.snapshot(key)?.context.record;
  }

  /** Takes a copy of a session that another instance has. */
  #adopt(session: SessionRecord): Fault | undefined {
    if (this.#changes.log.isClosed(session)) return undefined;
    const atMs = this.#scope.clock.now();
    const { key, lastUsedMs: usedMs } = session;
    if (session.switchedMs > session.openedMs) this.#take([boundChange(session)]);
    const known = this.#record(key);
    if (known !== undefined) {
      this.#hosts.send(key, { type: 'session.used', atMs, usedMs });
      return undefined;
    }
    const { domain, switchedMs } = this.#changes.log.boundTo(key) ?? session;
    return this.#hosts.start(key, { record: { ...session, domain, switchedMs }, atMs });
  }

  /** Makes a change durable, then applies it. Where it cannot be stored it has not happened. */
  async #store(change: SessionChange): Promise<Outcome<void>> {
    try {
      this.#apply(await this.#changes.store(change));
      return done(undefined);
    } catch (error) {
      const { address } = this.#scope.instance;
      if (error instanceof StoreClosed) return failed(fault('unreachable', `${address} does not serve any more`));
      if (!(error instanceof StoreUnwritable)) throw error;
      const message = `${address}: its disk is full or can't be written, the session is as it was: try again later`;
      return failed(fault('overloaded', message));
    }
  }

  /**
   * The sessions of a user are over, but those by the password that holds now, or by one that came later; also where that cannot be
   * stored now.
   */
  async #closeAllOf({ id, passwordId, formerPasswordId, agoMs = 0 }: BodyOf<'session.user_gone'>): Promise<void> {
    const untilMs = this.#scope.clock.now() - agoMs;
    const isOver = ({ user, openedMs }: SessionRecord) =>
      user.passwordId !== passwordId && (agoMs === 0 || openedMs <= untilMs || user.passwordId === formerPasswordId);
    const own = this.#all().filter((session) => session.user.id === id && isOver(session));
    const outcomes = await Promise.all(own.map((session) => this.close(session)));
    this.#take(own.filter((_, index) => outcomes[index]?.ok === false).map(closedChange));
    // Other instances may have sessions of the user that are not known here, and may not hear of the removal: they ask for this.
    if (passwordId === undefined && this.#changes.log.size < limits.entities)
      this.#take([{ type: 'closed_until', user: id, openedMs: untilMs }]);
  }

  #take(changes: readonly SessionChange[]): void {
    this.#apply(this.#changes.take(changes));
  }

  #apply(changes: readonly SessionChange[]): void {
    for (const change of changes) {
      if (change.type === 'closed') this.#hosts.send(change.key, { type: 'session.closed' });
      else if (change.type === 'bound') this.#bind(change);
    }
    if (!changes.some(({ type }) => type === 'closed_until')) return;
    for (const session of this.#all()) {
      if (this.#changes.log.isClosed(session)) this.#hosts.send(session.key, { type: 'session.closed' });
    }
  }

  #bind({ key, domain, switchedMs }: Extract<SessionChange, { type: 'bound' }>): void {
    const known = this.#record(key);
    if (known === undefined || !isLaterBinding({ domain, switchedMs }, known)) return;
    const atMs = this.#scope.clock.now();
    this.#hosts.send(key, { type: 'session.switched', atMs, usedMs: known.lastUsedMs, switchedMs, domain });
  }

  #ended(key: string): void {
    this.#cookiesUntilMs.delete(key);
    this.#changes.forget(key);
    for (const listener of this.#overListeners) listener(key);
  }

  #publish(session: SessionRecord): void {
    if (this.#scope.faultPoints.fires('session.untold')) return;
    for (const peer of this.#peers) this.#scope.tell(peer, 'session.changed', { session });
  }
}

/** So many of the sessions, if they are more than none: the ones that were used last the longest ago, in the same order everywhere. */
function longestIdle(sessions: readonly SessionRecord[], count: number): readonly SessionRecord[] {
  const byUse = (one: SessionRecord, other: SessionRecord) =>
    one.lastUsedMs - other.lastUsedMs || (one.key < other.key ? -1 : 1);
  return sessions.toSorted(byUse).slice(0, Math.max(0, count));
}

function closedChange({ key, user, openedMs }: SessionRecord): ClosedSession {
  return { type: 'closed', key, user: user.id, openedMs };
}

function boundChange({ key, user, openedMs, domain, switchedMs }: SessionRecord): SessionChange {
  return { type: 'bound', key, user: user.id, openedMs, domain, switchedMs };
}

function passwordKey({ id, passwordId }: Pick<UserRecord, 'id' | 'passwordId'>): string {
  return `${id} ${passwordId}`;
}

function keyOf(id: string): string {
  return hash('sha256', id);
}
