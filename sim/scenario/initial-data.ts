/**
 * The data with which a cluster begins, from a file: domains with their users, phones, rules, scripts and files, and calls in
 * progress. They become part of its topology, so that a reset, a fork and a replay begin with them as well.
 */
import { z } from 'zod';
import { coverOf } from '../../src/model/domain-tree.ts';
import type { Topology } from '../../src/model/topology/schema.ts';
import { readOwnYaml } from '../input/file-kind.ts';
import { faultText, type InputError, readValue } from '../input/read-value.ts';
import type { LoadedTopology, SourceFile } from '../topology/load-topology.ts';
import { changedTopology } from './load-scenario.ts';

const dataSchema = z.strictObject({
  domains: z
    .array(z.looseObject({ name: z.string() }))
    .default([])
    .describe('Domains in the form of topologies: an existing one gets more users, rules …; others are created'),
  borderrules: z.array(z.unknown()).optional().describe('Border rules, in place of those of the topology'),
  calls: z.array(z.unknown()).optional().describe('Calls in progress: from, to, as, hangupMs'),
});

/** What a cluster begins with, as data: the content of such a file. */
export type InitialData = z.input<typeof dataSchema>;

/** The topology with the data of a file. Throws a `YamlError` with every fault of the file. @internal */
export function withDataFile(loaded: LoadedTopology, { file, text }: SourceFile): LoadedTopology {
  let whole = loaded;
  const checks = (data: z.infer<typeof dataSchema>) => {
    const found = withParts(loaded, data);
    if (isFaults(found)) return found;
    whole = found;
    return [];
  };
  readOwnYaml({ kind: 'initialData', file, text }, { schema: dataSchema, checks });
  return whole;
}

/** The topology with data of the caller. Throws a `TypeError` that names the first faults. @internal */
export function withData(loaded: LoadedTopology, data: InitialData): LoadedTopology {
  const read = readValue(dataSchema, data);
  const found = read.isValid ? withParts(loaded, read.value) : read.faults;
  if (isFaults(found)) throw new TypeError(found.map((each) => faultText(each, 'initialData')).join('; '));
  return found;
}

/** The topology with other settings. @internal */
export function withSettings(loaded: LoadedTopology, settings: Partial<Pick<Topology, 'bans'>>): LoadedTopology {
  const found = changedTopology(loaded, settings, []);
  if (isFaults(found)) throw new TypeError(found.map((each) => faultText(each)).join('; '));
  return found;
}

function isFaults(found: LoadedTopology | readonly InputError[]): found is readonly InputError[] {
  return Array.isArray(found);
}

function withParts(loaded: LoadedTopology, data: z.infer<typeof dataSchema>): LoadedTopology | readonly InputError[] {
  const names = data.domains.map(({ name }) => name);
  const sites = sitesServing(loaded.map.topology, names);
  return changedTopology(loaded, { ...data, ...(sites.length > 0 && { sites }) }, []);
}

/** A patch of the sites that serve some domains only: each serves the new ones, too. */
function sitesServing({ sites, domains }: Topology, names: readonly string[]): { name: string; domains: string[] }[] {
  const added = names.filter((name) => !domains.some((domain) => domain.name === name));
  return sites.flatMap(({ name, domains: served }) => {
    const missing = added.filter((domain) => coverOf(domain, served) === undefined);
    return missing.length === 0 ? [] : [{ name, domains: [...served, ...missing] }];
  });
}
