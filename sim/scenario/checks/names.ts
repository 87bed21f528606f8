/** Checks that names in a scenario exist in its cluster. Each check returns the problem, or `undefined`. */
import type { ClusterMap } from '../../../src/model/cluster/cluster-map.ts';
import { expectedText, hintText, nearest } from '../../../src/model/shapes/nearest.ts';
import { membersOf } from '../../faults/places.ts';
import { isOutside, namesOutside, providersNamed, providersOf } from '../../outside/population.ts';
import { isSelector, listed, type Selector, selected, type WrittenPlace } from '../language/places.ts';
import { sentLists } from '../language/request-schema.ts';
import { likeText, referencesIn } from '../language/values.ts';

export interface NamesOptions {
  readonly areOpen: boolean;
  readonly isAdded?: (name: string) => boolean;
}

export class Names {
  readonly map: ClusterMap;
  /** Whether `$name` may stand for a value that is not known yet. Then one possible name is enough. */
  readonly #areOpen: boolean;
  readonly #isAdded: (name: string) => boolean;

  /** `isAdded`: whether a name means a phone that was added to the running cluster. */
  constructor(map: ClusterMap, { areOpen, isAdded = () => false }: NamesOptions) {
    this.map = map;
    this.#areOpen = areOpen;
    this.#isAdded = isAdded;
  }

  site(name: string): string | undefined {
    const known = [...this.map.sites.keys()];
    return this.#isOne(name, known) ? undefined : expectedText('a site', name, known);
  }

  /** A site with a front. */
  front(name: string): string | undefined {
    const fronts = [...new Set(this.map.instancesOf('ws').map(({ site }) => site))];
    if (this.#isOne(name, fronts)) return undefined;
    return this.site(name) ?? expectedText('a site that has a front', name, fronts);
  }

  outside(name: string): string | undefined {
    if (isOutside(this.map, name) || this.#isAdded(name) || this.#mayBe(name, namesOutside(this.map))) return undefined;
    return expectedText('a phone or a provider', name, namesOutside(this.map));
  }

  /** What a step may look at. */
  looked(name: string): string | undefined {
    return sentLists.includes(name) ? undefined : this.outside(name);
  }

  provider(name: string): string | undefined {
    const known = providersOf(this.map).flatMap(({ accounts }) => accounts.map(({ provider }) => provider.domain));
    if (providersNamed(this.map, name).length > 0 || this.#mayBe(name, known)) return undefined;
    return expectedText('a provider', name, new Set(known));
  }

  place(place: WrittenPlace): string | undefined {
    if (isSelector(place)) return this.#selector(place);
    const known = placeNames(this.map);
    const unknown = listed(place).find((name) => !this.#isOne(name, known));
    if (unknown === undefined) return undefined;
    const alike = this.#instancesLike(unknown);
    if (alike.length > 0) return expectedText('a role instance', unknown, alike);
    const [sites, nodes] = [this.map.sites, this.map.nodes].map((all) => [...all.keys()].join(', '));
    const wanted = `expected a site (${sites}), a node (${nodes}), a role, a role instance or *`;
    return `${wanted}, got "${unknown}"${referencesIn(unknown).length === 0 ? hintText(nearest(unknown, known)) : ''}`;
  }

  /** The names that a place covers, as far as they are known now. */
  coveredBy(place: WrittenPlace): readonly string[] {
    if (isSelector(place)) return this.isOpen(place) ? [] : selected(this.map, place);
    return listed(place).filter((name) => !this.isOpen(name));
  }

  /** The names of the nodes that a place covers, or of the nodes of its instances, as far as they are known now. */
  nodesAt(place: WrittenPlace): string[] {
    const { nodes, instances } = membersOf(this.map, this.coveredBy(place));
    return [...new Set([...nodes.map(({ name }) => name), ...instances.map(({ node }) => node)])];
  }

  /** Whether a part of a scenario refers to a value that is not known yet. */
  isOpen(part: unknown): boolean {
    return this.#areOpen && referencesIn(part).length > 0;
  }

  #selector(selector: Selector): string | undefined {
    const { site, node, role, instance, pick = 1 } = selector;
    const all = [...this.map.instances.values()];
    const roles = [...new Set<string>(all.map((each) => each.role))];
    const own = all.filter((each) => role === undefined || listed(role).includes(each.role));
    for (const [what, wanted, known, more] of [
      ['a site', site, [...this.map.sites.keys()], []],
      ['a node', node, [...this.map.nodes.keys()], []],
      ['a role', role, roles, []],
      ['a role instance or its number', instance, own.map(({ name }) => name), own.map(({ srvidx }) => `${srvidx}`)],
    ] as const) {
      const unknown = listed(wanted).find((name) => !this.#isOne(name, [...known, ...more]));
      if (unknown !== undefined) return expectedText(what, unknown, known);
    }
    if (this.isOpen(selector)) return undefined;
    const { length } = selected(this.map, selector);
    return length >= pick ? undefined : `expected at least ${pick} that match, got ${length}`;
  }

  /** The instances of the role of which a name is written like an instance: `b2b-999`. */
  #instancesLike(name: string): string[] {
    const [, written] = /^([a-z0-9]+)-\d+$/.exec(name) ?? [];
    const own = [...this.map.instances.values()].filter(({ role }) => role === written);
    return own.map((instance) => instance.name);
  }

  #isOne(name: string, known: readonly string[]): boolean {
    return known.includes(name) || this.#mayBe(name, known);
  }

  #mayBe(name: string, known: readonly string[]): boolean {
    return this.isOpen(name) && likeText(name, known).length > 0;
  }
}

/** All names that a place may have. */
export function placeNames(map: ClusterMap): string[] {
  const instances = [...map.instances.values()];
  const roles = new Set<string>(instances.map(({ role }) => role));
  const own = instances.flatMap(({ name, srvidx }) => [name, String(srvidx)]);
  return ['*', ...map.sites.keys(), ...map.nodes.keys(), ...roles, ...own];
}
