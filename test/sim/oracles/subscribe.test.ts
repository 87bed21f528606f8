/** What the listeners of an oracle are called with. */
import { Observers } from '../../../sim/observation/observers.ts';
import type { ObservationListeners } from '../../../sim/oracles/oracle.ts';
import { subscribe } from '../../../sim/oracles/oracle-runner.ts';
import { PublishedItems } from '../../../sim/oracles/published.ts';
import { byType, together } from '../../../sim/oracles/rules/kit/shared.ts';
import type { Envelope } from '../../../src/model/cluster/envelope.ts';
import type { SipMessage } from '../../../src/model/sip/message.ts';
import { test } from '../../kit/test.ts';

const b2b = 'north/n1/b2b-214';
const items = [
  { n: 1, dialog: { dialogid: 'd' }, event: { class: 'callevents', name: 'invite', data: {} } },
  { n: 2, event: { class: 'confevents', name: 'conf_start', data: {} } },
  { n: 3, gone: 'd' },
];

/** Observers with the listeners of an oracle; errors are kept. */
function subscribed(listeners: ObservationListeners) {
  const observers = new Observers(() => 0);
  const published = new PublishedItems();
  const errors: unknown[] = [];
  subscribe({ listeners }, { observe: observers.add.bind(observers), published }, (hear) => (observation) => {
    try {
      hear(observation);
    } catch (error) {
      errors.push(error);
    }
  });
  const publish = (to: string, some: unknown = items) =>
    published.take(
      { type: 'stream.published', from: b2b, to, body: { epoch: 1, items: some } } as unknown as Envelope,
      0,
    );
  return { observers, publish, errors };
}

test('what is published to several consumers is heard once, each part by its listeners', (t) => {
  const heard: string[] = [];
  const { publish } = subscribed({
    'published.items': (all) => heard.push(`${all.items.length} of ${all.from}`),
    'published.dialog': ({ dialog }) => heard.push(dialog.dialogid),
    'published.event': { callevents: ({ event }) => heard.push(event.name) },
    'published.gone': ({ gone }) => heard.push(`${gone} is gone`),
  });
  for (const consumer of ['north/n1/callstore-1', 'north/n2/callstore-2']) publish(consumer);
  const once = [`3 of ${b2b}`, 'd', 'invite', 'd is gone'];
  t.deepEqual(heard, once);
  publish('north/n1/callstore-1', [...items]);
  t.deepEqual(heard, [...once, ...once]);
});

test('a listener by type hears its type only', (t) => {
  const heard: string[] = [];
  const { observers } = subscribed({
    'entity.state': { leg: ({ key }) => heard.push(`leg ${key}`) },
    'outside.sent': byType(['INVITE', 'BYE'], ({ message }) => heard.push(message.method)),
    'envelope.sent': { sip: ({ envelope }) => heard.push(envelope.type) },
  });
  for (const machine of ['leg', 'dialog'])
    observers.entityState({ owner: b2b, machine, key: 'c', state: 'ringing', before: undefined });
  for (const method of ['INVITE', 'ACK', 'BYE'])
    observers.report('outside.sent', { from: 'a', to: 'b', message: { method } as SipMessage });
  for (const type of ['sip', 'peer.ping']) observers.sent('n1', { type } as Envelope);
  t.deepEqual(heard, ['leg c', 'INVITE', 'BYE', 'sip']);
});

test('listeners that are merged are called in their order, by type too', (t) => {
  const heard: string[] = [];
  const hears = (name: string) => (): void => void heard.push(name);
  const { observers } = subscribed(
    together(
      { 'node.started': hears('one'), 'entity.state': { peer: hears('peer') } },
      together({ 'node.started': hears('two') }, { 'node.started': hears('three') }),
      { 'entity.state': byType(['peer', 'leg'], hears('any')) },
    ),
  );
  observers.report('node.started', { node: 'n1' });
  for (const machine of ['peer', 'leg'])
    observers.entityState({ owner: 'n1', machine, key: 'n2', state: 'up', before: undefined });
  t.deepEqual(heard, ['one', 'two', 'three', 'peer', 'any', 'any']);
  t.throws(() => together({ 'entity.state': hears('all') }, { 'entity.state': { leg: hears('leg') } }), {
    message: 'entity.state: a listener by type, and one for all',
  });
});

test('each listener is guarded by itself', (t) => {
  const fails = (): never => {
    throw new Error('a bug');
  };
  const { observers, publish, errors } = subscribed({
    'node.started': fails,
    'entity.state': { leg: fails },
    'published.event': { confevents: fails },
    'published.gone': fails,
  });
  observers.report('node.started', { node: 'n1' });
  observers.entityState({ owner: b2b, machine: 'leg', key: 'c', state: 'ringing', before: undefined });
  publish('north/n1/callstore-1');
  t.is(errors.length, 4);
});
