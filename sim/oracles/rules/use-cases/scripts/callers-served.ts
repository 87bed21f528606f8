/** An IVR script serves a call to its number: what it collects, plays, records and connects. */
import { differing, exactly, isSame, longTextOf, over } from '../calls/call-judges.ts';
import { connect, endCalls, type OwnCall, type SteadyUser, steadyUsers, uriOf } from '../kit/call.ts';
import type { EventClient } from '../kit/event-client.ts';
import { calls, ivrScripts, records, runs } from '../kit/paths.ts';
import { filterOf, type Item, itemsOf, type UseCase, useCaseOf } from '../kit/use-case.ts';
import {
  collectingCode as code,
  collectingComponents,
  lateSeconds,
  recordedSeconds,
  recordingCode,
  recordingComponents,
  soundBytes,
  soundName,
} from './collecting-script.ts';
import { judgeScriptEvents, scriptEvents } from './script-events.ts';

const sound = `/rest/v1/fs/targets/parking/${soundName}`;
const number = '7790271';
const recordedNumber = '7790275';
/** How often a phone is looked at: the file lasts a second. */
const pollMs = 100;

export const callersServed = useCaseOf({
  name: 'callers-served',
  rule: 'In a quiescent cluster an IVR script that a number leads to answers its caller, who hears what it plays, for as long as the file is or until a digit; its menus get the digits, also those pressed before, up to their number or their end digit, or in time what came; a recording ends with its digit and is an attachment of the call, and one that was under way before goes on; what fails takes its branch; a call of the script and its caller are connected by the transfer. The journal has its steps and its variables, and subscribers have its events.',
  exclusions: 'Domains with fewer than two phones that are registered and answer, and whose limits refuse runs.',
  sender: '10.6.0.48',
  play: async (useCase) => {
    const [x, y] = await steadyUsers(useCase, 2);
    if (x === undefined || y === undefined) return;
    const bytes = { type: 'audio/wav', text: '~'.repeat(soundBytes) };
    const stored = await useCase.ask(sound, { method: 'PUT', bytes });
    // Its disk may be full, or the domain may have as many files as it can.
    if (stored?.status !== 200) return;
    useCase.afterwards(() => useCase.ask(sound, { method: 'DELETE' }));
    const body = { code, number, components: collectingComponents(y.number) };
    if ((await useCase.make(ivrScripts, body)) === undefined) return;
    await useCase.copied();
    const events = await scriptEvents(useCase, number, useCase.here);
    const call = await connect(useCase, { from: x.number, to: number }, { site: useCase.there });
    if (call !== undefined) await serve(useCase, call, [x, y], events);
    await endCalls(useCase, [x, y]);
    await recordOnce(useCase, x);
  },
});

async function serve(
  useCase: UseCase,
  call: OwnCall,
  [x, y]: readonly [SteadyUser, SteadyUser],
  events: EventClient | undefined,
): Promise<void> {
  const { questions, now } = useCase.context;
  const { dialogid, path, inviteid } = call;
  let isThere = true;
  const press = async (digits: string) => {
    for (const dtmf of digits) {
      const answer = await useCase.ask(path, { method: 'SEND_DTMF', body: { to: 'b', dtmf } });
      // Its script was refused by the limit of a site.
      if (answer?.status === 404) isThere = false;
      else useCase.expect(`SEND_DTMF ${dtmf}`, answer, exactly(200, { dialogid, result: 'ok' }));
    }
  };
  await press('123#45*67');
  if (!isThere) return;
  const hears = async (what: string | undefined, when: string) => {
    const heard = () => useCase.callsOf(x).find(({ callid }) => callid === call.acallid)?.hears;
    const untilMs = now() + useCase.quickMs;
    while (heard() !== what && now() < untilMs) await questions.wait(pollMs);
    useCase.expect(`what ${x.number} hears ${when}`, undefined, () =>
      heard() === what ? undefined : `expected ${String(what)}, got ${String(heard())}`,
    );
  };
  await questions.wait(lateSeconds * 1_000);
  await hears(`:SYNC_COMMON/parking/${soundName}`, 'while it plays');
  await press('8');
  await hears(soundName, 'while the next file plays');
  await hears(undefined, 'when the file is over');
  // By then it records, until the 9.
  await questions.wait(useCase.quickMs / 2);
  await press('29');
  // The brief recording, then the other phone.
  await questions.wait(1_500 + y.answerMs);
  const others = new Set([uriOf(useCase, x), uriOf(useCase, y)]);
  let joined: Item | undefined;
  const wrong = await questions.eventually(useCase.patienceMs + useCase.quickMs, async () => {
    const live = itemsOf(await useCase.ask(calls));
    joined = live.find(
      ({ uris, status }) =>
        status === 'dialog' &&
        isSame(new Set(uris as string[]).size, 2) &&
        (uris as string[]).every((uri) => others.has(uri)),
    );
    return joined === undefined
      ? [`no call of ${[...others].join(' and ')} in ${JSON.stringify(live).slice(0, 300)}`]
      : [];
  });
  useCase.expect('the transfer', undefined, () => wrong[0]);
  await useCase.everywhere(path, over, useCase.patienceMs);
  // The last run is found by clocks that agree.
  if (!useCase.areClocksRight) return;
  const runid = await ran(useCase, call, [x, y]);
  const run = { runid, scriptcode: code, inviteid, from: x.number, to: number, status: 'finished' } as const;
  const components = collectingComponents(y.number);
  if (events !== undefined) await judgeScriptEvents(useCase, events, { run, components, steps, ends: ['join'] });
  await recorded(useCase, inviteid);
}

/** A script records a while of a call that is being recorded. */
async function recordOnce(useCase: UseCase, { number: from }: SteadyUser): Promise<void> {
  const body = { code: recordingCode, number: recordedNumber, components: recordingComponents };
  if ((await useCase.make(ivrScripts, body)) === undefined) return;
  await useCase.copied();
  const call = await connect(useCase, { from, to: recordedNumber });
  if (call === undefined) return;
  const send = (method: string, sent: Item) => useCase.ask(call.path, { method, body: sent });
  const done = exactly(200, { dialogid: call.dialogid, result: 'ok' });
  const begun = await send('SETUP_RECORD', { action: 'start' });
  // Its script was refused by the limit of a site.
  if (begun?.status === 404) return;
  useCase.expect('SETUP_RECORD', begun, done);
  useCase.expect('SEND_DTMF', await send('SEND_DTMF', { to: 'b', dtmf: '1' }), done);
  await useCase.context.questions.wait(recordedSeconds * 1_000 + useCase.quickMs);
  useCase.expect('the call after its script has recorded', await useCase.ask(call.path), (answer) => {
    const { opts } = (answer?.body ?? {}) as { opts?: Item };
    return answer?.status === 200 && opts?.['recording'] === true
      ? undefined
      : `expected recording, got ${longTextOf(answer)}`;
  });
  await useCase.ask(call.path, { method: 'DELETE' });
  await useCase.everywhere(call.path, over, useCase.patienceMs);
}

const steps = [
  'begin next, early failed, reply next, params next, two next, three next, star next, none next, late timeout, sound next',
  'key next, whole next, missing failed, minus failed, zero failed, own next, taped next, kept next, brief next, odd failed',
  'ring next, note called',
]
  .join(', ')
  .split(', ');

async function ran(useCase: UseCase, call: OwnCall, [x, y]: readonly [SteadyUser, SteadyUser]): Promise<unknown> {
  const order = encodeURIComponent('[{"startts":"desc"}]');
  const list = await useCase.ask(`${runs}?limit=1&order=${order}&${filterOf({ code })}`);
  const [{ id, kind, by } = {} as Item] = itemsOf(list);
  useCase.expect('its run', list, (answer) =>
    kind === 'ivrscript' && by === 'call' ? undefined : `expected a run of a call, got ${longTextOf(answer)}`,
  );
  await useCase.everywhere(`${runs}/${String(id)}`, (answer) => {
    const { steps: all = [], variables = {} } = (answer?.body ?? {}) as { steps?: Item[]; variables?: Item };
    const got = all
      .map(({ component, note }) => `${String(component)} ${String(note)}`)
      .filter((step) => !step.startsWith('join'));
    if (!isSame(got, steps)) return `expected ${steps.join()}, got ${got.join()}`;
    const at = (name: string) => Number(all.find(({ component }) => component === name)?.['at']);
    for (const [what, from, to, ms] of [
      ['the menu that was over in time', 'none', 'late', 1_000],
      ['the whole file', 'key', 'whole', 1_000],
      ['the brief recording', 'kept', 'brief', 1_000],
    ] as const) {
      const lastedMs = at(to) - at(from);
      if (!(lastedMs >= ms - 10 && lastedMs <= ms + useCase.quickMs)) return `${what}: ${lastedMs} ms`;
    }
    const { own, taped, brief, called } = variables as Readonly<Record<string, Item | undefined>>;
    const expected = {
      params: [x.number, number, call.inviteid],
      two: '12',
      three: '3',
      star: '45',
      none: '6',
      late: '7',
      key: '8',
      kept: '2',
    };
    const wrong = differing(expected, { status: 200, headers: new Headers(), body: variables });
    if (wrong !== undefined) return wrong;
    if (own?.['dialogid'] !== call.dialogid || own['inviteid'] !== call.inviteid) return `own: ${JSON.stringify(own)}`;
    const isTaped = [taped, brief].every(
      (each) => each?.['inviteid'] === call.inviteid && String(each['name']).endsWith('.wav'),
    );
    if (!isTaped || taped?.['digit'] !== '9' || brief?.['digit'] !== '')
      return `recordings: ${JSON.stringify([taped, brief])}`;
    const isCalled =
      String(called?.['uri']).includes(`${y.number}@${useCase.domain}`) &&
      [called?.['callid'], called?.['totag'], called?.['fromtag']].every(
        (each) => typeof each === 'string' && each !== '',
      );
    return isCalled ? undefined : `called: ${JSON.stringify(called)}`;
  });
  return id;
}

/** The recordings are attachments of the call. */
async function recorded(useCase: UseCase, inviteid: string): Promise<void> {
  const list = await useCase.ask(
    `${runs}?limit=1&order=${encodeURIComponent('[{"startts":"desc"}]')}&${filterOf({ code })}`,
  );
  const { variables } = ((await useCase.ask(`${runs}/${String(itemsOf(list)[0]?.['id'])}`))?.body ?? {}) as {
    variables?: Readonly<Record<string, Item>>;
  };
  const wanted = [variables?.['taped']?.['name'], variables?.['brief']?.['name']];
  await useCase.everywhere(
    `${records}/${inviteid}/attachments`,
    (answer) => {
      const names = (itemsOf(answer) as readonly { files?: readonly { name: string }[] }[]).flatMap(({ files = [] }) =>
        files.map(({ name }) => name),
      );
      return wanted.every((name) => names.includes(String(name)))
        ? undefined
        : `expected ${wanted.join()}, got ${longTextOf(answer)}`;
    },
    useCase.patienceMs,
  );
}
