/** What the caller of an IVR script hears of transfers that fail: each re-INVITE before them, and the one that resumes. A call that is not answered in time is taken back. */
import { scriptLimitsOf } from '../../../../../src/model/script/script-settings.ts';
import { isSame, over } from '../calls/call-judges.ts';
import { legAt } from '../dialogs/phone-calls.ts';
import { connect, directed, directedUsers, type SteadyUser } from '../kit/call.ts';
import { ivrScripts, runs, sipUsers } from '../kit/paths.ts';
import { expecting, filterOf, type Item, itemsOf, type UseCase, useCaseOf } from '../kit/use-case.ts';

const [number, briefNumber, vainNumber] = ['7790272', '7790276', '7790277'];
/** Of each transfer, in their order; the third one says nothing. */
const modes = [1, 2, undefined, 3, 0];
const offered = ['sendonly', 'sendrecv', 'sendonly', 'sendrecv', 'inactive', 'sendrecv'];
const [ringMs, leadMs] = [500, 1_000];
/** How long a script waits for the outcome of a REFER. */
const transferMs = 60_000;

export const callersHeld = useCaseOf({
  name: 'callers-held',
  rule: 'In a quiescent cluster an IVR script that transfers its caller by REFER sends a re-INVITE before it as its mode says: `sendonly`, `inactive` or none, which is the default; when the target refuses, or rings for longer than a minute, the caller is resumed, and the component has the status and takes its branch. A phone that it calls rings as long as the component says, and no longer.',
  exclusions:
    'Domains with fewer than two phones that are registered, whose users limit calls, and whose limits refuse runs.',
  sender: '10.6.0.59',
  play: async (useCase) => {
    const [x, y] = await directedUsers(useCase, 2);
    if (x === undefined || y === undefined) return;
    // A run plays it again where a fault point fires: each time it has a code of its own.
    const code = `callers-held-${Math.floor(useCase.context.now())}`;
    if ((await useCase.make(ivrScripts, { code, number, components: components(y.number) })) === undefined) return;
    await useCase.copied();
    await hold(useCase, code, [x, y]);
    await callBriefly(useCase, [x, y]);
    await transferInVain(useCase, [x, y]);
  },
});

function components(to: string): Item[] {
  const transfers = modes.flatMap((reinvite, index): Item[] => {
    const name = `refer${index}`;
    const refer = { name, type: 'refer', to: `'${to}'`, result: name, next: 'wrong', timeout: 'wrong' };
    return [
      { ...refer, failed: `wait${index}`, ...(reinvite !== undefined && { reinvite }) },
      {
        name: `wait${index}`,
        type: 'wait',
        seconds: '1',
        ...(index + 1 < modes.length && { next: `refer${index + 1}` }),
      },
    ];
  });
  return [
    { name: 'begin', type: 'start', next: 'reply' },
    { name: 'reply', type: 'answer', next: 'first', failed: 'wrong' },
    { name: 'first', type: 'wait', seconds: String(leadMs / 1_000), next: 'refer0' },
    ...transfers,
    { name: 'wrong', type: 'log', text: "'a wrong branch'" },
  ];
}

async function hold(useCase: UseCase, code: string, [x, y]: readonly [SteadyUser, SteadyUser]): Promise<void> {
  const { questions } = useCase.context;
  questions.behave(useCase.domain, x.number, directed);
  questions.behave(useCase.domain, y.number, { ringMs: 0, answerMs: ringMs, reject: 486 });
  const { media, stop } = questions.offers(legAt(useCase, x, '').endpoint);
  const call = await connect(useCase, { from: x.number, to: number });
  if (call === undefined) return stop();
  const query = filterOf({ code });
  let run: Item | undefined;
  await questions.eventually(leadMs + modes.length * (1_000 + ringMs) + useCase.patienceMs, async () => {
    run = itemsOf(await useCase.ask(`${runs}?${query}`))[0];
    return run === undefined || run['status'] === 'running' ? ['no run that is over'] : [];
  });
  stop();
  const offers = media.get(call.acallid) ?? [];
  // A limit of its site may have refused it.
  if (run === undefined) return;
  useCase.expect('what the caller is offered', undefined, () =>
    isSame(offers, offered) ? undefined : `expected ${offered.join()}, got ${offers.join()}`,
  );
  const refused = { status: 486, problem: 'the transfer failed with 486 Busy Here', code: 'refused' };
  const variables = Object.fromEntries(modes.map((_, index) => [`refer${index}`, refused]));
  await useCase.everywhere(`${runs}/${String(run['id'])}`, expecting(200, { status: 'finished', variables }));
}

/** The phone is called for a second, and would answer later; the script goes on without it. */
async function callBriefly(useCase: UseCase, [x, y]: readonly [SteadyUser, SteadyUser]): Promise<void> {
  const { questions, now } = useCase.context;
  const components = [
    { name: 'begin', type: 'start', next: 'reply' },
    { name: 'reply', type: 'answer', next: 'call', failed: 'wrong' },
    { name: 'call', type: 'call', to: `'${y.number}'`, seconds: '1', next: 'wrong', timeout: 'rest', failed: 'wrong' },
    { name: 'rest', type: 'menu', digits: 1, seconds: '30', timeout: 'wrong', failed: 'wrong' },
    { name: 'wrong', type: 'log', text: "'a wrong branch'" },
  ];
  const body = { code: `callers-held-briefly-${Math.floor(now())}`, number: briefNumber, components };
  if ((await useCase.make(ivrScripts, body)) === undefined) return;
  await useCase.copied();
  questions.behave(useCase.domain, y.number, { answerMs: 20_000 });
  const call = await connect(useCase, { from: x.number, to: briefNumber });
  if (call === undefined) return;
  const rings = () => useCase.callsOf(y).some(({ state }) => state === 'ringing');
  let hasRung = false;
  const isOver = await questions.eventually(1_000 + useCase.quickMs, () => {
    hasRung ||= rings();
    return hasRung && !rings() ? [] : ['it rings'];
  });
  // Without its script, which a limit of its site has refused, there is no call.
  const end = await useCase.ask(call.path, { method: 'DELETE' });
  if (!hasRung || end?.status !== 200) return;
  useCase.expect(`the phone of ${y.number}`, undefined, () =>
    isOver.length === 0 ? undefined : 'it rings on when the script has gone on without it',
  );
  await useCase.everywhere(call.path, over, useCase.patienceMs);
}

/** The target of a transfer rings, until the script goes on without it. */
async function transferInVain(useCase: UseCase, [x, y]: readonly [SteadyUser, SteadyUser]): Promise<void> {
  const { questions, now, map } = useCase.context;
  if (scriptLimitsOf(map, useCase.domain).durationSec * 1_000 < 2 * transferMs) return;
  const user = `${sipUsers}/${y.id}`;
  const { opts } = ((await useCase.ask(user))?.body ?? {}) as { opts?: Item };
  const ring = (calltimesec: unknown) => useCase.ask(user, { method: 'PATCH', body: { opts: { calltimesec } } });
  useCase.afterwards(() => ring(opts?.['calltimesec']));
  if ((await ring((3 * transferMs) / 1_000))?.status !== 200) return;
  const components = [
    { name: 'begin', type: 'start', next: 'reply' },
    { name: 'reply', type: 'answer', next: 'first', failed: 'wrong' },
    { name: 'first', type: 'wait', seconds: String(leadMs / 1_000), next: 'refer' },
    { name: 'refer', type: 'refer', to: `'${y.number}'`, reinvite: 1, next: 'wrong', timeout: 'rest', failed: 'wrong' },
    { name: 'rest', type: 'menu', digits: 1, seconds: '30', timeout: 'wrong', failed: 'wrong' },
    { name: 'wrong', type: 'log', text: "'a wrong branch'" },
  ];
  const body = { code: `callers-held-in-vain-${Math.floor(now())}`, number: vainNumber, components };
  if ((await useCase.make(ivrScripts, body)) === undefined) return;
  await useCase.copied();
  questions.behave(useCase.domain, x.number, directed);
  questions.behave(useCase.domain, y.number, { ringMs: 0, answerMs: 3 * transferMs });
  const { media, stop } = questions.offers(legAt(useCase, x, '').endpoint);
  const call = await connect(useCase, { from: x.number, to: vainNumber });
  if (call === undefined) return stop();
  await questions.wait(leadMs + transferMs + useCase.quickMs);
  stop();
  // Without its script, which a limit of its site has refused, there is no call.
  const end = await useCase.ask(call.path, { method: 'DELETE' });
  if (end?.status !== 200) return;
  const offers = media.get(call.acallid) ?? [];
  useCase.expect('what the caller is offered when its transfer times out', undefined, () =>
    isSame(offers, ['sendonly', 'sendrecv']) ? undefined : `expected sendonly,sendrecv, got ${offers.join()}`,
  );
  await useCase.everywhere(call.path, over, useCase.patienceMs);
}
