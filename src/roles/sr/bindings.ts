/** The registrations that an sr instance has, one entity each, and which of them are live, by SIP user. */

import { EntityHost } from '../../actors/entity-host.ts';
import { ExpiryQueue } from '../../actors/expiry-queue.ts';
import type { RoleScope } from '../../cluster/role.ts';
import { type BindingCommand, bindingMachine } from '../../machines/registration/binding.ts';
import { type Binding, keyOfBinding, outweighsUntilMs, userInKey, userOfBinding } from '../../model/binding.ts';
import { limits } from '../../model/limits.ts';

/** A change of a binding. `isFirst`, `isLast`: the user had no other. `ended`: the binding as it was registered. */
export type BindingChange =
  | { readonly type: 'registered'; readonly isFirst: boolean }
  | { readonly type: 'refreshed' }
  | { readonly type: 'removed' | 'expired'; readonly isLast: boolean; readonly ended: Binding };

/** What changed it: a request to this instance, a copy from another instance, or time. */
export type Cause = 'asked' | 'copied' | 'time';

export interface BindingsOptions {
  readonly scope: RoleScope;
  readonly onChange: (binding: Binding, change: BindingChange, cause: Cause) => void;
}

type User = Pick<Binding, 'domain' | 'login'>;

export class Bindings {
  readonly #options: BindingsOptions;
  readonly #entities: EntityHost<typeof bindingMachine>;
  /** By user, then by key. */
  readonly #live = new Map<string, Map<string, Binding>>();
  /** How many of a user there are, live or not. */
  readonly #countOf = new Map<string, number>();
  /** Logins with a live binding, by domain. */
  readonly #online = new Map<string, Set<string>>();
  readonly #longestMs: number;
  #cause: Cause = 'time';

  constructor(options: BindingsOptions) {
    const { clock, counters, crash, map } = options.scope;
    this.#options = options;
    const users = map.topology.domains.flatMap(({ sipusers }) => sipusers);
    // By the clock of the instance that made it a change may seem older than it is.
    this.#longestMs = limits.clockSkewMs + 1_000 * Math.max(3_600, ...users.map((user) => user.maxexpires));
    this.#entities = new EntityHost({
      machine: bindingMachine,
      // Tombstones stay for an hour and more: they have no timer each.
      clock: new ExpiryQueue(clock),
      counters,
      onCommand: (key, command) => this.#execute(key, command),
      onEnd: (key) => this.#count(userInKey(key), -1),
      onCrash: crash,
    });
  }

  /** Takes a copy, where it is newer than what is here. False: there is no room for it. */
  take(binding: Binding, cause: Cause): boolean {
    const { clock } = this.#options.scope;
    const key = keyOfBinding(binding);
    const atMs = clock.now();
    this.#cause = cause;
    try {
      if (this.#entities.send(key, { type: 'copy.received', binding, atMs })) return true;
      // Nothing is left for it to outweigh.
      if (outweighsUntilMs(binding, this.#longestMs) <= atMs) return true;
      return this.#start(key, { binding, atMs }, cause);
    } finally {
      this.#cause = 'time';
    }
  }

  /** What is here of a device, live or not. */
  get(key: string): Binding | undefined {
    return this.#entities.snapshot(key)?.context.binding;
  }

  /** The live bindings of a user. */
  of(user: User): Binding[] {
    return [...(this.#live.get(userOfBinding(user))?.values() ?? [])];
  }

  isLive(binding: Binding): boolean {
    return this.#live.get(userOfBinding(binding))?.has(keyOfBinding(binding)) ?? false;
  }

  /** The logins of a domain that have a live binding. */
  online(domain: string): string[] {
    return [...(this.#online.get(domain) ?? [])];
  }

  /** All that is here, tombstones as well, by key. */
  keys(): string[] {
    return [...this.#entities.keys()].sort();
  }

  stop(): void {
    this.#entities.stopAll();
  }

  /** A copy that others have kept is kept here too; one user alone cannot take the room of all. */
  #start(key: string, { binding, atMs }: { binding: Binding; atMs: number }, cause: Cause): boolean {
    const user = userOfBinding(binding);
    const over = (this.#countOf.get(user) ?? 0) - (this.#live.get(user)?.size ?? 0);
    if (cause === 'asked' && over >= limits.endedBindings) return false;
    this.#count(user, 1);
    const refusal = this.#entities.start(key, { binding, atMs, longestMs: this.#longestMs });
    if (refusal !== undefined) this.#count(user, -1);
    return refusal === undefined;
  }

  #count(user: string, by: 1 | -1): void {
    const count = (this.#countOf.get(user) ?? 0) + by;
    if (count === 0) this.#countOf.delete(user);
    else this.#countOf.set(user, count);
  }

  #execute(key: string, command: BindingCommand): void {
    const binding = this.get(key);
    if (binding === undefined) return;
    const change = this.#index(key, binding, command);
    if (change !== undefined) this.#options.onChange(binding, change, this.#cause);
  }

  #index(key: string, binding: Binding, command: BindingCommand): BindingChange | undefined {
    switch (command.type) {
      case 'report.registered':
        return { type: 'registered', isFirst: this.#add(key, binding) };
      case 'report.refreshed':
        this.#add(key, binding);
        return { type: 'refreshed' };
      case 'report.removed':
        return { type: 'removed', ...this.#drop(key, binding) };
      case 'report.expired':
        return { type: 'expired', ...this.#drop(key, binding) };
      default:
        return undefined;
    }
  }

  /** True: it is the only one of its user. */
  #add(key: string, binding: Binding): boolean {
    const { domain, login } = binding;
    const user = userOfBinding(binding);
    const live = this.#live.get(user);
    if (live !== undefined) {
      live.set(key, binding);
      return false;
    }
    this.#live.set(user, new Map([[key, binding]]));
    const online = this.#online.get(domain);
    if (online === undefined) this.#online.set(domain, new Set([login]));
    else online.add(login);
    return true;
  }

  #drop(key: string, binding: Binding) {
    const user = userOfBinding(binding);
    const live = this.#live.get(user);
    const ended = live?.get(key) ?? binding;
    live?.delete(key);
    if (live === undefined || live.size > 0) return { isLast: false, ended };
    this.#live.delete(user);
    this.#online.get(binding.domain)?.delete(binding.login);
    return { isLast: true, ended };
  }
}
