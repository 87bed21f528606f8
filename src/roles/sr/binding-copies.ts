/**
 * Copies of registrations at all sr instances that serve a domain: stand-bys and other sites. A change is sent to them at once, and
 * merged there. An active instance that comes into reach is asked for all that it has, unless its digest shows that it has the same.
 * Each is also asked every `bindingsCheckMs`, for changes that were lost on their way.
 */
import type { RoleScope } from '../../cluster/role.ts';
import { type Binding, bindingOf, copyOf, isNewer, keyOfBinding } from '../../model/binding.ts';
import type { InstanceEntry } from '../../model/cluster/cluster-map.ts';
import { coverOf } from '../../model/domain-tree.ts';
import { limits } from '../../model/limits.ts';
import type { BodyOf } from '../../model/protocol/catalogue.ts';
import type { BindingCopy } from '../../model/protocol/messages/registrar.ts';
import { CatchUp, type Pull, pullPages } from '../../replication/catch-up.ts';
import type { Bindings } from './bindings.ts';

export interface BindingPage {
  readonly bindings: BindingCopy[];
  readonly next?: string;
  readonly isSame: boolean;
}

export class BindingCopies {
  readonly #scope: RoleScope;
  readonly #bindings: Bindings;
  readonly #peers: readonly InstanceEntry[];
  readonly #byDomain = new Map<string, readonly InstanceEntry[]>();
  /** One for each peer. */
  readonly #catchUps: readonly CatchUp[];

  constructor(scope: RoleScope, bindings: Bindings) {
    const { map, instance, view } = scope;
    this.#scope = scope;
    this.#bindings = bindings;
    this.#peers = map.instancesOf('sr').filter((each) => each !== instance && isRelated(each, instance));
    this.#catchUps = this.#peers.map(
      (peer) =>
        new CatchUp({
          scope,
          source: () => (view.statusOf(peer) === 'active' ? peer : undefined),
          pull: (_, pull) => this.#pull(peer, pull),
          delaysMs: { check: limits.bindingsCheckMs, gone: Number.POSITIVE_INFINITY },
        }),
    );
    scope.onViewChange(() => this.#look());
  }

  /** Sends a binding that was changed here to all others that serve its domain. */
  publish(binding: Binding): void {
    for (const peer of this.#servers(binding.domain)) {
      if (this.#scope.faultPoints.fires('registrar.untold')) continue;
      this.#scope.tell(peer.address, 'registrar.copied', { bindings: this.copiesOf([binding]) });
    }
  }

  /** Compares with every active one again: after the role of this instance has changed. */
  compareAll(): void {
    this.#look();
    for (const catchUp of this.#catchUps) catchUp.noticeGap();
  }

  /** What this instance has that another one serves as well, after a key; nothing where it has the same. */
  page(asker: string, { after = '', digest }: BodyOf<'registrar.sync'>): BindingPage {
    const peer = this.#scope.map.instances.get(asker);
    const shared = peer === undefined ? [] : this.#shared(peer);
    if (digest !== undefined && digest === digestOf(shared)) return { bindings: [], isSame: true };
    const from = shared.filter((binding) => keyOfBinding(binding) > after);
    const isShort = this.#scope.faultPoints.fires('registrar.short_page');
    const bindings = from.slice(0, isShort ? 1 : limits.bindingsPage);
    const last = bindings.at(-1);
    const next = from.length > bindings.length && last !== undefined ? { next: keyOfBinding(last) } : {};
    return { bindings: this.copiesOf(bindings), isSame: false, ...next };
  }

  /** Bindings as they are sent to other instances now. */
  copiesOf(bindings: readonly Binding[]): BindingCopy[] {
    const nowMs = this.#scope.clock.now();
    return bindings.map((each) => copyOf(each, nowMs));
  }

  /** Merges those copies that are of a domain that is served here. Returns all of them, by the own clock. */
  receive(copies: readonly BindingCopy[]): Binding[] {
    const { clock, counters, instance } = this.#scope;
    const nowMs = clock.now();
    const bindings = copies.map((each) => bindingOf(each, nowMs));
    for (const binding of bindings) {
      if (coverOf(binding.domain, instance.domains) === undefined) continue;
      if (!this.#bindings.take(binding, 'copied')) counters.add('sr.copy_refused');
    }
    return bindings;
  }

  #look(): void {
    for (const catchUp of this.#catchUps) catchUp.look();
  }

  /** Takes all that an active one has, page by page, unless it has the same. */
  async #pull(peer: InstanceEntry, pull: Pull): Promise<boolean> {
    const theirs = new Map<string, Binding>();
    let question: BodyOf<'registrar.sync'> = { digest: digestOf(this.#shared(peer)) };
    let isAlike = false;
    const isRead = await pullPages(
      pull,
      () => this.#scope.ask(peer.address, 'registrar.sync', question),
      ({ bindings, next, isSame }) => {
        isAlike = isSame;
        for (const binding of this.receive(bindings)) theirs.set(keyOfBinding(binding), binding);
        if (next === undefined) return 'done';
        question = { after: next };
        return 'more';
      },
    );
    if (isRead && !isAlike) this.#giveBack(peer, theirs);
    return isRead;
  }

  /** A stand-by is not asked: what it has from a time when it was active it sends by itself. */
  #giveBack(peer: InstanceEntry, theirs: ReadonlyMap<string, Binding>): void {
    const { view, instance, tell } = this.#scope;
    if (view.statusOf(instance) === 'active') return;
    const ours = this.#shared(peer).filter((binding) => {
      const their = theirs.get(keyOfBinding(binding));
      return their === undefined || isNewer(binding, their);
    });
    for (let start = 0; start < ours.length; start += limits.bindingsPage) {
      const some = ours.slice(start, start + limits.bindingsPage);
      tell(peer.address, 'registrar.copied', { bindings: this.copiesOf(some) });
    }
  }

  #shared(peer: InstanceEntry): Binding[] {
    const isShared = (binding: Binding | undefined): binding is Binding =>
      binding !== undefined && coverOf(binding.domain, peer.domains) !== undefined;
    return this.#bindings
      .keys()
      .map((key) => this.#bindings.get(key))
      .filter(isShared);
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

/** The same of two lists, sorted by key, that hold the same copies. */
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
