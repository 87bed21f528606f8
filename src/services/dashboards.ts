/** The dashboards of the esg role: what its instances serve, as a tree and as sums. */
import type { InstanceEntry } from '../model/cluster-map.ts';
import type { ReplyOf } from '../model/protocol/catalogue.ts';
import type { RoleScope } from '../runtime/role.ts';
import { type Answered, askAll } from './fan-out.ts';

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

/** The tree of sites and servers, with sums at every level. */
export async function info(
  scope: RoleScope,
  instances: readonly InstanceEntry[],
  options: InfoOptions,
): Promise<Counts & { sites: SiteTree[] }> {
  const { code, regs } = options;
  const answers = await askAll(scope, instances, 'edge.figures', code === undefined ? {} : { code });
  const names = [...new Set(instances.map((instance) => instance.site))];
  const sites = names.map((site) => {
    const servers = answers.filter(({ instance }) => instance.site === site).map((answer) => serverOf(answer, regs));
    return { site, ...sum(servers.map((server) => (server.online ? server : nothing))), servers };
  });
  return { ...sum(sites), sites };
}

export async function count(scope: RoleScope, instances: readonly InstanceEntry[]): Promise<Counts> {
  const { dlgcount, callcount } = await info(scope, instances, { regs: false, code: undefined });
  return { dlgcount, callcount };
}

export async function countBySite(
  scope: RoleScope,
  instances: readonly InstanceEntry[],
): Promise<Counts & { sites: (Counts & { site: string })[] }> {
  const tree = await info(scope, instances, { regs: false, code: undefined });
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
