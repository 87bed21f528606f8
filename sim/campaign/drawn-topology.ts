/** The topology of a campaign: the default one or a drawn one, with details that the seed draws. */
import { parse, stringify } from 'yaml';
import { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import { topologySchema } from '../../src/model/topology/schema.ts';
import { redirectedNumber, refusedNumber } from '../scenario/workload/phones.ts';
import { drawTopology } from '../topology/draw.ts';
import { type LoadedTopology, loadTopology } from '../topology/load-topology.ts';
import { Chance, chanceOf } from './chance.ts';
import { addScripts, limitScripts, pauseScripts } from './drawn-scripts.ts';
import type { PartRandoms } from './parts.ts';

type Data = Record<string, unknown>;

/** Id of the storage rule of domains that keep recordings briefly. */
const briefly = '6d1f4a30-52c8-4e0b-9f3a-7c2b8e5d1a06';
/** Small clusters: failures occur sooner and are easier to read. */
const ranges = { sites: [2, 3], nodes: [1, 3], domains: [1, 2], phones: [4, 8], providers: [0, 2] } as const;

/** The default cluster, or a drawn one. Registrations are short, so that lost ones are renewed soon. */
export function topologyOf(randoms: PartRandoms): LoadedTopology {
  const shipped = loadTopology('default');
  const random = randoms.of('topology');
  const chance = new Chance(random.stream('faults'));
  const isShipped = chance.is(1 / 2);
  const value = isShipped
    ? structuredClone(topologyIn(shipped.topologySource.text))
    : drawTopology(ranges, random.fork('the topology').stream('ids'));
  addScripts(value.domains, chanceOf(randoms.of('scripts'), 'scripts'));
  limitScripts(value.domains, chanceOf(randoms.of('scripts'), 'limits of scripts'));
  pauseScripts(value.domains, chanceOf(randoms.of('scripts'), 'pauses of scripts'));
  addGates(value.sites, chanceOf(random, 'second gates'));
  const maxexpires = chance.one([60, 120]);
  for (const { sipusers = [] } of value.domains) for (const user of sipusers) user.maxexpires = maxexpires;
  const details = chanceOf(random, 'details');
  value.matcher = { fails: details.one([0, 1, 1]), loadMs: details.one([0, 500, 3_000]) };
  for (const { providers = [] } of value.domains)
    for (const provider of providers) if (details.is(1 / 6)) provider.registration = false;
  for (const domain of value.domains.slice(1)) if (details.is(1 / 6)) domain.unknownNumbers = 'refuse';
  const bounds = chanceOf(random, 'bounds of accounts');
  for (const { providers = [] } of value.domains) {
    for (const provider of providers) {
      if (bounds.is(1 / 3)) provider.maxexpires = bounds.one([10, 20, 60]);
      if (bounds.is(1 / 2)) provider.trunks = bounds.integer(1, 2);
    }
  }
  const timings = chanceOf(random, 'timings');
  if (timings.is(1 / 3)) {
    value.timings = {
      ...value.timings,
      sessionExpiresMs: timings.one([90_000, 180_000]),
      callGoneMs: timings.one([2_000, 4_000]),
      takeoverMs: timings.one([1_000, 2_000]),
    };
  }
  addAddresses(value.domains, chanceOf(random, 'second addresses'));
  addBehaviours(value.domains, chanceOf(random, 'phones that ring at once'));
  const limits = chanceOf(random, 'limits of users');
  for (const { sipusers = [] } of value.domains) {
    if (!limits.is(1 / 3)) continue;
    for (const user of sipusers) if (limits.is(1 / 2)) user.trunks = limits.integer(1, 2);
  }
  const times = chanceOf(random, 'times of users');
  for (const { sipusers = [] } of value.domains) {
    if (!times.is(1 / 3)) continue;
    for (const user of sipusers) {
      if (times.is(1 / 3)) user.dlgtimesec = times.integer(3, 12);
      if (times.is(1 / 4)) user.calltimesec = times.integer(5, 15);
    }
  }
  const zones = chanceOf(random, 'time zones');
  for (const domain of value.domains) if (zones.is(1 / 3)) domain.timezone = zones.one([-5, 3, 5.5]);
  const keeping = chanceOf(random, 'storage rules');
  for (const domain of value.domains.slice(1))
    if (keeping.is(2 / 3)) domain.storagerules = [{ id: briefly, keepSeconds: keeping.integer(12, 20) }];
  const file = isShipped ? shipped.topologySource.file : 'drawn';
  let text: string | undefined;
  return {
    ...shipped,
    map: new ClusterMap(topologySchema.parse(value)),
    topologySource: {
      file,
      // Few runs are kept with their topology.
      get text() {
        text ??= stringify(value);
        return text;
      },
    },
  };
}

/** Three of four sites with one gate to the providers have a second one, which stands in for it. */
function addGates(sites: readonly Data[], chance: Chance): void {
  for (const { nodes } of sites as readonly { readonly nodes: readonly { readonly instances: Data[] }[] }[]) {
    const [first, ...more] = nodes.filter(({ instances }) => instances.some(({ role }) => role === 'esg'));
    const other = nodes.find((node) => node !== first);
    if (first === undefined || more.length > 0 || other === undefined || !chance.is(3 / 4)) continue;
    const srvidx = 1 + Math.max(...other.instances.map((each) => Number(each['srvidx'])));
    other.instances.push({ role: 'esg', srvidx });
  }
}

/** Two of three accounts whose provider has one address have a second one; a check of the connection notices that one is silent. */
function addAddresses(domains: readonly Data[], chance: Chance): void {
  for (const { providers = [] } of domains as readonly { readonly providers?: readonly Data[] }[]) {
    for (const provider of providers) {
      const [first = '', ...more] = provider['addrs'] as readonly string[];
      if (more.length > 0 || !chance.is(2 / 3)) continue;
      provider['addrs'] = [first, first.replace('10.9.0.', '10.9.1.')];
      provider['ping'] = true;
    }
  }
}

/** Some phones ring without a 100 before, and each account redirects one number. */
function addBehaviours(domains: readonly Data[], chance: Chance): void {
  for (const domain of domains) {
    const numbers = (domain['numbers'] ?? {}) as Data;
    const own = (domain['sipusers'] ?? []) as readonly { readonly phonenumber: string }[];
    const atOnce = own.filter(({ phonenumber }) => numbers[phonenumber] === undefined && chance.is(1 / 4));
    const more = Object.fromEntries(atOnce.map(({ phonenumber }) => [phonenumber, { trying: false }]));
    domain['numbers'] = { ...numbers, ...more, [redirectedNumber]: { redirect: refusedNumber } };
  }
}

let parsed: { readonly text: string; readonly value: ReturnType<typeof parse> } | undefined;

/** The value of a topology, which most seeds share: it must not be changed. */
function topologyIn(text: string): ReturnType<typeof parse> {
  if (parsed?.text !== text) parsed = { text, value: parse(text, { merge: true }) };
  return parsed.value;
}
