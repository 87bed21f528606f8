/** What service scripts do with calls and conferences, by the component Operation. */
import { isSame, over } from '../calls/call-judges.ts';
import { openConference, roomNumberOf } from '../conferences/rooms.ts';
import { directedUsers, endedMs, type SteadyUser } from '../kit/call.ts';
import { calls } from '../kit/paths.ts';
import { expecting, type Item, itemsOf, type Judge, textOf, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { judged, operating, type RunOperation, type WantedOperation } from './operating-script.ts';

const code = 'scripts-command';
/** Digits of the room: other rooms are those of clients. */
const room = '70';
/** Until a phone has done what its call was changed to, also where a message was lost. */
const doneMs = 5_000;

const operations: readonly WantedOperation[] = [
  ['call.invite', ['from', 'to', 'response_mode', 'label']],
  ['call.find', ['callid']],
  ['call.get', ['dialogid']],
  ['call.setup_bindings', ['dialogid', 'add']],
  ['call.send_dtmf', ['dialogid', 'to', 'dtmf']],
  ['call.notify', ['dialogid', 'to', 'event']],
  ['call.setup_record', ['dialogid', 'action']],
  ['call.delete', ['callid']],
  ['conference.find', ['confroomnum']],
  ['conference.get', ['confid']],
  ['conference.add', ['confuri', 'to']],
  ['conference.participants', ['confid']],
  ['conference.remove', ['confid', 'participantid']],
  ['conference.delete', ['confnumber']],
];
export const scriptsCommand = useCaseOf({
  name: code,
  rule: 'In a quiescent cluster the operations of service scripts do with calls and conferences what the same commands of clients do, and get their answers: a call is made, found by a Call-Id, shown, labelled, held, recorded and ended, its phones have the digits, and a wrong one is refused with what is wrong; a conference is found by its room, a participant is added by its URI, listed and removed, and it ends by its number.',
  exclusions:
    'Domains with fewer than two phones that are registered, whose users limit calls, or whose limits refuse runs; conferences in domains without rooms.',
  sender: '10.6.22.41',
  play: async (useCase) => {
    const [x, y] = await directedUsers(useCase, 2);
    if (x === undefined || y === undefined) return;
    const run = await operating(useCase, code, operations);
    if (run === undefined) return;
    await talk(useCase, run, [x, y]);
    await meet(useCase, run, [x, y]);
  },
});

type Two = readonly [SteadyUser, SteadyUser];

async function talk(useCase: UseCase, run: RunOperation, [x, y]: Two): Promise<void> {
  const made = await run('call.invite', { from: x.number, to: y.number, response_mode: 3, label: code });
  const { dialogid, acallid, bcallid } = (made?.body ?? {}) as Record<string, string>;
  const isMade = judged(useCase, 'call.invite', made, (body) => (body as Item)['result'] === 'ok');
  if (!isMade || dialogid === undefined) return;
  const path = `${calls}/${dialogid}`;
  const { patienceMs } = useCase;
  const shows = (isRight: (opts: Item) => boolean): Judge => {
    return (answer) => {
      const { opts = {}, status } = (answer?.body ?? {}) as { readonly opts?: Item; readonly status?: unknown };
      return status === 'dialog' && isRight(opts) ? undefined : textOf(answer);
    };
  };
  await useCase.everywhere(
    path,
    shows(({ label }) => label === code),
    patienceMs,
  );
  const found = await run('call.find', { callid: bcallid });
  judged(useCase, 'call.find', found, (body) => isSame(body, [dialogid]));
  const shown = await run('call.get', { dialogid });
  judged(useCase, 'call.get', shown, (body) => {
    const { acallid: first, status } = body as Item;
    return first === acallid && status === 'dialog';
  });
  const command = async (operation: string, params: Item) => {
    const outcome = await run(operation, { dialogid, ...params });
    return judged(useCase, `${operation} ${JSON.stringify(params)}`, outcome, (body) => {
      const { dialogid: of, result } = body as Item;
      return of === dialogid && result === 'ok';
    });
  };
  if (await command('call.setup_bindings', { add: ['one', 'two'] }))
    await useCase.everywhere(
      path,
      shows(({ bindings }) => isSame(bindings, ['one', 'two'])),
      patienceMs,
    );
  const viewOf = (user: SteadyUser, callid: string | undefined) =>
    useCase.callsOf(user).find((call) => call.callid === callid);
  const comes = async (what: string, isTrue: () => boolean) => {
    const wrong = await useCase.context.questions.eventually(doneMs, () => (isTrue() ? [] : [what]));
    useCase.expect(what, undefined, () => wrong[0] && `it has ${JSON.stringify(viewOf(x, acallid))}`);
  };
  if (await command('call.send_dtmf', { to: 'b', dtmf: '5' }))
    await comes('the digit of a script', () => viewOf(y, bcallid)?.digits === '5');
  if (await command('call.notify', { to: 'a', event: 'hold' }))
    await comes('the hold of a script', () => viewOf(x, acallid)?.isHolding === true);
  await command('call.notify', { to: 'a', event: 'talk' });
  if (await command('call.setup_record', { action: 'start' }))
    await useCase.everywhere(
      path,
      shows(({ recording }) => recording === true),
      patienceMs,
    );
  const refused = async (operation: string, params: Item, wanted: string) => {
    const outcome = await run(operation, params);
    const { problem } = (outcome?.body ?? {}) as Item;
    const isRight = outcome?.status === 409 && String(problem).includes(wanted);
    useCase.expect(`${operation} ${JSON.stringify(params)} of a script`, undefined, () =>
      outcome === undefined || isRight ? undefined : `expected ${wanted}, got ${outcome.text}`,
    );
  };
  await refused('call.send_dtmf', { dialogid, to: 'b', dtmf: 'E' }, 'dtmf');
  const ended = await run('call.delete', { callid: acallid });
  if (!judged(useCase, 'call.delete', ended, (body) => (body as Item)['dialogid'] === dialogid)) return;
  await useCase.everywhere(path, over, endedMs);
  await refused('call.delete', { callid: acallid }, 'not found');
}

async function meet(useCase: UseCase, run: RunOperation, [x, y]: Two): Promise<void> {
  const number = roomNumberOf(useCase, room);
  const conference = number === undefined ? undefined : await openConference(useCase, x, number);
  if (conference === undefined) return;
  const { confid, path, uri, shown } = conference;
  useCase.afterwards(() => useCase.ask(path, { method: 'DELETE' }));
  const found = await run('conference.find', { confroomnum: room });
  judged(useCase, 'conference.find', found, (body) => isSame(body, [confid]));
  const got = await run('conference.get', { confid });
  judged(useCase, 'conference.get', got, (body) => (body as Item)['uri'] === uri);
  const added = await run('conference.add', { confuri: uri, to: y.number });
  const { participantid } = (added?.body ?? {}) as { readonly participantid?: string };
  const isAdded = judged(useCase, 'conference.add', added, (body) => (body as Item)['confid'] === confid);
  if (!isAdded || participantid === undefined) return;
  const own = `${path}/participants/${participantid}`;
  if (!(await useCase.everywhere(own, expecting(200, { state: 'active' }), y.answerMs + endedMs))) return;
  const ids = itemsOf(await useCase.ask(`${path}/participants`)).map((each) => each['participantid']);
  const listed = await run('conference.participants', { confid });
  judged(useCase, 'conference.participants', listed, (body) => {
    const all = Array.isArray(body) ? (body as readonly Item[]) : [];
    return isSame(
      all.map((each) => each['participantid']),
      ids,
    );
  });
  const removed = await run('conference.remove', { confid, participantid });
  if (judged(useCase, 'conference.remove', removed, (body) => isSame(body, { confid, participantid })))
    await useCase.everywhere(own, over, endedMs);
  const ended = await run('conference.delete', { confnumber: shown['confnumber'] });
  if (judged(useCase, 'conference.delete', ended, (body) => isSame(body, { confid })))
    await useCase.everywhere(path, over, endedMs);
}
