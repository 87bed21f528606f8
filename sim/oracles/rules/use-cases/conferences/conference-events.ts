/** The events of one conference. */
import { isSame } from '../calls/call-judges.ts';
import { endedMs } from '../kit/call.ts';
import type { EventClient, ReceivedEvent } from '../kit/event-client.ts';
import type { Item, UseCase } from '../kit/use-case.ts';
import type { OpenConference } from './rooms.ts';

/** A participant that came and left. */
export interface Came {
  readonly participantid: string;
  /** Absent: it is not known. */
  readonly callid?: string;
  readonly luri: string;
  readonly ruri: string;
  readonly direction: string;
  /** `undefined`: not known. */
  readonly isJoined: boolean | undefined;
  readonly left: Item;
}

/** From the end of a conference to its last event. */
const stopMs = 3_000;
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export async function subscribeTo(useCase: UseCase, events: EventClient): Promise<void> {
  const answer = await events.subscribe({ id: 'all', qid: 7, objects: 'any', events: ['confevents.*'], expires: 900 });
  const { cursor, ...rest } = answer;
  useCase.expect('the answer to subscribe', undefined, () =>
    typeof cursor === 'string' && isSame(rest, { id: 'all', qid: 7, result: 'ok', expires: 900 })
      ? undefined
      : `got ${JSON.stringify(answer)}`,
  );
}

/** All events of the conference when it is over: exactly these. */
export async function judgeEvents(
  useCase: UseCase,
  events: EventClient,
  { conference, came }: { readonly conference: OpenConference; readonly came: readonly Came[] },
): Promise<void> {
  const { confid, number, shown } = conference;
  const own = () => events.eventsOf('all').filter(({ data }) => data['confid'] === confid);
  await events.holds(() => own().some(({ name }) => name === 'confevents.conf_stop'), stopMs + endedMs);
  const all = own();
  const wrong = (what: string, isRight: boolean, data: unknown) =>
    useCase.expect(`events of conference ${confid}: ${what}`, undefined, () =>
      isRight ? undefined : `got ${JSON.stringify(data)?.slice(0, 600)}`,
    );
  const common = {
    confid,
    confnum: shown['confnumber'],
    room: number.slice(-2),
    confdomain: useCase.domain,
    invitets: new Date(Number(shown['startts'])).toISOString(),
    isrec: false,
  };
  for (const { qid, data } of all) {
    const { eventid, eventts } = data as Record<string, string>;
    const isIdentified = uuid.test(String(eventid)) && time.test(String(eventts)) && qid === 7;
    wrong('eventid, eventts and qid', isIdentified, { qid, data });
    const fields = Object.fromEntries(Object.keys(common).map((name) => [name, data[name]]));
    wrong('common fields', isSame(fields, common), data);
  }
  wrong('each has its own eventid', new Set(all.map(({ data }) => data['eventid'])).size === all.length, all);
  const sequence = all.map(({ name, data }) => [name.slice('confevents.'.length), data['participantid']]);
  const joined = came.filter(({ isJoined }) => isJoined === true);
  const named = (name: string) => all.filter((event) => event.name === `confevents.${name}`);
  const ends = [sequence[0]?.[0], sequence.at(-1)?.[0]];
  wrong('order', isSame(ends, ['conf_start', 'conf_stop']) && named('conf_start').length === 1, sequence);
  const start = withoutIds(named('conf_start')[0], common);
  wrong('conf_start', isSame(start, { participants: 0, participantsdata: [] }), start);
  const starts = named('part_start').map((event) => withoutIds(event, common));
  const known = joined.map(({ participantid, callid, ruri }) => ({ participantid, callid, ruri }));
  const expected = starts.filter(({ participantid }) => known.some((each) => each.participantid === participantid));
  wrong('part_start', isSame(expected, known), starts);
  const stops = named('part_stop').map((event) => withoutIds(event, common));
  for (const each of came) judgeStop(each, stops, wrong);
  wrong('part_stop', stops.length === came.length, stops);
  const { participantsdata, ...stop } = withoutIds(named('conf_stop')[0], common);
  const end = { type: 'conf_terminate', reason: 'ended by command', by: 'api' };
  wrong('conf_stop', isSame(stop, { participants: came.length, ...end }), stop);
  const departed = stops.map(({ type: _, reason: __, by: ___, ...rest }) => rest);
  wrong('participantsdata', isSame(participantsdata, departed), participantsdata);
  const lastMs = Date.parse(String(named('part_stop').at(-1)?.data['eventts']));
  const afterMs = Date.parse(String(named('conf_stop')[0]?.data['eventts'])) - lastMs;
  wrong('time of conf_stop', !useCase.areClocksRight || Math.abs(afterMs - stopMs) <= 200, afterMs);
  const same = (id: string, name: string) =>
    wrong(`subscription ${id}`, isSame(events.eventsOf(id).map(bare), named(name).map(bare)), events.eventsOf(id));
  same('own', 'part_stop');
  same('room', 'conf_stop');
}

function judgeStop(
  { participantid, callid, ruri, direction, isJoined, left }: Came,
  stops: readonly Item[],
  wrong: (what: string, isRight: boolean, data: unknown) => boolean,
): void {
  const [stop = {}, ...others] = stops.filter((each) => each['participantid'] === participantid);
  const { since, joined, left: leftAt, callid: ended, ...rest } = stop as Record<string, string | undefined>;
  wrong(`part_stop of ${participantid} comes once`, others.length === 0, others);
  const { reason: _, ...unnamed } = rest;
  const expected = { participantid, ruri, direction, ...left };
  const isSameEnd = isSame('reason' in left ? rest : unnamed, expected);
  wrong(`part_stop of ${participantid}`, isSameEnd && (callid === undefined || ended === callid), stop);
  wrong(`joined of ${participantid}`, isJoined === undefined || isJoined === (joined !== undefined), stop);
  const times = [since, joined, leftAt].filter((each) => each !== undefined);
  const isOrdered = times.every((each, index) => time.test(each) && each >= (times[index - 1] ?? ''));
  wrong(`times of ${participantid}`, isOrdered && since !== undefined && leftAt !== undefined, stop);
}

function withoutIds(event: ReceivedEvent | undefined, common: Item): Item {
  const known = ['eventid', 'eventts', ...Object.keys(common)];
  return Object.fromEntries(Object.entries(event?.data ?? {}).filter(([name]) => !known.includes(name)));
}

function bare({ name, data }: ReceivedEvent): Item {
  return { name, data };
}
