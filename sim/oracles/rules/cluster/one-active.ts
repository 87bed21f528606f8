import type { ClusterMap, InstanceEntry, NodeEntry } from '../../../../src/model/cluster-map.ts';
import { roles } from '../../../../src/model/roles.ts';
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';
import { BrokenSites, Sight } from '../../reachability.ts';
import { together, type Word, Words } from '../shared.ts';

/**
 * By what right the members of a group serve: judged by what their nodes see, and what arbiters have granted them, also while their
 * site is torn. Nodes need a while to notice; so only those are judged that have seen the same for longer.
 */

/** The members of an active-passive group, all at one site. */
export interface Group {
  readonly name: string;
  readonly site: string;
  readonly members: readonly InstanceEntry[];
}

export interface RightsOptions {
  readonly map: ClusterMap;
  readonly sight: Sight;
  readonly words: Words;
  /** How long nodes may take to notice a change, and what follows from it. */
  readonly noticedMs: number;
}

export class Rights {
  readonly #options: RightsOptions;

  constructor(options: RightsOptions) {
    this.#options = options;
  }

  /** What is against the rules in a group; `undefined` where nobody of it can be judged. */
  wrongsIn({ name, members }: Group, nowMs: number): string[] | undefined {
    const lasting = members.filter((each) => this.#isLasting(each, nowMs));
    const serving = lasting.filter((each) => this.#options.sight.statusOf(each) === 'active');
    if (lasting.length === 0) return undefined;
    const pairs = serving.flatMap((one, i) => serving.slice(i + 1).map((other) => [one, other] as const));
    return [
      ...serving.flatMap((each) => this.#withoutQuorum(each, nowMs) ?? []),
      ...pairs.flatMap((pair) => this.#sideBySide(pair, nowMs) ?? []),
      ...(this.#isIdle(members, nowMs) ? [`nobody of ${name} serves, though most nodes of its site are together`] : []),
    ];
  }

  /** Whether an instance has been what it is, where it is, for long enough. */
  #isLasting(instance: InstanceEntry, nowMs: number): boolean {
    const { sight, noticedMs } = this.#options;
    return sight.standsMs(instance, nowMs) > noticedMs && this.#isSettled(this.#nodeOf(instance), nowMs);
  }

  #isSettled(node: NodeEntry, nowMs: number): boolean {
    const { sight, noticedMs } = this.#options;
    return sight.stableMs(node, nowMs) > noticedMs;
  }

  /** Whoever serves sees more than half of the nodes of its site, or half, and an arbiter has given it its word. */
  #withoutQuorum(instance: InstanceEntry, nowMs: number): string | undefined {
    const [seen, total] = this.#shareOf(instance);
    if (seen * 2 > total || (seen * 2 === total && this.#wordFor(instance, nowMs) !== undefined)) return undefined;
    const lacking = seen * 2 === total ? ', and has no word of an arbiter' : '';
    return `${instance.name} serves where it sees ${seen} of ${total} nodes of its site${lacking}`;
  }

  /** Of two that hear of each other one yields, and no arbiter gives its word to two halves. */
  #sideBySide([one, other]: readonly [InstanceEntry, InstanceEntry], nowMs: number): string | undefined {
    const { map, sight } = this.#options;
    const [here, there] = [this.#nodeOf(one), this.#nodeOf(other)];
    const both = `${one.name} and ${other.name} serve at once`;
    if (sight.areTogether(here, there)) return `${both}, and see each other`;
    const isBetween = (node: NodeEntry) =>
      this.#isSettled(node, nowMs) && sight.areTogether(node, here) && sight.areTogether(node, there);
    const between = map.site(one.site).nodes.find(isBetween);
    if (between !== undefined) return `${both}, and ${between.name} sees both`;
    const words = [this.#wordFor(one, nowMs), this.#wordFor(other, nowMs)];
    const [first, second] = words.map((word) => word && map.node(word.by));
    if (first === undefined || second === undefined || first.site !== second.site) return undefined;
    const isOne = first === second || (this.#isSettled(first, nowMs) && sight.areTogether(first, second));
    return isOne ? `${both}, and have the word of ${first.name} and of ${second.name}` : undefined;
  }

  /** Whether members only stand by in a part of the site that has more than half of it, and whose nodes see just each other. */
  #isIdle(members: readonly InstanceEntry[], nowMs: number): boolean {
    const { sight } = this.#options;
    return members.some((member) => {
      const part = sight.seenBy(this.#nodeOf(member));
      const [seen, total] = this.#shareOf(member);
      const isClosed = part.every((one) => this.#isSettled(one, nowMs) && isSame(sight.seenBy(one), part));
      if (seen * 2 <= total || !isClosed) return false;
      const inside = members.filter((each) => part.includes(this.#nodeOf(each)));
      return inside.every((each) => sight.statusOf(each) === 'standby' && this.#isLasting(each, nowMs));
    });
  }

  #shareOf(instance: InstanceEntry): [seen: number, total: number] {
    const { map, sight } = this.#options;
    return [sight.seenBy(this.#nodeOf(instance)).length, map.site(instance.site).nodes.length];
  }

  #wordFor({ node }: InstanceEntry, nowMs: number): Word | undefined {
    const { words, noticedMs } = this.#options;
    const word = words.lastFor(node);
    return word !== undefined && nowMs - word.atMs <= noticedMs ? word : undefined;
  }

  #nodeOf({ node }: InstanceEntry): NodeEntry {
    return this.#options.map.node(node);
  }
}

function isSame(some: readonly NodeEntry[], others: readonly NodeEntry[]): boolean {
  return some.length === others.length && some.every((each) => others.includes(each));
}

/** In each group one serves. */

export const oneActive: OracleMaker = {
  name: 'one-active',
  rule: 'Of an active-passive group two instances never serve for longer than it takes to notice, and at rest exactly one serves. Where its site is split, an instance that serves reaches more than half of the site, or half of it with the lease of an arbiter; two serve only if no node reaches both; no arbiter grants its lease to two halves; in a part with more than half of the site one serves.',
  silence:
    'Two instances that serve in two halves with the leases of two arbiters that cannot reach each other: arbiters at several sites may both grant theirs (`arbiters` in a topology says so). Nodes of which only one reaches the other, paused nodes, and nodes within 11 seconds of a change of their views: they may not know yet. What two active instances may damage meanwhile is judged by copies-agree, lwt-forward, writes-stay and one-record-a-call, when they reach each other again.',
  make: ({ map, calmMs, check, fail }) => {
    const { noticedMs } = boundsOf(map);
    const [sight, words, broken] = [new Sight(map), new Words(), new BrokenSites(map)];
    const rights = new Rights({ map, sight, words, noticedMs });
    const groups = groupsOf(map);
    const tick = (nowMs: number) => {
      const isCalm = calmMs() > noticedMs;
      for (const group of groups) {
        const { name, site, members } = group;
        const serving = members.filter((each) => sight.statusOf(each) === 'active');
        const wrongs = rights.wrongsIn(group, nowMs);
        if (isCalm || wrongs !== undefined) check();
        for (const wrong of wrongs ?? []) fail(wrong);
        if (isCalm && serving.length === 0) fail(`nobody of ${name} serves`);
        const lasting = serving.filter((each) => sight.standsMs(each, nowMs) > noticedMs);
        if (lasting.length < 2 || broken.wholeMs(site, nowMs) <= noticedMs) continue;
        fail(`${lasting.map((each) => each.name).join(' and ')} of ${name} serve at once`);
      }
    };
    return { hears: together(sight.hears, words.hears, broken.hears), types: ['peer', 'quorum.claim'], tick };
  },
};

function groupsOf(map: ClusterMap): Group[] {
  const groups = new Map<string, InstanceEntry[]>();
  for (const instance of map.instances.values()) {
    if (roles[instance.role].redundancy !== 'active-passive') continue;
    const name = `${instance.role} group ${instance.group ?? 0} of ${instance.site}`;
    groups.set(name, [...(groups.get(name) ?? []), instance]);
  }
  return [...groups].map(([name, members]) => ({ name, site: members[0]?.site ?? '', members }));
}
