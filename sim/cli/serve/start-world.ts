/** Starts the worlds of `serve`: the one of the command line, and the ones that clients of the control interface ask for. */
import { DiskSamples } from '../../../src/adapters/disk-samples.ts';
import type { TlsIdentity } from '../../../src/adapters/http-server/http-server.ts';
import type { Origins } from '../../../src/http/origins.ts';
import type { HttpLimits } from '../../../src/model/limits.ts';
import type { HttpServer } from '../../../src/ports/http-server.ts';
import type { Log } from '../../../src/ports/log.ts';
import { storesIn } from '../../data/stores.ts';
import { directed, withDirectives } from '../../embed/hosting/directives.ts';
import { LiveHost, watcherOf } from '../../embed/hosting/live-host.ts';
import type { ServedFrontsOptions } from '../../embed/hosting/served-fronts.ts';
import type { HostedWorld, WantedWorld } from '../../embed/hosting/worlds.ts';
import type { RecordedCluster } from '../../embed/recorded/recorded-cluster.ts';
import type { WorldTracing } from '../../tracing/world-tracing.ts';
import type { InspectNode } from '../../world/cluster.ts';
import { LiveWorld, signalStopMs } from '../../world/live.ts';
import type { World } from '../../world/world.ts';

/** What all worlds of a process have in common. */
export interface Serving {
  readonly host: string;
  readonly tls: TlsIdentity | undefined;
  readonly limits: Partial<HttpLimits>;
  readonly origins: Origins;
  readonly isStrict: boolean;
  /** The folder of the audio matchers' samples; default: the samples of the topology. */
  readonly samples: string | undefined;
  /** The token of the control interface. */
  readonly token: string | undefined;
  readonly log: Log;
}

/** What the world of the command line has to itself. */
export interface OwnServing {
  /** Of the first front; 0: free ports. */
  readonly port: number;
  readonly data?: string | undefined;
  readonly inspect?: InspectNode | undefined;
  readonly oracles?: 'all' | readonly string[];
  /** Absent: nothing is traced. */
  readonly tracing?: WorldTracing | undefined;
  /** Called with its world before it starts, and again after each reset. */
  readonly onWorld?: ((world: World) => void) | undefined;
}

/** A world that starts. `stop` ends it, also before it is ready. */
export interface StartingWorld {
  readonly ready: Promise<HostedWorld>;
  stop(): Promise<void>;
}

export function startWorld(wanted: WantedWorld, serving: Serving, own: OwnServing = { port: 0 }): StartingWorld {
  return wanted.clock === 'virtual' ? startVirtual(wanted, serving, own) : startLive(wanted, serving, own);
}

const usualSeed = 1;

function startVirtual(
  wanted: WantedWorld,
  serving: Serving,
  { port, oracles = 'all', onWorld, tracing }: OwnServing,
): StartingWorld {
  const { name, loaded, seed = usualSeed, snapshot } = wanted;
  const { host, tls, limits, token } = serving;
  const fronts = (cluster: RecordedCluster): ServedFrontsOptions => ({
    host,
    port,
    tls,
    limits,
    ...directed(() => cluster.present.world, token),
  });
  // Loaded for virtual worlds alone: it records, and has oracles.
  const ready = import('../../embed/hosting/virtual-host.ts').then(({ VirtualHost }) =>
    VirtualHost.start({ name, recorded: { loaded, seed, oracles, onWorld, tracing }, snapshot, fronts }),
  );
  return { ready, stop: async () => (await ready).stop() };
}

function startLive(wanted: WantedWorld, serving: Serving, own: OwnServing): StartingWorld {
  const { name, loaded, seed } = wanted;
  const { host, tls, limits, origins, isStrict, samples, token, log } = serving;
  const { map, webApps, metadataFiles } = loaded;
  const servers = new Map<string, HttpServer>();
  const make = () => {
    const world: LiveWorld = new LiveWorld({
      map,
      webApps,
      metadataFiles,
      servers,
      host,
      port: own.port,
      tls,
      limits,
      origins,
      isStrict,
      log,
      samples: samples === undefined ? undefined : new DiskSamples(samples),
      wrap: (handler) => withDirectives(handler, { wait: (ms) => world.wait(ms), token }),
      stores: storesIn(own.data, log),
      inspect: own.inspect,
      tracing: own.tracing,
      stopMs: signalStopMs,
      ...(seed !== undefined && { seed }),
    });
    own.onWorld?.(world);
    return world;
  };
  const keeps = own.data === undefined ? undefined : `${name} keeps its data in ${own.data} (--data): it is not reset`;
  const made = watcherOf(own.oracles).then((watch) => new LiveHost({ name, loaded, seed, make, watch, keeps }));
  const start = async () => {
    const live = await made;
    await live.start();
    return live;
  };
  return { ready: start(), stop: async () => (await made).stop() };
}
