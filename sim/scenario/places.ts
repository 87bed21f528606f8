/** Places as scenarios write them: a name, several, or a selector, of whom the seed may draw some. */
import { z } from 'zod';
import type { ClusterMap } from '../../src/model/cluster-map.ts';
import type { RandomStream } from '../../src/ports/random.ts';
import { type Place, unknownIn } from '../faults/places.ts';

const names = z.union([z.string(), z.array(z.string()).min(1)], {
  error: 'expected a name, or a list of names',
});

const selectorSchema = z.strictObject({
  site: names.optional(),
  node: names.optional(),
  role: names.optional().describe('Of these roles the instances are meant; without it whole nodes'),
  pick: z.int().min(1).optional().describe('So many of them, drawn by the seed; default: all'),
});
export type Selector = z.infer<typeof selectorSchema>;

export const placeSchema = z
  .union([z.string(), z.array(z.string()).min(1), selectorSchema], {
    error:
      'expected a site, a node, a role, a role instance or *, a list of these, or a selector such as { site: north, role: conf, pick: 1 }',
  })
  .describe('A site, a node, a role, a role instance, * for all nodes, a list of these, or a selector');
export type WrittenPlace = z.infer<typeof placeSchema>;

/** The names that a place means; of a selector those of all that fit, whether or not they are drawn. */
export function candidatesOf(map: ClusterMap, place: WrittenPlace): Place {
  return isSelector(place) ? selected(map, place) : place;
}

/** The names that a place means now: where some are to be drawn, they are. */
export function drawnFrom(map: ClusterMap, place: WrittenPlace, random: RandomStream): Place {
  if (!isSelector(place)) return place;
  const left = selected(map, place);
  if (place.pick === undefined) return left;
  const drawn: string[] = [];
  while (drawn.length < place.pick && left.length > 0) {
    drawn.push(...left.splice(random.integer(0, left.length - 1), 1));
  }
  return drawn;
}

/** What is wrong with a place: a name that the cluster does not have, or nobody whom it means. */
export function problemOf(map: ClusterMap, place: WrittenPlace): string | undefined {
  if (!isSelector(place)) {
    const unknown = unknownIn(map, place);
    if (unknown === undefined) return undefined;
    const [sites, nodes] = [map.sites, map.nodes].map((all) => [...all.keys()].join(', '));
    return `expected a site (${sites}), a node (${nodes}), a role, a role instance or *, got "${unknown}"`;
  }
  const { site, node, role, pick = 1 } = place;
  const roles = new Set<string>([...map.instances.values()].map((instance) => instance.role));
  for (const [what, wanted, known] of [
    ['a site', site, map.sites],
    ['a node', node, map.nodes],
    ['a role', role, roles],
  ] as const) {
    const unknown = listed(wanted).find((name) => !known.has(name));
    if (unknown !== undefined) return `expected ${what} (${[...known.keys()].join(', ')}), got "${unknown}"`;
  }
  const { length } = selected(map, place);
  return length >= pick ? undefined : `expected at least ${pick} that fit, there are ${length}`;
}

/** In words: `one of conf-125, conf-132`. */
export function placeText(map: ClusterMap, place: WrittenPlace): string {
  const text = listed(candidatesOf(map, place)).join(', ');
  return isSelector(place) && place.pick !== undefined ? `${place.pick} of ${text}` : text;
}

/** Of all that a fault says only selectors are objects with nothing but these fields. */
export function isSelector(value: unknown): value is Selector {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.keys(value).every((key) => key in selectorSchema.shape);
}

function selected(map: ClusterMap, { site, node, role }: Selector): string[] {
  const isWanted = (wanted: z.infer<typeof names> | undefined, name: string) =>
    wanted === undefined || listed(wanted).includes(name);
  const nodes = [...map.nodes.values()].filter((each) => isWanted(site, each.site) && isWanted(node, each.name));
  if (role === undefined) return nodes.map(({ name }) => name);
  return nodes.flatMap(({ instances }) =>
    instances.filter((each) => isWanted(role, each.role)).map(({ name }) => name),
  );
}

function listed(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}
