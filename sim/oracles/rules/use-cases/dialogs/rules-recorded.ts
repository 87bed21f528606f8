/** Which calls record recordRules have recorded, by each of their fields. */

import { exactly, longTextOf, refusing } from '../calls/call-judges.ts';
import { connect, directedUsers, endCall, type SteadyUser } from '../kit/call.ts';
import { recordRules, records, sipUsers } from '../kit/paths.ts';
import { expecting, type Item, itemsOf, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { makeUser } from '../sessions/own-sessions.ts';
import { areServedTogether } from './domains-crossed.ts';

const first = -1_000_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Later in the day, a period that is over midnight cannot end after now. */
const lastHour = 20;

export const rulesRecorded = useCaseOf({
  name: 'rules-recorded',
  rule: 'In a quiescent cluster the record rule with the lowest priority that fits decides whether a call is recorded: by its direction as its domain sees it, its numbers or patterns of them, the other domain, and the working hours in the time zone of the SIP user, of the bound user or of the domain, also after midnight; what is changed holds for the next call; and a recording is kept, listed and served for as long as its storage rule says.',
  exclusions:
    'Domains with fewer than three phones that are registered, and whose users limit no calls; calls to a domain without such a phone.',
  sender: '10.6.0.45',
  play: async (useCase) => {
    const [x, y, z] = await directedUsers(useCase, 3);
    if (x === undefined || y === undefined || z === undefined) return;
    const others = itemsOf(await useCase.ask(`${recordRules}?mask=priority`));
    if (others.some(({ priority }) => Number(priority) < first + 100)) return;
    const made: string[] = [];
    useCase.afterwards(() => useCase.copied());
    const night = await nightOf(useCase, [y, z]);
    for (const [at, rule] of rulesFor(useCase, [x, y, z], night).entries()) {
      const body = { priority: first + 2 * at + 2, ...rule };
      const one = await useCase.make(recordRules, body);
      if (one === undefined) return;
      made.push(one.path);
    }
    await useCase.copied();
    await judge(useCase, [x, y, z], made);
    if (night !== undefined) await isRecorded(useCase, z, y.number, true);
    await judgeZones(useCase, z, x);
    await judgeStorage(useCase, y, z);
  },
});

type Three = readonly [SteadyUser, SteadyUser, SteadyUser];

/** The day of the week, from 1 for Monday: 1970 began on a Thursday. */
function dayOf(day: number): number {
  return ((day + 3) % 7) + 1;
}

/** A period that began the evening before and lasts until later than now, where both users have one time zone. */
async function nightOf(useCase: UseCase, users: readonly SteadyUser[]): Promise<Item | undefined> {
  const { map, now } = useCase.context;
  const own = map.domains.get(useCase.domain)?.timezone ?? 0;
  const zones = new Set<number>();
  for (const { id, iduser } of users) {
    const answer = await useCase.ask(`${sipUsers}/${id}?mask=timezone`);
    const zone = String((answer?.body as Item | undefined)?.['timezone']);
    if (answer?.status !== 200 || (zone === 'default' && iduser !== undefined)) return undefined;
    zones.add(zone === 'default' ? own : Number(zone));
  }
  const [zone = 0, ...others] = zones;
  const localMs = now() + zone * hourMs;
  const hour = Math.floor((localMs % dayMs) / hourMs);
  if (others.length > 0 || hour > lastHour) return undefined;
  return {
    days: [dayOf(Math.floor(localMs / dayMs) - 1)],
    from: `${timeOf(hour + 3)}:00`,
    to: `${timeOf(hour + 2)}:00`,
  };
}

const timeOf = (hour: number) => String(hour).padStart(2, '0');

/** In the order of their priorities. */
function rulesFor(useCase: UseCase, [x, y, z]: Three, night: Item | undefined): Item[] {
  const today = Math.floor(useCase.context.now() / dayMs);
  // In a time zone within twelve hours of UTC it is never that day, and always one of two: until noon the day before or this one.
  const away = dayOf(today + 3);
  const isEarly = useCase.context.now() % dayMs < dayMs / 2;
  const [xy, { otherDomain = 'none.test' }] = [{ fromnumber: x.number, tonumber: y.number }, useCase];
  return [
    { ...xy, dir: 'incoming', rec: 1 },
    { ...xy, dir: 'outgoing', crossdomain: '*', rec: 1 },
    { ...xy, crossdomain: otherDomain, rec: 1 },
    { ...xy, schedule: 'work', periods: [{ days: [away], from: '10:00', to: '11:00' }], rec: 1 },
    { fromnumber: y.number, tonumber: y.number, rec: 1 },
    { ...xy, rec: 0 },
    { ...xy, rec: 1 },
    {
      tonumber: z.number,
      schedule: 'work',
      periods: [
        { days: [dayOf(today - (isEarly ? 1 : 0)), dayOf(today + (isEarly ? 0 : 1))], from: '00:00', to: '24:00' },
      ],
      rec: 1,
    },
    { fromnumber: `*${y.number.slice(1)}`, dir: 'inner', rec: 1 },
    ...(night === undefined
      ? []
      : [{ fromnumber: z.number, tonumber: y.number, schedule: 'work', periods: [night], rec: 1 }]),
    { dir: 'inner', fromnumber: z.number, crossdomain: '*', rec: 0 },
    // Of calls inside the domain.
    { rec: 0 },
    { dir: 'outgoing', fromnumber: z.number, crossdomain: `${otherDomain.slice(0, 2)}*`, rec: 1 },
    { crossdomain: '*', rec: 0 },
  ];
}

async function judge(useCase: UseCase, [x, y, z]: Three, made: readonly string[]): Promise<void> {
  if (!(await isRecorded(useCase, x, y.number, false))) return;
  await isRecorded(useCase, x, z.number, true);
  await isRecorded(useCase, y, x.number, true);
  await isRecorded(useCase, z, x.number, false);
  const { otherDomain } = useCase;
  if (otherDomain !== undefined) {
    const [far] = await directedUsers(useCase.elsewhere(otherDomain), 1);
    if (far !== undefined && (await isRecorded(useCase, z, `${far.number}@${otherDomain}`, true)))
      await judgeAbroad(useCase, y, { otherDomain, far });
  }
  // The second of two recordRules for the same calls comes before the first one now.
  const changed = await useCase.ask(made[6] ?? recordRules, { method: 'PATCH', body: { priority: first + 11 } });
  await useCase.copied();
  if (changed?.status === 200) await isRecorded(useCase, x, y.number, true);
}

/** A call from another domain comes in, for the domain of its callee. */
async function judgeAbroad(
  useCase: UseCase,
  y: SteadyUser,
  { otherDomain, far }: { readonly otherDomain: string; readonly far: SteadyUser },
): Promise<void> {
  if (!areServedTogether(useCase, otherDomain)) return;
  const other = useCase.elsewhere(otherDomain);
  const others = itemsOf(await other.ask(`${recordRules}?mask=priority`));
  if (others.some(({ priority }) => Number(priority) < first + 100)) return;
  const rule = { tonumber: far.number, crossdomain: useCase.domain };
  const one = await other.make(recordRules, { priority: first, dir: 'outgoing', ...rule, rec: 1 });
  const rest = await other.make(recordRules, { priority: first + 1, ...rule, rec: 0 });
  if (one === undefined || rest === undefined) return;
  other.afterwards(() => other.copied());
  await useCase.copied();
  if (!(await isRecorded(useCase, y, `${far.number}@${otherDomain}`, false))) return;
  const changed = await other.ask(one.path, { method: 'PATCH', body: { dir: 'incoming' } });
  await useCase.copied();
  if (changed?.status === 200) await isRecorded(useCase, y, `${far.number}@${otherDomain}`, true);
}

/** Working hours are those of the caller: its own, else those of the user who is bound to it. */
async function judgeZones(useCase: UseCase, z: SteadyUser, x: SteadyUser): Promise<void> {
  const { map, now } = useCase.context;
  const own = map.domains.get(useCase.domain)?.timezone ?? 0;
  const away = own > 0 ? [own - 7, own - 3] : [own + 7, own + 3];
  const [zone = 0, other = 0] = useCase.drawn % 2 === 0 ? away : [0, own > 0 ? -4 : 4];
  const hour = Math.floor(((((now() + zone * hourMs) % dayMs) + dayMs) % dayMs) / hourMs);
  const period = {
    days: [1, 2, 3, 4, 5, 6, 7],
    from: `${timeOf((hour + 23) % 24)}:00`,
    to: `${timeOf((hour + 2) % 24)}:00`,
  };
  const rule = { fromnumber: z.number, tonumber: x.number, schedule: 'work', periods: [period], rec: 1 };
  const made = await useCase.make(recordRules, { priority: first, ...rule });
  const path = `${sipUsers}/${z.id}`;
  const before = ((await useCase.ask(path))?.body ?? {}) as Item;
  const user = made && (await makeUser(useCase, 'rules-recorded', { timezone: other }));
  if (user === undefined) return;
  const set = async (target: string, body: Item) => {
    const changed = await useCase.ask(target, { method: 'PATCH', body });
    await useCase.copied();
    return changed?.status === 200;
  };
  useCase.afterwards(() => set(path, { timezone: before['timezone'], iduser: before['iduser'] }));
  for (const [target, body, is] of [
    [path, { timezone: String(other), iduser: user.id }, false],
    [path, { timezone: String(zone) }, true],
    [path, { timezone: 'default' }, false],
    [user.path, { timezone: zone }, true],
  ] as const)
    if (!(await set(target, body)) || !(await isRecorded(useCase, z, x.number, is))) return;
}

/** The record of a call counts its recording until the time of the storage rule is over. */
async function judgeStorage(useCase: UseCase, y: SteadyUser, z: SteadyUser): Promise<void> {
  const { map, now, questions } = useCase.context;
  const rules = map.domains.get(useCase.domain)?.storagerules ?? [];
  const brief = rules.find(({ keepSeconds }) => keepSeconds * 1_000 > 2 * useCase.patienceMs && keepSeconds <= 60);
  if (brief === undefined || !useCase.areClocksRight) return;
  const rule = { fromnumber: y.number, tonumber: z.number, storageruleid: brief.id, rec: 1 };
  if ((await useCase.make(recordRules, { priority: first + 1, ...rule })) === undefined) return;
  await useCase.copied();
  const call = await connect(useCase, { from: y.number, to: z.number });
  if (call === undefined || !(await endCall(useCase, call))) return;
  const record = `${records}/${call.inviteid}`;
  const counting = (recordings: number) => expecting(200, { inviteid: call.inviteid, recordings });
  await useCase.everywhere(record, counting(1));
  const attachments = `${record}/attachments`;
  const [entry] = itemsOf(await useCase.ask(attachments));
  const [{ name } = {}] = (entry?.['files'] ?? []) as { name?: string }[];
  useCase.expect('the files of a recording', undefined, () => (name === undefined ? 'none is listed' : undefined));
  const { endts } = ((await useCase.ask(record))?.body ?? {}) as { endts?: number };
  const untilMs = Number(endts) + brief.keepSeconds * 1_000;
  await questions.wait(Math.max(0, untilMs - 500 - now()));
  await useCase.everywhere(record, counting(1), 0);
  await questions.wait(1_000);
  await useCase.everywhere(record, counting(0));
  // It is listed and served no more.
  await useCase.everywhere(attachments, exactly(200, []));
  if (name !== undefined) await useCase.everywhere(`${attachments}/${name}`, refusing(404, 'Call record not found'));
}

/** Returns whether the phones may call each other. */
async function isRecorded(useCase: UseCase, from: SteadyUser, to: string, is: boolean): Promise<boolean> {
  const call = await connect(useCase, { from: from.number, to });
  if (call === undefined) return false;
  const answer = await useCase.ask(call.path);
  const { opts = {} } = (answer?.body ?? {}) as { opts?: Item };
  if (answer?.status === 200)
    useCase.expect(`a call of ${from.number} to ${to}`, answer, () =>
      (opts['recording'] === true) === is
        ? undefined
        : `expected ${is ? '' : 'no '}recording, got ${longTextOf(answer)}`,
    );
  await useCase.ask(call.path, { method: 'DELETE' });
  const record = `${records}/${call.inviteid}`;
  await useCase.everywhere(
    record,
    (it) => {
      const { recordings } = (it?.body ?? {}) as Item;
      return it?.status === 200 && recordings === (is ? 1 : 0) ? undefined : longTextOf(it);
    },
    useCase.patienceMs,
  );
  return true;
}
