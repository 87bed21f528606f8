/** Which calls must have a record where a callstore or a b2b has stopped. */
import { oneRecordACall } from '../../../../sim/oracles/rules/calls/one-record-a-call.ts';
import { test } from '../../../kit/test.ts';
import { Trial } from '../trial.ts';

const b2b = 'north/n1/b2b-214';
const callstore = 'north/n1/callstore-216';

/** A call whose b2b drains: one dialog of it, or two; and how long after its end the b2b has stopped. The callstore gets no end. */
function drained({ dialogs = ['d1'], stopMs = 0, isCrashed = false } = {}): Trial {
  const trial = new Trial(oneRecordACall, { answer: () => [] });
  const publish = (event: object, dialog?: object) =>
    trial.send({
      type: 'stream.published',
      from: b2b,
      to: callstore,
      body: { epoch: 1, items: [{ n: 1, event, dialog }] },
    });
  const domains = ['acme.root.test'];
  for (const dialogid of dialogs) publish({ name: 'invite', data: {} }, { dialogid, inviteid: 'i-d1', domains, b2b });
  trial.see('instance.crashed', { instance: callstore, reason: 'crash requested', cause: 'injected' });
  trial.see('instance.status', { instance: b2b, status: 'draining' });
  const end = { name: 'dlg_stop', domains, data: { dialogid: 'd1', inviteid: 'i-d1' } };
  const envelope = { id: 'x', kind: 'tell', from: b2b, to: callstore, type: 'stream.published', hops: 1 } as const;
  trial.see('envelope.sent', {
    node: 'n1',
    envelope: { ...envelope, body: { epoch: 1, items: [{ n: 2, event: end }] } },
  });
  trial.pass(stopMs);
  if (isCrashed) trial.see('instance.crashed', { instance: b2b, reason: 'crash requested', cause: 'injected' });
  return trial.see('instance.status', { instance: b2b, status: 'stopped' });
}

// Seeds 32380 and 32975: the callstore crashed before it had the last item, and the b2b did not wait for it.
for (const [what, trial, verdict] of [
  ['stops at once', () => drained(), 'fail'],
  ['stops when no callstore has answered for four seconds', () => drained({ stopMs: 4_000 }), 'unknown'],
  ['crashes', () => drained({ isCrashed: true }), 'unknown'],
  ['stops, and another dialog of the call goes on', () => drained({ dialogs: ['d1', 'd2'] }), 'unknown'],
] as const) {
  test(`one-record-a-call: a b2b that drains ${what}: ${verdict}`, async (t) => {
    t.is((await trial().quiesce()).verdict, verdict);
  });
}

for (const [what, isDead, hasStopped, verdict] of [
  ['has the end of a call', false, true, 'fail'],
  ['had stopped when the end came, and so had its source later', true, true, 'unknown'],
  ['had stopped when the end came, and fetches it', true, false, 'fail'],
] as const) {
  test(`one-record-a-call: a callstore ${what}: ${verdict}`, async (t) => {
    const trial = new Trial(oneRecordACall, { answer: () => [] });
    const event = { name: 'dlg_dead', domains: ['acme.root.test'], data: { inviteid: 'i-d1' } };
    const sent = { type: 'stream.published', from: b2b, to: callstore, body: { epoch: 1, items: [{ n: 1, event }] } };
    const id = trial.send(sent as never);
    if (isDead) trial.see('envelope.dead', { node: 'n1', envelope: { ...sent, id } as never, reason: 'stopped' });
    if (hasStopped) trial.see('instance.status', { instance: b2b, status: 'stopped' });
    t.is((await trial.quiesce()).verdict, verdict);
  });
}
