/** The helper behind the tables: it must notice what a table leaves out. */
import test from 'ava';
import { nodeMachine } from '../../src/machines/node.ts';
import { siteMachine } from '../../src/machines/site.ts';
import { differences } from '../kit/machine-table.ts';

const facts = { listening: true, 'drain.requested': true, drained: true } as const;

test('a table that leaves a fact of a state out is found out', (t) => {
  t.deepEqual(
    differences({ machine: nodeMachine, facts, rows: [['starting', { type: 'listening' }, 'serving', []]] }),
    {
      missing: [
        'starting × drain.requested',
        'starting × drained',
        'serving × listening',
        'serving × drain.requested',
        'serving × drained',
        'draining × listening',
        'draining × drain.requested',
        'draining × drained',
      ],
      strange: [],
    },
  );
});

test('a row of a state that the machine has not, or of its end, is found out', (t) => {
  const { strange } = differences({
    machine: nodeMachine,
    facts,
    rows: [
      ['sleeping', { type: 'listening' }, 'serving', []],
      ['stopped', { type: 'listening' }, 'stopped', []],
    ],
  });
  t.deepEqual(strange, ['sleeping × listening', 'stopped × listening']);
});

test('states inside others are states of their own, those around them are not', (t) => {
  const { missing } = differences({
    machine: siteMachine,
    facts: { 'members.seen': true, 'tie.granted': true, 'tie.denied': true },
    rows: [],
  });
  t.is(missing.length, 6 * 3);
  t.true(missing.includes('tied.held × tie.denied'));
  t.false(missing.some((pair) => pair.startsWith('tied ×')));
});
