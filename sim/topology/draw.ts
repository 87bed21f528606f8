/**
 * Draws topologies: sites and nodes in the wanted numbers, every role at every site that may have it, spread at random,
 * always valid. The first sites are `hq` (the master), `north`, `south`, `east`, `west`; nodes are named after them
 * (`h1`, `h2`, `n1`); the customers are `acme.root.test` and `globex.root.test`, so that scenarios can name what every
 * draw has.
 */
import type { RoleName } from '../../src/model/cluster/roles.ts';
import type { RandomStream } from '../../src/ports/random.ts';

/** From the least to the most, both included. */
export type NumberRange = readonly [least: number, most: number];

export interface Knobs {
  readonly sites: NumberRange;
  /** Of each site. */
  readonly nodes: NumberRange;
  readonly domains: NumberRange;
  /** SIP users of each customer, with a phone each. */
  readonly phones: NumberRange;
  /** Provider accounts of each customer. */
  readonly providers: NumberRange;
}

export const siteNames = ['hq', 'north', 'south', 'east', 'west'] as const;
export const customers = ['acme', 'globex', 'initech'] as const;
/** Bounds of the parameters. */
export const knobBounds = { sites: 5, nodes: 9, domains: 3, phones: 50, providers: 3 } as const;

const actives: readonly RoleName[] = ['ws', 'rpco', 'sg', 'esg', 'b2b', 'conf', 'ivr'];
const groups: readonly RoleName[] = ['mware', 'callstore', 'sr'];

interface DrawnInstance {
  readonly role: RoleName;
  readonly srvidx: number;
  readonly group?: number;
  readonly order?: number;
}

interface DrawnNode {
  readonly name: string;
  readonly ip: string;
  readonly instances: DrawnInstance[];
}

interface DrawnSite {
  readonly name: string;
  readonly type: string;
  readonly domains: readonly string[];
  readonly arbiters: string[];
  readonly nodes: readonly DrawnNode[];
}

/** A topology in the form of a file. */
export function drawTopology(knobs: Knobs, random: RandomStream): Record<string, unknown> {
  const names = customers.slice(0, inRange(knobs.domains, random)).map((customer) => `${customer}.root.test`);
  const sites = siteNames
    .slice(0, inRange(knobs.sites, random))
    .map((name, s) => drawSite({ name, number: s + 1, customers: names, count: inRange(knobs.nodes, random) }, random));
  for (const site of sites) drawArbiters(site, sites, random);
  const users = [
    { login: 'admin', pwd: 'admin', name: 'Administrator', roles: ['admin'] },
    { login: 'user', pwd: 'user', name: 'User', roles: ['user'] },
  ];
  const domains = names.map((name) => drawDomain({ name, sites, users }, knobs, random));
  return { name: 'drawn', title: 'Drawn by a seed', sites, domains: [{ name: 'root.test', users }, ...domains] };
}

function drawSite(
  { name, number, customers, count }: { name: string; number: number; customers: readonly string[]; count: number },
  random: RandomStream,
): DrawnSite {
  const isMaster = number === 1;
  const nodes = Array.from({ length: count }, (_, n): DrawnNode => {
    return { name: `${name.slice(0, 1)}${n + 1}`, ip: `10.${number}.0.${11 + n}`, instances: [] };
  });
  const place = (node: DrawnNode, role: RoleName, more: { group?: number; order?: number } = {}): number => {
    const srvidx = number * 1_000 + (nodes.indexOf(node) + 1) * 100 + node.instances.length + 1;
    node.instances.push({ role, srvidx, ...more });
    return srvidx;
  };
  for (const role of actives) for (const node of some(nodes, [1, 2], random)) place(node, role);
  for (const role of [...groups, isMaster ? 'mdc' : 'sdc'] satisfies RoleName[]) {
    const [first, ...others] = some(nodes, [1, 3], random);
    if (first === undefined) continue;
    const group = number * 1_000 + (nodes.indexOf(first) + 1) * 100 + first.instances.length + 1;
    place(first, role, { group, order: 1 });
    others.forEach((node, i) => void place(node, role, { group, order: i + 2 }));
  }
  for (const node of nodes) if (node.instances.length === 0) place(node, 'b2b');
  const domains = isMaster
    ? ['root.test']
    : some(customers, [Math.max(1, customers.length - 1), customers.length], random);
  return { name, type: isMaster ? 'master_communication' : 'communication', domains, arbiters: [], nodes };
}

/** The arbiters of sites with an even number of nodes. */
function drawArbiters(site: DrawnSite, sites: readonly DrawnSite[], random: RandomStream): void {
  const others = sites.filter((each) => each !== site).flatMap(({ nodes }) => nodes);
  if (site.nodes.length % 2 === 1 || others.length === 0) return;
  site.arbiters.push(...some(others, [1, 2], random).map(({ name }) => name));
}

function drawDomain(
  { name, sites, users }: { name: string; sites: readonly DrawnSite[]; users: unknown },
  knobs: Knobs,
  random: RandomStream,
): Record<string, unknown> {
  const serving = sites.filter(({ domains }) => domains.includes(name) || domains.includes('root.test'));
  const homes = serving.length > 1 ? serving.slice(1) : serving;
  const sipusers = Array.from({ length: inRange(knobs.phones, random) }, (_, u) => {
    const number = String(1_001 + u);
    return { login: number, phonenumber: number, site: one(serving, random)?.name };
  });
  const gates = homes.flatMap(({ nodes }) => nodes.flatMap(({ instances }) => instances.filter(isExternalGate)));
  const providers = Array.from({ length: inRange(knobs.providers, random) }, (_, p) => {
    const ping = random.float() < 0.5;
    return {
      code: `telecom-${p + 1}`,
      username: name.split('.')[0],
      domain: `sip${p + 1}.telecom.test`,
      // A check of the connection is what notices that an address is silent.
      addrs: [`10.9.0.${p + 1}`, ...(ping ? [`10.9.1.${p + 1}`] : [])],
      ping,
      esg: one(gates, random)?.srvidx,
    };
  });
  return {
    name,
    users,
    sipusers,
    providers,
    features: [
      { prefix: '55', type: 'conference' },
      { prefix: '57', type: 'ivr' },
    ],
  };
}

function isExternalGate({ role }: DrawnInstance): boolean {
  return role === 'esg';
}

/** So many items in random order, or all if there are fewer. */
function some<T>(items: readonly T[], [least, most]: NumberRange, random: RandomStream): T[] {
  const shuffled = [...items];
  for (let i = shuffled.length - 1; i > 0; i -= 1) {
    const j = random.integer(0, i);
    [shuffled[i], shuffled[j]] = [shuffled[j] as T, shuffled[i] as T];
  }
  const bound = Math.min(most, items.length);
  return shuffled.slice(0, random.integer(Math.min(least, bound), bound));
}

function one<T>(items: readonly T[], random: RandomStream): T | undefined {
  return items[random.integer(0, items.length - 1)];
}

function inRange([least, most]: NumberRange, random: RandomStream): number {
  return random.integer(least, most);
}
