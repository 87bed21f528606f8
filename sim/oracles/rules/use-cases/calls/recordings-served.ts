/** What is recorded of a call can be had at each front when it is over, until it is removed. */

import { connect, endCalls, type SteadyUser, steadyUsers } from '../kit/call.ts';
import { calls, recordRules, records } from '../kit/paths.ts';
import { expecting, type Item, itemsOf, type Judge, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { exactly, longTextOf, refusing } from './call-judges.ts';
import { listed, type Stretch } from './recording-files.ts';

/** How long each recording lasts. In the second one a party holds. */
const lastsMs = [1_500, 3_000] as const;

export const recordingsServed = useCaseOf({
  name: 'recordings-served',
  rule: 'In a quiescent cluster SETUP_RECORD starts and stops the recording of a call, which shows it; once it is over its record counts the recordings, and each front lists and serves them: WAV files of the length that was recorded, whole and in ranges, with their validators, and silent while a side holds; removed ones are gone for good. A record rule has a call recorded, and when it is removed or says no, the next one not.',
  exclusions: 'Domains with fewer than two phones that are registered and answer, and whose users limit no calls.',
  sender: '10.6.0.32',
  play: async (useCase) => {
    const [x, y] = await steadyUsers(useCase, 2);
    if (x === undefined || y === undefined) return;
    await record(useCase, x, y);
    await endCalls(useCase, [x, y]);
    await byRule(useCase, x, y);
  },
});

/** Whether the call is recorded, as each front says. */
function recording(is: boolean): Judge {
  return (answer) => {
    const { opts } = (answer?.body ?? {}) as { opts?: Item };
    const isRight = answer?.status === 200 && (opts?.['recording'] === true) === is;
    return isRight ? undefined : `expected ${is ? '' : 'no '}recording, got ${longTextOf(answer)}`;
  };
}

async function record(useCase: UseCase, x: SteadyUser, y: SteadyUser): Promise<void> {
  const call = await connect(useCase, { from: x.number, to: y.number });
  if (call === undefined) return;
  const shown = ((await useCase.ask(call.path))?.body ?? {}) as { opts?: Item; site?: string };
  const { questions } = useCase.context;
  const setUp = (body: Item, site = useCase.there) => useCase.ask(call.path, { method: 'SETUP_RECORD', body, site });
  for (const body of [{ action: 'x' }, {}, { action: 'start', unknown: 1 }])
    useCase.expect(`SETUP_RECORD with ${JSON.stringify(body)}`, await setUp(body), refusing(400));
  const done = exactly(200, { dialogid: call.dialogid, result: 'ok' });
  // By a rule of the domain.
  const before = shown.opts?.['recording'] === true ? 1 : 0;
  if (before > 0) useCase.expect('SETUP_RECORD stop', await setUp({ action: 'stop' }), done);
  const stretches: Stretch[] = [];
  let isHeld = false;
  for (const ms of lastsMs) {
    const askedMs = useCase.context.now();
    useCase.expect('SETUP_RECORD start', await setUp({ action: 'start' }), done);
    const startedMs = useCase.context.now();
    await useCase.everywhere(call.path, recording(true), useCase.patienceMs);
    await questions.wait(ms / 2);
    if (ms === lastsMs[1]) {
      const held = await useCase.ask(call.path, { method: 'NOTIFY', body: { to: 'a', event: 'hold' } });
      useCase.expect('NOTIFY hold', held, done);
      isHeld = await holds(useCase, x);
      await useCase.everywhere(`${records}/${call.inviteid}/attachments`, exactly(200, []));
    }
    await questions.wait(Math.max(1_000, startedMs + ms - useCase.context.now()));
    const endMs = useCase.context.now();
    const end =
      ms === lastsMs[0]
        ? await setUp({ action: 'stop' }, useCase.here)
        : await useCase.ask(call.path, { method: 'DELETE' });
    useCase.expect('the end of the recording', end, done);
    stretches.push({ leastMs: endMs - startedMs, mostMs: useCase.context.now() - askedMs });
    if (ms === lastsMs[0]) await useCase.everywhere(call.path, recording(false), useCase.patienceMs);
  }
  await listed(useCase, call, { site: String(shown.site), before, stretches, isHeld });
}

/** Whether its phone puts the call on hold, as NOTIFY asks. Its messages may be lost, and sent again. */
async function holds(useCase: UseCase, user: SteadyUser): Promise<boolean> {
  const isHolding = () => useCase.callsOf(user).some((call) => call.isHolding);
  await useCase.context.questions.eventually(5_000, () => (isHolding() ? [] : [`${user.number} does not hold`]));
  return isHolding();
}

/** A rule decides as the call connects. */
async function byRule(useCase: UseCase, x: SteadyUser, y: SteadyUser): Promise<void> {
  const body = { priority: -1_000_000, fromnumber: x.number, tonumber: `${y.number.slice(0, -1)}*`, rec: 1 };
  // Of recordRules that fit, the first one counts.
  const others = itemsOf(await useCase.ask(`${recordRules}?mask=priority`));
  if (others.some(({ priority }) => Number(priority) <= body.priority)) return;
  const made = await useCase.make(recordRules, body);
  if (made === undefined) return;
  const { path } = made;
  await useCase.everywhere(path, expecting(200, { ...body, dir: '', crossdomain: '', schedule: 'all', periods: [] }));
  await useCase.copied();
  if (!(await isRecorded(useCase, x, y, true))) return;
  const changed = await useCase.ask(path, { method: 'PATCH', body: { rec: 0 }, site: useCase.there });
  await useCase.copied();
  if (changed?.status === 200) await isRecorded(useCase, x, y, false);
}

async function isRecorded(useCase: UseCase, x: SteadyUser, y: SteadyUser, is: boolean): Promise<boolean> {
  const call = await connect(useCase, { from: x.number, to: y.number });
  if (call === undefined) return false;
  const isRight = await useCase.everywhere(call.path, recording(is), useCase.patienceMs);
  await useCase.ask(`${calls}/${call.dialogid}`, { method: 'DELETE' });
  const record = `${records}/${call.inviteid}`;
  await useCase.everywhere(record, expecting(200, { recordings: is ? 1 : 0 }), useCase.patienceMs);
  return isRight;
}
