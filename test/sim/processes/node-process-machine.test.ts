/** The life of the process of a node: what each event does in each state. */
import { initialTransition, transition } from 'xstate';
import { type NodeProcessEvent, nodeProcessMachine } from '../../../sim/processes/node-process-machine.ts';
import { test } from '../../kit/test.ts';

type Events = readonly NodeProcessEvent['type'][];

/** The state after these events, and the signals to the process. */
function after(events: Events) {
  let [snapshot] = initialTransition(nodeProcessMachine);
  const signals: string[] = [];
  for (const type of events) {
    const [next, actions] = transition(nodeProcessMachine, snapshot, { type });
    snapshot = next;
    signals.push(...actions.map((action) => action.type).filter((name) => !name.startsWith('xstate.')));
  }
  const [state] = snapshot.tags;
  return { state, signals: signals.join(), restarts: snapshot.context.restarts };
}

const none = { start: '', stop: '', crash: '', pause: '', resume: '', ready: '', ended: '' };

/** By state, how it is reached, and what the events do: the signals, and the state that is shown. */
const table: readonly [string, Events, Readonly<Record<NodeProcessEvent['type'], string>>][] = [
  ['down', [], { ...none, start: 'spawn starting' }],
  [
    'starting',
    ['start'],
    {
      ...none,
      stop: 'terminate down',
      crash: 'kill down',
      pause: 'suspend paused',
      ready: ' running',
      ended: ' restarting',
    },
  ],
  [
    'running',
    ['start', 'ready'],
    { ...none, stop: 'terminate down', crash: 'kill down', pause: 'suspend paused', ended: ' restarting' },
  ],
  [
    'paused',
    ['start', 'ready', 'pause'],
    {
      ...none,
      stop: 'continue,terminate down',
      crash: 'kill down',
      resume: 'continue running',
      ended: ' restarting',
    },
  ],
  [
    'paused while it starts',
    ['start', 'pause'],
    {
      ...none,
      stop: 'continue,terminate down',
      crash: 'kill down',
      resume: 'continue starting',
      ended: ' restarting',
    },
  ],
  ['ending', ['start', 'stop'], { ...none, stop: 'terminate down', crash: 'kill down' }],
  [
    'ending, to be started again',
    ['start', 'stop', 'start'],
    { ...none, stop: 'terminate down', crash: 'kill down', ended: 'spawn starting' },
  ],
  ['restarting', ['start', 'ended'], { ...none, start: 'spawn starting', stop: ' down', crash: ' down' }],
];

for (const [name, events, row] of table) {
  test(`a process that is ${name}: what each event does`, (t) => {
    const before = after(events);
    for (const [type, expected] of Object.entries(row)) {
      const now = after([...events, type as NodeProcessEvent['type']]);
      const signals = now.signals.slice(before.signals.length).replace(/^,/, '');
      t.is(`${signals} ${now.state}`, expected === '' ? ` ${before.state}` : expected, type);
    }
  });
}

test('a process that was stopped stays down when it is paused and resumed before it has ended', (t) => {
  t.like(after(['start', 'ready', 'stop', 'pause', 'resume', 'ended']), { state: 'down', restarts: 0 });
});

test('a process that was paused while it started runs when it has said so', (t) => {
  t.is(after(['start', 'pause', 'resume']).state, 'starting');
  t.is(after(['start', 'pause', 'ready', 'resume']).state, 'running');
});
