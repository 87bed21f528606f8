/**
 * Loaded into a process that is attacked (`--import`): reports to its parent how much memory it uses, and how much processor time it took
 * at most between two turns of a short timer. That is for how long its loop was blocked, were the machine its own.
 */
const everyMs = 200;
const tickMs = 2;

/** Since the last report. */
export interface Measured {
  readonly rssBytes: number;
  readonly blockMs: number;
}

/** Of the thread of the loop where the runtime has it, else of all threads. */
const { threadCpuUsage = process.cpuUsage } = process as { readonly threadCpuUsage?: () => NodeJS.CpuUsage };
const usage = () => threadCpuUsage.call(process);

let before = usage();
let blockMs = 0;

setInterval(() => {
  const now = usage();
  blockMs = Math.max(blockMs, (now.user + now.system - before.user - before.system) / 1_000);
  before = now;
}, tickMs).unref();

setInterval(() => {
  const measured: Measured = { rssBytes: process.memoryUsage.rss(), blockMs };
  blockMs = 0;
  process.send?.(measured);
}, everyMs).unref();
process.channel?.unref();
