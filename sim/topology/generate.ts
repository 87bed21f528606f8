/**
 * Topologies of any size: sites that all serve the same customers, each with two gateways and redundant groups. For
 * measurements, and for tests of clients against a large cluster.
 */
import type { z } from 'zod';
import { checkTopology } from '../../src/model/topology/checks.ts';
import { topologySchema } from '../../src/model/topology/schema.ts';

/** What a generated topology consists of. */
export interface TopologySize {
  readonly sites: number;
  /** Nodes of each site. */
  readonly nodes: number;
  /** Accounts of each customer, with one phone each. */
  readonly users: number;
}

export const topologySizes = {
  sites: { least: 1, most: 60 },
  nodes: { least: 2, most: 90 },
  users: { least: 0, most: 100_000 },
} as const;

type Input = z.input<typeof topologySchema>;
type Instance = { role: Input['sites'][number]['nodes'][number]['instances'][number]['role']; order?: number };

const customers = ['acme.root.test', 'globex.root.test'];
const admin = { login: 'admin', pwd: 'admin', name: 'Administrator', roles: ['admin'] };
const ordinary = { login: 'user', pwd: 'user', name: 'User', roles: ['user'] };

/** A topology of this size as its file would say it; valid. */
export function generatedTopology({ sites, nodes, users }: TopologySize): Input {
  const names = numbers(sites).map((site) => `s${site}`);
  const topology: Input = {
    name: `generated-${sites}x${nodes}`,
    title: `${sites} sites of ${nodes} nodes`,
    sites: names.map((name, index) => siteOf(name, index + 1, { sites, nodes })),
    domains: [
      { name: 'root.test', users: [admin, ordinary] },
      ...customers.map((name) => ({
        name,
        users: [admin, ordinary],
        sipusers: numbers(users).map((number) => {
          const login = String(10_000 + number);
          return { login, phonenumber: login, site: names[number % sites] ?? 's1' };
        }),
        features: [{ prefix: '55', type: 'conference' as const }],
      })),
    ],
  };
  const problems = checkTopology(topologySchema.parse(topology));
  if (problems.length > 0) throw new Error(`generated topology: ${problems.map(({ message }) => message).join('; ')}`);
  return topology;
}

function siteOf(name: string, site: number, { sites, nodes }: Pick<TopologySize, 'sites' | 'nodes'>) {
  // The ties of a site are decided by nodes of the first site; those of the first one by nodes of the second.
  const other = site === 1 ? 2 : 1;
  return {
    name,
    type: site === 1 ? ('master_communication' as const) : ('communication' as const),
    domains: site === 1 ? ['root.test'] : customers,
    arbiters: other > sites ? [] : [nodeName(other, 1), nodeName(other, 2)],
    nodes: numbers(nodes).map((node) => ({
      name: nodeName(site, node),
      ip: `10.${site}.0.${node}`,
      instances: instancesOf(node, site === 1).map(({ role, order }, index) => {
        const srvidx = site * 1_000 + node * 10 + index;
        const isGroup = order !== undefined && role !== 'rpco';
        return {
          role,
          srvidx,
          ...(isGroup && { group: groups.indexOf(role) + 1 }),
          ...(order !== undefined && { order }),
        };
      }),
    })),
  };
}

const groups: readonly string[] = ['mware', 'callstore', 'sr', 'sdc', 'mdc'];

/** The first two nodes have the redundant groups and are gateways. Further nodes carry calls. */
function instancesOf(node: number, isMaster: boolean): Instance[] {
  if (node > 2) return [{ role: 'sg' }, { role: 'b2b' }, { role: 'conf' }];
  const shared: Instance[] = [
    { role: 'rpco', order: node },
    { role: 'mware', order: node },
    { role: 'callstore', order: node },
    { role: 'sr', order: node },
    { role: isMaster ? 'mdc' : 'sdc', order: node },
    { role: 'b2b' },
  ];
  return node === 1
    ? [...shared, { role: 'ws' }, { role: 'sg' }]
    : [...shared, { role: 'esg' }, { role: 'conf' }, { role: 'ivr' }];
}

function nodeName(site: number, node: number): string {
  return `s${site}n${node}`;
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
