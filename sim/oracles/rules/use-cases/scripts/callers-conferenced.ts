/** IVR scripts that transfer their callers into a conference: a new one, and one that is there. */
import { refusing } from '../calls/call-judges.ts';
import { confidOf, isFree } from '../conferences/meeting-steps.ts';
import { meetingOf } from '../conferences/rooms.ts';
import { connect, directedUsers, endCalls, type SteadyUser } from '../kit/call.ts';
import { calls, conferences, ivrScripts, runs } from '../kit/paths.ts';
import { expecting, filterOf, type Item, itemsOf, type UseCase, useCaseOf } from '../kit/use-case.ts';

const [newNumber, knownNumber, leftNumber] = ['7790273', '7790274', '7790284'];
/** How often a phone is looked at that is on its way into a conference. */
const pollMs = 1;

export const callersConferenced = useCaseOf({
  name: 'callers-conferenced',
  rule: 'In a quiescent cluster an IVR script transfers its caller into a new conference, of which it gets the id, and another script a caller into that one, by its id: each front shows both as participants, and the calls of the scripts end; a caller that ends that call meanwhile gets there as well. What is no number takes the branch of failures.',
  exclusions:
    'Domains with fewer than two phones that are registered, whose users limit calls, and whose limits refuse runs.',
  sender: '10.6.21.21',
  play: async (useCase) => {
    const [x, y] = await directedUsers(useCase, 2);
    if (x === undefined || y === undefined) return;
    await leave(useCase, x);
    const code = `callers-conferenced-${Math.floor(useCase.context.now())}`;
    const confid = await begin(useCase, { code: `${code}-new`, number: newNumber, to: '', user: x });
    if (confid === undefined) return;
    await begin(useCase, { code: `${code}-known`, number: knownNumber, to: confid, user: y });
    await useCase.everywhere(`${conferences}/${confid}/participants`, meetingOf(useCase, [x, y]));
    await useCase.ask(`${conferences}/${confid}`, { method: 'DELETE', site: useCase.there });
    await useCase.everywhere(`${conferences}/${confid}`, refusing(404), useCase.patienceMs);
    for (const user of [x, y]) await isFree(useCase, user);
  },
});

/** The phone ends the call with the script while its call to the new conference is on its way: it gets there. */
async function leave(useCase: UseCase, user: SteadyUser): Promise<void> {
  const { questions, now } = useCase.context;
  const code = `callers-left-${Math.floor(now())}`;
  if ((await useCase.make(ivrScripts, { code, number: leftNumber, components: components('') })) === undefined) return;
  await useCase.copied();
  const body = { from: user.number, to: leftNumber, response_mode: 0 };
  await useCase.ask(calls, { method: 'INVITE', site: useCase.there, body });
  const untilMs = now() + useCase.patienceMs + useCase.quickMs;
  while (useCase.callsOf(user).length < 2 && now() < untilMs) await questions.wait(pollMs);
  const [first, second] = useCase.callsOf(user);
  const endpoint = useCase.phonesOf(user)[0]?.endpoint;
  if (first === undefined || second === undefined || endpoint === undefined) return endCalls(useCase, [user]);
  questions.hangUp({ endpoint, callid: first.callid });
  await questions.wait(useCase.quickMs);
  const isThere = () =>
    useCase
      .callsOf(user)
      .map(({ callid, state }) => `${callid} ${state}`)
      .join();
  const wanted = `${second.callid} talking`;
  await questions.eventually(useCase.patienceMs, () => (isThere() === wanted ? [] : ['not there yet']));
  useCase.expect(`the call of ${user.number} to a conference`, undefined, () =>
    isThere() === wanted ? undefined : `expected ${wanted}, got ${isThere() || 'none'}`,
  );
  const confid = await confidOf(useCase, user);
  if (confid !== 'undefined') await useCase.ask(`${conferences}/${confid}`, { method: 'DELETE' });
  await isFree(useCase, user);
}

function components(to: string): Item[] {
  return [
    { name: 'begin', type: 'start', next: 'reply' },
    { name: 'reply', type: 'answer', next: 'odd', failed: 'wrong' },
    { name: 'odd', type: 'conference', to: "'not a number'", result: 'odd', next: 'wrong', failed: 'join' },
    { name: 'join', type: 'conference', to: `'${to}'`, result: 'made', timeout: 'wrong', failed: 'wrong' },
    { name: 'wrong', type: 'log', text: "'a wrong branch'" },
  ];
}

interface Conferenced {
  readonly code: string;
  readonly number: string;
  /** Empty: a new conference. */
  readonly to: string;
  readonly user: SteadyUser;
}

/** The conference in which the user is then; `undefined`: the script did not run. */
async function begin(useCase: UseCase, { code, number, to, user }: Conferenced): Promise<string | undefined> {
  if ((await useCase.make(ivrScripts, { code, number, components: components(to) })) === undefined) return undefined;
  await useCase.copied();
  const call = await connect(useCase, { from: user.number, to: number }, { site: useCase.there });
  let run: Item | undefined;
  await useCase.context.questions.eventually(useCase.patienceMs + useCase.quickMs, async () => {
    run = itemsOf(await useCase.ask(`${runs}?${filterOf({ code })}`))[0];
    // The run of a call that was answered is listed soon.
    if (run === undefined) return call === undefined ? [] : ['no run'];
    return run['status'] === 'running' ? ['it runs'] : [];
  });
  // A limit of its site may have refused it.
  if (run === undefined) {
    if (call !== undefined) await endCalls(useCase, [user]);
    return undefined;
  }
  const confid = await confidOf(useCase, user);
  const odd = { problem: 'to: expected a number, number@domain or URI', code: 'invalid' };
  const steps = ['reply next', 'odd failed', 'join next'];
  await useCase.everywhere(`${runs}/${String(run['id'])}`, (answer) => {
    const wrong = expecting(200, { status: 'finished' })(answer);
    if (wrong !== undefined) return wrong;
    const { steps: all = [], variables = {} } = (answer?.body ?? {}) as { steps?: Item[]; variables?: Item };
    const got = all
      .map(({ component, note }) => `${String(component)} ${String(note)}`)
      .filter((step) => !step.startsWith('begin'));
    if (got.join() !== steps.join()) return `expected ${steps.join()}, got ${got.join()}`;
    if (JSON.stringify(Object.keys((variables['odd'] ?? {}) as Item)) !== JSON.stringify(Object.keys(odd)))
      return `odd: ${JSON.stringify(variables['odd'])}`;
    const made = (variables['made'] as Item | undefined)?.['confid'];
    return to !== '' || made === confid
      ? undefined
      : `expected the conference ${confid}, got ${JSON.stringify(variables['made'])}`;
  });
  await useCase.everywhere(`${conferences}/${confid}`, expecting(200, { confid }));
  return confid === 'undefined' ? undefined : confid;
}
