/** The log port: JSON lines on standard error, and the journal of a run. */

import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { serialize } from 'node:v8';
import type { ExecutionContext } from 'ava';
import { Journal } from '../../sim/ports/journal.ts';
import { VirtualClock } from '../../sim/ports/virtual-clock.ts';
import type { Log, LogFields, LogLevel } from '../../src/ports/log.ts';
import { test } from '../kit/test.ts';
import { type LogLine, type LogWrite, logContract, writeAll } from './log-contract.ts';

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

interface PinoLine extends LogFields {
  readonly level: number;
  readonly time: number;
  readonly msg: string;
}

/** The lines that a process leaves on standard error which does these writes and ends. */
async function linesOf(
  t: ExecutionContext,
  writes: readonly LogWrite[],
  options: { level?: string; end?: string } = {},
): Promise<PinoLine[]> {
  return (await textLinesOf(t, writes, options)).map((line) => JSON.parse(line) as PinoLine);
}

async function textLinesOf(
  t: ExecutionContext,
  writes: readonly LogWrite[],
  { level = 'debug', end = 'end', form = 'json' } = {},
): Promise<string[]> {
  const script = fileURLToPath(new URL('log-writer.js', import.meta.url));
  const writer = spawn(process.execPath, [script, level, end, form], { stdio: 'pipe' });
  t.teardown(() => writer.kill('SIGKILL'));
  writer.stdin.end(serialize(writes));
  const ended = new Promise((resolve) => writer.once('close', resolve));
  const [out, err] = await Promise.all([text(writer.stdout), text(writer.stderr)]);
  t.is(out, 'not a word of the log');
  t.is(await ended, end === 'exit' ? 3 : 0);
  t.true(err === '' || err.endsWith('\n'), 'whole lines');
  return err.split('\n').slice(0, -1);
}

logContract(test, 'pino', async (t, writes) => {
  const lines = await linesOf(t, writes);
  return lines.map(({ level: _level, time: _time, msg, ...fields }) => ({ event: msg, fields }));
});

logContract(test, 'journal', async (_t, writes) => {
  const journal = new Journal(new VirtualClock(0), { keep: true });
  writeAll(journal.log(collecting([])), writes);
  return journal.lines.map((line) => {
    const [, event = '', fields = ''] = /^0 log (.*) (\{.*\})\n$/.exec(line) ?? [];
    return { event, fields: JSON.parse(fields) as LogFields };
  });
});

logContract(test, 'behind a journal', async (_t, writes) => {
  const lines: LogLine[] = [];
  writeAll(new Journal(new VirtualClock(0)).log(collecting(lines)), writes);
  return lines;
});

test('pino: what is below the level of the log is left out', async (t) => {
  const lines = await linesOf(
    t,
    levels.map((level) => ({ level, event: level })),
    { level: 'warn' },
  );
  t.deepEqual(
    lines.map(({ msg }) => msg),
    ['warn', 'error'],
  );
});

test('pino: a silent log writes nothing', async (t) => {
  const writes = levels.map((level) => ({ level, event: level, children: [{ node: 'n1' }] }));
  t.deepEqual(await linesOf(t, writes, { level: 'silent' }), []);
});

test('pino: a line has its level and the time, and nothing of the machine or the process', async (t) => {
  const startMs = Date.now();
  const [line] = await linesOf(t, [{ level: 'warn', event: 'one', fields: { a: 1 } }]);
  t.deepEqual({ ...line, time: 0 }, { level: 40, time: 0, a: 1, msg: 'one' });
  t.true(Number(line?.time) >= startMs && Number(line?.time) <= Date.now());
});

test('pino: as text, an event is one line with its time, level and fields, and no field can forge a line', async (t) => {
  const fields = { by: 'hq/h1', reason: 'two\nlines of it', count: 3 };
  const writes = [{ level: 'warn', event: 'node.lost', fields, children: [{ node: 'n1' }] }] as const;
  const lines = await textLinesOf(t, writes, { form: 'text' });
  t.is(lines.length, 1);
  t.regex(lines[0] ?? '', /^\d\d:\d\d:\d\d warn {2}node\.lost node=n1 by=hq\/h1 reason="two\\nlines of it" count=3$/);
});

test('pino: lines are not lost when the process exits right after them', async (t) => {
  const writes = Array.from({ length: 5_000 }, (_, number) => ({ level: 'error', event: `event.${number}` }) as const);
  const lines = await linesOf(t, writes, { end: 'exit' });
  t.deepEqual(
    lines.map(({ msg }) => msg),
    writes.map(({ event }) => event),
  );
});

/** A log that keeps its lines. */
function collecting(lines: LogLine[], own: LogFields = {}): Log {
  const valued = (fields: LogFields) =>
    Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return {
    write: (_level, event, fields) => void lines.push({ event, fields: valued({ ...own, ...fields }) }),
    child: (fields) => collecting(lines, { ...own, ...fields }),
  };
}
