import { eventsDeclared } from '../../../sim/oracles/rules/interface/events-declared.ts';
import { test } from '../../kit/test.ts';
import { Trial } from './trial.ts';

const b2b = 'hq/h1/b2b-1';
const call = {
  ...{ eventid: '0f8fad5b-d9cb-469f-a165-70867728950e', eventts: '2026-01-01T00:00:01.000Z' },
  ...{ acallid: 'a', cid: 'i1', inviteid: 'i1', invitets: '2026-01-01T00:00:00.000Z', dialogid: 'd1' },
};

type Data = Readonly<Record<string, unknown>>;

/** An instance publishes two events of a call, the second with these data. */
function published(name: string, data: Data): Trial {
  const trial = new Trial(eventsDeclared);
  [
    { name: 'dlg_call', data: call },
    { name, data },
  ].forEach((event, index) => {
    const items = [{ n: index + 1, event: { class: 'callevents', domains: ['d'], objects: [], ...event } }];
    trial.send({ type: 'stream.published', from: b2b, body: { epoch: 1, items } });
  });
  return trial;
}

for (const [what, verdict, name, data] of [
  ['all fields', 'pass', 'refer', { ...call, by: 'a', referto: '<sip:1002@d>' }],
  ['a missing field', 'fail', 'refer', { ...call, by: 'a' }],
  ['a field of another kind', 'fail', 'refer', { ...call, by: 1, referto: '<sip:1002@d>' }],
  ['a field too many', 'fail', 'dlg_call', { ...call, referto: '<sip:1002@d>' }],
  ['an unknown event', 'fail', 'dlg_pause', call],
  ['another dialog', 'fail', 'dlg_call', { ...call, dialogid: 'd2' }],
  ['another cid', 'fail', 'dlg_call', { ...call, cid: 'i2' }],
  ['no dialog yet', 'pass', 'dlg_dead', { ...call, dialogid: '', type: 'dead', reason: '' }],
] as readonly (readonly [string, string, string, Data])[]) {
  test(`events-declared: ${what}: ${verdict}`, (t) => {
    const trial = published(name, data);
    t.is(trial.verdict, verdict as never, trial.failures.join());
  });
}

test('events-declared: what a subscriber hears is judged too', (t) => {
  const trial = published('dlg_call', call);
  const message = { socket: 1, site: 'hq', client: 'c', direction: 'out' } as const;
  const text = (data: object) => JSON.stringify(['event', { id: 'w', class: 'callevents', event: 'dlg_call', data }]);
  t.is(trial.see('socket.message', { ...message, text: text(call) }).verdict, 'pass');
  t.is(trial.see('socket.message', { ...message, text: text({ ...call, inviteid: undefined }) }).verdict, 'fail');
});
