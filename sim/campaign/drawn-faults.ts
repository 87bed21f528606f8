/** The faults of a campaign: each kind breaks something and has its repair; the seed draws place and duration. */
import type { ClusterMap, InstanceEntry } from '../../src/model/cluster/cluster-map.ts';
import { roles } from '../../src/model/cluster/roles.ts';
import { namesOutside, providersOf } from '../outside/population.ts';
import type { Chance } from './chance.ts';

type Data = Record<string, unknown>;

/**
 * Logouts across a cut: in some runs a site is cut off, a session that its front knows is closed elsewhere, and the
 * fronts that know the logout restart. Random faults would cause this in fewer than one run of twenty-five. Half of the cuts that end are
 * without power for the nodes of these fronts, right after the answer, and with slow disks: what was acknowledged must be on them.
 */
export interface LogoutStory {
  readonly session: Data;
  readonly steps: readonly { readonly atMs: number; readonly step: Data }[];
}

/** Share of the runs. */
const logoutShare = 1 / 3;
/** By then fronts have detected the cut (ms). */
const noticedMs = 5_000;
/** From the logout to the restart of the fronts that know it, and to the end of the cut (ms). */
const restartMs = 200;
const mendMs = 3_000;

/** The session, and the steps, which begin between the two times; empty in the other runs. `mends`: the cut ends with the story. */
export function drawLogout(
  map: ClusterMap,
  chance: Chance,
  { fromMs, untilMs, mends }: { fromMs: number; untilMs: number; mends: boolean },
): LogoutStory | undefined {
  const fronts = map.instancesOf('ws');
  const sites = [...new Set(fronts.map(({ site }) => site))];
  if (sites.length < 2 || !chance.is(logoutShare)) return undefined;
  const away = chance.one(sites);
  const through = chance.one(sites.filter((site) => site !== away));
  const knowing = fronts.filter(({ site }) => site !== away).map(({ name }) => name);
  const name = 'logout-cut';
  const request = { through, as: 'leaver', method: 'DELETE', path: '/rest/v1/iam/sessions/current' };
  // Later, the fronts know more changes of sessions.
  const cutMs = chance.integer(fromMs, untilMs);
  const closedMs = cutMs + noticedMs;
  const nodes = [...new Set(fronts.filter(({ name }) => knowing.includes(name)).map(({ node }) => node))];
  const isPowerLost = mends && chance.is(1 / 2);
  return {
    session: { through: away, domain: map.masterDomain, login: 'admin', pwd: 'admin' },
    steps: [
      { atMs: cutMs, step: { fault: { cut: { from: away }, name } } },
      ...(isPowerLost ? nodes.map((at) => ({ atMs: cutMs, step: slowed(at) })) : []),
      { atMs: closedMs, step: { request } },
      ...(isPowerLost ? nodes : knowing).map((crash) => ({ atMs: closedMs + restartMs, step: { fault: { crash } } })),
      ...(isPowerLost ? nodes.map((at) => ({ atMs: closedMs + mendMs, step: { fault: { mend: slowOf(at) } } })) : []),
      ...(mends ? [{ atMs: closedMs + mendMs, step: { fault: { mend: name } } }] : []),
    ],
  };
}

/** What a node writes takes longer than it takes to lose power after an answer. */
function slowed(at: string): Data {
  return { fault: { slowStore: { at, by: `${5 * restartMs}ms` }, name: slowOf(at) } };
}

function slowOf(node: string): string {
  return `logout-slow-${node}`;
}

/** Share of the runs. */
const takeoverShare = 1 / 2;

/**
 * Takeovers, which the end of the run repairs; empty in the other runs. At one moment, in some sites, the first member of
 * each group with another member crashes, so that the next one serves while there are calls and stays active; or the node of
 * one of them crashes, drains, pauses, or is cut off, from all or from another member only, so that the next one must wait. Random faults cause this in one run of ten,
 * because few roles are in groups and few groups have a standby.
 */
export function drawTakeovers(map: ClusterMap, chance: Chance): Data[] {
  if (!chance.is(takeoverShare)) return [];
  const firsts = firstsOf(map);
  const sites = chance.subset([...new Set(firsts.map(({ site }) => site))]);
  return sites.flatMap((site): Data[] => {
    const own = firsts.filter((each) => each.site === site);
    if (chance.is(1 / 2)) return own.map(({ name }) => ({ crash: name }));
    const first = chance.one(own);
    const { node } = first;
    const name = `takeover-${site}`;
    // Two members do not see each other, and the other nodes of the site see both.
    const partners = map.groupOf(first).filter((each) => each.node !== node);
    const between = { from: node, to: chance.one(partners.length > 0 ? partners : own).node };
    const ways = [{ from: node }, halves(map, chance, node), ...(between.to === node ? [] : [between])];
    const cuts = ways.map((cut): Data => ({ cut, name }));
    // The members lose each other, and see each other again before the takeover is due.
    const flap = { ...(between.to === node ? { from: node } : between), every: '5s' };
    return [chance.one<Data>([{ crash: node }, { drain: node }, { pause: node }, { flap, name }, ...cuts])];
  });
}

/**
 * Takeovers after the load, when the cluster is stable: in some runs one member of each group crashes. What was true before must be so at its
 * successor, which has only what it received while it stood by.
 */
export function drawLateTakeovers(map: ClusterMap, chance: Chance): Data[] {
  if (!chance.is(takeoverShare)) return [];
  return firstsOf(map).map((first) => ({ crash: chance.one(map.groupOf(first)).name }));
}

/**
 * All nodes in two halves that do not see each other, with the nodes of one site shared out: each half may find an arbiter, so
 * that members of a group serve in both, and meet when the cut ends.
 */
function halves(map: ClusterMap, chance: Chance, of: string): Data {
  const own = map.site(map.node(of).site).nodes.map(({ name }) => name);
  const others = [...map.nodes.keys()].filter((name) => !own.includes(name));
  const isHere = (name: string, i: number) => (own.includes(name) ? i % 2 === 0 : chance.is(1 / 2));
  const here = [...own.filter(isHere), ...others.filter(isHere)];
  const there = [...own, ...others].filter((name) => !here.includes(name));
  return there.length === 0 ? { from: of } : { from: here, to: there };
}

/** The first member of each group with at least two. */
function firstsOf(map: ClusterMap): InstanceEntry[] {
  return [...map.instances.values()].filter((instance) => {
    if (roles[instance.role].redundancy !== 'active-passive') return false;
    const group = map.groupOf(instance);
    return group.length > 1 && group[0] === instance;
  });
}

/** A fault and its repair, as steps of a scenario. */
export interface DrawnFault {
  readonly begin: Data;
  readonly end: Data | undefined;
  /** Lasts until long after the load, so that registrations expire. */
  readonly isLong?: boolean;
}

interface Scene {
  readonly map: ClusterMap;
  readonly chance: Chance;
  /** A fresh name for a fault. */
  readonly name: string;
}

type Draw = (scene: Scene) => DrawnFault | undefined;

function lasting(verb: string, detailsOf: (scene: Scene) => Data | undefined): Draw {
  return (scene) => {
    const details = detailsOf(scene);
    if (details === undefined) return undefined;
    return { begin: { [verb]: details, name: scene.name }, end: { mend: scene.name } };
  };
}

const between = ({ map, chance }: Scene): Data | undefined => {
  const places = [...(map.sites.size > 1 ? map.sites.keys() : []), ...(map.nodes.size > 1 ? map.nodes.keys() : [])];
  if (places.length === 0) return undefined;
  const from = chance.one(places);
  const others = places.filter((place) => place !== from);
  return {
    from,
    ...(chance.is(1 / 3) && others.length > 0 && { to: chance.one(others) }),
    ...(chance.is(1 / 4) && { oneWay: true }),
  };
};

/** Losses of some kinds of messages: between instances of two roles, many of which never talk, or of one kind from all of them. */
const messagesBetween = ({ map, chance }: Scene): Data => {
  const all = [...new Set([...map.instances.values()].map((instance) => instance.role))];
  const kinds = chance.is(2 / 3) && { messages: [chance.one(messages)] };
  const isOfAll = kinds !== false && chance.is(1 / 2);
  return {
    from: isOfAll ? all : chance.one(all),
    ...(!isOfAll && chance.is(1 / 2) && { to: chance.one(all) }),
    ...kinds,
    probability: chance.one([0.1, 0.5, 1]),
  };
};

const messages = [
  'sip',
  'sip CANCEL',
  'sip BYE',
  'sip ACK',
  'sip 200',
  'sip 4*',
  'call*',
  'conf*',
  'regis*',
  'd*',
  'mware*',
];

const nodeOf = ({ map, chance }: Scene): string => chance.one([...map.nodes.keys()]);

/** A node whose disk matters: often that of the first mdc, which makes every change of domain data. */
const storeOf = (scene: Scene): string => {
  const [first] = scene.map.instancesOf('mdc');
  return first !== undefined && scene.chance.is(1 / 2) ? first.node : nodeOf(scene);
};

/** A silent phone or provider, and its repair. */
function away(beginOf: (who: string, scene: Scene) => Data, namesOf: (map: ClusterMap) => readonly string[]): Draw {
  return (scene) => {
    const names = namesOf(scene.map);
    if (names.length === 0) return undefined;
    const who = scene.chance.one(names);
    return { begin: beginOf(who, scene), end: { revive: who }, isLong: scene.chance.is(1 / 3) };
  };
}

const draws: Readonly<Record<string, Draw>> = {
  cut: lasting('cut', between),
  partition: lasting('cut', ({ map, chance }) =>
    map.nodes.size < 2 ? undefined : halves(map, chance, chance.one([...map.nodes.keys()])),
  ),
  hold: lasting('hold', between),
  delay: lasting('delay', (scene) => {
    const where = between(scene);
    return where && { ...where, by: `${scene.chance.one([3, 50, 200, 700, 1_500, 4_000])}ms` };
  }),
  lose: lasting('lose', (scene) => {
    const where = between(scene);
    return where && { ...where, probability: scene.chance.one([0.02, 0.1, 0.3]) };
  }),
  duplicate: lasting('duplicate', (scene) => {
    const where = between(scene);
    return where && { ...where, probability: scene.chance.one([0.05, 0.3]) };
  }),
  loseOutside: lasting('loseOutside', ({ chance }) => ({ probability: chance.one([0.02, 0.1, 0.25]) })),
  duplicateOutside: lasting('duplicateOutside', ({ chance }) => ({ probability: chance.one([0.05, 0.3]) })),
  delayOutside: lasting('delayOutside', ({ chance }) => ({ by: chance.one(['50ms', '400ms', '2s']) })),
  cutOutside: lasting('cutOutside', ({ map, chance }) => ({ from: chance.one([...map.sites.keys()]) })),
  loseMessages: lasting('lose', messagesBetween),
  flap: lasting('flap', (scene) => {
    const where = between(scene);
    return where && { ...where, every: scene.chance.one(['300ms', '1s', '4s']) };
  }),
  swizzle: lasting('swizzle', ({ chance }) => ({ over: chance.one(['1s', '3s', '8s']) })),
  halfOpen: lasting('halfOpen', (scene) => ({ from: nodeOf(scene), to: nodeOf(scene) })),
  skew: lasting('skew', (scene) => ({
    at: nodeOf(scene),
    by: scene.chance.one(['-60s', '-2s', '300ms', '2s', '60s']),
  })),
  slowStore: lasting('slowStore', (scene) => ({ at: storeOf(scene), by: scene.chance.one(['20ms', '200ms', '2s']) })),
  fillStore: lasting('fillStore', (scene) => ({ at: storeOf(scene) })),
  drain: (scene) => {
    const node = nodeOf(scene);
    return { begin: { drain: node }, end: { restart: node } };
  },
  crashNode: ({ map, chance }) => {
    const node = chance.one([...map.nodes.keys()]);
    return { begin: { crash: node }, end: { restart: node } };
  },
  crashInstance: ({ map, chance }) => {
    // Drawn by role first, so that rare roles get their share.
    const role = chance.one([...new Set([...map.instances.values()].map((instance) => instance.role))]);
    const { name } = chance.one(map.instancesOf(role));
    return { begin: { crash: name }, end: chance.is(1 / 3) ? { restart: name } : undefined };
  },
  pause: ({ map, chance }) => {
    const node = chance.one([...map.nodes.keys()]);
    return { begin: { pause: node }, end: { resume: node } };
  },
  silence: away((who) => ({ silence: who }), namesOutside),
  flapOutside: away(
    (who, { chance }) => ({ flapOutside: { who, every: chance.one(['1s', '4s', '9s']) } }),
    namesOutside,
  ),
  refuseRegister: away(
    (who, { chance }) => ({ refuseRegister: { who, status: chance.one([403, 500, 503]) } }),
    providerNames,
  ),
};

export const faultKinds = Object.keys(draws);

function providerNames(map: ClusterMap): string[] {
  return providersOf(map).map(({ endpoint }) => endpoint);
}

/** A fault of a kind; `undefined` if the topology has nothing that it could break. */
export function drawFault(kind: string, scene: Scene): DrawnFault | undefined {
  const draw = draws[kind];
  if (draw === undefined) throw new Error(`no kind of fault named "${kind}"; expected one of ${faultKinds.join(', ')}`);
  return draw(scene);
}
