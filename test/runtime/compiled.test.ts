/** The compiled peer table against the machine that it was made of. */
import assert from 'node:assert/strict';
import test from 'ava';
import fc from 'fast-check';
import { type PeerFact, peerMachine } from '../../src/machines/peer.ts';
import { compile } from '../../src/runtime/compiled.ts';
import { walk } from '../kit/machine-walk.ts';
import { holds } from '../kit/property.ts';

const facts: readonly PeerFact[] = [{ type: 'pong.received' }, { type: 'ping.missed' }];
const misses = fc.integer({ min: 1, max: 8 });

test('for any sequence of facts the table goes through the states of the machine and gives its orders', async (t) => {
  await holds(
    t,
    fc.property(misses, fc.array(fc.constantFrom(...facts), { maxLength: 60 }), (patience, told) => {
      const machine = peerMachine(patience);
      const table = compile(machine, facts);
      const actor = walk(machine, { input: undefined });
      let state = table.initial;
      assert.equal(state, actor.state);
      for (const fact of told) {
        const soFar = actor.orders.length;
        const step = table.step(state, fact);
        actor.send(fact);
        assert.equal(step.state, actor.state);
        assert.deepEqual(step.orders, actor.orders.slice(soFar));
        state = step.state;
      }
    }),
  );
});

test('a peer is found and lost in turns, and lost only after as many misses in a row as its patience', async (t) => {
  await holds(
    t,
    fc.property(misses, fc.array(fc.constantFrom(...facts), { maxLength: 60 }), (patience, told) => {
      const table = compile(peerMachine(patience), facts);
      let state = table.initial;
      let missed = 0;
      let last = 'unknown';
      for (const fact of told) {
        missed = fact.type === 'ping.missed' ? missed + 1 : 0;
        const step = table.step(state, fact);
        state = step.state;
        const isFound = fact.type === 'pong.received' && last !== 'peer.found';
        const isLost = missed >= patience && last !== 'peer.lost';
        assert.deepEqual(step.orders, isFound ? [{ type: 'peer.found' }] : isLost ? [{ type: 'peer.lost' }] : []);
        last = step.orders[0]?.type ?? last;
      }
    }),
  );
});

test('the table has the states of the machine, each once', (t) => {
  for (const patience of [1, 2, 5]) {
    const { states } = compile(peerMachine(patience), facts);
    t.deepEqual([...states].sort(), Object.keys(peerMachine(patience).states).sort());
  }
});

test('the same step is the same object each time, so that a ping makes no garbage', (t) => {
  const table = compile(peerMachine(3), facts);
  for (const state of table.states) {
    for (const fact of facts) t.is(table.step(state, fact), table.step(state, { ...fact }));
  }
});

test('a state or a fact that is not in the table is a bug', (t) => {
  const table = compile(peerMachine(3), facts);
  t.throws(() => table.step('elsewhere', { type: 'pong.received' }), { message: /no state "elsewhere"/ });
  t.throws(() => table.step('up', { type: 'sneezed' } as unknown as PeerFact), { message: /fact "sneezed"/ });
});
