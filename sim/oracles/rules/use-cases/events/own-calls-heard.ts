/** Which events of calls the web sockets of a user without administrative rights receive, while SIP users are bound to the user and taken away. */
import { boundsOf } from '../../../bounds.ts';
import type { OwnSession } from '../../../questions.ts';
import { isSame } from '../calls/call-judges.ts';
import { begin, type PhoneCall } from '../dialogs/phone-calls.ts';
import { directedUsers, type SteadyUser, unbound } from '../kit/call.ts';
import { EventClient, type ReceivedEvent } from '../kit/event-client.ts';
import { sipUsers } from '../kit/paths.ts';
import { type UseCase, useCaseOf } from '../kit/use-case.ts';
import { bindUser } from '../sessions/own-sessions.ts';

/** Of a subscription that is not renewed. */
const briefSec = 3;
const wanted = { objects: 'any', events: ['callevents.*'] };
const started = 'callevents.dlg_start';
const ended = 'callevents.dlg_end';
/** Comes three seconds after the end. */
const stopped = 'callevents.dlg_stop';

export const ownCallsHeard = useCaseOf({
  name: 'own-calls-heard',
  rule: 'In a quiescent cluster the subscriptions of a user without administrative rights have the events of the own calls, as an administrator has them, and of no others: also when another subscription of the user has been removed, has expired or has ended with its socket, of a SIP user from the moment on when it is bound to the user, in a call too, until it is bound to the user no longer, and of calls to it.',
  exclusions: 'Domains with fewer than three phones that are registered, and whose users limit no calls.',
  sender: '10.6.22.60',
  play: async (useCase) => {
    const [x, y, z] = await directedUsers(useCase, 3);
    if (x === undefined || y === undefined || z === undefined) return;
    const user = await bindUser(useCase, 'own-heard', x);
    if (user === undefined) return;
    const sites = [...new Set([useCase.here, useCase.there])];
    const opened = await Promise.all(sites.map((site) => openAt(useCase, site, user.session)));
    const fronts = opened.filter((front) => front !== undefined);
    if (fronts.length < sites.length) return;
    const stage: Stage = { useCase, fronts };
    useCase.afterwards(() => bind(useCase, y, y.iduser ?? unbound));
    const joined = await hear(stage, [y, z], {
      ids: ['kept'],
      before: false,
      after: true,
      change: async () => {
        for (const front of fronts) await endOthers(useCase, front);
        return bind(useCase, y, user.id);
      },
    });
    if (!joined) return;
    const left = await hear(stage, [x, z], {
      ids: ['kept'],
      before: true,
      after: false,
      change: () => bind(useCase, x, unbound),
    });
    if (!left) return;
    for (const { own } of fronts) {
      const heard = ['removed', 'brief'].filter((id) => own.eventsOf(id).length > 0);
      useCase.expect(`the subscriptions that have ended at ${own.site}`, undefined, () =>
        heard.length === 0 ? undefined : `${heard.join()} got events`,
      );
    }
    await Promise.all(fronts.map(({ own }) => own.subscribe({ id: 'again', ...wanted })));
    await hear(stage, [z, y], { ids: ['kept', 'again'], before: true, after: true, change: async () => true });
    await hear(stage, [x, z], { ids: ['kept', 'again'], before: false, after: false, change: async () => true });
  },
});

/** Sockets at a front. */
interface Front {
  readonly admin: EventClient;
  readonly own: EventClient;
  /** Of the user as well. */
  readonly second: EventClient;
}

interface Stage {
  readonly useCase: UseCase;
  readonly fronts: readonly Front[];
}

/** `undefined`: a socket or a subscription is refused. */
async function openAt(useCase: UseCase, site: string, session: OwnSession): Promise<Front | undefined> {
  const admin = await EventClient.open(useCase, { site });
  const own = await EventClient.open(useCase, { site, session });
  const second = await EventClient.open(useCase, { site, session });
  if (admin === undefined || own === undefined || second === undefined) return undefined;
  const answers = [
    await admin.subscribe({ id: 'all', ...wanted }),
    await own.subscribe({ id: 'removed', ...wanted }),
    await own.subscribe({ id: 'kept', ...wanted }),
    await own.subscribe({ id: 'brief', ...wanted, expires: briefSec }),
    await second.subscribe({ id: 'closed', ...wanted }),
  ];
  return answers.every(({ result }) => result === 'ok') ? { admin, own, second } : undefined;
}

/** Ends all subscriptions of the user at a front except one. */
async function endOthers({ quickMs }: UseCase, { own, second }: Front): Promise<void> {
  await own.subscribe({ id: 'removed', expires: 0 });
  await second.close();
  await own.holds(() => own.notices.some(([name]) => name === 'expired'), briefSec * 1_000 + quickMs);
}

/** Returns whether it is changed, as each front knows then. */
async function bind(useCase: UseCase, { id }: SteadyUser, iduser: string): Promise<boolean> {
  const changed = await useCase.ask(`${sipUsers}/${id}`, { method: 'PATCH', body: { iduser } });
  await useCase.copied();
  return changed?.status === 200;
}

interface Hearing {
  /** Of the subscriptions of the user. */
  readonly ids: readonly string[];
  /** Whether the user has the events of the call, before the change and after it. */
  readonly before: boolean;
  readonly after: boolean;
  /** Is done while the parties talk. Returns whether it is. */
  change(): Promise<boolean>;
}

/** A call of two phones, and what the subscriptions have of it. Returns whether it was made, and all was changed. */
async function hear(
  { useCase, fronts }: Stage,
  [caller, callee]: readonly [SteadyUser, SteadyUser],
  { ids, before, after, change }: Hearing,
): Promise<boolean> {
  const call = await begin(useCase, caller, callee.number, 'dialog');
  if (call === undefined || !(await known(useCase, fronts, call, started))) return false;
  const isChanged = await change();
  useCase.context.questions.hangUp(call.placed);
  if (!isChanged || !(await known(useCase, fronts, call, ended))) return false;
  for (const { admin, own } of fronts)
    for (const id of ids) {
      const all = of(admin, 'all', call);
      const expected = all.filter(({ name }) => (name === started && before) || (name === ended && after));
      // The parties are known when the callee has answered, at the latest.
      const judged = () => of(own, id, call).filter(({ name }) => name !== stopped && (!before || isEdge(name)));
      await own.holds(() => judged().length >= expected.length, useCase.quickMs);
      const got = judged();
      useCase.expect(`what ${id} at ${own.site} has of ${caller.number} calling ${callee.number}`, undefined, () =>
        isSame(dataOf(got), dataOf(expected)) ? undefined : `expected ${namesOf(expected)}, got ${namesOf(got)}`,
      );
    }
  return true;
}

/** Waits until the administrator has an event of a call at each front. */
async function known(
  { context: { map } }: UseCase,
  fronts: readonly Front[],
  call: PhoneCall,
  name: string,
): Promise<boolean> {
  const { subscriberCatchUpMs } = boundsOf(map);
  const comes = ({ admin }: Front) =>
    admin.holds(() => of(admin, 'all', call).some((each) => each.name === name), subscriberCatchUpMs);
  return (await Promise.all(fronts.map(comes))).every(Boolean);
}

function of(client: EventClient, id: string, { inviteid }: PhoneCall): readonly ReceivedEvent[] {
  return client.eventsOf(id).filter(({ data }) => data['inviteid'] === inviteid);
}

function isEdge(name: string): boolean {
  return name === started || name === ended;
}

function dataOf(events: readonly ReceivedEvent[]): unknown[] {
  return events.map(({ name, data }) => [name, data]);
}

function namesOf(events: readonly ReceivedEvent[]): string {
  return events.map(({ name }) => name).join() || 'none';
}
