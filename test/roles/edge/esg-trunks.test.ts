/** How long the external gate counts a call that is silent: while it rings, while it talks, and at its end. */
import { cancelOf } from '../../../src/sip/outgoing-messages.ts';
import { answered, callOut, counts, inDialog, startTelecom, type Telecom } from '../../kit/calls/telecom.ts';
import { test } from '../../kit/test.ts';

/** What the provider has got of a call. */
function methodsOf({ provider }: Telecom, callid: string): string[] {
  return provider.requests.filter((each) => each.callid === callid).map(({ method }) => method);
}

test('a provider that rings for three minutes is counted all the time, and its call can be taken back', async (t) => {
  const call = await startTelecom(1);
  const invite = callOut(call, 'c');
  await call.cluster.pass();
  call.provider.reply(call.provider.requests.at(-1)!, 180);
  await call.cluster.pass(175_000);
  t.is((await counts(call)).trunks, 1);
  callOut(call, 'd');
  await call.cluster.pass();
  t.deepEqual(
    call.cluster.responsesInside.filter(({ status }) => status === 503).map(({ callid }) => callid),
    ['d'],
  );
  call.cluster.tell('b2b-223', 'esg-221', cancelOf(invite));
  await call.cluster.pass();
  t.deepEqual(methodsOf(call, 'c'), ['INVITE', 'CANCEL']);
});

test('a gate that has started anew passes on the CANCEL of a call that rings', async (t) => {
  const call = await startTelecom();
  const invite = callOut(call, 'c');
  await call.cluster.pass();
  call.provider.reply(call.provider.requests.at(-1)!, 180);
  await call.cluster.pass();
  call.cluster.probed.faults.crashInstance('esg-221');
  await call.cluster.pass(2_000);
  call.cluster.tell('b2b-223', 'esg-221', cancelOf(invite));
  await call.cluster.pass();
  t.deepEqual(methodsOf(call, 'c'), ['INVITE', 'CANCEL']);
});

test('a provider that answers neither INVITE nor BYE gives the trunk back soon after b2b has given up', async (t) => {
  const call = await startTelecom(1);
  callOut(call, 'silent');
  await call.cluster.pass(50_000);
  t.is((await counts(call)).trunks, 0);
  const invite = await answered(call, 'c', 200);
  call.cluster.tell('b2b-223', 'esg-221', inDialog(invite, 'BYE'));
  await call.cluster.pass(20_000);
  t.is((await counts(call)).trunks, 1);
  await call.cluster.pass(30_000);
  t.is((await counts(call)).trunks, 0);
});
