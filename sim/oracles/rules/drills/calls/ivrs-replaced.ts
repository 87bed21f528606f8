/** The ivr instances of a site crash while one of them serves a call with a menu. */
import { exactly, longTextOf } from '../../use-cases/calls/call-judges.ts';
import { connect, type OwnCall, type SteadyUser, steadyUsers } from '../../use-cases/kit/call.ts';
import { groupsOf, removeGroups } from '../../use-cases/kit/groups.ts';
import { calls, ivrScripts, records, runs } from '../../use-cases/kit/paths.ts';
import { expecting, filterOf, type Item, itemsOf, type Judge } from '../../use-cases/kit/use-case.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { connectPair, goesOn, isGone, isTalking, type KnownCall } from '../kit/known-call.ts';

const code = 'ivrs-replaced';
const number = '7790272';

/** It creates a contact group with the digit in its code, and hangs up. */
const components = [
  { name: 'begin', type: 'start', next: 'reply' },
  { name: 'reply', type: 'answer', next: 'digit' },
  { name: 'digit', type: 'menu', seconds: '120', next: 'made', timeout: 'bye', failed: 'bye' },
  {
    name: 'made',
    type: 'operation',
    operation: 'entity.create',
    next: 'bye',
    failed: 'bye',
    indefinite: 'bye',
    params: { kind: "'contactgroup'", values: `{ code: '${code}-' + digits }` },
  },
  { name: 'bye', type: 'hangup' },
];

export const ivrsReplaced = drillOf({
  name: 'ivrs-replaced',
  rule: 'When the ivr that serves a call with a script crashes, the call ends for its phone and at each front, and has one record; its run is shown no more, and does nothing further; calls that an ivr has connected go on, and a call to the same number is served again, with all steps.',
  exclusions:
    'Domains with fewer than three phones that are registered and answer; calls that phones or other rules end.',
  sender: '10.6.1.46',
  play: async (drill) => {
    const [x, a, b] = await steadyUsers(drill, 3);
    if (x === undefined || a === undefined || b === undefined) return;
    drill.afterwards(() => removeGroups(drill, code));
    if ((await drill.make(ivrScripts, { code, number, components })) === undefined) return;
    await drill.copied();
    const talk = await connectPair(drill, [a, b], { label: code, method: 'POST' });
    if (talk !== undefined) await replace(drill, x, talk);
  },
});

function runOf(answer: Parameters<Judge>[0]): Item {
  return itemsOf(answer)[0] ?? {};
}

/** The caller is at the menu, as each front shows; `undefined`: the script was refused, or the call is over. */
async function callMenu(
  drill: Drill,
  x: SteadyUser,
  site: string,
): Promise<{ call: OwnCall; site: string } | undefined> {
  const call = await connect(drill, { from: x.number, to: number }, { site });
  if (call === undefined) return undefined;
  const running: Judge = (answer) => {
    const { kind, by, status, passed } = runOf(answer);
    const isRight =
      itemsOf(answer).length === 1 && kind === 'ivrscript' && by === 'call' && status === 'running' && passed === 3;
    return isRight ? undefined : `expected one run at its third component, got ${longTextOf(answer)}`;
  };
  const own = `${runs}?${filterOf({ code, status: 'running' })}`;
  if (!(await drill.everywhere(own, running))) return undefined;
  return { call, site: String(runOf(await drill.ask(own))['site']) };
}

async function replace(drill: Drill, x: SteadyUser, talk: KnownCall): Promise<void> {
  const { map } = drill.context;
  const first = await callMenu(drill, x, drill.there);
  if (first === undefined) return;
  const { call } = first;
  const crashed = map.instancesOf('ivr').filter(({ site }) => site === first.site);
  for (const instance of crashed) drill.crash(instance);
  const withinMs = map.topology.timings.callGoneMs + drill.quickMs;
  const isOver = () => !drill.callsOf(x).some(({ callid }) => callid === call.acallid);
  await drill.holds(withinMs, `the phone of ${x.number} has left ${call.dialogid}`, isOver);
  await isGone(drill, call);
  const recorded: Judge = (answer) => {
    const [record, more] = itemsOf(answer);
    const isRight = more === undefined && record?.['dialogid'] === call.dialogid && Number(record['talkms']) > 0;
    return isRight ? undefined : `expected one record of ${call.inviteid}, got ${longTextOf(answer)}`;
  };
  await drill.everywhere(`${records}?${filterOf({ inviteid: call.inviteid })}`, recorded, drill.patienceMs);
  await drill.everywhere(`${runs}?${filterOf({ code })}`, exactly(200, []));
  if (isTalking(drill, talk)) await goesOn(drill, talk);
  await drill.becomesWhole();
  await again(drill, x, crashed.length);
  await drill.everywhere(`${groupsOf(code)}&mask=code`, (answer) => {
    const codes = itemsOf(answer).map((item) => item['code']);
    return codes.join() === `${code}-7` ? undefined : `expected ${code}-7 alone, got ${longTextOf(answer)}`;
  });
  drill.expect(`phones of ${talk.dialogid}`, undefined, () =>
    isTalking(drill, talk) ? undefined : 'they do not talk any more',
  );
}

/** A call that is served to its end. */
async function again(drill: Drill, x: SteadyUser, crashed: number): Promise<void> {
  const isThere = (await drill.willing()).includes(x.number);
  const next = isThere ? await callMenu(drill, x, drill.here) : undefined;
  if (!isThere) return;
  drill.expect(`a call to ${number} after ${crashed} instances crashed`, undefined, () =>
    next === undefined ? 'it was not served' : undefined,
  );
  if (next === undefined) return;
  const { path, dialogid, inviteid } = next.call;
  const pressed = await drill.ask(path, { method: 'SEND_DTMF', body: { to: 'b', dtmf: '7' }, site: drill.there });
  drill.expect('SEND_DTMF', pressed, exactly(200, { dialogid, result: 'ok' }));
  await isGone(drill, next.call, { withinMs: drill.patienceMs });
  await drill.everywhere(`${records}/${inviteid}`, expecting(200, { inviteid, dialogid }), drill.patienceMs);
  const { id } = runOf(await drill.ask(`${runs}?${filterOf({ code })}`));
  await drill.everywhere(`${runs}/${String(id)}`, (answer) => {
    const { status, steps = [], variables } = (answer?.body ?? {}) as Item & { steps?: Item[]; variables?: Item };
    const notes = steps.map(({ component, note }) => `${String(component)} ${String(note)}`).join();
    const isRight =
      status === 'finished' &&
      variables?.['digits'] === '7' &&
      notes === 'begin next,reply next,digit next,made next,bye next';
    return isRight ? undefined : `expected a finished run with 7, got ${longTextOf(answer)}`;
  });
  const live = await drill.ask(`${calls}?countonly&${filterOf({ inviteid })}`);
  drill.expect('live calls', live, exactly(200, { count: 0 }));
}
