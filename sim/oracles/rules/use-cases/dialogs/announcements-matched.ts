/** Announcements that a number plays before it refuses a call, and the audio matchers that listen to them. */
import type { SubscribedEvents } from '../../drills/kit/call-events.ts';
import { exactly, longTextOf } from '../calls/call-judges.ts';
import { connect, directed, uriOf } from '../kit/call.ts';
import { type Item, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { place } from './phone-calls.ts';
import {
  endsOf,
  forkOf,
  inviteOf,
  type NamedUser,
  namedUsers,
  party,
  published,
  subscribe,
  type WantedEvent,
} from './published-events.ts';

const matcher = '/rest/v1/master/audiomatcher';
const unknown = 'announcements-matched';
const marginMs = 500;
const unavailable = { sipcode: 480, reason: 'Temporarily Unavailable' };

export const announcementsMatched = useCaseOf({
  name: 'announcements-matched',
  rule: 'In a quiescent cluster the caller hears an announcement that the called number plays before it refuses; an audio matcher listens to it, once its samples are loaded: subscribers at each front have the sample that it recognises, in its time, and none of an announcement that no sample fits; no job is left.',
  exclusions: 'Domains with fewer than two phones that are registered, and whose users limit no calls.',
  sender: '10.6.21.20',
  play: async (useCase) => {
    const { map } = useCase.context;
    const [sample] = map.topology.matcher.samples;
    const [x, y] = await namedUsers(useCase, 2);
    if (sample === undefined || x === undefined || y === undefined || !(await load(useCase))) return;
    const all = await subscribe(useCase);
    if (all.length === 0) return;
    for (const announcement of [sample, unknown])
      if (!(await refuse(useCase, { all, x, y, announcement, isKnown: announcement === sample }))) return;
    await connectAfter(useCase, x, y, sample);
  },
});

function asMaster({ context: { map } }: UseCase) {
  return { domain: map.masterDomain };
}

function infosIn(body: unknown): readonly Item[] {
  const sites = Object.values((body ?? {}) as Record<string, readonly { info: Item }[]>);
  return sites.flat().map(({ info }) => info);
}

/** The samples of all matchers. Returns whether they are loaded. */
export async function load(useCase: UseCase): Promise<boolean> {
  const { loadMs, fails } = useCase.context.map.topology.matcher;
  const isLoaded = async () => {
    const answer = await useCase.ask(`${matcher}/status`, asMaster(useCase));
    return answer?.status === 200 && infosIn(answer.body).every(({ is_loaded }) => is_loaded === true);
  };
  for (let round = 0; round <= fails && !(await isLoaded()); round += 1) {
    await useCase.ask(matcher, { ...asMaster(useCase), method: 'POST', body: { action: 'reload' } });
    await useCase.context.questions.wait(loadMs + useCase.quickMs);
  }
  return isLoaded();
}

/** How many announcements all matchers listen to. */
export async function jobs(useCase: UseCase): Promise<number> {
  const answer = await useCase.ask(`${matcher}/status`, asMaster(useCase));
  return infosIn(answer?.body).reduce((sum, { jobs_count: count }) => sum + Number(count), 0);
}

interface Refused {
  readonly all: readonly SubscribedEvents[];
  readonly x: NamedUser;
  readonly y: NamedUser;
  readonly announcement: string;
  readonly isKnown: boolean;
}

/** Returns whether the call was made. */
async function refuse(useCase: UseCase, { all, x, y, announcement, isKnown }: Refused): Promise<boolean> {
  const { questions, map } = useCase.context;
  const { matchMs } = map.topology.matcher;
  const playsMs = matchMs + 6 * marginMs;
  questions.behave(useCase.domain, y.number, { ringMs: 0, announcement, answerMs: playsMs, reject: 480 });
  const placed = place(useCase, x, y.number);
  if (placed === undefined) return false;
  const expectJobs = async (when: string, count: number) => {
    const got = await jobs(useCase);
    useCase.expect(`jobs ${when}, ${announcement}`, undefined, () =>
      got === count ? undefined : `${got}, not ${count}`,
    );
  };
  const heard = () => useCase.callsOf(x).find(({ callid }) => callid === placed.callid)?.hears;
  await questions.eventually(useCase.quickMs, () => (heard() === undefined ? ['nothing yet'] : []));
  useCase.expect('what the caller hears', undefined, () =>
    heard() === announcement ? undefined : `expected ${announcement}, got ${String(heard())}`,
  );
  await expectJobs('while it plays', 1);
  await questions.wait(matchMs + marginMs);
  await expectJobs('later', isKnown ? 0 : 1);
  await questions.wait(playsMs);
  await expectJobs('when it is over', 0);
  const events = all[0]?.of(all[0].inviteidOf(placed.callid) ?? '') ?? [];
  const started = events.find(({ name }) => name === 'fork_start')?.data;
  const inviteid = events[0]?.data['inviteid'];
  if (started === undefined || typeof inviteid !== 'string') return false;
  const parties = [party(useCase, 'a', x), party(useCase, 'b', y)];
  const fork = forkOf(useCase, x, y, { forkcallid: started['forkcallid'] });
  const recognised: WantedEvent[] = isKnown ? [['fork_announcement', { ...fork, sample: announcement }]] : [];
  const call = { inviteid, acallid: placed.callid, dialogid: started['dialogid'] };
  await published(useCase, all, call, [
    inviteOf(useCase, x, uriOf(useCase, y), parties),
    ['dlg_init', { participations: parties }],
    ['dlg_call', {}],
    ['fork_start', fork],
    ...recognised,
    ['fork_stop', { ...fork, ...unavailable }],
    ...endsOf({ type: 'call_final', ...unavailable }, parties),
  ]);
  return true;
}

/** It answers before the announcement could be recognised: what plays then is no announcement any more. */
async function connectAfter(useCase: UseCase, x: NamedUser, y: NamedUser, announcement: string): Promise<void> {
  const { questions } = useCase.context;
  questions.behave(useCase.domain, y.number, { ringMs: 0, announcement, answerMs: marginMs });
  const call = await connect(useCase, { from: x.number, to: y.number });
  questions.behave(useCase.domain, y.number, directed);
  if (call === undefined) return;
  const left = await jobs(useCase);
  useCase.expect('jobs of a call that was answered', undefined, () => (left === 0 ? undefined : `${left}`));
  const hears = useCase.callsOf(x).find(({ callid }) => callid === call.acallid)?.hears;
  useCase.expect('what the caller hears of a callee that has answered', undefined, () =>
    hears === undefined ? undefined : hears,
  );
  const ended = await useCase.ask(call.path, { method: 'DELETE' });
  useCase.expect('DELETE', ended, (answer) =>
    answer?.status === 200 ? exactly(200, { dialogid: call.dialogid, result: 'ok' })(answer) : longTextOf(answer),
  );
}
