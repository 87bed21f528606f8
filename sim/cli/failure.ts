/** How a command ends when it can't do what it was told: an exit code, and one clear line. */
import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { YamlError } from '../yaml.ts';

/** 0 pass, 1 fail, 2 unknown, 64 wrong usage, 130 stopped by a signal before it was done. */
export const exitCodes = { pass: 0, fail: 1, unknown: 2, usage: 64, stopped: 130 } as const;

/** A wrong argument. */
export class UsageError extends Error {}

/** Prints what went wrong and gives the exit code. The stack only with `--debug`. */
export function reportFailure(error: unknown, { debug }: { debug: boolean }): number {
  const message = error instanceof Error ? error.message : String(error);
  const prefix = error instanceof YamlError ? '' : 'strowger: ';
  process.stderr.write(`${prefix}${debug && error instanceof Error ? (error.stack ?? message) : message}\n`);
  return error instanceof UsageError ? exitCodes.usage : exitCodes.fail;
}

/** A file that is written at the end: that its folder is there shows at the start. */
export function outputArgument(name: string): (file: string) => string {
  return (file) => {
    const folder = dirname(resolve(file));
    if (!existsSync(folder)) throw new UsageError(`${name}: expected a file in a folder that is there, got "${file}"`);
    if (existsSync(file) && statSync(file).isDirectory()) throw new UsageError(`${name}: ${file} is a folder`);
    return file;
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
