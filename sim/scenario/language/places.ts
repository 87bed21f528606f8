/** Places in scenarios: a name, several names, or a selector, from which the seed may draw. */
import { z } from 'zod';
import type { ClusterMap } from '../../../src/model/cluster/cluster-map.ts';
import type { RandomStream } from '../../../src/ports/random.ts';
import type { FaultPlace } from '../../faults/places.ts';

/** A number is the srvidx of a role instance. */
export const placeName = z.union(
  [z.string(), z.int().min(1).max(65_535).transform(String)],
  'expected a name, or the number of a role instance',
);
const names = z.union([placeName, z.array(placeName).min(1)], 'expected a name, or a list of names');

const selectorSchema = z.strictObject({
  site: names.optional().describe('Only at these sites'),
  node: names.optional().describe('Only these nodes, or instances of them'),
  role: names.optional().describe('Instances of these roles; without role and instance, whole nodes'),
  instance: names.optional().describe('Role instances by name or by number: b2b-214, or 214'),
  pick: z.int().min(1).optional().describe('Number to draw by the seed; default: all'),
});
export type Selector = z.infer<typeof selectorSchema>;

export const placeSchema = z
  .union(
    [placeName, z.array(placeName).min(1), selectorSchema],
    'expected a site, a node, a role, a role instance or *, a list of these, or a selector such as { site: north, role: conf, pick: 1 }',
  )
  .meta({
    id: 'place',
    description:
      'A site, a node, a role, a role instance, * for all nodes, a list of these, or a selector; $name refers to a saved value',
  });
export type WrittenPlace = z.infer<typeof placeSchema>;

/** The names that a place covers; for a selector all that match, drawn or not. */
export function candidatesOf(map: ClusterMap, place: WrittenPlace): FaultPlace {
  return isSelector(place) ? selected(map, place) : place;
}

/** The names that a place covers in this run, after the draw. */
export function drawnFrom(map: ClusterMap, place: WrittenPlace, random: RandomStream): FaultPlace {
  if (!isSelector(place)) return place;
  const left = selected(map, place);
  if (place.pick === undefined) return left;
  const drawn: string[] = [];
  while (drawn.length < place.pick && left.length > 0) {
    drawn.push(...left.splice(random.integer(0, left.length - 1), 1));
  }
  return drawn;
}

/** As text: `one of conf-125, conf-132`. */
export function placeText(map: ClusterMap, place: WrittenPlace): string {
  const text = listed(candidatesOf(map, place)).join(', ');
  return isSelector(place) && place.pick !== undefined ? `${place.pick} of ${text}` : text;
}

/** Within a fault, only selectors are objects with no fields but these. */
export function isSelector(value: unknown): value is Selector {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.keys(value).every((key) => key in selectorSchema.shape);
}

/** The names of all that match. */
export function selected(map: ClusterMap, { site, node, role, instance }: Selector): string[] {
  const nodes = [...map.nodes.values()].filter((each) => isWanted(site, each.site) && isWanted(node, each.name));
  if (role === undefined && instance === undefined) return nodes.map((each) => each.name);
  return nodes.flatMap(({ instances }) =>
    instances
      .filter((each) => isWanted(role, each.role) && isWanted(instance, each.name, String(each.srvidx)))
      .map((each) => each.name),
  );
}

function isWanted(wanted: string | readonly string[] | undefined, ...own: readonly string[]): boolean {
  return wanted === undefined || listed(wanted).some((each) => own.includes(each));
}

export function listed(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}
