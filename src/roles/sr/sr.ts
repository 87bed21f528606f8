/**
 * The registrar: which devices are registered as which SIP users, until when and where. It answers for its domains while
 * it is the active one of its group; all others that serve them have copies.
 */

import { ExpiringMap } from '../../actors/expiring-map.ts';
import type { Role, RoleScope } from '../../cluster/role.ts';
import { type Binding, bindingOf, isNewer, keyOfBinding, userOfBinding } from '../../model/binding.ts';
import { done, failed, fault, type Outcome } from '../../model/fault.ts';
import { limits } from '../../model/limits.ts';
import type { BodyOf, ReplyOf } from '../../model/protocol/catalogue.ts';
import { Pieces } from '../pieces.ts';
import { BindingCopies } from './binding-copies.ts';
import { Bindings } from './bindings.ts';
import { DeviceAgent } from './device-agent.ts';
import { speaksFor } from './device-registrar.ts';
import { RegistrationEvents } from './registration-events.ts';

export function createSr(scope: RoleScope): Role<'sr'> {
  const registrar = new Registrar(scope);
  const pieces = new Pieces<string>(scope);
  const { bindings, copies, deviceAgent, events } = registrar;
  return {
    handlers: {
      ...events.source.handlers,
      sip: (message, { from }) => deviceAgent.receive(message, from),
      'registrar.bind': (body) => registrar.bind(body),
      'registrar.unbind': (body) => registrar.unbind(body),
      'registrar.lookup': ({ domain, logins }) =>
        done({ bindings: copies.copiesOf(logins.flatMap((login) => bindings.of({ domain, login }))) }),
      'registrar.online': ({ domain }) => {
        const { items: logins, rest: name } = pieces.first(bindings.online(domain));
        return done({ logins, ...(name !== undefined && { rest: { name, at: scope.instance.address } }) });
      },
      'registrar.rest': ({ rest }) => pieces.answerNext(rest),
      'registrar.copied': (body) => void copies.receive(body.bindings),
      'registrar.sync': (body, { from }) => done(copies.page(from, body)),
    },
    flush: () => events.source.flush(),
    serve: () => copies.compareAll(),
    standBy: () => copies.compareAll(),
    stop: () => {
      deviceAgent.stop();
      bindings.stop();
      registrar.stop();
    },
  };
}

/** A b2b that has read a user asks for its registration within this time: the deadlines of both asks. */
const rememberedMs = 15_000;

type Bound = Outcome<ReplyOf<'registrar.bind'>>;

class Registrar {
  readonly bindings: Bindings;
  readonly copies: BindingCopies;
  readonly deviceAgent: DeviceAgent;
  readonly events: RegistrationEvents;
  readonly #scope: RoleScope;
  /** By id, the users that changed less than `rememberedMs` ago, as they are now. */
  readonly #changedUsers: ExpiringMap<{ readonly ha1?: string | undefined }>;
  /** How many devices the users may have of which that changed less than `rememberedMs` ago, by login and domain. */
  readonly #changedLimits: ExpiringMap<number>;
  /** The users of registrations that wait for room. */
  readonly #waiting = new Set<{ readonly user: string; isRevoked: boolean }>();

  constructor(scope: RoleScope) {
    this.#scope = scope;
    this.#changedUsers = new ExpiringMap(scope.clock, rememberedMs, limits.entities);
    this.#changedLimits = new ExpiringMap(scope.clock, rememberedMs, limits.entities);
    this.events = new RegistrationEvents(scope);
    const onChange: RegistrationEvents['publish'] = (binding, change, cause) => {
      this.events.publish(binding, change, cause);
      // All registrars come to know of it, by a request or by a copy, each once.
      const isRevoked = change.type === 'removed' && binding.isRevoked === true;
      if (isRevoked && speaksFor(scope, binding)) this.deviceAgent.deactivate(binding);
    };
    this.bindings = new Bindings({ scope, onChange });
    this.copies = new BindingCopies(scope, this.bindings);
    this.deviceAgent = new DeviceAgent(scope);
  }

  bind({ binding: asked, devices }: BodyOf<'registrar.bind'>): Bound | Promise<Bound> {
    const binding = bindingOf(asked, this.#scope.clock.now());
    const user = this.#changedUsers.get(binding.userid);
    // It was read from the domain data before the change: the device has to ask again.
    if (user !== undefined && user.ha1 !== binding.ha1) return this.#answer('stale', binding);
    const known = this.bindings.get(keyOfBinding(binding));
    if (known !== undefined && known.callid === binding.callid && known.cseq >= binding.cseq)
      return this.#unchanged(binding, known);
    const others = this.#othersOf(binding);
    const lastsMs = binding.expiresMs - this.#scope.clock.now() + limits.clockSkewMs;
    const keptMs = Math.max(lastsMs, known?.keptMs ?? 0);
    const fresh = { ...binding, changedMs: this.#nextMs(binding), keptMs, isRemoved: false };
    const limit = Math.min(devices, this.#changedLimits.get(userOfBinding(binding)) ?? devices);
    if (others.length < limit) return this.#keep(fresh);
    if (limit < devices) return this.#answer('stale', binding);
    return this.#makeRoom(fresh, devices, others);
  }

  unbind({
    domain,
    login,
    device,
    keep,
    now,
    callid,
    cseq,
    lastsMs,
  }: BodyOf<'registrar.unbind'>): Outcome<ReplyOf<'registrar.unbind'>> {
    // A message that comes late takes nothing that is registered by the login and password that hold now.
    const live = this.bindings.of({ domain, login }).filter(({ ha1 }) => now?.ha1 === undefined || ha1 !== now.ha1);
    const user = userOfBinding({ domain, login });
    if (now !== undefined) this.#changedUsers.set(now.userid, now);
    if (keep !== undefined) this.#changedLimits.set(user, keep);
    // Its limit may have changed as well, or another user gets its login.
    else if (now !== undefined) this.#changedLimits.delete(user);
    if (device === undefined) for (const each of this.#waiting) if (each.user === user) each.isRevoked = true;
    const meant = device === undefined ? latest(live).slice(keep ?? 0) : live.filter((each) => each.device === device);
    // A later REGISTER of the same device has overtaken it (RFC 3261 10.3).
    if (cseq !== undefined && meant.some((each) => each.callid === callid && each.cseq > cseq))
      return done({ removed: 0 });
    const asked = {
      ...(callid !== undefined && { callid }),
      ...(cseq !== undefined && { cseq }),
      ...(lastsMs !== undefined && { keptMs: lastsMs + limits.clockSkewMs }),
    };
    const revoked = callid === undefined ? { isRevoked: true } : {};
    for (const binding of meant) if (!this.#remove({ ...binding, ...asked, ...revoked })) return noRoom(binding);
    // Another site may have it, and no way to here: the tombstone goes there.
    if (meant.length === 0 && device !== undefined) {
      const nowhere = {
        userid: '',
        contact: '',
        path: '',
        callid: '',
        cseq: 0,
        userAgent: '',
        ha1: '',
        expiresMs: 0,
        changedMs: 0,
      };
      const removed = { domain, login, device, ...nowhere, isRemoved: true, ...asked };
      if (!this.#remove(removed)) return noRoom(removed);
    }
    return done({ removed: meant.length });
  }

  stop(): void {
    this.#changedUsers.clear();
    this.#changedLimits.clear();
  }

  /** Probes the registered devices; one that is silent is removed. */
  async #makeRoom(binding: Binding, devices: number, others: readonly Binding[]): Promise<Bound> {
    const waiting = { user: userOfBinding(binding), isRevoked: false };
    const askedMs = this.#scope.clock.now();
    const before = this.bindings.get(keyOfBinding(binding))?.changedMs;
    this.#waiting.add(waiting);
    const silent = await this.deviceAgent.silent(others);
    this.#waiting.delete(waiting);
    // The user may be gone, or have another password, or be allowed fewer devices: the device has to ask again.
    if (waiting.isRevoked) return this.#answer('stale', binding);
    // It was registered or removed meanwhile, at a registrar that did not wait.
    const now = this.bindings.get(keyOfBinding(binding));
    if (now?.changedMs !== before) return this.#unchanged(binding, now);
    const excess = this.#othersOf(binding).length - devices + 1;
    const leaving = silent.filter((each) => this.#isUnchanged(each)).slice(0, Math.max(0, excess));
    if (leaving.length < excess) return this.#answer('full', binding);
    for (const each of leaving) this.#remove(each);
    // It is granted its time from now on.
    return this.#keep({ ...binding, expiresMs: binding.expiresMs + this.#scope.clock.now() - askedMs });
  }

  /** The answer to the same REGISTER again, by another way, or to one that was overtaken. */
  #unchanged(binding: Binding, now: Binding | undefined): Bound {
    const isSame = now?.callid === binding.callid && now.cseq === binding.cseq && this.bindings.isLive(now);
    return this.#answer(isSame ? 'bound' : 'stale', binding);
  }

  /** It counts as of its REGISTER: a change that others made while this one waited for room is newer. */
  #keep(binding: Binding): Bound {
    if (!this.bindings.take(binding, 'asked')) return noRoom(binding);
    this.copies.publish(binding);
    return this.#answer('bound', binding);
  }

  /** False: there is no room to remember that. */
  #remove(binding: Binding): boolean {
    const keptMs = Math.max(binding.keptMs ?? 0, this.bindings.get(keyOfBinding(binding))?.keptMs ?? 0);
    const removed = {
      ...binding,
      keptMs,
      changedMs: this.#nextMs(binding),
      expiresMs: this.#scope.clock.now(),
      isRemoved: true,
    };
    const isTaken = this.bindings.take(removed, 'asked');
    if (isTaken) this.copies.publish(removed);
    return isTaken;
  }

  /** A change made here outweighs what is here, made in the same millisecond or by a clock that is ahead. */
  #nextMs(binding: Binding): number {
    return Math.max(this.#scope.clock.now(), (this.bindings.get(keyOfBinding(binding))?.changedMs ?? 0) + 1);
  }

  #othersOf(binding: Binding): Binding[] {
    return this.bindings.of(binding).filter(({ device }) => device !== binding.device);
  }

  /** It was neither refreshed nor removed since it was probed. */
  #isUnchanged(binding: Binding): boolean {
    return this.bindings.get(keyOfBinding(binding))?.changedMs === binding.changedMs && this.bindings.isLive(binding);
  }

  #answer(result: ReplyOf<'registrar.bind'>['result'], binding: Binding): Bound {
    return done({ result, bindings: this.copies.copiesOf(this.bindings.of(binding)) });
  }
}

function noRoom({ domain, login }: Pick<Binding, 'domain' | 'login'>) {
  const { endedBindings, entities } = limits;
  const message = `no room for another device of ${login}@${domain}: the limit is ${endedBindings} that ended lately, and ${entities} of all users`;
  return failed(fault('overloaded', message));
}

/** With those in front that registered or were refreshed last. */
function latest(bindings: readonly Binding[]): Binding[] {
  return [...bindings].sort((one, other) => (isNewer(one, other) ? -1 : 1));
}
