/** `strowger worker --nats URL`: runs seeds of sweeps that other machines have queued. */
import { availableParallelism } from 'node:os';
import { Command, Option } from 'commander';
import { exitCodes, integerArgument, stoppedBySignal } from '../process.ts';

interface WorkerOptions {
  readonly nats: string;
  readonly jobs: number;
  readonly lease: number;
  readonly idle?: number;
}

export function workerCommand(): Command {
  return new Command('worker')
    .requiredOption(
      '--nats <url>',
      'NATS server with JetStream, as nats://host:4222, nats://user:password@host or tls://host',
    )
    .addOption(
      new Option('--jobs <number>', 'number of processes')
        .argParser(integerArgument('--jobs', 1, 256))
        .default(availableParallelism(), 'one for each processor'),
    )
    .option(
      '--lease <seconds>',
      'after so long without a sign of life, what a worker runs is given to another',
      integerArgument('--lease', 3, 3_600),
      30,
    )
    .option(
      '--idle <seconds>',
      'end after so long without a task; default: wait for ever',
      integerArgument('--idle', 1, 86_400),
    )
    .action(work);
}

async function work({ nats, jobs, lease, idle }: WorkerOptions): Promise<void> {
  const { Queue } = await import('../../sweep/nats/queue.ts');
  const { workOnQueue } = await import('../../sweep/nats/queue-worker.ts');
  const stopped = stoppedBySignal();
  const queue = await Queue.open(nats);
  process.stdout.write('working\n');
  await workOnQueue({
    queue,
    jobs,
    stopped,
    leaseMs: lease * 1_000,
    idleMs: idle === undefined ? undefined : idle * 1_000,
    onText: (text) => process.stdout.write(`${text}\n`),
  });
  await queue.close();
  if (stopped.aborted) process.exitCode = exitCodes.stopped;
}
