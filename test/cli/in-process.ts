/** The command line in the process of the tests: no start of Node, no import. Commands run one at a time. */
import type { ExecutionContext } from 'ava';
import { runCommandLine } from '../../sim/cli/program.ts';
import type { Ended } from './command.ts';

const signals = ['SIGINT', 'SIGTERM'] as const;
const variables = ['STROWGER_SECRET', 'STROWGER_CONTROL_TOKEN'];
let previous: Promise<unknown> = Promise.resolve();

/** Runs a command to its end. Of a command that opens ports and fails, parts stay: use `spawned` for it. */
export function strowger(_t: ExecutionContext, ...args: string[]): Promise<Ended> {
  return strowgerIn({}, ...args);
}

/** The same with these variables of the environment. */
export function strowgerIn(env: Readonly<Record<string, string>>, ...args: string[]): Promise<Ended> {
  const ended = previous.then(() => captured(args, env));
  previous = Promise.allSettled([ended]);
  return ended;
}

async function captured(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
  const out = capture(process.stdout);
  const err = capture(process.stderr);
  const handlers = signals.map((signal) => process.listeners(signal));
  for (const variable of variables) delete process.env[variable];
  Object.assign(process.env, env);
  try {
    const { code } = await runCommandLine(args);
    return { code, out: out.text(), err: err.text() };
  } finally {
    out.end();
    err.end();
    process.exitCode = undefined;
    for (const variable of Object.keys(env)) delete process.env[variable];
    for (const [index, signal] of signals.entries())
      for (const handler of process.listeners(signal))
        if (!handlers[index]?.includes(handler)) process.off(signal, handler);
  }
}

/** Collects what is written to a stream, in place of writing it. */
function capture(stream: NodeJS.WriteStream): { text(): string; end(): void } {
  const { write } = stream;
  const written: Buffer[] = [];
  const collect: typeof write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
    written.push(Buffer.from(chunk as string));
    const done = rest.find((each) => typeof each === 'function');
    if (done !== undefined) process.nextTick(done as () => void);
    return true;
  };
  stream.write = collect;
  return {
    text: () => Buffer.concat(written).toString('utf8'),
    end: () => {
      stream.write = write;
    },
  };
}
