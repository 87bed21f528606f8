/** Runs other programs, such as git and npm, to their end. */
import { spawn } from 'node:child_process';

export interface Finished {
  /** The exit code; `undefined` where it was ended by a signal, or took too long. */
  readonly code: number | undefined;
  readonly out: string;
  readonly err: string;
}

export interface CommandOptions {
  readonly folder: string;
  /** Aborted: the program and all that it has started end, and the call rejects with `Stopped`. */
  readonly stopped: AbortSignal;
  /** It is ended after this time. */
  readonly patienceMs?: number;
}

/** The search was stopped. */
export class Stopped extends Error {}

const usualPatienceMs = 20 * 60_000;

/** Runs a program; rejects where it cannot be started. */
export function finished(
  [program = '', ...args]: readonly string[],
  { folder, stopped, patienceMs = usualPatienceMs }: CommandOptions,
): Promise<Finished> {
  if (stopped.aborted) return Promise.reject(new Stopped());
  return new Promise((resolve, reject) => {
    // A group of its own: a terminal does not signal it, and it ends as a whole.
    const child = spawn(program, args, { cwd: folder, detached: true, env: environment() });
    const texts = { out: '', err: '' };
    const end = () => {
      if (child.pid !== undefined) killGroup(child.pid);
    };
    const timer = setTimeout(end, patienceMs);
    stopped.addEventListener('abort', end, { once: true });
    for (const [name, stream] of [
      ['out', child.stdout],
      ['err', child.stderr],
    ] as const)
      stream.setEncoding('utf8').on('data', (text: string) => {
        texts[name] += text;
      });
    const over = () => {
      clearTimeout(timer);
      stopped.removeEventListener('abort', end);
    };
    child.once('error', (error) => {
      over();
      reject(error);
    });
    child.once('close', (code) => {
      over();
      if (stopped.aborted) reject(new Stopped());
      else resolve({ code: code ?? undefined, ...texts });
    });
  });
}

/** Without what a hook of git says of its own repository. */
function environment(): NodeJS.ProcessEnv {
  const { GIT_DIR: _dir, GIT_WORK_TREE: _tree, GIT_INDEX_FILE: _index, GIT_PREFIX: _prefix, ...others } = process.env;
  return { ...others, LC_ALL: 'C' };
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** The last line of what a program printed. */
export function lastLine({ out, err }: Finished): string {
  const lines = `${out}\n${err}`.split('\n').filter((line) => line.trim() !== '');
  return lines.at(-1)?.trim() ?? 'no output';
}
