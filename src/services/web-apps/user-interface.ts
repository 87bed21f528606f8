/**
 * User-interface metadata: a file of the solution, else a common file (order documented), else metadata generated from the
 * declarations of the entities (chosen).
 */
import type { RoleScope } from '../../cluster/role.ts';
import type { ClusterMap, InstanceEntry } from '../../model/cluster/cluster-map.ts';
import { entities } from '../../model/entities/entities.ts';
import type { Entity } from '../../model/entities/entity.ts';
import { FaultError, fault } from '../../model/fault.ts';
import type { ReplyOf } from '../../model/protocol/catalogue.ts';
import { formOf, navOf, tabOf } from '../../model/user-interface-metadata.ts';
import { type Answered, askAll } from '../fan-out.ts';

export interface Counts {
  readonly dlgcount: number;
  readonly callcount: number;
}

export interface SiteTree extends Counts {
  readonly site: string;
  readonly servers: readonly ServerEntry[];
}

export type ServerEntry =
  | { readonly srvidx: number; readonly node: string; readonly online: false }
  | ({
      readonly srvidx: number;
      readonly node: string;
      readonly online: true;
      readonly addr: string;
    } & ReplyOf<'edge.figures'>);

export interface InfoOptions {
  /** Show the provider accounts; else `regs` is empty. */
  readonly regs: boolean;
  /** Only the accounts of this provider. */
  readonly code: string | undefined;
}

export type InfoTree = Counts & { readonly sites: readonly SiteTree[] };

/** The tree of sites and servers, with sums at every level. */
export async function info(
  scope: RoleScope,
  instances: readonly InstanceEntry[],
  options: InfoOptions,
): Promise<InfoTree> {
  const { code, regs } = options;
  const answers = await askAll(scope, instances, 'edge.figures', code === undefined ? {} : { code });
  const names = [...new Set(instances.map((instance) => instance.site))];
  const sites = names.map((site) => {
    const servers = answers.filter(({ instance }) => instance.site === site).map((answer) => serverOf(answer, regs));
    return { site, ...sum(servers.map((server) => (server.online ? server : nothing))), servers };
  });
  return { ...sum(sites), sites };
}

export function count({ dlgcount, callcount }: InfoTree): Counts {
  return { dlgcount, callcount };
}

export function countBySite(tree: InfoTree): Counts & { sites: (Counts & { site: string })[] } {
  return { ...tree, sites: tree.sites.map(({ site, dlgcount, callcount }) => ({ site, dlgcount, callcount })) };
}

const nothing: Counts = { dlgcount: 0, callcount: 0 };

function serverOf({ instance, outcome }: Answered<'edge.figures'>, regs: boolean): ServerEntry {
  const { srvidx, node, addr } = instance;
  if (!outcome.ok) return { srvidx, node, online: false };
  const figures = regs ? outcome.value : { ...outcome.value, regs: [] };
  return { srvidx, node, online: true, addr, ...figures };
}

function sum(all: readonly Counts[]): Counts {
  return all.reduce(
    (total, { dlgcount, callcount }) => ({
      dlgcount: total.dlgcount + dlgcount,
      callcount: total.callcount + callcount,
    }),
    nothing,
  );
}

/**
 * Files of the metadata folder, by path in it: the JSON texts below `<solution>/entities/`, such as
 * `common/entities/user/tab.json`, and the files of web applications below `static/`.
 */
export type MetadataFiles = Readonly<Record<string, string>>;

export const noMetadataFiles: MetadataFiles = {};

/** The metadata that a client of a domain asks for. */
export interface MetadataQuery {
  readonly domain: string;
  /** Absent: the navigation panel. */
  readonly of?: { readonly kind: string; readonly file: 'tab.json' | 'form.json' };
}

/** The JSON text; a file is returned unchanged. Throws `not_found` for a class without file and declaration. */
export function metadataFor(map: ClusterMap, files: MetadataFiles, { domain, of }: MetadataQuery): string {
  const isMaster = domain === map.masterDomain;
  const solution = map.solutionOf(domain);
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
