/** A worker of sweeps: pulls tasks of its build from the queue, runs them, stores their results, and acknowledges them. */
import type { Consumer, JsMsg } from '@nats-io/jetstream';
import { ownBuildInfo } from '../../scenario/build-info.ts';
import { BatchRunner } from './batch-runner.ts';
import { taskSchema, unpacked } from './protocol.ts';
import type { Queue } from './queue.ts';

export interface QueueWorkerOptions {
  readonly queue: Queue;
  readonly jobs: number;
  /** A task whose worker shows no life for so long is given to another worker. */
  readonly leaseMs: number;
  /** Ends when no task has come for so long. Absent: never. */
  readonly idleMs?: number | undefined;
  readonly stopped: AbortSignal;
  readonly onText: (text: string) => void;
}

/** How long one request for a task waits: the longest, and the shortest that a NATS server takes. */
const [longestPullMs, shortestPullMs] = [5_000, 1_000];

/** Works until it is stopped, or has no tasks for the idle time. */
export async function workOnQueue(options: QueueWorkerOptions): Promise<void> {
  const { queue, jobs, leaseMs, onText } = options;
  const { build } = ownBuildInfo();
  const consumer = await queue.tasksFor(build, leaseMs);
  const others = [...(await queue.waiting())].filter(([other]) => other !== build);
  for (const [other, count] of others)
    onText(`the queue has ${count} tasks of build ${other}; this worker is build ${build} and does not run them`);
  await Promise.all(Array.from({ length: jobs }, () => workAlone(consumer, options)));
}

async function workAlone(consumer: Consumer, options: QueueWorkerOptions): Promise<void> {
  const { queue, idleMs = Number.POSITIVE_INFINITY, stopped } = options;
  const runner = new BatchRunner(queue);
  const stop = () => runner.stop();
  stopped.addEventListener('abort', stop, { once: true });
  try {
    for (let idleSinceMs = performance.now(); !stopped.aborted; ) {
      const leftMs = Math.ceil(idleSinceMs + idleMs - performance.now());
      const message = await consumer.next({ expires: Math.max(shortestPullMs, Math.min(longestPullMs, leftMs)) });
      if (message !== null && stopped.aborted) message.nak();
      else if (message !== null) {
        await work(message, runner, options);
        idleSinceMs = performance.now();
      } else if (performance.now() - idleSinceMs >= idleMs) return;
    }
  } finally {
    stopped.removeEventListener('abort', stop);
    runner.stop();
  }
}

/** The result is stored before the task is acknowledged: a task that is lost in between runs again, and counts once. */
async function work(
  message: JsMsg,
  runner: BatchRunner,
  { queue, leaseMs, onText }: QueueWorkerOptions,
): Promise<void> {
  const alive = setInterval(() => message.working(), leaseMs / 3);
  try {
    const task = unpacked(message.data, taskSchema);
    const { build } = ownBuildInfo();
    if (task.build !== build) {
      onText(`refused a task of build ${task.build}: this worker is build ${build}`);
      return message.nak();
    }
    const result = await runner.run(task);
    if (result === undefined) return message.nak();
    const isFirst = await queue.addResult(task, result);
    await message.ackAck();
    onText(`${task.sweep} ${task.id}: ${isFirst ? 'done' : 'another worker was faster'}`);
  } catch (error) {
    // A task that cannot be run here may run elsewhere, later; a sweep that has ended has none.
    onText(`a task failed: ${error instanceof Error ? error.message : String(error)}`);
    message.nak(leaseMs);
  } finally {
    clearInterval(alive);
  }
}
