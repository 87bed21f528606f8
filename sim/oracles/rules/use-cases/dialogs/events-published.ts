/** The events of calls that are answered, refused, redirected, taken back and ended, with all their fields. */

import { accountsOf } from '../../../../outside/population.ts';
import type { SubscribedEvents } from '../../drills/kit/call-events.ts';
import { exactly, isSame, refusing } from '../calls/call-judges.ts';
import { call, directed, type SteadyUser, uriOf } from '../kit/call.ts';
import { EventClient } from '../kit/event-client.ts';
import { calls } from '../kit/paths.ts';
import { type Item, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { begin, legAt, type PhoneCall, place } from './phone-calls.ts';
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

/** A command ends it while it talks, and while it rings. */
const ended = { type: 'call_terminate', reason: '' };
const terminated = { type: 'call_terminate', sipcode: 480, reason: 'Temporarily Unavailable' };
const withdrawn = { type: 'cancel', sipcode: 487, reason: 'Request Terminated', by: 'a' };
const stopped = { sipcode: 487, reason: 'Request Terminated' };
/** A provider refuses it. */
const outsideNumber = '7*486';
const busy = { sipcode: 486, reason: 'Busy Here' };

export const eventsPublished = useCaseOf({
  name: 'events-published',
  rule: 'In a quiescent cluster a subscriber at each front gets the events of a call in exact order with exactly their fields: of calls by command and of phones that are answered and ended by command or by either side, taken back, refused, redirected, or lead to nothing; they are picked by the ids, numbers and logins of the call, also later; one that is redirected is found by the number of the user that has answered; and what is said only while a side is transcribed.',
  exclusions: 'Domains with fewer than three phones that are registered, and whose users limit no calls.',
  sender: '10.6.0.40',
  play: async (useCase) => {
    const [x, y, z] = await namedUsers(useCase, 3);
    if (x === undefined || y === undefined || z === undefined) return;
    const all = await subscribe(useCase);
    if (all.length > 0 && (await byCommand(useCase, all, [x, y]))) await byPhone(useCase, all, [x, y, z]);
  },
});

type Pair = readonly [NamedUser, NamedUser];

/** Returns whether the phones may call each other. */
async function byCommand(useCase: UseCase, all: readonly SubscribedEvents[], [x, y]: Pair): Promise<boolean> {
  const { questions } = useCase.context;
  const says = [1_500, 4_500, 8_000].map((afterMs, at) => ({ afterMs, text: `text ${at}` }));
  questions.behave(useCase.domain, y.number, { ...directed, says });
  const one = await call(useCase, { from: x.number, to: y.number });
  questions.behave(useCase.domain, y.number, directed);
  if (one === undefined) return false;
  const { path, dialogid, acallid, bcallid } = one;
  const until = (ms: number) => questions.wait(connectedMs + ms - useCase.context.now());
  const connectedMs = useCase.context.now();
  const asr = async (side: string, action: string) => {
    const answer = await useCase.ask(path, { method: 'SETUP_ASR', body: { side, action }, site: useCase.there });
    useCase.expect(`SETUP_ASR ${side} ${action}`, answer, exactly(200, { dialogid, result: 'ok' }));
  };
  await asr('a', 'start');
  await until(3_000);
  await asr('b', 'start');
  await until(6_000);
  await asr('b', 'stop');
  await until(9_000);
  await useCase.ask(path, { method: 'DELETE', site: useCase.there });
  const [a, b] = [party(useCase, 'a', x), party(useCase, 'b', y)];
  const forkA = forkOf(useCase, x, x, { forkcallid: acallid, side: 'a' });
  const forkB = forkOf(useCase, x, y, { forkcallid: bcallid });
  const inviteid = await inviteidOf(useCase, all, acallid);
  if (inviteid === undefined) return false;
  await published(useCase, all, { inviteid, acallid, dialogid }, [
    inviteOf(useCase, x, uriOf(useCase, y), [a]),
    ['dlg_init', { participations: [a] }],
    ['dlg_call', {}],
    ['fork_start', forkA],
    ['fork_start', forkB],
    ['dlg_start', { ...forkB, bcallid, participations: [a, b] }],
    ['transcription', { side: 'b', text: 'text 1' }],
    ...endsOf(ended, [a, b]),
  ]);
  for (const events of all) await picked(useCase, events, inviteid, [dialogid, inviteid, x.number, x.login, y.number]);
  return true;
}

/** Who picks the events of a call by one of its names has all of them, also later. */
async function picked(
  useCase: UseCase,
  events: SubscribedEvents,
  inviteid: string,
  names: readonly string[],
): Promise<void> {
  const client = await EventClient.open(useCase, { site: events.site });
  // Its session may be over: the oldest of too many is closed.
  if (client === undefined || events.hasGap || !events.isConnected) return;
  const all = events.of(inviteid).map(({ name }) => `callevents.${name}`);
  for (const object of new Set(names)) {
    await client.subscribe({ id: object, objects: [object], events: ['callevents.*'], cursor: events.start });
    const got = () =>
      client.eventsOf(object).flatMap(({ name, data }) => (data['inviteid'] === inviteid ? [name] : []));
    await client.holds(() => got().length >= all.length, useCase.quickMs);
    useCase.expect(`events of a call picked by ${object} at ${events.site}`, undefined, () =>
      isSame(got(), all) ? undefined : `expected ${all.join()}, got ${got().join()}`,
    );
  }
  await client.close();
}

async function byPhone(
  useCase: UseCase,
  all: readonly SubscribedEvents[],
  [x, y, z]: readonly [NamedUser, NamedUser, NamedUser],
): Promise<void> {
  const { questions } = useCase.context;
  const [a, b] = [party(useCase, 'a', x), party(useCase, 'b', y)];
  const begun = (...participations: Item[]): WantedEvent[] => [
    inviteOf(useCase, x, uriOf(useCase, y), participations),
    ['dlg_init', { participations }],
    ['dlg_call', {}],
  ];
  const behave = (behaviour: Parameters<typeof questions.behave>[2]) =>
    questions.behave(useCase.domain, y.number, behaviour);

  const answered = await begin(useCase, x, y.number, 'dialog');
  if (answered === undefined) return;
  const fork = forkOf(useCase, x, y, { forkcallid: answered.bcallid });
  questions.hangUp(legAt(useCase, y, answered.bcallid));
  const { bcallid } = answered;
  await published(useCase, all, answered, [
    ...begun(a, b),
    ['fork_start', fork],
    ['dlg_start', { ...fork, bcallid, participations: [a, b] }],
    ...endsOf({ type: 'bye', reason: '', by: 'b' }, [a, b]),
  ]);

  behave({ ringMs: 0 });
  for (const [how, end] of [
    [withdrawn, (call: PhoneCall) => questions.hangUp(call.placed)],
    [terminated, (call: PhoneCall) => useCase.ask(call.path, { method: 'DELETE', site: useCase.there })],
  ] as const) {
    const ringing = await begin(useCase, x, y.number, 'forking');
    if (ringing === undefined) return;
    const forked = forkOf(useCase, x, y, { forkcallid: ringing.bcallid });
    await end(ringing);
    await published(useCase, all, ringing, [
      ...begun(a, b),
      ['fork_start', forked],
      ['fork_stop', { ...forked, ...stopped }],
      ...endsOf(how, [a, b]),
    ]);
  }

  behave({ reject: 486 });
  const refused = await seen(useCase, all, x, y.number);
  if (refused !== undefined) {
    const forked = forkOf(useCase, x, y, { forkcallid: refused.forks[0] });
    await published(useCase, all, refused, [
      ...begun(a, b),
      ['fork_start', forked],
      ['fork_stop', { ...forked, ...busy }],
      ...endsOf({ type: 'call_final', ...busy }, [a, b]),
    ]);
  }

  behave({ redirect: z.number });
  const redirected = await begin(useCase, x, y.number, 'dialog');
  behave(directed);
  if (redirected !== undefined) {
    const first = all[0]?.of(redirected.inviteid).find(({ name }) => name === 'fork_start')?.data['forkcallid'];
    const [one, other] = [
      forkOf(useCase, x, y, { forkcallid: first }),
      forkOf(useCase, x, z, { forkcallid: redirected.bcallid }),
    ];
    await isFound(useCase, y, []);
    await isFound(useCase, z, [redirected.dialogid]);
    questions.hangUp(redirected.placed);
    const parties = [a, party(useCase, 'b', z)];
    await published(useCase, all, redirected, [
      ...begun(a, b),
      ['fork_start', one],
      ['fork_redirect', { ...one, contacts: [uriOf(useCase, z)] }],
      ['fork_start', other],
      ['dlg_start', { ...other, bcallid: redirected.bcallid, participations: parties }],
      ...endsOf({ type: 'bye', reason: '', by: 'a' }, parties),
    ]);
    for (const user of [x, y, z]) await isFound(useCase, user, []);
  }

  await outside(useCase, all, x);
  const { otherDomain } = useCase;
  if (otherDomain === undefined) return;
  const none = `none-${useCase.domain.length}@${otherDomain}`;
  const unknown = await seen(useCase, all, x, none);
  if (unknown !== undefined)
    await published(useCase, all, unknown, [
      inviteOf(useCase, x, `<sip:${none}>`, [a]),
      ...endsOf({ type: 'error', sipcode: 404, reason: 'Not Found' }, [a]),
    ]);
}

/** Each front finds these calls by the number of the user. */
async function isFound(useCase: UseCase, { number }: SteadyUser, ids: readonly string[]): Promise<void> {
  const judge = ids.length === 0 ? refusing(404, 'Lookup failed') : exactly(200, ids);
  await useCase.everywhere(calls, judge, useCase.patienceMs, {
    method: 'LOOKUP',
    body: { sipuserphonenumber: number },
  });
}

async function inviteidOf(
  useCase: UseCase,
  [events]: readonly SubscribedEvents[],
  acallid: string,
): Promise<string | undefined> {
  const find = () => events?.inviteidOf(acallid);
  await useCase.context.questions.eventually(useCase.patienceMs, () => (find() === undefined ? ['no invite'] : []));
  return find();
}

/** A provider refuses the number. */
async function outside(useCase: UseCase, all: readonly SubscribedEvents[], x: NamedUser): Promise<void> {
  const { map } = useCase.context;
  const accounts = accountsOf(map);
  const [account, more] = accounts.filter(({ domain }) => domain === useCase.domain);
  // An edge counts a call that its provider has never answered for a while, and it may have the only trunk.
  if (account === undefined || more !== undefined || account.provider.trunks < 2) return;
  const refused = await seen(useCase, all, x, outsideNumber);
  // The account may be out of service, or the number may lead to nothing.
  if (refused === undefined || refused.forks.length === 0) return;
  const { code, domain: remote } = account.provider;
  const to = { side: 'b', kind: 'account', domain: useCase.domain, name: code, number: outsideNumber };
  const parties = [party(useCase, 'a', x), to];
  const fork = {
    ...forkOf(useCase, x, { ...x, number: outsideNumber }, { forkcallid: refused.forks[0] }),
    ...{ remoteuri: `<sip:${outsideNumber}@${remote}>`, forkdir: 'outer' },
  };
  await published(useCase, all, refused, [
    inviteOf(useCase, x, String(refused.to), parties),
    ['dlg_init', { participations: parties }],
    ['dlg_call', {}],
    ['fork_start', fork],
    ['fork_stop', { ...fork, ...busy }],
    ...endsOf({ type: 'call_final', ...busy }, parties),
  ]);
}

interface SeenCall {
  readonly inviteid: string;
  readonly acallid: string;
  readonly dialogid: unknown;
  readonly forks: readonly unknown[];
  /** The URI that it calls. */
  readonly to: unknown;
}

/** A call of a phone that is refused, as its events say. */
async function seen(
  useCase: UseCase,
  all: readonly SubscribedEvents[],
  x: NamedUser,
  number: string,
): Promise<SeenCall | undefined> {
  const placed = place(useCase, x, number);
  if (placed === undefined) return undefined;
  const id = await inviteidOf(useCase, all, placed.callid);
  await useCase.context.questions.wait(useCase.quickMs);
  const hearing = all.find(({ hasGap, isConnected }) => isConnected && !hasGap);
  if (hearing === undefined) return undefined;
  const events = id === undefined ? [] : hearing.of(id);
  useCase.expect(`the events of a call of ${x.number} to ${number}`, undefined, () =>
    events.length === 0 ? 'none' : undefined,
  );
  if (id === undefined) return undefined;
  const forks = events.filter(({ name }) => name === 'fork_start').map(({ data }) => data['forkcallid']);
  return {
    inviteid: id,
    acallid: placed.callid,
    dialogid: events[0]?.data['dialogid'],
    forks,
    to: events[0]?.data['to'],
  };
}
