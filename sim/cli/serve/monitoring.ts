/** What observes a served world for its operator: metrics, the access log, and lines of the log about its state. */
import type { Log } from '../../../src/ports/log.ts';
import { openAccessLog } from '../../metrics/access-log.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import { writeNotices } from '../../metrics/notices.ts';
import type { World } from '../../world/world.ts';

interface Monitoring {
  readonly metrics: Metrics;
  /** Observes a world before it starts, in place of the one before. */
  readonly onWorld: (world: World) => void;
  /** Its state is logged no more: it stops. */
  leave(): void;
  end(): void;
}

/** The library of the metrics is only loaded here: other commands do without it. */
export async function startMonitoring(accessLogFile: string | undefined, log: Log): Promise<Monitoring> {
  const accessLog = accessLogFile === undefined ? undefined : openAccessLog(accessLogFile);
  const { Metrics } = await import('../../metrics/metrics.ts');
  const metrics = new Metrics();
  let leave = () => {};
  const onWorld = (world: World) => {
    leave();
    leave = writeNotices(world, log);
    metrics.observe(world);
    accessLog?.observe(world);
  };
  return { metrics, onWorld, leave: () => leave(), end: () => accessLog?.end() };
}
