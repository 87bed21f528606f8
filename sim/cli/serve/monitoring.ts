/** What observes a served world for its operator: metrics, and the access log. */
import { openAccessLog } from '../../metrics/access-log.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { World } from '../../world/world.ts';

interface Monitoring {
  readonly metrics: Metrics;
  /** Observes a world before it starts, in place of the one before. */
  readonly onWorld: (world: World) => void;
  end(): void;
}

/** The library of the metrics is only loaded here: other commands do without it. */
export async function startMonitoring(accessLogFile: string | undefined): Promise<Monitoring> {
  const log = accessLogFile === undefined ? undefined : openAccessLog(accessLogFile);
  const { Metrics } = await import('../../metrics/metrics.ts');
  const metrics = new Metrics();
  const onWorld = (world: World) => {
    metrics.observe(world);
    log?.observe(world);
  };
  return { metrics, onWorld, end: () => log?.end() };
}
