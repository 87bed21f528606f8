/** What the verbs change of a live call, and by what it is found, listed and shown. */

import { connect, endCalls, type OwnCall, type SteadyUser, steadyUsers, uriOf } from '../kit/call.ts';
import { records } from '../kit/paths.ts';
import { type Item, type Judge, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { differing, exactly, isSame, longTextOf, over, recorded, refusing, talking } from './call-judges.ts';
import { keys, lists, masked, recordLists } from './call-queries.ts';

const label = 'calls-adjusted';

export const callsAdjusted = useCaseOf({
  name: 'calls-adjusted',
  rule: 'In a quiescent cluster a live call is shown with all its fields at each front, and found by each key, of several by the first in order; labels that are added and removed are shown at each front; NOTIFY and SEND_DTMF take what they should and refuse the rest; lists of two calls and of their records are filtered, ordered, cut and masked; a call between two domains is in both, and in no other; a call that is over has its record, and no verbs.',
  exclusions: 'Domains with fewer than two phones that are registered and answer, and whose users limit no calls.',
  sender: '10.6.0.31',
  play: adjust,
});

async function adjust(useCase: UseCase): Promise<void> {
  const users = await steadyUsers(useCase, 4);
  const [x, y, z, w] = users;
  if (x === undefined || y === undefined) return;
  const sentMs = useCase.context.now();
  const one = await connect(useCase, { from: x.number, to: y.number, label: `${label} 1` });
  if (one === undefined) return;
  const shown = await useCase.ask(one.path);
  useCase.expect('startts', shown, (answer) => {
    const { startts } = (answer?.body ?? {}) as Item;
    const isInTime = Number(startts) >= sentMs - 1_000 && Number(startts) <= useCase.context.now() + 1_000;
    const isRight = Number.isInteger(startts) && (isInTime || !useCase.areClocksRight);
    return isRight ? undefined : `expected about ${sentMs}, got ${String(startts)}`;
  });
  const { site, startts } = (shown?.body ?? {}) as Item;
  const { acallid, bcallid, dialogid, inviteid } = one;
  await useCase.everywhere(
    one.path,
    talking(useCase, [x, y], { dialogid, inviteid, site, startts }, { acallid, bcallid }),
  );
  await masked(useCase, one);
  await bound(useCase, one);
  await verbs(useCase, one);
  const two = z && w && (await connect(useCase, { from: z.number, to: w.number, label: `${label} 2` }));
  if (two !== undefined) await lists(useCase, one, two);
  await keys(useCase, one, two, [x, y]);
  await endCalls(useCase, users);
  await useCase.everywhere(one.path, over, useCase.patienceMs);
  await refusedVerbs(useCase, one.path);
  const record = recorded(useCase, x, y, { inviteid, dialogid, acallid, site, startts });
  await useCase.everywhere(`${records}/${inviteid}`, record, useCase.patienceMs);
  if (two !== undefined) await recordLists(useCase, one, two);
  await acrossDomains(useCase, x);
}

/** Labels that are bound to the call. */
async function bound(useCase: UseCase, { path, dialogid }: OwnCall): Promise<void> {
  const set = (body: unknown, site = useCase.there) => useCase.ask(path, { method: 'SETUP_BINDINGS', body, site });
  const steps: [Item, string[]][] = [
    [{ add: ['one', 'two'] }, ['one', 'two']],
    [{ add: ['three', 'two'], remove: ['one'] }, ['three', 'two']],
    [{ remove: ['none', 'three'] }, ['two']],
  ];
  for (const [body, labels] of steps) {
    const isIt = (bindings: unknown) => Array.isArray(bindings) && isSame(bindings.toSorted(), labels);
    const answer = await set(body);
    useCase.expect(`SETUP_BINDINGS ${JSON.stringify(body)}`, answer, (given) => {
      const { bindings } = (given?.body ?? {}) as Item;
      const wrong = differing({ dialogid, result: 'ok' }, given);
      return wrong ?? (isIt(bindings) ? undefined : `expected ${labels.join()}, got ${longTextOf(given)}`);
    });
    await useCase.everywhere(
      path,
      (given) => {
        const { opts } = (given?.body ?? {}) as { opts?: Item };
        return isIt(opts?.['bindings']) ? undefined : `expected bindings ${labels.join()}, got ${JSON.stringify(opts)}`;
      },
      useCase.patienceMs,
    );
  }
  for (const body of [{ add: 'one' }, { add: [1] }, { unknown: [] }, []])
    useCase.expect(`SETUP_BINDINGS ${JSON.stringify(body)}`, await set(body), refusing(400));
}

async function verbs(useCase: UseCase, { path, dialogid }: OwnCall): Promise<void> {
  const done = exactly(200, { dialogid, result: 'ok' });
  const right: [string, Item][] = [
    ...['0', '9', '*', '#', 'A', 'D'].map((dtmf): [string, Item] => [
      'SEND_DTMF',
      { to: dtmf === '9' ? 'b' : 'a', dtmf },
    ]),
    ['NOTIFY', { to: 'a', event: 'hold' }],
    ['NOTIFY', { to: 'a', event: 'talk' }],
    ['NOTIFY', { to: 'b', event: 'hold' }],
    ['NOTIFY', { to: 'b', event: 'talk' }],
  ];
  const wrong: [string, Item][] = [
    ...['', '12', 'E', 'a', ' '].map((dtmf): [string, Item] => ['SEND_DTMF', { to: 'a', dtmf }]),
    ['SEND_DTMF', { dtmf: '1' }],
    ['SEND_DTMF', { to: 'c', dtmf: '1' }],
    ['NOTIFY', { to: 'a' }],
    ['NOTIFY', { to: 'c', event: 'hold' }],
    ['NOTIFY', { to: 'a', event: 'mute' }],
    ['NOTIFY', { to: 'a', event: 'hold', unknown: 1 }],
  ];
  for (const [judge, all] of [
    [done, right],
    [refusing(400), wrong],
  ] as const)
    for (const [method, body] of all)
      useCase.expect(
        `${method} ${JSON.stringify(body)}`,
        await useCase.ask(path, { method, body, site: useCase.there }),
        judge,
      );
  await useCase.everywhere(path, (answer) => differing({ dialogid, status: 'dialog' }, answer));
}

/** Each verb on a call that is over. */
async function refusedVerbs(useCase: UseCase, path: string): Promise<void> {
  const bodies: [string, Item | undefined][] = [
    ['SEND_DTMF', { to: 'a', dtmf: '1' }],
    ['NOTIFY', { to: 'a', event: 'hold' }],
    ['SETUP_BINDINGS', { add: ['one'] }],
    ['SETUP_RECORD', { action: 'start' }],
    ['SETUP_ASR', { side: 'a', action: 'start' }],
    ['SWITCHCONF', {}],
    ['DELETE', undefined],
  ];
  for (const [method, body] of bodies)
    useCase.expect(
      `${method} of a call that is over`,
      await useCase.ask(path, { method, body, site: useCase.there }),
      over,
    );
}

/** A call of a phone with one of another domain. */
async function acrossDomains(useCase: UseCase, x: SteadyUser): Promise<void> {
  const { questions, map } = useCase.context;
  const working = questions.domains.filter((domain) => domain !== map.masterDomain && domain !== useCase.domain);
  for (const domain of working.slice(0, 1)) {
    const other = useCase.elsewhere(domain);
    const [far] = await steadyUsers(other, 1);
    if (far === undefined) continue;
    const call = await connect(useCase, { from: x.number, to: `${far.number}@${domain}` });
    if (call === undefined) continue;
    const { dialogid, inviteid } = call;
    const parties = { localuri: uriOf(useCase, x), remoteuri: uriOf(other, far) };
    const judge: Judge = (answer) => differing({ dialogid, inviteid, status: 'dialog', ...parties }, answer);
    await useCase.everywhere(call.path, judge, useCase.patienceMs);
    const { site } = ((await useCase.ask(call.path))?.body ?? {}) as Item;
    // Where no site serves both, the other domain does not see it.
    const isSeen = map.serving('callstore', String(site), domain).length > 0;
    if (isSeen) await other.everywhere(call.path, judge, useCase.patienceMs);
    for (const third of questions.domains.filter((name) => name !== useCase.domain && name !== domain)) {
      const answer = await useCase.ask(call.path, { site: useCase.there, domain: third });
      // Its administrator may have been changed, and the session ended.
      if (answer !== undefined && answer.status !== 401) useCase.expect(`the call in ${third}`, answer, over);
    }
    const ended = await useCase.ask(call.path, { method: 'DELETE' });
    useCase.expect('DELETE of a call of two domains', ended, exactly(200, { dialogid, result: 'ok' }));
    const record = `${records}/${inviteid}`;
    const domains = [useCase.domain, domain].toSorted();
    const both: Judge = (answer) => {
      const body = (answer?.body ?? {}) as { domains?: string[] };
      const isRight = isSame(body.domains?.toSorted(), domains);
      return differing({ inviteid, dialogid }, answer) ?? (isRight ? undefined : `domains of ${longTextOf(answer)}`);
    };
    await useCase.everywhere(record, both, useCase.patienceMs);
    if (isSeen) await other.everywhere(record, both, useCase.patienceMs);
  }
}
