/** The end of a command: its exit code and error message, and the signals that stop it. */
import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { YamlError } from '../input/yaml-error.ts';

/** 0 pass, 1 fail, 2 unknown, 64 wrong usage, 130 stopped by a signal. */
export const exitCodes = { pass: 0, fail: 1, unknown: 2, usage: 64, stopped: 130 } as const;

/** A wrong argument. */
export class UsageError extends Error {}

/** Prints the error and returns the exit code. Prints the stack only with `--debug`. */
export function reportFailure(error: unknown, { debug }: { debug: boolean }): number {
  const message = messageOf(error);
  const prefix = error instanceof YamlError ? '' : 'strowger: ';
  process.stderr.write(`${prefix}${debug && error instanceof Error ? (error.stack ?? message) : message}\n`);
  return isWrongUsage(error) ? exitCodes.usage : exitCodes.fail;
}

/** Also a folder in the place of a file that is read. */
export function isWrongUsage(error: unknown): boolean {
  const cause = error instanceof Error ? (error.cause as NodeJS.ErrnoException | undefined) : undefined;
  return error instanceof UsageError || cause?.code === 'EISDIR';
}

/** An error of the file system as a sentence. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code = '', syscall = '', path } = error as NodeJS.ErrnoException;
  const reason = syscall === 'mkdir' && code === 'EEXIST' ? 'it is a file' : reasons[code];
  if (path === undefined || reason === undefined) return error.message;
  return `${path}: can't be ${{ mkdir: 'made', open: 'opened' }[syscall] ?? 'used'}: ${reason}`;
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
  ENOENT: 'no such file or folder',
  ENOSPC: 'no space left on its disk',
  ENOTDIR: 'a part of its path is a file',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
};

/** A file that is written at the end. Its folder is checked at the start. */
export function outputArgument(name: string): (file: string) => string {
  return (file) => {
    const folder = dirname(resolve(file));
    if (!existsSync(folder)) throw new UsageError(`${name}: expected a file in an existing folder, got "${file}"`);
    refuseFolders(name, [file]);
    return file;
  };
}

/** Refuses a folder in the place of a file that is written. */
export function refuseFolders(name: string, files: readonly string[]): void {
  const folder = files.find((file) => statSync(file, { throwIfNoEntry: false })?.isDirectory() === true);
  if (folder !== undefined) throw new UsageError(`${name}: expected a file, ${folder} is a folder`);
}

/**
 * A folder that is written, and made if it is missing. A file in its place, or in its path, is refused at the start. A default is
 * not checked by commander: the command checks it.
 */
export function outputFolderArgument(name: string): (folder: string) => string {
  return (folder) => {
    let found = resolve(folder);
    while (!existsSync(found)) found = dirname(found);
    if (!statSync(found).isDirectory()) throw new UsageError(`${name}: expected a folder, ${found} is a file`);
    return folder;
  };
}

/** A folder that is read. */
export function folderArgument(name: string): (folder: string) => string {
  return (folder) => {
    const found = statSync(folder, { throwIfNoEntry: false });
    if (found?.isDirectory() === true) return folder;
    if (found !== undefined) throw new UsageError(`${name}: expected a folder, ${folder} is a file`);
    throw new UsageError(`${name}: expected an existing folder, got "${folder}"`);
  };
}

/** An integer argument within bounds. */
export function integerArgument(name: string, least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new UsageError(`${name}: expected an integer from ${least} to ${most}, got "${text}"`);
  };
}

/** A rate a second, `5/s` or `0.5/s`: above zero, with a bound. */
export function rateArgument(name: string, most: number): (text: string) => number {
  return (text) => {
    const [, number] = /^(\d+(?:\.\d+)?)\/s$/.exec(text) ?? [];
    const value = Number(number ?? Number.NaN);
    if (value > 0 && value <= most) return value;
    throw new UsageError(`${name}: expected a rate above 0, at most ${most}/s, such as 5/s, got "${text}"`);
  };
}

/** Calls `stop` at the first SIGINT or SIGTERM; resolves when that is done. A second signal ends the process at once. */
export function stopOnSignal(stop: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    let isStopping = false;
    const onSignal = () => {
      if (isStopping) process.exit(1);
      isStopping = true;
      stop().then(() => {
        for (const signal of signals) process.off(signal, onSignal);
        resolve();
      }, reject);
    };
    for (const signal of signals) process.on(signal, onSignal);
    whenNpxEnds(() => {
      if (!isStopping) onSignal();
    });
  });
}

/**
 * Calls `end` when the shell by which `npx` has started this process is gone. npx passes a signal on to that shell only, and dash,
 * the shell of Debian, does not pass it on.
 */
function whenNpxEnds(end: () => void): void {
  if (process.env['npm_lifecycle_event'] !== 'npx') return;
  const look = setInterval(() => {
    if (process.ppid === startedBy) return;
    clearInterval(look);
    end();
  }, npxLookMs);
  look.unref();
}

const startedBy = process.ppid;
const npxLookMs = 200;

/** Stops this process like a signal when its supervisor has died, if `strowger up` has started it. */
export function endWithSupervisor(): void {
  if (process.channel === undefined) return;
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}

/** Aborted at the first signal; a second one ends the process. */
export function stoppedBySignal(): AbortSignal {
  const stopping = new AbortController();
  void stopOnSignal(async () => stopping.abort());
  return stopping.signal;
}

const signals = ['SIGINT', 'SIGTERM'] as const;
