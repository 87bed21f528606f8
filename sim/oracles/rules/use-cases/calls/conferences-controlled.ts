/** A conference with two participants is shown, changed and ended everywhere. */
import { hearing, roomNumberOf } from '../conferences/rooms.ts';
import { connect, endCall, endedMs, steadyUsers } from '../kit/call.ts';
import { calls, conferences } from '../kit/paths.ts';
import { expecting, filterOf, type Item, itemsOf, listing, textOf, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { exactly } from './call-judges.ts';

/** Digits of the room: other rooms are those of clients. */
const room = '97';
/** A phone rings at most nine seconds before it answers, and a lost answer comes again. */
const joinedMs = 15_000;

export const conferencesControlled = useCaseOf({
  name: 'conferences-controlled',
  rule: 'In a quiescent cluster, a phone that is connected to a room has one conference at each front: shown, listed, counted, found by each of its keys. A number that is added is called and becomes active; each hears the other until the topology says otherwise; one that is removed is gone, and its call ends. DELETE ends the conference and the calls of it at all fronts.',
  exclusions:
    'Domains without phones that are registered and answer, or without rooms; calls that rules or limits of time end.',
  sender: '10.6.0.4',
  play: confer,
});

async function confer(useCase: UseCase): Promise<void> {
  const [first, second] = (await steadyUsers(useCase, 2)).map(({ number }) => number);
  const to = roomNumberOf(useCase, room);
  if (first === undefined || second === undefined || to === undefined) return;
  const call = await connect(useCase, { from: first, to });
  if (call === undefined) return;
  const found = await useCase.ask(`${conferences}?${filterOf({ confroomnum: room })}`);
  const [conference] = itemsOf(found);
  const before = useCase.problems.length;
  const isOver = conference !== undefined && (await meet(useCase, conference, second, call.dialogid));
  // The participant that was added may be there without the first one, whose phone has hung up.
  if (conference !== undefined && !isOver)
    await useCase.ask(`${conferences}/${String(conference['confid'])}`, { method: 'DELETE' });
  // A call that has ended by itself may have done so before it was looked at.
  if (!(await endCall(useCase, call)) && !isOver) useCase.problems.length = before;
}

/** Returns whether it has ended the conference. */
async function meet(useCase: UseCase, conference: Item, second: string, dialogid: string): Promise<boolean> {
  const { confid, confnumber, uri } = conference;
  const path = `${conferences}/${String(confid)}`;
  const there = useCase.there;
  const ask = useCase.ask.bind(useCase);
  useCase.expect(
    'the conference of the room',
    await ask(path),
    expecting(200, { confid, confroomnum: room, confnumber, uri, conftype: 'conference' }),
  );
  await useCase.everywhere(path, expecting(200, { confid, confroomnum: room, confnumber, uri }));
  await useCase.everywhere(conferences, listing('confid', confid));
  for (const [key, value] of Object.entries({ dialogid, confid, confuri: uri, confroomnum: room, confnumber })) {
    const lookup = { method: 'LOOKUP', body: { [key]: value } };
    await useCase.everywhere(conferences, exactly(200, [confid]), useCase.quickMs, lookup);
  }
  await keepOut(useCase, path, confid);
  const added = await ask(`${path}/participants`, { method: 'POST', body: { to: second } });
  const { participantid } = (added?.body ?? {}) as Item;
  if (typeof participantid !== 'string') return false;
  useCase.expect('POST of a participant', added, expecting(200, { confid, participantid }));
  const own = `${path}/participants/${participantid}`;
  if (!(await useCase.everywhere(own, expecting(200, { participantid, state: 'active', luri: uri }), joinedMs)))
    return false;
  await useCase.everywhere(`${path}/participants?countonly`, expecting(200, { count: 2 }));
  await useCase.everywhere(
    `${path}/participants?${filterOf({ state: 'active' })}`,
    listing('participantid', participantid),
  );
  const listed = await ask(`${path}/participants?mask=participantid`);
  const ids = itemsOf(listed).map((item) => String(item['participantid']));
  const other = ids.find((id) => id !== participantid);
  if (other === undefined) return false;
  await useCase.everywhere(`${path}/topology`, hearing({ [participantid]: [other], [other]: [participantid] }));
  const set = await ask(`${path}/topology`, { site: there, method: 'POST', body: { hears: { [participantid]: [] } } });
  useCase.expect(`POST of the topology at ${there}`, set, (answer) =>
    answer?.status === 200 ? undefined : textOf(answer),
  );
  await useCase.everywhere(`${path}/topology`, hearing({ [participantid]: [], [other]: [participantid] }));
  const removed = await ask(own, { site: there, method: 'DELETE' });
  useCase.expect(`DELETE of a participant at ${there}`, removed, expecting(200, { confid, participantid }));
  await useCase.everywhere(own, expecting(404, { error_code: 1404 }), endedMs);
  await useCase.everywhere(`${path}/participants`, listing('participantid', other));
  const ended = await ask(path, { site: there, method: 'DELETE' });
  useCase.expect(`DELETE of the conference at ${there}`, ended, expecting(200, { confid }));
  await useCase.everywhere(path, expecting(404), endedMs);
  await useCase.everywhere(conferences, listing('confid', confid, false));
  await useCase.everywhere(`${calls}/${dialogid}`, expecting(404), endedMs);
  return true;
}

/** Another domain does not see it, and brings no user into it. */
async function keepOut(useCase: UseCase, path: string, confid: unknown): Promise<void> {
  const domain = useCase.otherDomain;
  const [from] = domain === undefined ? [] : await useCase.willing(domain);
  if (domain === undefined || from === undefined) return;
  await useCase.everywhere(path, expecting(404), useCase.quickMs, { domain });
  const body = { from, to: `conf-${String(confid)}`, response_mode: 3 };
  const called = await useCase.ask(calls, { domain, method: 'INVITE', body });
  useCase.expect(`a call of ${from}@${domain} to conf-${String(confid)}`, called, (answer) => {
    const { last_response: last = '' } = (answer?.body ?? {}) as { last_response?: string };
    return last.includes(' 200 ') ? `got ${textOf(answer)}` : undefined;
  });
  const { dialogid } = (called?.body ?? {}) as Item;
  if (typeof dialogid === 'string') await useCase.ask(`${calls}/${dialogid}`, { domain, method: 'DELETE' });
  await useCase.everywhere(`${path}/participants?countonly`, expecting(200, { count: 1 }));
}
