/** `strowger serve --clock virtual`: the fronts and the control interface of a cluster in virtual time. */
import type { TlsIdentity } from '../../../src/adapters/http-server.ts';
import type { HttpLimits } from '../../../src/model/limits.ts';
import type { HttpHandler, OpenHttpServer } from '../../../src/ports/http-server.ts';
import type { Log } from '../../../src/ports/log.ts';
import type { ControlAccess } from '../../control/access.ts';
import { createControl } from '../../control/control.ts';
import { withDirectives } from '../../control/directives.ts';
import { ServedFronts } from '../../embed/hosting/served-fronts.ts';
import { RecordedCluster } from '../../embed/recorded/recorded-cluster.ts';
import type { LoadedTopology } from '../../topology/load.ts';
import { stopOnSignal, UsageError } from '../process.ts';

export interface VirtualServing {
  readonly loaded: LoadedTopology;
  readonly seed: number | undefined;
  readonly host: string;
  readonly port: number;
  readonly tls: TlsIdentity | undefined;
  readonly limits: Partial<HttpLimits>;
  readonly rate: number | undefined;
  readonly access: ControlAccess;
  readonly log: Log;
  readonly openControl: (handler: HttpHandler) => Promise<OpenHttpServer>;
  /** Called when the cluster is ready: the first front of each site, and the control interface. */
  readonly onReady: (urls: ReadonlyMap<string, string>, control: string) => void;
}

const usualSeed = 1;

/** Options that need real time, or are not part of what a snapshot repeats. */
const realOnly = ['data', 'samples', 'inspect', 'strict', 'cors'] as const;

/** Throws if an option does not fit `--clock virtual`. */
export function refuseRealOnly(options: { readonly [N in (typeof realOnly)[number]]?: unknown }): void {
  const wrong = realOnly.filter((name) => {
    const value = options[name];
    return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
  });
  if (wrong.length > 0)
    throw new UsageError(`--clock virtual: expected no ${wrong.map((name) => `--${name}`).join(', ')}`);
}

export async function serveVirtual(serving: VirtualServing): Promise<void> {
  const { loaded, seed = usualSeed, rate, access, log, openControl, onReady } = serving;
  const cluster = await RecordedCluster.start({ loaded, seed, oracles: 'all' });
  const wait = (ms: number) => cluster.present.world.wait(ms);
  const wrap = (handler: HttpHandler) => withDirectives(handler, { wait, token: access.token });
  const fronts = await ServedFronts.open(cluster, { ...serving, wrap });
  if (rate !== undefined) await cluster.present.enter<'load'>({ do: 'load', rate });
  const control = await openControl(createControl({ operated: () => cluster.present, virtual: cluster, access, log }));
  const stopping = stopOnSignal(async () => {
    control.abort();
    fronts.abort();
    await cluster.stop();
  });
  onReady(fronts.urls, control.url);
  await stopping;
}
