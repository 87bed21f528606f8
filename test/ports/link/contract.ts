/** What every link between nodes does, over sockets or in the simulated network. */
import type { ExecutionContext, SerialFn } from 'ava';
import { limits } from '../../../src/model/limits.ts';
import type { Link, LinkEvents } from '../../../src/ports/link.ts';

/** Nodes that are all peers of each other. Where one of two must dial, it is the first. */
export const nodeNames = ['a', 'b', 'c'] as const;
export type NodeName = (typeof nodeNames)[number];

export interface LinksUnderTest {
  /** The link of a node: a new one for each start of its process. */
  make(name: NodeName): Link;
  /** What the medium may take of a flood before the queue begins to fill. */
  readonly mediumBytes: number;
  /** Lets time pass until `isReached` holds. Rejects when it never will. */
  until(isReached: () => boolean): Promise<void>;
}

/** A node's link, opened, and all its events. */
export class Side {
  readonly link: Link;
  /** In order: `connected b`, `frame b` (the text is in `frames`), `disconnected b`. */
  readonly events: string[] = [];
  readonly frames: string[] = [];

  constructor(link: Link) {
    this.link = link;
  }

  open(): Promise<void> {
    const events: LinkEvents = {
      connected: (peer) => this.events.push(`connected ${peer}`),
      disconnected: (peer) => this.events.push(`disconnected ${peer}`),
      received: (peer, frame) => {
        this.events.push(`frame ${peer}`);
        this.frames.push(frame);
      },
    };
    return this.link.open(events);
  }

  count(event: string): number {
    return this.events.filter((each) => each === event).length;
  }

  isConnectedTo(peer: string): boolean {
    return this.count(`connected ${peer}`) > this.count(`disconnected ${peer}`);
  }
}

const limitBytes = limits.frameBytes;
/** Just as large as a frame may be, in characters of one, two, three and four bytes. */
const largest: readonly [what: string, frame: string][] = [
  ['one byte', 'x'.repeat(limitBytes)],
  ['two bytes', 'é'.repeat(limitBytes / 2)],
  ['three bytes', `${'ま'.repeat((limitBytes - 1) / 3)}x`],
  ['four bytes', '🂡'.repeat(limitBytes / 4)],
];

/** One test at a time: a flood of another one would delay the farewells of this one. */
export function linkContract(test: SerialFn, label: string, makeLinks: (t: ExecutionContext) => LinksUnderTest): void {
  /** A test of some nodes that are up and connected. Whatever it does, losses and connections take turns. */
  const testLinks = (
    title: string,
    body: (t: ExecutionContext, sides: Record<NodeName, Side>, world: LinksUnderTest) => Promise<void>,
    names: readonly NodeName[] = ['a', 'b'],
  ) =>
    test(`${label}: ${title}`, async (t) => {
      const world = makeLinks(t);
      const sides = Object.fromEntries(names.map((name) => [name, new Side(world.make(name))]));
      await Promise.all(Object.values(sides).map((side) => side.open()));
      await world.until(() => names.every((name) => isConnectedToAll(sides[name] as Side, name)));
      await body(t, sides as Record<NodeName, Side>, world);
      for (const name of names) assertTurns(t, sides[name] as Side);

      function isConnectedToAll(side: Side, self: NodeName): boolean {
        return names.every((peer) => peer === self || side.isConnectedTo(peer));
      }
    });

  testLinks('both sides hear of their connection, once', async (t, { a, b }) => {
    t.deepEqual(a.events, ['connected b']);
    t.deepEqual(b.events, ['connected a']);
  });

  testLinks('frames arrive once and in the order sent, in both directions', async (t, { a, b }, { until }) => {
    const numbers = Array.from({ length: 300 }, (_, number) => number);
    for (const number of numbers) {
      t.is(a.link.send('b', `a${number} ${'.'.repeat((number * 7_919) % 5_000)}`), undefined);
      t.is(b.link.send('a', `b${number}`), undefined);
    }
    await until(() => a.frames.length === 300 && b.frames.length === 300);
    t.deepEqual(
      b.frames.map((frame) => frame.split(' ')[0]),
      numbers.map((number) => `a${number}`),
    );
    t.deepEqual(
      a.frames,
      numbers.map((number) => `b${number}`),
    );
  });

  testLinks('a frame arrives as it was sent, whatever its characters', async (t, { a, b }, { until }) => {
    const frames = ['', ' ', '\0\r\n\t"\\\u007f', 'Ärger, 北, עברית', '👩‍👩‍👧 🂡', '\ufeff{}', '\u2028\uffff'];
    for (const frame of frames) t.is(a.link.send('b', frame), undefined);
    await until(() => b.frames.length === frames.length);
    t.deepEqual(b.frames, frames);
  });

  for (const [what, frame] of largest) {
    testLinks(`1 MiB in characters of ${what} is taken, a byte more is not`, async (t, { a, b }, { until }) => {
      t.is(a.link.send('b', `${frame}x`), 'frame_too_large');
      t.is(a.link.send('b', frame), undefined);
      t.is(a.link.send('b', 'after'), undefined);
      await until(() => b.frames.length === 2);
      t.true(b.frames[0] === frame, 'whole');
      t.is(b.frames[1], 'after');
      t.true(a.isConnectedTo('b'), 'the refusal cost nothing');
    });
  }

  test(`${label}: nothing can be sent to a peer before there is a connection`, async (t) => {
    const { make, until } = makeLinks(t);
    const a = new Side(make('a'));
    t.is(a.link.send('b', 'before open'), 'not_connected');
    await a.open();
    for (const peer of ['b', 'c', 'unknown', 'a']) t.is(a.link.send(peer, 'too soon'), 'not_connected');
    t.is(a.link.send('b', 'x'.repeat(limitBytes + 1)), 'not_connected', 'which counts before the size');
    const b = new Side(make('b'));
    await b.open();
    await until(() => a.isConnectedTo('b') && b.isConnectedTo('a'));
    t.is(a.link.send('b', 'now'), undefined);
    await until(() => b.frames.length === 1);
    t.deepEqual(b.frames, ['now']);
  });

  for (const [name, peer] of [
    ['a', 'b'],
    ['b', 'a'],
  ] as const) {
    const who = name === 'a' ? 'who dials' : 'who is dialled';
    const restart = async (sides: Record<NodeName, Side>, { make, until }: LinksUnderTest) => {
      const again = new Side(make(name));
      await again.open();
      await until(() => again.isConnectedTo(peer) && sides[peer].isConnectedTo(name));
      return again;
    };
    const assertFlow = async (t: ExecutionContext, side: Side, other: Side, { until }: LinksUnderTest) => {
      const counts = { here: side.frames.length, there: other.frames.length };
      t.is(side.link.send(peer, 'there'), undefined);
      t.is(other.link.send(name, 'and back'), undefined);
      await until(() => side.frames.length > counts.here && other.frames.length > counts.there);
      t.deepEqual([other.frames.at(-1), side.frames.at(-1)], ['there', 'and back']);
    };

    testLinks(`${who} closes: what was sent arrives, then the peer is notified`, async (t, sides, world) => {
      const frames = Array.from({ length: 100 }, (_, number) => `${number}`);
      for (const frame of frames) t.is(sides[name].link.send(peer, frame), undefined);
      const closing = sides[name].link.close();
      await world.until(() => !sides[peer].isConnectedTo(name));
      await closing;
      t.deepEqual(sides[peer].frames, frames);
      t.deepEqual(sides[peer].events.at(-1), `disconnected ${name}`);
      t.is(sides[peer].link.send(name, 'too late'), 'not_connected');
    });

    testLinks(`${who} crashes: the peer notices`, async (t, sides, world) => {
      sides[name].link.crash();
      await world.until(() => !sides[peer].isConnectedTo(name));
      t.is(sides[peer].link.send(name, 'too late'), 'not_connected');
    });

    for (const end of ['close', 'crash'] as const) {
      testLinks(`${who} comes back after a ${end}: connected again`, async (t, sides, world) => {
        await sides[name].link[end]();
        const again = await restart(sides, world);
        t.deepEqual(
          sides[peer].events.filter((event) => event !== `frame ${name}`),
          [`connected ${name}`, `disconnected ${name}`, `connected ${name}`],
        );
        await assertFlow(t, again, sides[peer], world);
      });

      testLinks(`${who} ends by a ${end}: nothing more is sent, and no more events come`, async (t, sides, world) => {
        t.is(sides[peer].link.send(name, 'on its way'), undefined);
        const before = [...sides[name].events];
        const ending = sides[name].link[end]();
        t.is(sides[name].link.send(peer, 'too late'), 'not_connected');
        await world.until(() => !sides[peer].isConnectedTo(name));
        await ending;
        t.is(sides[name].link.send(peer, 'too late'), 'not_connected');
        t.deepEqual(sides[name].events, before);
        t.deepEqual(sides[peer].frames, []);
      });
    }

    testLinks(`${who} resets: both lose the connection and get a new one`, async (t, sides, world) => {
      sides[name].link.reset(peer);
      await world.until(() => [sides.a.count('connected b'), sides.b.count('connected a')].every((n) => n === 2));
      t.deepEqual(sides.a.events, ['connected b', 'disconnected b', 'connected b']);
      t.deepEqual(sides.b.events, ['connected a', 'disconnected a', 'connected a']);
      await assertFlow(t, sides[name], sides[peer], world);
    });

    for (const [what, frame] of [...largest, ['which there may be few', 'x']] as const) {
      const title = `${who} sends more than the queue takes, in characters of ${what}: refused, lost, connected anew`;
      testLinks(title, async (t, sides, world) => {
        const least = Math.min(limits.peerQueueFrames, limits.peerQueueBytes / Buffer.byteLength(frame));
        const most = Math.ceil(least + world.mediumBytes / Buffer.byteLength(frame));
        let taken = 0;
        let refusal = sides[name].link.send(peer, frame);
        for (; refusal === undefined && taken <= most; taken++) refusal = sides[name].link.send(peer, frame);
        t.is(refusal, 'queue_full');
        t.true(taken >= least && taken <= most, `${taken} frames were taken`);
        t.is(sides[name].link.send(peer, 'at once'), 'not_connected');
        await world.until(() => [sides.a.count('connected b'), sides.b.count('connected a')].every((n) => n === 2));
        t.true(sides[peer].frames.length <= taken);
        await assertFlow(t, sides[name], sides[peer], world);
      });
    }
  }

  testLinks('a reset where there is no connection does nothing', async (t, { a, b }, { until }) => {
    for (const peer of ['c', 'unknown', 'a']) a.link.reset(peer);
    t.is(a.link.send('b', 'still there'), undefined);
    await until(() => b.frames.length === 1);
    t.deepEqual(a.events, ['connected b']);
  });

  testLinks('to end an ended link is harmless', async (t, { a, b }, { until }) => {
    await a.link.close();
    await until(() => !b.isConnectedTo('a'));
    await a.link.close();
    a.link.crash();
    b.link.crash();
    b.link.crash();
    await b.link.close();
    b.link.reset('a');
    t.deepEqual(a.events, ['connected b']);
  });

  test(`${label}: a link that was never opened can be closed`, async (t) => {
    const { make } = makeLinks(t);
    await t.notThrowsAsync(make('a').close());
    t.notThrows(() => make('b').crash());
  });

  testLinks(
    'what befalls one connection leaves the others alone',
    async (t, { a, b, c }, { until }) => {
      a.link.reset('b');
      t.is(a.link.send('c', 'one'), undefined);
      await until(() => a.count('connected b') === 2 && c.frames.length === 1);
      c.link.crash();
      await until(() => !a.isConnectedTo('c') && !b.isConnectedTo('c'));
      t.is(a.link.send('b', 'two'), undefined);
      await until(() => b.frames.length === 1);
      t.deepEqual(c.frames, ['one']);
      t.is(a.count('connected c'), 1);
      t.is(b.count('connected c'), 1);
    },
    nodeNames,
  );
}

/** Of each peer: connected, then lost, then connected … and frames only while connected. */
function assertTurns(t: ExecutionContext, side: Side): void {
  const connected = new Set<string>();
  for (const event of side.events) {
    const [what, peer = ''] = event.split(' ');
    t.is(connected.has(peer), what !== 'connected', `${event}, in ${side.events.slice(-20).join(', ')}`);
    if (what === 'connected') connected.add(peer);
    if (what === 'disconnected') connected.delete(peer);
  }
}
