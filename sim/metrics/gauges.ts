/** The gauges of a world, read from its census and its nodes at each scrape: nothing is counted for them in between. */
import { Gauge, type Registry } from 'prom-client';
import type { Census } from '../../src/ports/instrumentation/probe.ts';
import type { OracleVerdict } from '../oracles/oracle.ts';
import type { World } from '../world/world.ts';

/** What is read at a scrape. */
export interface Scraped {
  readonly world: World;
  readonly census: readonly Census[];
  /** Of the oracles that observe the world; empty without them. */
  readonly verdicts: readonly OracleVerdict[];
}

interface Reading {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** The oracles observe all nodes; other gauges are about nodes of this process. */
  readonly isOfOracles?: true;
  readonly read: (scraped: Scraped) => Iterable<Sample>;
}

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

const readings: readonly Reading[] = [
  {
    name: 'node_up',
    help: '1: the node runs in this process and serves.',
    labels: ['site', 'node'],
    read: ({ world: { map, here } }) =>
      [...map.nodes.values()].map(({ site, name: node }) => [{ site, node }, here?.node(node)?.isReady ? 1 : 0]),
  },
  {
    name: 'quorum',
    help: '1: the node may act for its site.',
    labels: ['site', 'node'],
    read: ({ world }) => running(world).map((node) => [placeOf(node.entry), node.isQuorate ? 1 : 0]),
  },
  {
    name: 'asks_open',
    help: 'Asks of the node without an answer yet.',
    labels: ['site', 'node'],
    read: ({ world }) => running(world).map((node) => [placeOf(node.entry), node.openAsks]),
  },
  {
    name: 'link_queued_frames',
    help: 'Frames that wait in the links of the node. Absent in virtual time, where links have no queue.',
    labels: ['node'],
    read: ({ world }) => [...(world.queuedFrames?.() ?? [])].map(([node, frames]) => [{ node }, frames]),
  },
  {
    name: 'instances',
    help: 'Role instances by status.',
    labels: ['site', 'role', 'status'],
    read: ({ world }) => summed(statusesOf(world)),
  },
  {
    name: 'calls',
    help: 'Calls by state, at the b2b instances of the site.',
    labels: ['site', 'state'],
    read: (scraped) =>
      summed(statesOf(scraped, 'dialog').map(([{ site = '', state = '' }, n]) => [{ site, state }, n])),
  },
  {
    name: 'registrations',
    help: 'Registered devices by state, in each copy.',
    labels: ['site', 'instance', 'state'],
    read: (scraped) => statesOf(scraped, 'binding'),
  },
  {
    name: 'provider_accounts',
    help: 'Registrations of provider accounts by state.',
    labels: ['site', 'instance', 'state'],
    read: (scraped) => statesOf(scraped, 'registration'),
  },
  {
    name: 'bans',
    help: 'Banned addresses of each edge.',
    labels: ['site', 'instance'],
    read: (scraped) => amounts(scraped, /^entities\.ban$/),
  },
  {
    name: 'entities',
    help: 'Entities of each instance by machine.',
    labels: ['site', 'instance', 'machine'],
    read: (scraped) => amounts(scraped, /^entities\.(?<machine>.+)$/),
  },
  {
    name: 'replication_lag_seconds',
    help: 'Time since a copy of the domain data was known to equal that of its mdc group.',
    labels: ['site', 'instance', 'group'],
    read: (scraped) => amounts(scraped, /^replica\.age_ms\.(?<group>.+)$/).map(([of, ms]) => [of, ms / 1_000]),
  },
  {
    name: 'oracle_checks',
    help: 'How often each oracle was exercised. Absent without oracles.',
    labels: ['oracle'],
    isOfOracles: true,
    read: ({ verdicts }) => verdicts.map(({ name: oracle, checks }) => [{ oracle }, checks]),
  },
  {
    name: 'oracle_failures',
    help: 'Failures of each oracle, of which at most 20 are kept.',
    labels: ['oracle'],
    isOfOracles: true,
    read: ({ verdicts }) => verdicts.map(({ name: oracle, failures }) => [{ oracle }, failures.length]),
  },
];

/** Adds every gauge with its samples to `registry`. */
export function readGauges(registry: Registry, scraped: Scraped): void {
  for (const { name, help, labels, read, isOfOracles = false } of readings) {
    if (scraped.world.here === undefined && !isOfOracles) continue;
    const labelNames = [...labels];
    const gauge = new Gauge({ name: `strowger_${name}`, help, labelNames, registers: [registry] });
    for (const [values, amount] of read(scraped)) gauge.set({ ...values }, amount);
  }
}

function running({ map, here }: World) {
  return [...map.nodes.keys()].flatMap((name) => here?.node(name) ?? []);
}

function placeOf({ site, name: node }: { readonly site: string; readonly name: string }) {
  return { site, node };
}

function statusesOf(world: World): Sample[] {
  return running(world).flatMap((node) =>
    node.entry.instances.map(({ name, site, role }): Sample => {
      const status = node.instance(name)?.status ?? 'stopped';
      return [{ site, role, status }, 1];
    }),
  );
}

function statesOf(scraped: Scraped, machine: string): Sample[] {
  return amounts(scraped, new RegExp(`^states\\.${machine}\\.(?<state>.+)$`));
}

/** Amounts of instances whose name has this form, with its named groups as labels. */
function amounts({ world, census }: Scraped, form: RegExp): Sample[] {
  return census.flatMap(({ of, counts }) => {
    const entry = world.map.instances.get(of);
    if (entry === undefined) return [];
    return [...counts].flatMap(([name, value]): Sample[] => {
      const found = form.exec(name);
      return found === null ? [] : [[{ site: entry.site, instance: of, ...found.groups }, value]];
    });
  });
}

/** One sample for all that have the same labels. */
function summed(samples: readonly Sample[]): Sample[] {
  const sums = new Map<string, Sample>();
  for (const [labels, value] of samples) {
    const key = JSON.stringify(labels);
    sums.set(key, [labels, (sums.get(key)?.[1] ?? 0) + value]);
  }
  return [...sums.values()];
}
