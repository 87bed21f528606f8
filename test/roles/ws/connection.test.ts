/** A web socket whose client causes an error: that socket is closed with 1011 and a reference, and nothing else ends. */

import { VirtualClock } from '../../../sim/ports/virtual-clock.ts';
import { VirtualSocket } from '../../../sim/world/virtual/virtual-socket.ts';
import { limits } from '../../../src/model/limits.ts';
import type { SessionRecord } from '../../../src/model/protocol/messages/session.ts';
import { Turns } from '../../../src/ports/turns.ts';
import type { Line, SocketClient } from '../../../src/roles/ws/socket-client.ts';
import { Connection } from '../../../src/roles/ws/sockets.ts';
import { test } from '../../kit/test.ts';

const session = {} as SessionRecord;

/** A connection whose client does this with a message. */
function connect(receive: (line: Line, text: string | undefined) => Promise<void> | void) {
  const clock = new VirtualClock(0);
  const reported: unknown[] = [];
  const socket = new VirtualSocket(() => {});
  let line: Line | undefined;
  socket.open(
    (end) =>
      new Connection({
        socket: end,
        key: 'k',
        clock,
        turns: new Turns(clock),
        use: () => session,
        makeClient: (its) => {
          line = its;
          return {
            receive: (text) => receive(its, text),
            stop: () => {},
            gaps: () => [],
          } as Partial<SocketClient> as SocketClient;
        },
        onClosed: () => {},
        report: (error) => {
          reported.push(error);
          return 'reference';
        },
      }),
  );
  return { socket, reported, line: line as Line };
}

const bug = new RangeError('Maximum call stack size exceeded');
const throwers: readonly [what: string, receive: (line: Line) => Promise<void> | void][] = [
  [
    'throws at once',
    () => {
      throw bug;
    },
  ],
  ['rejects', () => Promise.reject(bug)],
  ['fails a subscription', ({ fail }) => fail(bug)],
  [
    'fails a subscription and throws',
    ({ fail }) => {
      fail(bug);
      throw bug;
    },
  ],
];

for (const [what, receive] of throwers) {
  test(`a message that ${what} closes its socket with 1011, is reported once, and what is behind it is dropped`, async (t) => {
    const seen: unknown[] = [];
    const { socket, reported } = connect((line, text) => {
      seen.push(text);
      return receive(line);
    });
    socket.send('hostile');
    socket.send('behind');
    await Promise.resolve();
    await new Promise(setImmediate);
    t.is(socket.end?.code, 1011);
    t.regex(socket.end?.reason ?? '', /reference/);
    t.deepEqual(reported, [bug]);
    t.deepEqual(seen, ['hostile']);
  });
}

test('a reason fits into a close frame of 123 bytes', (t) => {
  const { socket, line } = connect(() => {});
  line.fail(bug);
  t.true(Buffer.byteLength(socket.end?.reason ?? 'x'.repeat(200)) <= 123);
});

test('texts for many sockets at once are written in slices, to each in their order, and before it is closed', (t) => {
  const clock = new VirtualClock(0);
  const turns = new Turns(clock);
  const written: string[][] = [];
  const connections = Array.from({ length: 250 }, (_, n) => {
    const texts: string[] = [];
    written.push(texts);
    let line: Line | undefined;
    const connection = new Connection({
      socket: {
        ...{ queuedBytes: 0, roomBytes: 1_000, pause: () => {}, resume: () => {}, ping: () => {}, abort: () => {} },
        send: (...sent) => texts.push(...sent),
        close: (code) => texts.push(`closed ${code}`),
      },
      ...{ key: String(n), clock, turns, use: () => session, onClosed: () => {}, report: () => 'reference' },
      makeClient: (its) => {
        line = its;
        return { receive: async () => {}, stop: () => {}, gaps: () => [] } as Partial<SocketClient> as SocketClient;
      },
    });
    return { connection, line: line as Line };
  });
  const reached = () => written.filter((texts) => texts.length > 0).length;
  for (const { line } of connections) line.send('one');
  for (const { line } of connections) line.send('two');
  t.is(reached(), limits.sliceTurns);
  connections.at(-1)?.connection.endSession();
  t.deepEqual(written.at(-1), ['one', 'two', 'closed 4401']);
  clock.advanceTo(1);
  t.is(reached(), 250);
  t.true(written.slice(0, -1).every((texts) => texts.join() === 'one,two'));
});
