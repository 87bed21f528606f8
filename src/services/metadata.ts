/**
 * User-interface metadata: files of the solution first, then the common ones (order documented), and where neither has
 * a file, what is made of the declarations of the entities (chosen).
 */
import type { ClusterMap } from '../model/cluster-map.ts';
import { entities } from '../model/entities/entities.ts';
import type { Entity } from '../model/entities/entity.ts';
import { FaultError, fault } from '../model/fault.ts';
import { formOf, navOf, tabOf } from '../model/metadata.ts';

/** What metadata files say: by solution, then by path below `entities/`, such as `user/tab.json`. */
export type MetadataFiles = Readonly<Record<string, Readonly<Record<string, object>>>>;

export const noMetadataFiles: MetadataFiles = {};

/** What clients of a domain see. `not_found` for a class that there is not, or not in such a domain. */
export interface Wanted {
  readonly domain: string;
  /** Absent: the navigation panel. */
  readonly of?: { readonly kind: string; readonly file: 'tab.json' | 'form.json' };
}

export function metadataFor(map: ClusterMap, files: MetadataFiles, { domain, of }: Wanted): object {
  const isMaster = domain === map.masterDomain;
  const solution = isMaster ? 'master' : (map.domains.get(domain)?.solution ?? 'standard');
  const classes = entities.filter((entity) => entity.domain === 'any' || (entity.domain === 'master') === isMaster);
  if (of === undefined) return inFiles(files, solution, 'nav.json') ?? navOf(classes);
  const entity = classes.find(({ kind }) => kind === of.kind) ?? refuse(of.kind, classes);
  return inFiles(files, solution, `${of.kind}/${of.file}`) ?? (of.file === 'tab.json' ? tabOf(entity) : formOf(entity));
}

function inFiles(files: MetadataFiles, solution: string, path: string): object | undefined {
  for (const folder of [solution, 'common']) {
    const found = Object.hasOwn(files, folder) ? files[folder]?.[path] : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function refuse(kind: string, classes: readonly Entity[]): never {
  const known = classes.map((entity) => entity.kind).join(', ');
  throw new FaultError(fault('not_found', `no class ${JSON.stringify(kind)} in this domain; there are ${known}`));
}
