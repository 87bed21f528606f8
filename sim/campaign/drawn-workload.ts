/** The load of a campaign: calls, requests and changes throughout, and single requests at random moments. */
import type { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import { phonesOf } from '../outside/population.ts';
import { clientActivities, phoneActions } from '../scenario/language/workloads.ts';
import type { Chance } from './chance.ts';

type Data = Record<string, unknown>;

const master = 'operator';

/** The domains whose users make calls. */
function customersOf(map: ClusterMap): string[] {
  return [...map.domains.keys()].filter((domain) => domain !== map.masterDomain);
}

function frontsOf(map: ClusterMap): string[] {
  return [...new Set(map.instancesOf('ws').map(({ site }) => site))];
}

/** A session of the master domain and one of each customer, each through a random front. */
export function sessionsOf(map: ClusterMap): Data {
  const [first = ''] = frontsOf(map);
  const login = (domain: string) => ({ through: first, domain, login: 'admin', pwd: 'admin' });
  return Object.fromEntries([
    [master, login(map.masterDomain)],
    ...customersOf(map).map((domain) => [nameOf(domain), login(domain)] as const),
  ]);
}

/** `acme` of `acme.root.test`. */
export function nameOf(domain: string): string {
  return domain.split('.')[0] ?? domain;
}

/** The workload. */
export function drawWorkload(map: ClusterMap, chance: Chance): Data {
  const as = nameOf(chance.one(customersOf(map)));
  const entity = chance.one(['sipuser', 'recordrule', 'chatcampaign', 'roleapp']);
  const lists = {
    '/rest/v1/uc/calls': 3,
    '/rest/v1/uc/calls?countonly': 1,
    '/rest/v1/uc/conferences': 1,
    '/rest/v1/journal/calls?limit=20': 1,
    [`/rest/v1/journal/calls?limit=20&order=${encodeURIComponent('[{"endts":"desc"}]')}`]: 1,
    '/rest/v1/uc/sipuser_states': 1,
    '/rest/v1/uc/sipusers?limit=5': 1,
  };
  const edges = {
    '/rest/v1/master/logicalroles/esg/dashboards/info?regs': 2,
    '/rest/v1/master/logicalroles/esg/dashboards/sites': 1,
    '/rest/v1/master/logicalroles/sg/bannedaddrs': 1,
    '/rest/v1/master/nodes': 1,
  };
  return {
    calls: {
      rate: chance.one([0.5, 1, 2]),
      holding: chance.one(['2s', '8s', '20s']),
      ...(chance.is(1 / 3) && {
        mix: { phoneToPhone: 1, phoneToRoom: chance.one([2, 8]) },
        rooms: chance.one([1, 3, 10]),
      }),
    },
    requests: [
      { rate: chance.one([0.5, 2]), as, mix: lists },
      { rate: 0.5, as: master, mix: edges },
    ],
    logins: { rate: chance.one([0.5, 1]), domain: map.masterDomain, login: 'admin', pwd: 'admin', stay: '3s' },
    commands: { rate: chance.one([0.5, 1.5]), as: nameOf(chance.one(customersOf(map))) },
    changes: { rate: chance.one([0.3, 1]), as, entity, most: 20 },
  };
}

/** In a quarter of the runs most calls are with providers, so that accounts have more of them than trunks. */
export function withProviders(workload: Data, chance: Chance): Data {
  if (!chance.is(1 / 4)) return workload;
  const calls = workload['calls'] as Data;
  return { ...workload, calls: { ...calls, mix: { phoneToPhone: 1, phoneToProvider: 2, providerToPhone: 2 } } };
}

/** Calls that last longer than callstores keep those of a b2b that is out of reach. */
export function withLongCalls(workload: Data, chance: Chance): Data {
  return { ...workload, calls: { ...(workload['calls'] as Data), rate: 0.5, holding: chance.one(['60s', '120s']) } };
}

/** Clients that use the whole interface, in most of the runs; in half of them some things much more than others. */
export function drawClients(map: ClusterMap, chance: Chance): Data {
  const rate = chance.one([0, 1, 2, 4]);
  if (rate === 0) return {};
  const as = Object.keys(sessionsOf(map));
  if (chance.is(1 / 2)) return { clients: { rate, as } };
  const mix = Object.fromEntries(chance.subset(clientActivities).map((activity) => [activity, chance.integer(1, 5)]));
  return { clients: { rate, as, mix: { any: 1, shared: 3, ...mix } } };
}

/** Phones that do more than call, in three of four runs; in half of them some things much more than others. */
export function drawPhones(map: ClusterMap, chance: Chance): Data {
  const rate = chance.one([0, 0.5, 1, 3]);
  if (rate === 0 || phonesOf(map).length === 0) return {};
  if (chance.is(1 / 2)) return { phones: { rate } };
  const mix = Object.fromEntries(chance.subset(phoneActions).map((action) => [action, chance.integer(1, 5)]));
  return { phones: { rate, mix } };
}

/** Subscribers of events, in two of three runs. */
export function drawSubscribers(map: ClusterMap, chance: Chance): Data {
  const count = chance.one([0, 2, 4]);
  if (count === 0) return {};
  return { subscribers: { count, as: Object.keys(sessionsOf(map)), rate: chance.one([0.1, 0.5, 1.5]) } };
}

/** Numbers that do not answer: they ring for ever, never react, or refuse. */
const hopeless = ['4930000013', '4930000012', '7*486'];

interface Timed {
  readonly atMs: number;
  readonly step: Data;
}

/** Single requests: calls through the interface, bans, ended conferences. Any answer is accepted. */
export function drawRequests(
  map: ClusterMap,
  chance: Chance,
  { fromMs, untilMs }: { fromMs: number; untilMs: number },
): Timed[] {
  const at = () => chance.integer(fromMs, untilMs);
  const through = () => chance.one(frontsOf(map));
  const timed: Timed[] = [];
  for (let n = chance.integer(1, 4); n > 0; n -= 1) {
    const ban = { ip: `10.66.0.${chance.integer(1, 9)}`, expires: chance.integer(2, 20) };
    const path = `/rest/v1/master/logicalroles/${chance.one(['sg', 'esg'])}/bannedaddrs`;
    timed.push({ atMs: at(), step: { request: { through: through(), as: master, method: 'POST', path, body: ban } } });
  }
  if (chance.is(1 / 4)) {
    // It starts again by itself.
    const path = `/rest/v1/master/nodes/${chance.one([...map.nodes.keys()])}`;
    timed.push({ atMs: at(), step: { request: { through: through(), as: master, method: 'DELETE', path } } });
  }
  for (let n = chance.integer(1, 5); n > 0; n -= 1) {
    const domain = chance.one(customersOf(map));
    const numbers =
      map.topology.domains.find(({ name }) => name === domain)?.sipusers.map((user) => user.phonenumber) ?? [];
    if (numbers.length < 2) continue;
    const isHopeless = chance.is(1 / 4);
    const other = isHopeless ? hopeless : numbers;
    const [from, to] = chance.is(1 / 2)
      ? [chance.one(numbers), chance.one(other)]
      : [chance.one(other), chance.one(numbers)];
    // Requests whose answer may take minutes.
    const body = { from, to, response_mode: chance.integer(0, isHopeless ? 1 : 3), timeout: chance.integer(5, 30) };
    const method = chance.one(['POST', 'INVITE']);
    timed.push({
      atMs: at(),
      step: { request: { through: through(), as: nameOf(domain), method, path: '/rest/v1/uc/calls', body } },
    });
  }
  return timed;
}
