/** A source of events: what it publishes when, and what it gives to consumers that missed some. */

import { SeededRandom } from '../../sim/ports/random.ts';
import { VirtualClock } from '../../sim/ports/virtual-clock.ts';
import type { RoleScope } from '../../src/cluster/role.ts';
import type { BodyOf, ReplyOf } from '../../src/model/protocol/catalogue.ts';
import { noFaultPoints } from '../../src/ports/instrumentation/fault-points.ts';
import { StreamSource } from '../../src/replication/stream-source.ts';
import { defaultMap } from '../kit/maps.ts';
import { test } from '../kit/test.ts';

const event = { class: 'callevents' as const, name: 'invite', domains: [], objects: [], data: {} };
const epoch = 7;

function source() {
  const clock = new VirtualClock(1_000);
  const sent: BodyOf<'stream.published'>[] = [];
  const scope = {
    clock,
    epoch,
    faultPoints: noFaultPoints,
    random: new SeededRandom(1),
    map: defaultMap,
    instance: defaultMap.instance('north/n1/b2b-214'),
    tell: (to: string, _type: string, body: unknown) => {
      if (to.endsWith('callstore-216')) sent.push(body as BodyOf<'stream.published'>);
    },
  };
  const events = new StreamSource(scope as unknown as RoleScope);
  const read = (after: BodyOf<'stream.read'>['after']): ReplyOf<'stream.read'> => {
    const answer = events.handlers['stream.read']({ after });
    if (!answer.ok) throw new Error(answer.fault.message);
    return answer.value;
  };
  return { clock, sent, events, read };
}

const numbersOf = ({ items }: { items: readonly { readonly n: number }[] }) => items.map(({ n }) => n);

test('a source publishes what happens at one instant in one message, and the end of a call at once', (t) => {
  const { clock, sent, events } = source();
  events.publish({ event });
  events.publish({ event });
  t.is(sent.length, 0);
  events.publish({ gone: '1' });
  t.deepEqual(sent.map(numbersOf), [[1, 2, 3]]);
  events.publish({ event });
  clock.advanceTo(clock.now());
  t.is(sent.length, 2);
});

test('a source gives the items behind a position, a page at a time; a position of another epoch is the beginning', (t) => {
  const { events, read } = source();
  for (let i = 0; i < 600; i += 1) events.publish({ gone: String(i) });
  t.deepEqual(numbersOf(read({ epoch, n: 598 })), [599, 600]);
  t.deepEqual(numbersOf(read({ epoch, n: 600 })), []);
  t.deepEqual(numbersOf(read({ epoch: epoch - 1, n: 598 })).slice(0, 2), [1, 2]);
  t.is(read({ epoch, n: 0 }).items.length, 500);
  t.is(read({ epoch, n: 0 }).last, 600);
});

test('a source keeps its last 20,000 items', (t) => {
  const { events, read } = source();
  for (let i = 0; i < 20_010; i += 1) events.publish({ gone: String(i) });
  t.is(numbersOf(read({ epoch, n: 1 }))[0], 11);
});
