/** What every log does, on standard error or in the journal of a run. */
import type { ExecutionContext, SerialFn } from 'ava';
import type { Log, LogFields, LogLevel } from '../../src/ports/log.ts';

/** A line to be written: through a log with these ancestors' fields, the oldest first. */
export interface LogWrite {
  readonly children?: readonly LogFields[];
  readonly level: LogLevel;
  readonly event: string;
  readonly fields?: LogFields;
}

/** A line as it was found: its event, and the fields that the log did not add itself. */
export interface LogLine {
  readonly event: string;
  readonly fields: LogFields;
}

/** Writes all to `log`. */
export function writeAll(log: Log, writes: readonly LogWrite[]): void {
  for (const { children = [], level, event, fields } of writes) {
    const child = children.reduce((parent, more) => parent.child(more), log);
    if (fields === undefined) child.write(level, event);
    else child.write(level, event, fields);
  }
}

export function logContract(
  test: SerialFn,
  label: string,
  logged: (t: ExecutionContext, writes: readonly LogWrite[]) => Promise<readonly LogLine[]>,
): void {
  test(`${label}: each event is one line, in the order written`, async (t) => {
    const events = Array.from({ length: 2_000 }, (_, number) => `event.${number}`);
    const lines = await logged(
      t,
      events.map((event) => ({ level: 'warn', event })),
    );
    t.deepEqual(
      lines,
      events.map((event) => ({ event, fields: {} })),
    );
  });

  test(`${label}: fields stand as they were given, whatever their characters`, async (t) => {
    const fields = { node: 'n1', count: 3, isUp: false, text: 'two\nlines, "quoted" \\ ü 🂡 %s', 'a.b': 0 };
    const lines = await logged(t, [
      { level: 'warn', event: 'odd.fields', fields },
      { level: 'error', event: '100 %s %d %j', fields: { a: 'b' } },
    ]);
    t.deepEqual(lines, [
      { event: 'odd.fields', fields },
      { event: '100 %s %d %j', fields: { a: 'b' } },
    ]);
  });

  test(`${label}: a field without a value is left out`, async (t) => {
    const lines = await logged(t, [
      { level: 'warn', event: 'some', fields: { here: 1, gone: undefined } },
      { level: 'warn', event: 'none', fields: { gone: undefined } },
      { level: 'warn', event: 'child', children: [{ node: 'n1', gone: undefined }] },
    ]);
    t.deepEqual(lines, [
      { event: 'some', fields: { here: 1 } },
      { event: 'none', fields: {} },
      { event: 'child', fields: { node: 'n1' } },
    ]);
  });

  test(`${label}: a child adds its fields to each line, and the parent stays as it is`, async (t) => {
    const n1 = { node: 'n1' };
    const esg = { instance: 'esg-21' };
    const lines = await logged(t, [
      { level: 'warn', event: 'grandchild', children: [n1, esg], fields: { peer: 'n2' } },
      { level: 'error', event: 'child', children: [n1] },
      { level: 'warn', event: 'parent', fields: { peer: 'n3' } },
    ]);
    t.deepEqual(lines, [
      { event: 'grandchild', fields: { node: 'n1', instance: 'esg-21', peer: 'n2' } },
      { event: 'child', fields: { node: 'n1' } },
      { event: 'parent', fields: { peer: 'n3' } },
    ]);
  });

  test(`${label}: the nearer of two values of a field counts`, async (t) => {
    const lines = await logged(t, [
      {
        level: 'warn',
        event: 'near',
        children: [
          { a: 1, b: 1, c: 1 },
          { b: 2, c: 2 },
        ],
        fields: { c: 3 },
      },
    ]);
    t.deepEqual(lines, [{ event: 'near', fields: { a: 1, b: 2, c: 3 } }]);
  });
}
