/** `strowger script`: checks the files of scripts, runs one in virtual time, and runs the tests beside them. */
import { createInterface } from 'node:readline';
import { Command } from 'commander';
import { loadSandbox } from '../../src/adapters/quickjs-sandbox.ts';
import { expectedText } from '../../src/model/shapes/nearest.ts';
import { counted } from '../report/run-text.ts';
import { ScriptDebugger } from '../scripts/script-debugger.ts';
import { readScript, type ScriptFile, scriptNouns } from '../scripts/script-file.ts';
import { runScriptTests } from '../scripts/script-tests.ts';
import { runScript, type ScriptOutcome } from '../scripts/script-world.ts';
import { unsetNames } from '../scripts/unset-names.ts';
import { integerArgument, reportFailure, UsageError } from './process.ts';

export function scriptCommand(): Command {
  const check = new Command('check')
    .description(
      'Check files of scripts: components, branches, and the syntax of expressions. Warns of names that nothing sets.',
    )
    .argument('<files...>', 'files of scripts, YAML or JSON')
    .action(checkFiles);
  const run = new Command('run')
    .description(
      'Run a script in virtual time in the default cluster: a service script at /exec, an IVR script for a call. Prints its steps and the answer. HTTP requests of the script get the answers of --http, else no connection.',
    )
    .argument('<file>', 'file of the script; YAML or JSON')
    .argument('[nested...]', 'files of scripts that it runs')
    .option('--input <json>', 'body of the request to a service script, a JSON object', '{}')
    .option('--from <number>', 'number that calls an IVR script', '1001')
    .option('--press <ms:digits...>', 'digits that it presses, so many milliseconds after the answer', [])
    .option('--http <prefix=status:body...>', 'answer to HTTP requests whose address begins with the prefix', [])
    .option(
      '--duration <seconds>',
      'seconds that the run may take, as script_duration_sec of a domain; 0: a day',
      integerArgument('--duration', 0, 86_400),
      3_600,
    )
    .option(
      '--break <component...>',
      'stop before these components: commands from the terminal or standard input are vars, print NAME, step, continue, quit',
      [],
    )
    .option('--json', 'print the run as JSON')
    .action(runFile);
  const test = new Command('test')
    .description('Run the tests of scripts: files that name a script, with cases of input and expectations.')
    .argument('<files...>', 'files of tests, YAML')
    .action(testFiles);
  return new Command('script').addCommand(check).addCommand(run).addCommand(test);
}

async function checkFiles(files: string[], _options: object, command: Command): Promise<void> {
  await forEachFile(files, command, (file) => {
    const { kind, item } = readScript(file);
    const count = counted(item.components.length, 'component');
    process.stdout.write(`${file}: a valid ${scriptNouns[kind]}: ${count}\n`);
    for (const { name, component, field } of unsetNames(item.components))
      process.stderr.write(
        `${file}: warning: component "${component}", ${field}: nothing in the script sets "${name}"; ` +
          `expected a variable, one that a script passes in "params", or a text in quotes of its own: "'${name}'"\n`,
      );
  });
}

async function testFiles(files: string[], _options: object, command: Command): Promise<void> {
  await forEachFile(files, command, async (file) => {
    for (const { name, problems } of await runScriptTests(file)) {
      process.stdout.write(`${problems.length === 0 ? 'ok  ' : 'FAIL'} ${file}: ${name}\n`);
      for (const problem of problems) process.stdout.write(`       ${problem}\n`);
      if (problems.length > 0) process.exitCode = 1;
    }
  });
}

/** Reports what is wrong with a file, and goes on with the next one. */
async function forEachFile(files: string[], command: Command, work: (file: string) => void | Promise<void>) {
  const debug = command.optsWithGlobals<{ debug?: boolean }>().debug === true;
  await loadSandbox();
  for (const file of files) {
    try {
      await work(file);
    } catch (error) {
      process.exitCode = reportFailure(error, { debug });
    }
  }
}

interface RunOptions {
  readonly input: string;
  readonly from: string;
  readonly press: readonly string[];
  readonly http: readonly string[];
  readonly duration: number;
  readonly break: readonly string[];
  readonly json?: boolean;
}

async function runFile(file: string, nested: string[], options: RunOptions): Promise<void> {
  await loadSandbox();
  const scripts = [file, ...nested].map(readScript);
  const { from, json, press, duration } = options;
  const http = Object.fromEntries(options.http.map(stubbed));
  const presses = press.map(pressed);
  const input = jsonIn(options.input);
  const debug = debuggerFor(options.break, scripts);
  const outcome = await runScript(scripts, { input, from, http, presses, durationSec: duration, debug });
  process.stdout.write(json === true ? `${JSON.stringify(outcome, null, 2)}\n` : textOf(outcome));
  process.exitCode = outcome.run?.status === 'finished' ? 0 : 1;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new UsageError(`--input: expected JSON, got "${text}"`);
  }
}

/** Reads commands line by line, from a terminal or a pipe. */
function debuggerFor(breakpoints: readonly string[], scripts: readonly ScriptFile[]): ScriptDebugger | undefined {
  if (breakpoints.length === 0) return undefined;
  const known = new Set(scripts.flatMap(({ item }) => item.components.map(({ name }) => name)));
  const wrong = breakpoints.find((each) => !known.has(each));
  if (wrong !== undefined) throw new UsageError(`--break: ${expectedText('the name of a component', wrong, known)}`);
  const print = (text: string) => void process.stdout.write(text);
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const ask = async () => {
    if (process.stdin.isTTY) print('> ');
    const { done, value } = await lines.next();
    return done === true ? undefined : value;
  };
  return new ScriptDebugger({ breakpoints, ask, print });
}

function pressed(given: string) {
  const [, ms, digits = ''] = /^(\d{1,8}):([0-9*#A-D]{1,32})$/.exec(given) ?? [];
  if (ms === undefined) throw new UsageError(`--press: expected MS:DIGITS, such as 2000:12, got "${given}"`);
  return { afterMs: Number(ms), digits };
}

function stubbed(given: string) {
  const [, prefix, status, body = ''] = /^(https?:\/\/[^=]+)=([1-5]\d\d)(?::(.*))?$/s.exec(given) ?? [];
  if (prefix === undefined)
    throw new UsageError(
      `--http: expected PREFIX=STATUS:BODY with a status from 100 to 599, such as https://crm.test/=200:{}, got "${given}"`,
    );
  const headers = { 'content-type': 'application/json' };
  return [prefix, { status: Number(status), headers, body }] as const;
}

function textOf({ answer, run }: ScriptOutcome): string {
  const beganMs = run?.startts ?? 0;
  const steps = (run?.steps ?? []).map(
    ({ at, component, type, note }) => `+${Math.round(at - beganMs)} ms ${component} (${type}): ${note}\n`,
  );
  const problem = run?.problem === undefined ? '' : `failed: ${run.problem}\n`;
  const end = answer === undefined ? '' : `${answer.status} ${answer.body}\n`;
  return `${steps.join('')}${problem}variables: ${JSON.stringify(run?.variables ?? {})}\n${end}`;
}
