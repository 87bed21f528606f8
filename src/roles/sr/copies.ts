/**
 * Copies of registrations at all sr instances that serve a domain: stand-bys and other sites. A change is told to them at
 * once. Whoever starts, begins to serve, or meets an active one again asks it for all that it has; now and then they compare.
 */

import type { RoleScope } from '../../cluster/role.ts';
import { type Binding, bindingOf, copyOf, isNewer, keyOfBinding } from '../../model/binding.ts';
import type { InstanceEntry } from '../../model/cluster-map.ts';
import { coverOf } from '../../model/domain-tree.ts';
import { limits } from '../../model/limits.ts';
import type { BindingCopy } from '../../model/protocol/registrar.ts';
import type { Bindings } from './bindings.ts';

export interface Page {
  readonly bindings: BindingCopy[];
  readonly next?: string;
  readonly isSame: boolean;
}

/** How soon one that did not answer is asked again. */
const retryMs = 2_000;

export class Copies {
  readonly #scope: RoleScope;
  readonly #bindings: Bindings;
  readonly #peers: readonly InstanceEntry[];
  readonly #byDomain = new Map<string, readonly InstanceEntry[]>();
  /** Active ones of which this instance has had all. */
  readonly #met = new Set<InstanceEntry>();

  constructor(scope: RoleScope, bindings: Bindings) {
    const { map, instance, clock } = scope;
    this.#scope = scope;
    this.#bindings = bindings;
    this.#peers = map.instancesOf('sr').filter((each) => each !== instance && isRelated(each, instance));
    scope.onView(() => this.#look());
    // Those that start together need not all compare in the same instant.
    clock.setTimer(scope.random.stream('jitter').integer(1, limits.bindingsCheckMs), () => this.#check());
  }

  /** Tells all others that serve its domain of a binding that was changed here. */
  tell(binding: Binding): void {
    for (const peer of this.#servers(binding.domain)) {
      if (this.#scope.faultPoints.fires('registrar.untold')) continue;
      this.#scope.tell(peer.address, 'registrar.copied', { bindings: this.told([binding]) });
    }
  }

  /** Meets every active one as if for the first time: after the role of this instance has changed. */
  meetAll(): void {
    this.#met.clear();
    this.#look();
  }

  /** What this instance has that another one serves as well, after a key; nothing where it has the same. */
  page(asker: string, { after = '', digest }: { after?: string | undefined; digest?: string | undefined }): Page {
    const peer = this.#scope.map.instances.get(asker);
    const shared = peer === undefined ? [] : this.#shared(peer);
    if (digest !== undefined && digest === digestOf(shared)) return { bindings: [], isSame: true };
    const from = shared.filter((binding) => keyOfBinding(binding) > after);
    const bindings = from.slice(0, limits.bindingsPage);
    const last = bindings.at(-1);
    const next = from.length > bindings.length && last !== undefined ? { next: keyOfBinding(last) } : {};
    return { bindings: this.told(bindings), isSame: false, ...next };
  }

  #look(): void {
    for (const peer of this.#peers) {
      if (this.#scope.view.statusOf(peer) !== 'active') this.#met.delete(peer);
      else if (!this.#met.has(peer)) this.#meet(peer);
    }
  }

  #check(): void {
    for (const peer of this.#met) this.#meet(peer);
    this.#scope.clock.setTimer(limits.bindingsCheckMs, () => this.#check());
  }

  #meet(peer: InstanceEntry): void {
    this.#met.add(peer);
    this.#exchange(peer).then(
      (isDone) => {
        if (isDone || !this.#met.delete(peer)) return;
        this.#scope.clock.setTimer(retryMs, () => this.#look());
      },
      (error: unknown) => this.#scope.crash(error),
    );
  }

  /** Takes all that an active one has, page by page. False: it did not answer. */
  async #exchange(peer: InstanceEntry): Promise<boolean> {
    const theirs = new Map<string, Binding>();
    let ask: { after?: string; digest?: string } = { digest: digestOf(this.#shared(peer)) };
    for (;;) {
      const answer = await this.#scope.ask(peer.address, 'registrar.sync', ask);
      if (!answer.ok) return false;
      const { bindings, next, isSame } = answer.value;
      if (isSame) return true;
      for (const binding of this.receive(bindings)) theirs.set(keyOfBinding(binding), binding);
      if (next === undefined) break;
      ask = { after: next };
    }
    this.#giveBack(peer, theirs);
    return true;
  }

  /** Nobody may ask a stand-by: what it has from a time when it was active it tells by itself. */
  #giveBack(peer: InstanceEntry, theirs: ReadonlyMap<string, Binding>): void {
    const { view, instance, tell } = this.#scope;
    if (view.statusOf(instance) === 'active') return;
    const ours = this.#shared(peer).filter((binding) => {
      const their = theirs.get(keyOfBinding(binding));
      return their === undefined || isNewer(binding, their);
    });
    for (let start = 0; start < ours.length; start += limits.bindingsPage) {
      tell(peer.address, 'registrar.copied', { bindings: this.told(ours.slice(start, start + limits.bindingsPage)) });
    }
  }

  /** What is told of bindings now. */
  told(bindings: readonly Binding[]): BindingCopy[] {
    const nowMs = this.#scope.clock.now();
    return bindings.map((each) => copyOf(each, nowMs));
  }

  /** Takes those copies that are of a domain that is served here. What all of them tell of, by the own clock. */
  receive(copies: readonly BindingCopy[]): Binding[] {
    const { clock, counters, instance } = this.#scope;
    const nowMs = clock.now();
    const bindings = copies.map((each) => bindingOf(each, nowMs));
    for (const binding of bindings) {
      if (coverOf(binding.domain, instance.domains) === undefined) continue;
      if (!this.#bindings.take(binding, 'told')) counters.add('sr.copy_refused');
    }
    return bindings;
  }

  #shared(peer: InstanceEntry): Binding[] {
    return this.#bindings
      .keys()
      .map((key) => this.#bindings.get(key))
      .filter((binding) => binding !== undefined && coverOf(binding.domain, peer.domains) !== undefined)
      .filter((binding) => binding !== undefined);
  }

  #servers(domain: string): readonly InstanceEntry[] {
    let servers = this.#byDomain.get(domain);
    if (servers === undefined) {
      servers = this.#peers.filter((each) => coverOf(domain, each.domains) !== undefined);
      this.#byDomain.set(domain, servers);
    }
    return servers;
  }
}

/** Whether there are domains that both serve. */
function isRelated(one: InstanceEntry, other: InstanceEntry): boolean {
  return (
    one.domains.some((domain) => coverOf(domain, other.domains) !== undefined) ||
    other.domains.some((domain) => coverOf(domain, one.domains) !== undefined)
  );
}

/** Says the same of two lists, sorted by key, that hold the same copies. */
function digestOf(bindings: readonly Binding[]): string {
  let hash = 0x811c9dc5;
  const add = (text: string) => {
    for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  };
  for (const { domain, login, device, changedMs, isRemoved } of bindings) {
    add(`${domain}/${login}/${device} ${changedMs} ${isRemoved};`);
  }
  return `${bindings.length}.${(hash >>> 0).toString(16)}`;
}
