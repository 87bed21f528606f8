/** In each group one member serves. */
import type { ClusterMap, InstanceEntry, NodeEntry } from '../../../../src/model/cluster/cluster-map.ts';
import { roles } from '../../../../src/model/cluster/roles.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { BrokenSites, Reachability } from '../../reachability.ts';
import { type ArbiterLease, ArbiterLeases, byType, together } from '../kit/shared.ts';

/** The members of an active-passive group, all at one site. */
export interface ActivePassiveGroup {
  readonly name: string;
  readonly site: string;
  readonly members: readonly InstanceEntry[];
}

export interface ServingRulesOptions {
  readonly map: ClusterMap;
  readonly reachability: Reachability;
  readonly leases: ArbiterLeases;
  /** How long nodes may take to detect a change and react to it. */
  readonly noticedMs: number;
  /** How long a part of a site may take to elect a member, once its nodes see only each other. */
  readonly electedMs: number;
}

/**
 * Which members of a group may serve: judged by what their nodes see and which leases arbiters have granted, also in a
 * partitioned site. Nodes need time to detect a change, so only instances with a stable view are judged.
 */
export class ServingRules {
  readonly #options: ServingRulesOptions;

  constructor(options: ServingRulesOptions) {
    this.#options = options;
  }

  /** The violation in a group; `undefined` if there is none or no member can be judged. */
  wrongsIn({ name, members }: ActivePassiveGroup, nowMs: number): string[] | undefined {
    const lasting = members.filter((each) => this.#isLasting(each, nowMs));
    const serving = lasting.filter((each) => this.#options.reachability.statusOf(each) === 'active');
    const isIdle = this.#isIdle(members, nowMs);
    if (lasting.length === 0 && !isIdle) return undefined;
    const pairs = serving.flatMap((one, i) => serving.slice(i + 1).map((other) => [one, other] as const));
    return [
      ...serving.flatMap((each) => this.#withoutQuorum(each, nowMs) ?? []),
      ...pairs.flatMap((pair) => this.#sideBySide(pair, nowMs) ?? []),
      ...(isIdle ? [`no member of ${name} serves, though most nodes of its site are connected`] : []),
    ];
  }

  /** Whether an instance has kept its status and view for long enough. */
  #isLasting(instance: InstanceEntry, nowMs: number): boolean {
    const { reachability: sight, noticedMs } = this.#options;
    return sight.standsMs(instance, nowMs) > noticedMs && this.#isSettled(this.#nodeOf(instance), nowMs);
  }

  #isSettled(node: NodeEntry, nowMs: number): boolean {
    const { reachability: sight, noticedMs } = this.#options;
    return sight.stableMs(node, nowMs) > noticedMs;
  }

  /** A serving member sees more than half of the nodes of its site, or half of them and has a lease of an arbiter. */
  #withoutQuorum(instance: InstanceEntry, nowMs: number): string | undefined {
    const [seen, total] = this.#shareOf(instance);
    if (seen * 2 > total || (seen * 2 === total && this.#wordFor(instance, nowMs) !== undefined)) return undefined;
    const lacking = seen * 2 === total ? ', and has no lease of an arbiter' : '';
    return `${instance.name} serves where it sees ${seen} of ${total} nodes of its site${lacking}`;
  }

  /** Of two members that know of each other one yields, and no arbiter grants leases to two halves. */
  #sideBySide([one, other]: readonly [InstanceEntry, InstanceEntry], nowMs: number): string | undefined {
    const { map, reachability: sight } = this.#options;
    const [here, there] = [this.#nodeOf(one), this.#nodeOf(other)];
    const both = `${one.name} and ${other.name} serve at once`;
    if (sight.areTogether(here, there)) return `${both}, and see each other`;
    const isBetween = (node: NodeEntry) =>
      this.#isSettled(node, nowMs) && sight.areTogether(node, here) && sight.areTogether(node, there);
    const between = map.site(one.site).nodes.find(isBetween);
    if (between !== undefined) return `${both}, and ${between.name} sees both`;
    const leases = [this.#wordFor(one, nowMs), this.#wordFor(other, nowMs)];
    const [first, second] = leases.map((lease) => lease && map.node(lease.by));
    if (first === undefined || second === undefined || first.site !== second.site) return undefined;
    const isOne = first === second || (this.#isSettled(first, nowMs) && sight.areTogether(first, second));
    return isOne ? `${both}, and have leases of ${first.name} and of ${second.name}` : undefined;
  }

  /** Whether all members in a majority part are standbys, while its nodes see only each other. */
  #isIdle(members: readonly InstanceEntry[], nowMs: number): boolean {
    const { reachability: sight, electedMs } = this.#options;
    const isSettled = (node: NodeEntry) => sight.stableInSiteMs(node, nowMs) > electedMs;
    return members.some((member) => {
      const part = sight.seenBy(this.#nodeOf(member));
      const [seen, total] = this.#shareOf(member);
      const isClosed = part.every((one) => isSettled(one) && isSame(sight.seenBy(one), part));
      if (seen * 2 <= total || !isClosed) return false;
      const inside = members.filter((each) => part.includes(this.#nodeOf(each)));
      const isStandby = (each: InstanceEntry) =>
        sight.statusOf(each) === 'standby' && sight.standsMs(each, nowMs) > electedMs;
      return inside.every(isStandby);
    });
  }

  #shareOf(instance: InstanceEntry): [seen: number, total: number] {
    const { map, reachability: sight } = this.#options;
    return [sight.seenBy(this.#nodeOf(instance)).length, map.site(instance.site).nodes.length];
  }

  #wordFor({ node }: InstanceEntry, nowMs: number): ArbiterLease | undefined {
    const { leases: words, noticedMs } = this.#options;
    const lease = words.lastFor(node);
    return lease !== undefined && nowMs - lease.atMs <= noticedMs ? lease : undefined;
  }

  #nodeOf({ node }: InstanceEntry): NodeEntry {
    return this.#options.map.node(node);
  }
}

function isSame(some: readonly NodeEntry[], others: readonly NodeEntry[]): boolean {
  return some.length === others.length && some.every((each) => others.includes(each));
}

export const oneActive: OracleMaker = {
  name: 'one-active',
  rule: 'In each active-passive group never two members serve for longer than the detection time, and in a quiescent cluster exactly one does. In a partitioned site a serving member sees more than half of the site, or half with a lease of an arbiter; two serve only if no node sees both; no arbiter grants leases to two halves; and in a part with more than half of the site one member serves.',
  exclusions:
    'Two members that serve on two halves with leases of two arbiters that do not see each other: arbiters at several sites may both grant one, because neither can know (`arbiters` in a topology warns of it). Nodes with a one-way view of each other, paused nodes, and all nodes within 11 seconds of a change in their view: these may not know yet. copies-agree, lwt-forward, writes-stay and one-record-a-call judge the damage after the parts see each other again.',
  make: ({ map, stableMs, check, fail }) => {
    const { noticedMs, quickMs } = boundsOf(map);
    const { pingIntervalMs, takeoverMs } = map.topology.timings;
    const [reachability, leases, broken] = [new Reachability(map), new ArbiterLeases(), new BrokenSites(map)];
    const electedMs = takeoverMs + 2 * pingIntervalMs + quickMs;
    const rights = new ServingRules({ map, reachability, leases, noticedMs, electedMs });
    const groups = groupsOf(map);
    /** A status reaches a linked node with the next ping, and the election is immediate. */
    const yieldMs = 2 * pingIntervalMs + quickMs;
    const bothServe = (members: readonly InstanceEntry[], nowMs: number): string | undefined => {
      const known = members.filter((each) => reachability.standsMs(each, nowMs) > yieldMs);
      const [one, other] = known.filter((each) => reachability.statusOf(each) === 'active');
      if (one === undefined || other === undefined) return undefined;
      const [here, there] = [map.node(one.node), map.node(other.node)];
      const haveSeen = [here, there].every((node) => reachability.stableMs(node, nowMs) > yieldMs);
      const isWhole = haveSeen && broken.wholeMs(one.site, nowMs) > yieldMs && reachability.areTogether(here, there);
      return isWhole ? `${one.name} and ${other.name} serve, and have seen each other for ${yieldMs} ms` : undefined;
    };
    const judge = (group: ActivePassiveGroup, nowMs: number): Judgement => {
      const { name, site, members } = group;
      const serving = members.filter((each) => reachability.statusOf(each) === 'active');
      const wrongs = rights.wrongsIn(group, nowMs);
      const pair = bothServe(members, nowMs);
      const lasting = serving.filter((each) => reachability.standsMs(each, nowMs) > noticedMs);
      const areTooMany = lasting.length >= 2 && broken.wholeMs(site, nowMs) > noticedMs;
      return {
        isJudged: wrongs !== undefined,
        wrongs: [...(wrongs ?? []), ...(pair === undefined ? [] : [pair])],
        idle: serving.length === 0 ? `no member of ${name} serves` : undefined,
        tooMany: areTooMany ? `${lasting.map((each) => each.name).join(' and ')} of ${name} serve at once` : undefined,
      };
    };
    // When nothing has changed for longer than every bound, the judgement stays the same.
    const longestMs = Math.max(noticedMs, electedMs, yieldMs);
    let isChanged = true;
    let changedMs = 0;
    let lastJudged: readonly Judgement[] | undefined;
    const judgedAt = (nowMs: number): readonly Judgement[] => {
      if (isChanged) changedMs = nowMs;
      if (isChanged || nowMs - changedMs <= longestMs) lastJudged = undefined;
      isChanged = false;
      if (lastJudged !== undefined) return lastJudged;
      const judged = groups.map((group) => judge(group, nowMs));
      if (nowMs - changedMs > longestMs) lastJudged = judged;
      return judged;
    };
    const tick = (nowMs: number) => {
      const isStable = stableMs() > noticedMs;
      for (const { isJudged, wrongs, idle, tooMany } of judgedAt(nowMs)) {
        if (isStable || isJudged) check();
        for (const wrong of wrongs) fail(wrong);
        if (isStable && idle !== undefined) fail(idle);
        if (tooMany !== undefined) fail(tooMany);
      }
    };
    const observed = together(reachability.listeners, leases.listeners, broken.listeners);
    const noteChange = () => {
      isChanged = true;
    };
    return {
      listeners: together(observed, noting(observed, noteChange)),
      tick,
    };
  },
};

/** What a tick finds in a group. */
interface Judgement {
  /** Whether a member could be judged by what it sees. */
  readonly isJudged: boolean;
  readonly wrongs: readonly string[];
  /** A violation in a stable cluster. */
  readonly idle: string | undefined;
  readonly tooMany: string | undefined;
}

function groupsOf(map: ClusterMap): ActivePassiveGroup[] {
  const groups = new Map<string, InstanceEntry[]>();
  for (const instance of map.instances.values()) {
    if (roles[instance.role].redundancy !== 'active-passive') continue;
    const name = `${instance.role} group ${instance.group ?? 0} of ${instance.site}`;
    groups.set(name, [...(groups.get(name) ?? []), instance]);
  }
  return [...groups].map(([name, members]) => ({ name, site: members[0]?.site ?? '', members }));
}

/** A listener for all that others listen to. */
function noting(listeners: ObservationListeners, note: () => void): ObservationListeners {
  return Object.fromEntries(
    Object.entries(listeners).map(([kind, heard]) => [
      kind,
      typeof heard === 'function' ? note : byType(Object.keys(heard), note),
    ]),
  );
}
