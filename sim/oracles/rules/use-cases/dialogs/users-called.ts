/** The number, the name and the limits of time of SIP users, as calls have them. */

import { differing, longTextOf, over, refusing } from '../calls/call-judges.ts';
import { roomNumberOf } from '../conferences/rooms.ts';
import { call, directed, directedUsers, type SteadyUser, uriOf } from '../kit/call.ts';
import { calls, records, sipUsers } from '../kit/paths.ts';
import type { Item, Judge, UseCase } from '../kit/use-case.ts';
import { useCaseOf } from '../kit/use-case.ts';
import { party } from './published-events.ts';

const ringSec = 3;
const talkSec = { x: 4, y: 6 };
const lateMs = 1_500;

export const usersCalled = useCaseOf({
  name: 'users-called',
  rule: 'In a quiescent cluster SIP users are called by their number, also where it could be a room, and by their login, and with `mode` sipuser by their login only; calls, records and phones show their numbers and names; a call rings no longer than the callee may ring (408), and lasts no longer than the shorter limit of its users.',
  exclusions: 'Domains with fewer than two phones that are registered, and whose users limit no calls.',
  sender: '10.6.0.43',
  play: async (useCase) => {
    const [x, y] = await directedUsers(useCase, 2);
    if (x === undefined || y === undefined) return;
    const before = await Promise.all([x, y].map(({ id }) => useCase.ask(`${sipUsers}/${id}`)));
    const changes: readonly [SteadyUser, Item][] = [
      [x, { phonenumber: `77${x.number}`, name: 'Users Called X', opts: { dlgtimesec: talkSec.x } }],
      // Its number counts before the room.
      [
        y,
        {
          phonenumber: roomNumberOf(useCase, '31') ?? '7831',
          name: 'Users Called Y',
          opts: { dlgtimesec: talkSec.y, calltimesec: ringSec },
        },
      ],
    ];
    useCase.afterwards(async () => {
      for (const { body } of before.flatMap((answer) => answer ?? [])) {
        const { id, phonenumber, name, opts } = body as { id: string; opts: Item } & Item;
        const { dlgtimesec, calltimesec } = opts;
        const restored = { phonenumber, name, opts: { dlgtimesec, calltimesec } };
        await useCase.ask(`${sipUsers}/${id}`, { method: 'PATCH', body: restored });
      }
      await useCase.copied();
    });
    for (const [{ id }, body] of changes) {
      const changed = await useCase.ask(`${sipUsers}/${id}`, { method: 'PATCH', body });
      // The number may be taken.
      if (changed?.status !== 200) return;
    }
    await useCase.copied();
    const numbered = changes.map(([user, { phonenumber }]) => ({ ...user, number: String(phonenumber) }));
    await talk(useCase, [x, y], numbered as [SteadyUser, SteadyUser]);
  },
});

type Pair = readonly [SteadyUser, SteadyUser];

async function talk(useCase: UseCase, phones: Pair, [x, y]: Pair): Promise<void> {
  const { questions } = useCase.context;
  const byLogin = await call(useCase, { from: x.login, mode: 'sipuser', to: y.login });
  if (byLogin === undefined) return;
  const answeredMs = useCase.context.now();
  const [seen] = useCase.callsOf(y);
  useCase.expect('what the callee sees', undefined, () =>
    `<${seen?.with}>` === uriOf(useCase, x) && seen?.name === 'Users Called X' ? undefined : JSON.stringify(seen),
  );
  const { path, acallid, dialogid } = byLogin;
  let shown: Item | undefined;
  await questions.eventually(useCase.quickMs, async () => {
    shown = (await useCase.ask(path))?.body as Item | undefined;
    return shown?.['status'] === 'forking' ? ['forking'] : [];
  });
  judgeShown(useCase, shown, [x, y]);
  const found = await useCase.ask(calls, { method: 'LOOKUP', body: { sipuserphonenumber: y.number } });
  useCase.expect('LOOKUP by the number', found, (it) =>
    JSON.stringify(it?.body) === JSON.stringify([dialogid]) ? undefined : longTextOf(it),
  );
  const wrong = await useCase.ask(calls, { method: 'LOOKUP', body: { from: y.number, mode: 'sipuser' } });
  useCase.expect('LOOKUP of the number as a login', wrong, refusing(404, 'Lookup failed'));
  await questions.wait(answeredMs + talkSec.x * 1_000 + lateMs - useCase.context.now());
  await useCase.everywhere(path, over, useCase.patienceMs);
  const inviteid = String(shown?.['inviteid']);
  const fields = {
    inviteid,
    acallid,
    dialogid,
    from: uriOf(useCase, x),
    to: uriOf(useCase, y),
    type: 'timeout',
    status: null,
    reason: 'time limit',
    participations: [party(useCase, 'a', x), party(useCase, 'b', y)],
  };
  const limited: Judge = (answer) => {
    const { talkms } = (answer?.body ?? {}) as { talkms?: number };
    const isInTime = Math.abs(Number(talkms) - talkSec.x * 1_000) <= lateMs || !useCase.areClocksRight;
    return differing(fields, answer) ?? (isInTime ? undefined : `talkms ${talkms}`);
  };
  await useCase.everywhere(`${records}/${inviteid}`, limited, useCase.patienceMs);
  await ring(useCase, phones, [x, y]);
}

function judgeShown(useCase: UseCase, shown: Item | undefined, [x, y]: Pair): void {
  const [from, to] = [uriOf(useCase, x), uriOf(useCase, y)];
  const { legs = [] } = (shown ?? {}) as { legs?: Item[] };
  const left = Number(legs[1]?.['expirets']);
  useCase.expect('a call by logins', undefined, () => {
    const answer = { status: 200, headers: new Headers(), body: shown };
    const wrong = differing({ status: 'dialog', localuri: from, remoteuri: to, uris: [from, to] }, answer);
    const isLeft = left <= talkSec.x * 1_000 + 50 && left > talkSec.x * 1_000 - lateMs;
    return wrong ?? (isLeft || !useCase.areClocksRight ? undefined : `expirets ${left}`);
  });
}

async function ring(useCase: UseCase, [, phone]: Pair, [x, y]: Pair): Promise<void> {
  const { questions } = useCase.context;
  const asNumber = await useCase.ask(calls, {
    method: 'INVITE',
    body: { from: x.number, mode: 'sipuser', to: y.number },
  });
  useCase.expect('INVITE of a number as a login', asNumber, (it) => differing({ result: 'failed' }, it));
  questions.behave(useCase.domain, phone.number, { ringMs: 0 });
  const sentMs = useCase.context.now();
  const body = { from: x.number, to: y.number, response_mode: 3 };
  const answer = await useCase.ask(calls, { method: 'INVITE', body });
  const tookMs = useCase.context.now() - sentMs - directed.answerMs;
  useCase.expect('INVITE of a phone that only rings', answer, (it) =>
    differing({ result: 'ok', last_response: 'SIP/2.0 408 Request Timeout' }, it),
  );
  useCase.expect('how long it rings', undefined, () =>
    Math.abs(tookMs - ringSec * 1_000) <= useCase.quickMs || !useCase.areClocksRight
      ? undefined
      : `${Math.round(tookMs)} ms`,
  );
}
