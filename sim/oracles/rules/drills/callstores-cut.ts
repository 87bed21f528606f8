/** The callstores of a site receive nothing from its b2b instances while calls begin, change and end. */
import { exactly, isSame, longTextOf } from '../use-cases/calls/call-judges.ts';
import { calls, patienceOf, type SteadyUser, steadyUsers } from '../use-cases/kit/call.ts';
import type { Item, Judge } from '../use-cases/kit/use-case.ts';
import { agree, endAll } from './kit/agreement.ts';
import { type CallEvents, eventsAt } from './kit/call-events.ts';
import { type Drill, drillOf } from './kit/drill.ts';
import * as known from './kit/known-call.ts';
import { connectPair, type KnownCall } from './kit/known-call.ts';

const label = 'callstores-cut';
/** Less than callstores keep the calls of a b2b instance that they do not reach. */
const cutMs = 1_000;

export const callstoresCut = drillOf({
  name: 'callstores-cut',
  rule: 'When nothing passes between the callstores of a site and its b2b instances while one call begins, another one gets labels and a recording, and a third one ends, then afterwards each front shows the first two as they are, and the third not; that one has one record, and each subscriber has each event once and in order.',
  exclusions: 'Domains with fewer than two phones that are registered and answer, and whose users limit no calls.',
  sender: '10.6.1.13',
  play: async (drill) => {
    const users = await steadyUsers(drill, 2);
    const [x, y] = users;
    if (x === undefined || y === undefined) return;
    const subscribers = await eventsAt(drill, drill.sites);
    try {
      await cut(drill, [x, y], subscribers);
    } finally {
      await drill.end();
      await endAll(drill, users);
      for (const subscriber of subscribers) await subscriber.close();
    }
  },
});

async function cut(
  drill: Drill,
  pair: readonly [SteadyUser, SteadyUser],
  subscribers: readonly CallEvents[],
): Promise<void> {
  const [x, y] = pair;
  const changes = await connectPair(drill, pair, { label });
  const ends = await connectPair(drill, pair, { label });
  if (changes === undefined || ends === undefined || changes.opts['recording'] === true) return;
  const { map, questions } = drill.context;
  const at = changes.b2b.site;
  const namesOf = (role: 'callstore' | 'b2b') => map.serving(role, at, drill.domain).map(({ name }) => name);
  // Nothing is cut within a node: another member of the group is to serve.
  const near = drill.activeOf('callstore', at).filter(({ node }) => node === changes.b2b.node);
  for (const store of near) drill.crash(store);
  if (near.length > 0) await drill.becomesWhole();
  let begun: Item = {};
  await drill.during(
    (faults) => faults.cut({ from: namesOf('callstore'), to: namesOf('b2b') }),
    async () => {
      const body = { from: x.number, to: y.number, response_mode: 3, label };
      const starting = drill.ask(calls, { method: 'INVITE', body });
      const done = { dialogid: changes.dialogid, result: 'ok' };
      const set = (method: string, given: Item) => drill.ask(changes.path, { method, body: given, site: drill.there });
      const bound = await set('SETUP_BINDINGS', { add: [label] });
      drill.expect('SETUP_BINDINGS during the cut', bound, exactly(200, { ...done, bindings: [label] }));
      const recorded = await set('SETUP_RECORD', { action: 'start' });
      drill.expect('SETUP_RECORD during the cut', recorded, exactly(200, done));
      const ended = await drill.ask(ends.path, { method: 'DELETE', site: drill.there });
      drill.expect('DELETE during the cut', ended, exactly(200, { dialogid: ends.dialogid, result: 'ok' }));
      begun = ((await starting)?.body ?? {}) as Item;
      await questions.wait(cutMs);
    },
  );
  const changed: Judge = (answer) => {
    const opts = ((answer?.body as Item | undefined)?.['opts'] ?? {}) as Item;
    return isSame(opts['bindings'], [label]) && opts['recording'] === true
      ? undefined
      : `expected a label and a recording, got ${longTextOf(answer)}`;
  };
  const withinMs = patienceOf(drill);
  await drill.everywhere(changes.path, changed, withinMs);
  await known.isGone(drill, ends, { withinMs });
  await known.hasRecord(drill, ends, { type: 'call_terminate' });
  await known.heard(drill, ends, subscribers, ['dlg_end', 'dlg_stop'], withinMs);
  const now = await known.asShown(drill, changes);
  if (now !== undefined) await known.goesOn(drill, now);
  await known.heard(drill, changes, subscribers, [], withinMs);
  await judgeBegun(drill, { begun, like: changes, subscribers });
  await agree(drill, pair, { subscribers });
}

interface Begun {
  readonly begun: Item;
  readonly like: KnownCall;
  readonly subscribers: readonly CallEvents[];
}

/** The call that has begun during the cut. */
async function judgeBegun(drill: Drill, { begun, like, subscribers }: Begun): Promise<void> {
  const { dialogid, acallid, bcallid, result, last_response: last } = begun as Record<string, string>;
  // Phones and rules may refuse it.
  if (result !== 'ok' || last !== 'SIP/2.0 200 OK' || dialogid === undefined) return;
  const path = `${calls}/${dialogid}`;
  const judge: Judge = (answer) => {
    const { status, inviteid } = (answer?.body ?? {}) as Item;
    return status === 'dialog' && typeof inviteid === 'string' ? undefined : `got ${longTextOf(answer)}`;
  };
  if (!(await drill.everywhere(path, judge, patienceOf(drill)))) return;
  const { inviteid } = ((await drill.ask(path))?.body ?? {}) as Record<string, string>;
  const call = { path, dialogid, inviteid: String(inviteid), acallid: String(acallid), bcallid: String(bcallid) };
  const shown = await known.asShown(drill, { ...call, pair: like.pair, events: like.events });
  if (shown === undefined) return;
  await known.goesOn(drill, shown);
  await known.heard(drill, shown, subscribers, [], patienceOf(drill));
}
