/**
 * The metrics of a served cluster in the format of Prometheus. Its observations and its census are the only sources. With a new
 * world, after a reset for example, all counters begin at zero again, as after a restart of the process.
 */
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { OperatedCluster } from '../embed/recorded/operator.ts';
import type { World } from '../world/world.ts';
import { countObservations } from './counted.ts';
import { readGauges } from './gauges.ts';

export class Metrics {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;
  readonly #process = new Registry();
  #cluster = new Registry();
  #world: World | undefined;
  #stop = () => {};

  /** Begins with the event loop, memory and processor time of this process. */
  constructor() {
    collectDefaultMetrics({ register: this.#process });
  }

  /** Observes a world from now on, in place of the one before: call it before the world starts, to miss nothing. */
  observe(world: World): void {
    this.#stop();
    this.#world = world;
    this.#cluster = new Registry();
    this.#stop = countObservations(this.#cluster, world);
  }

  /** The exposition of `cluster` now. */
  async text({ world, watch }: Pick<OperatedCluster, 'world' | 'watch'>): Promise<string> {
    if (world !== this.#world) this.observe(world);
    const gauges = new Registry();
    const census = world.here?.census({ isMonitoring: true }) ?? [];
    readGauges(gauges, { world, census, verdicts: watch?.verdicts() ?? [] });
    const texts = await Promise.all([this.#process, this.#cluster, gauges].map((registry) => registry.metrics()));
    return texts.join('');
  }
}
