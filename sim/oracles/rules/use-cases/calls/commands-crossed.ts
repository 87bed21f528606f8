/** Two clients command one call at the same moment. */
import type { QuestionAnswer } from '../../../questions.ts';
import { foundBy } from '../conferences/rooms.ts';
import { connect, directedUsers, endedMs, type OwnCall, type SteadyUser } from '../kit/call.ts';
import { calls, conferences, records } from '../kit/paths.ts';
import { expecting, filterOf, type Item, textOf, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { over } from './call-judges.ts';

export const commandsCrossed = useCaseOf({
  name: 'commands-crossed',
  rule: 'In a quiescent cluster, of two commands of clients at different sites that come to one call at once, each is done or refused with 404 or 409, and at least one is done: SWITCHCONF makes one conference, with both parties; REFER calls its target once; labels of both are there; SETUP_RECORD begins one recording; DELETE ends the call with one record; and nothing else is left of them.',
  exclusions: 'Domains with fewer than three phones that are registered, and whose users limit no calls.',
  sender: '10.6.0.64',
  play: async (useCase) => {
    const [x, y, z] = await directedUsers(useCase, 3);
    if (x === undefined || y === undefined || z === undefined) return;
    await switched(useCase, [x, y]);
    await transferred(useCase, [x, y], z);
    await adjusted(useCase, [x, y]);
    await ended(useCase, [x, y]);
  },
});

type Pair = readonly [SteadyUser, SteadyUser];

/** A command at two sites at once, perhaps not the same. Returns how many were done; 0: one is not answered as it may be. */
async function both(
  useCase: UseCase,
  { path }: OwnCall,
  method: string,
  body?: Item,
  other: Item | undefined = body,
): Promise<number> {
  const sites = [useCase.here, useCase.there];
  const answers = await Promise.all(
    [body, other].map((sent, index) =>
      useCase.ask(path, { method, site: sites[index] ?? useCase.here, ...(sent !== undefined && { body: sent }) }),
    ),
  );
  const isDone = (answer: QuestionAnswer | undefined) => answer?.status === 200;
  const areRight = answers.every((answer) => isDone(answer) || answer?.status === 404 || answer?.status === 409);
  const isRight = useCase.expect(`${method} at ${sites.join(' and ')}`, undefined, () =>
    areRight && answers.some(isDone) ? undefined : `got ${answers.map(textOf).join(' and ')}`,
  );
  return isRight ? answers.filter(isDone).length : 0;
}

/** How many conferences a list counts. */
async function countOf(useCase: UseCase): Promise<number> {
  const counted = await useCase.ask(`${conferences}?countonly`);
  return Number(((counted?.body ?? {}) as Item)['count']);
}

async function switched(useCase: UseCase, [x, y]: Pair): Promise<void> {
  const call = await connect(useCase, { from: x.number, to: y.number });
  if (call === undefined) return;
  const count = await countOf(useCase);
  const done = await both(useCase, call, 'SWITCHCONF', {});
  if (done === 0) return;
  useCase.expect('SWITCHCONF given twice', undefined, () => (done === 1 ? undefined : 'both are done'));
  await useCase.everywhere(`${conferences}?countonly`, expecting(200, { count: count + 1 }));
  const found = await Promise.all([x, y].map(({ id }) => foundBy(useCase, conferences, { sipuserid: id })));
  for (const confid of new Set(found.flat())) {
    const path = `${conferences}/${confid}`;
    await useCase.everywhere(`${path}/participants?countonly`, expecting(200, { count: 2 }), useCase.patienceMs);
    await useCase.ask(path, { method: 'DELETE' });
    await useCase.everywhere(path, over, endedMs);
  }
  await areFree(useCase, [x, y]);
}

async function transferred(useCase: UseCase, [x, y]: Pair, z: SteadyUser): Promise<void> {
  const call = await connect(useCase, { from: x.number, to: y.number });
  if (call === undefined) return;
  if ((await both(useCase, call, 'REFER', { by: 'a', referto: z.number, response_mode: 3 })) === 0) return;
  await useCase.everywhere(call.path, over, useCase.patienceMs);
  useCase.expect('calls of the target of two REFERs', undefined, () => {
    const own = useCase.callsOf(z);
    return own.length === 1 ? undefined : `it has ${own.length}: ${own.map(({ callid }) => callid).join()}`;
  });
  const lookup = { method: 'LOOKUP', body: { sipuserid: z.id } };
  await useCase.everywhere(calls, expecting(200), useCase.patienceMs, lookup);
  const found = await useCase.ask(calls, lookup);
  for (const dialogid of Array.isArray(found?.body) ? found.body : [])
    await useCase.ask(`${calls}/${String(dialogid)}`, { method: 'DELETE' });
  await areFree(useCase, [x, y, z]);
}

/** Labels and recordings: two clients add and remove labels of their own, and both have the call recorded. */
async function adjusted(useCase: UseCase, [x, y]: Pair): Promise<void> {
  const call = await connect(useCase, { from: x.number, to: y.number });
  if (call === undefined) return;
  const { inviteid, path } = call;
  const optsAre = (judge: (opts: Item) => boolean) =>
    useCase.everywhere(
      path,
      (answer) => (judge(((answer?.body as Item | undefined)?.['opts'] ?? {}) as Item) ? undefined : textOf(answer)),
      useCase.patienceMs,
    );
  const labelled = (labels: readonly string[]) =>
    optsAre(({ bindings = [] }) => (bindings as string[]).toSorted().join() === labels.join());
  const bind = (verb: 'add' | 'remove') =>
    both(useCase, call, 'SETUP_BINDINGS', { [verb]: ['crossed-1'] }, { [verb]: ['crossed-2'] });
  if ((await bind('add')) === 2) await labelled(['crossed-1', 'crossed-2']);
  if ((await bind('remove')) === 2) await labelled([]);
  const { opts } = ((await useCase.ask(path))?.body ?? {}) as { opts?: Item };
  // By a rule of the domain.
  const before = opts?.['recording'] === true ? 1 : 0;
  if (before > 0) await both(useCase, call, 'SETUP_RECORD', { action: 'stop' });
  const begun = await both(useCase, call, 'SETUP_RECORD', { action: 'start' });
  if (begun > 0) await optsAre(({ recording }) => recording === true);
  await both(useCase, call, 'SETUP_RECORD', { action: 'stop' });
  await useCase.ask(path, { method: 'DELETE' });
  await areFree(useCase, [x, y]);
  const recordings = before + Math.min(1, begun);
  await useCase.everywhere(`${records}/${inviteid}`, expecting(200, { inviteid, recordings }), useCase.patienceMs);
}

async function ended(useCase: UseCase, [x, y]: Pair): Promise<void> {
  const call = await connect(useCase, { from: x.number, to: y.number });
  if (call === undefined) return;
  if ((await both(useCase, call, 'DELETE')) === 0) return;
  await areFree(useCase, [x, y]);
  const { inviteid } = call;
  const type = 'call_terminate';
  await useCase.everywhere(`${records}/${inviteid}`, expecting(200, { inviteid, type }), useCase.patienceMs);
  await useCase.everywhere(`${records}?countonly&${filterOf({ inviteid })}`, expecting(200, { count: 1 }));
}

/** No phone has a call, and no front finds one. */
async function areFree(useCase: UseCase, users: readonly SteadyUser[]): Promise<void> {
  for (const { id } of users)
    await useCase.everywhere(calls, expecting(404), endedMs, { method: 'LOOKUP', body: { sipuserid: id } });
  useCase.expect('calls of the phones', undefined, () => {
    const open = users.filter((user) => useCase.callsOf(user).length > 0);
    return open.length === 0 ? undefined : `${open.map(({ number }) => number).join()} have calls still`;
  });
}
