/** Loaded into a process that is attacked (`--import`): tells its parent how much memory it has and how long its loop was blocked. */
import { monitorEventLoopDelay } from 'node:perf_hooks';

const everyMs = 200;
const resolutionMs = 5;
const delays = monitorEventLoopDelay({ resolution: resolutionMs });

/** Since the last report. */
export interface Measured {
  readonly rssBytes: number;
  readonly blockMs: number;
}

delays.enable();
setInterval(() => {
  const measured: Measured = { rssBytes: process.memoryUsage.rss(), blockMs: delays.max / 1e6 - resolutionMs };
  delays.reset();
  process.send?.(measured);
}, everyMs).unref();
process.channel?.unref();
