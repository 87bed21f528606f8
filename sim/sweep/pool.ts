/** Processes that work on the tasks of a sweep, one task each at a time. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Result, Task } from './worker.ts';

const workerFile = fileURLToPath(new URL('./worker.js', import.meta.url));

export interface WorkOptions {
  readonly jobs: number;
  readonly onResult: (result: Result) => void;
  /** Aborted: all processes stop at once, and open tasks have no outcome. */
  readonly stopped: AbortSignal;
}

/** Runs `tasks` in several processes. If a process dies, its task ends with an error and a new process replaces it. */
export function workOff(tasks: Iterator<Task>, { jobs, onResult, stopped }: WorkOptions): Promise<void> {
  return new Promise((resolve) => {
    let working = 0;
    const leave = () => {
      working -= 1;
      if (working === 0) resolve();
    };
    const replace = () => {
      hire();
      leave();
    };
    const hire = () => {
      working += 1;
      serve(fork(workerFile), { tasks, onResult, stopped, onDone: leave, onDeath: replace });
    };
    for (let i = 0; i < jobs; i += 1) hire();
  });
}

interface Service {
  readonly tasks: Iterator<Task>;
  readonly onResult: (result: Result) => void;
  readonly stopped: AbortSignal;
  readonly onDone: () => void;
  readonly onDeath: () => void;
}

function serve(worker: ChildProcess, { tasks, onResult, stopped, onDone, onDeath }: Service): void {
  let current: Task | undefined;
  const quit = () => {
    current = undefined;
    worker.kill();
    onDone();
  };
  stopped.addEventListener('abort', quit, { once: true });
  const next = () => {
    const { value, done = false } = tasks.next();
    current = done ? undefined : value;
    if (current !== undefined) return worker.send(current);
    stopped.removeEventListener('abort', quit);
    worker.disconnect();
    return onDone();
  };
  worker.on('message', (result: Result) => {
    if (stopped.aborted) return;
    onResult(result);
    next();
  });
  worker.on('exit', (code, signal) => {
    if (current === undefined) return;
    stopped.removeEventListener('abort', quit);
    onResult({ task: current, error: `the worker process ended during the task (${signal ?? `exit ${code}`})` });
    onDeath();
  });
  next();
}
