/** The faults of a campaign: each kind is a way to break something, and what mends it; the seed draws where and for how long. */
import type { ClusterMap } from '../../src/model/cluster-map.ts';
import { namesOutside } from '../outside/population.ts';
import type { Chance } from './chance.ts';

type Data = Record<string, unknown>;

/** A fault and its end, as steps of a scenario have them. */
export interface DrawnFault {
  readonly begin: Data;
  readonly end: Data | undefined;
  /** It stays until long after the load has ended: registrations must expire. */
  readonly isLong?: boolean;
}

interface Scene {
  readonly map: ClusterMap;
  readonly chance: Chance;
  /** A name for what must be mended. */
  readonly name: string;
}

type Draw = (scene: Scene) => DrawnFault | undefined;

function standing(verb: string, detailsOf: (scene: Scene) => Data | undefined): Draw {
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

const draws: Readonly<Record<string, Draw>> = {
  cut: standing('cut', between),
  hold: standing('hold', between),
  delay: standing('delay', (scene) => {
    const where = between(scene);
    return where && { ...where, by: `${scene.chance.one([50, 200, 700, 1_500])}ms` };
  }),
  lose: standing('lose', (scene) => {
    const where = between(scene);
    return where && { ...where, probability: scene.chance.one([0.02, 0.1, 0.3]) };
  }),
  duplicate: standing('duplicate', (scene) => {
    const where = between(scene);
    return where && { ...where, probability: scene.chance.one([0.05, 0.3]) };
  }),
  loseOutside: standing('loseOutside', ({ chance }) => ({ probability: chance.one([0.02, 0.1, 0.25]) })),
  duplicateOutside: standing('duplicateOutside', ({ chance }) => ({ probability: chance.one([0.05, 0.3]) })),
  cutOutside: standing('cutOutside', ({ map, chance }) => ({ from: chance.one([...map.sites.keys()]) })),
  crashNode: ({ map, chance }) => {
    const node = chance.one([...map.nodes.keys()]);
    return { begin: { crash: node }, end: { restart: node } };
  },
  crashInstance: ({ map, chance }) => {
    // By role, so that those of which there are few have their share.
    const role = chance.one([...new Set([...map.instances.values()].map((instance) => instance.role))]);
    return { begin: { crash: chance.one(map.instancesOf(role)).name }, end: undefined };
  },
  pause: ({ map, chance }) => {
    const node = chance.one([...map.nodes.keys()]);
    return { begin: { pause: node }, end: { resume: node } };
  },
  silence: ({ map, chance }) => {
    const names = namesOutside(map);
    if (names.length === 0) return undefined;
    const name = chance.one(names);
    return { begin: { silence: name }, end: { revive: name }, isLong: chance.is(1 / 3) };
  },
};

export const faultKinds = Object.keys(draws);

/** A fault of a kind; `undefined` where there is nothing that it could break. */
export function drawFault(kind: string, scene: Scene): DrawnFault | undefined {
  const draw = draws[kind];
  if (draw === undefined) throw new Error(`no kind of fault named "${kind}"; there are ${faultKinds.join(', ')}`);
  return draw(scene);
}
