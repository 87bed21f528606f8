/** The cost of an entity in its host, against a bare root actor of the same machine: start, send, memory. */
import { type Actor, type AnyStateMachine, createActor } from 'xstate';
import { actorClock } from '../../src/actors/actor-logic.ts';
import { Counters } from '../../src/actors/counters.ts';
import { EntityHost } from '../../src/actors/entity-host.ts';
import { banMachine } from '../../src/machines/access/ban.ts';
import { VirtualClock } from '../ports/virtual-clock.ts';
import { atMost, type BenchRow, compare, heapBytes, median, timed } from './measure.ts';

const count = 10_000;
const input = { atMs: 0, untilMs: 1e9 };
/** Asked again for no longer: an event that every entity of the product meets, with a guard and without a timer. */
const event = { type: 'ban.extended', atMs: 0, untilMs: 1 } as const;
const keys = Array.from({ length: count }, (_, i) => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`);

function makeHost(): EntityHost<typeof banMachine> {
  const onCrash = (error: unknown) => {
    throw error;
  };
  return new EntityHost({
    machine: banMachine,
    clock: new VirtualClock(0),
    counters: new Counters(),
    onCommand() {},
    onCrash,
  });
}

function startHosted(): EntityHost<typeof banMachine> {
  const host = makeHost();
  for (const key of keys) host.start(key, input);
  return host;
}

function startBare(): Actor<AnyStateMachine>[] {
  const clock = actorClock(new VirtualClock(0));
  return keys.map(() => createActor<AnyStateMachine>(banMachine, { clock, input }).start());
}

/** Milliseconds of a start and of a send on bare XState. */
export async function bareCosts(): Promise<{ startMs: number; sendMs: number }> {
  const startMs: number[] = [];
  const sendMs: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    let actors: Actor<AnyStateMachine>[] = [];
    startMs.push(
      await timed(() => {
        actors = startBare();
      }),
    );
    sendMs.push(
      await timed(() => {
        for (const actor of actors) actor.send(event);
      }),
    );
    for (const actor of actors) actor.stop();
  }
  return { startMs: median(startMs) / count, sendMs: median(sendMs) / count };
}

export async function entityRows(): Promise<BenchRow[]> {
  const start = await compare(startHosted, startBare, 9);
  const host = startHosted();
  const actors = startBare();
  const send = await compare(
    () => {
      for (const key of keys) host.send(key, event);
    },
    () => {
      for (const actor of actors) actor.send(event);
    },
    15,
  );
  host.stopAll();
  for (const actor of actors) actor.stop();
  const [hostedBytes, bareBytes] = [bytesOf(startHosted), bytesOf(startBare)];
  const each = (ms: number) => `${((ms / count) * 1_000).toFixed(1)} µs`;
  const row = (name: string, ratio: number, detail: string) =>
    atMost(1.3, { name, floor: 'bare XState root actor', ratio, detail });
  return [
    row('entity: start', start.ratio, `${each(start.aMs)} against ${each(start.bMs)}`),
    row('entity: send', send.ratio, `${each(send.aMs)} against ${each(send.bMs)}`),
    row('entity: bytes', hostedBytes / bareBytes, `${Math.round(hostedBytes)} against ${Math.round(bareBytes)}`),
    await growthRow(),
  ];
}

function bytesOf(start: () => unknown): number {
  const before = heapBytes();
  const kept = start();
  const bytes = (heapBytes() - before) / count;
  return kept === undefined ? 0 : bytes;
}

/** Adding the last thousand of ten thousand against adding the first thousand. */
async function growthRow(): Promise<BenchRow> {
  const ratios: number[] = [];
  for (let round = 0; round < 9; round += 1) {
    const host = makeHost();
    const add = (from: number, to: number) => () => {
      for (const key of keys.slice(from, to)) host.start(key, input);
    };
    const firstMs = await timed(add(0, 1_000));
    await timed(add(1_000, count - 1_000));
    const lastMs = await timed(add(count - 1_000, count));
    ratios.push(lastMs / firstMs);
  }
  return atMost(1.5, {
    name: 'entity: the 10,000th',
    floor: 'the first, same host',
    ratio: median(ratios),
    detail: 'starting the last 1,000 of 10,000 against the first 1,000',
  });
}
