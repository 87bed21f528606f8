/**
 * User-interface metadata: files of the solution first, then the common ones (order documented), and where neither has
 * a file, metadata made of the declarations of the entities (chosen).
 */
import type { ClusterMap } from '../model/cluster-map.ts';
import { entities } from '../model/entities/entities.ts';
import type { Entity } from '../model/entities/entity.ts';
import { FaultError, fault } from '../model/fault.ts';
import { formOf, navOf, tabOf } from '../model/metadata.ts';

/**
 * Files of the metadata folder, by path in it: the JSON texts below `<solution>/entities/`, such as
 * `common/entities/user/tab.json`, and the files of web applications below `static/`.
 */
export type MetadataFiles = Readonly<Record<string, string>>;

export const noMetadataFiles: MetadataFiles = {};

/** The metadata that a client of a domain asks for. */
export interface Wanted {
  readonly domain: string;
  /** Absent: the navigation panel. */
  readonly of?: { readonly kind: string; readonly file: 'tab.json' | 'form.json' };
}

/** A JSON text: a file as it is, whatever its structure. Throws `not_found` for a class without a file and a declaration. */
export function metadataFor(map: ClusterMap, files: MetadataFiles, { domain, of }: Wanted): string {
  const isMaster = domain === map.masterDomain;
  const solution = isMaster ? 'master' : (map.domains.get(domain)?.solution ?? 'standard');
  const path = of === undefined ? 'nav.json' : `${of.kind}/${of.file}`;
  const text = fileAt(files, `${solution}/entities/${path}`) ?? fileAt(files, `common/entities/${path}`);
  if (text !== undefined) return text;
  const classes = entities.filter((entity) => entity.domain === 'any' || (entity.domain === 'master') === isMaster);
  if (of === undefined) return JSON.stringify(navOf(classes));
  const entity = classes.find(({ kind }) => kind === of.kind) ?? refuse(of.kind, classes);
  return JSON.stringify(of.file === 'tab.json' ? tabOf(entity) : formOf(entity));
}

/** The text of a file of the metadata folder. */
export function fileAt(files: MetadataFiles, path: string): string | undefined {
  return Object.hasOwn(files, path) ? files[path] : undefined;
}

function refuse(kind: string, classes: readonly Entity[]): never {
  const known = classes.map((entity) => entity.kind).join(', ');
  throw new FaultError(fault('not_found', `no class ${JSON.stringify(kind)} in this domain; there are ${known}`));
}
