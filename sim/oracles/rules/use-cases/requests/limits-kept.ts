/** The limits of what a client may ask for: as much as the documents say is taken, and one more is refused. */
import { refusing } from '../calls/call-judges.ts';
import { connect, endCall, steadyUsers } from '../kit/call.ts';
import { EventClient } from '../kit/event-client.ts';
import { calls, groups, parking, records } from '../kit/paths.ts';
import { expecting, filterOf, type Item, type Judge, type UseCase, useCaseOf } from '../kit/use-case.ts';

/** See docs/reference/limits.md. */
const most = {
  labels: 100,
  recordings: 20,
  depth: 16,
  nodes: 256,
  pattern: 256,
  order: 16,
  items: 10_000,
  label: 256,
  number: 128,
  seconds: 300,
  subscriptions: 100,
  name: 200,
} as const;

const label = 'limits-kept';
const wanted = { qid: 1, objects: ['none'], events: ['callevents.*'] };

export const limitsKept = useCaseOf({
  name: 'limits-kept',
  rule: 'In a quiescent cluster a filter, an order and a page, the labels and recordings of a call, the texts of a request for one, the name of a file and the subscriptions of a web socket may be as large as documented; what is one more is refused with 400, of a call with 409, of a web socket with an error, and changes nothing.',
  exclusions: 'The recordings and labels in domains with fewer than two phones that are registered and answer.',
  sender: '10.6.21.24',
  play: async (useCase) => {
    await query(useCase);
    await request(useCase);
    await name(useCase);
    await subscribe(useCase);
    await call(useCase);
  },
});

/** Each is taken if it is within the limit, and refused with 400 if not. */
async function bounded(useCase: UseCase, what: string, isWithin: boolean, ask: () => ReturnType<UseCase['ask']>) {
  useCase.expect(what, await ask(), isWithin ? expecting(200) : refusing(400));
}

async function query(useCase: UseCase): Promise<void> {
  const like = (chars: number) => ['like', ['property', 'code'], 'a'.repeat(chars)];
  const deep = (depth: number): unknown => (depth === 2 ? like(1) : ['!', deep(depth - 1)]);
  const wide = (nodes: number) => ['||', ...Array.from({ length: (nodes - 1) / 3 }, () => like(1))];
  const order = (names: number) =>
    JSON.stringify(Array.from({ length: names }, (_, n) => (n % 2 === 0 ? 'code' : 'id')));
  const asked: [what: string, text: string, isWithin: boolean][] = [
    ['a filter that is nested deeply', filterOf(deep(most.depth)), true],
    ['a filter that is nested too deeply', filterOf(deep(most.depth + 1)), false],
    ['a large filter', filterOf(wide(most.nodes)), true],
    ['too large a filter', filterOf(wide(most.nodes + 3)), false],
    ['a long pattern', filterOf(like(most.pattern)), true],
    ['too long a pattern', filterOf(like(most.pattern + 1)), false],
    ['an order by many names', `order=${encodeURIComponent(order(most.order))}`, true],
    ['an order by too many names', `order=${encodeURIComponent(order(most.order + 1))}`, false],
    ['a large page', `limit=${most.items}`, true],
    ['too large a page', `limit=${most.items + 1}`, false],
  ];
  for (const [index, [what, text, isWithin]] of asked.entries())
    await bounded(useCase, what, isWithin, () => useCase.ask(`${groups}?${text}`, { site: useCase.siteAt(index) }));
}

/** Of a number that is not there. */
async function request(useCase: UseCase): Promise<void> {
  const none = { from: '*404', to: '*404', response_mode: 0 };
  const wrong: Item[] = [
    { label: 'a'.repeat(most.label + 1) },
    { callername: 'a'.repeat(most.label + 1) },
    { callerid: '1'.repeat(most.number + 1) },
    { from: '1'.repeat(most.number + 1) },
    { to: '1'.repeat(most.number + 1) },
    { timeout: most.seconds + 1 },
    { timeout: 0 },
  ];
  for (const [index, body] of wrong.entries()) {
    const method = index % 2 === 0 ? 'POST' : 'INVITE';
    const answer = await useCase.ask(calls, { method, body: { ...none, ...body }, site: useCase.siteAt(index) });
    useCase.expect(`${method} ${calls} with ${JSON.stringify(body).slice(0, 40)}`, answer, refusing(400));
  }
}

async function name(useCase: UseCase): Promise<void> {
  const long = `${label}-${'a'.repeat(most.name - label.length - 5)}.wav`;
  useCase.afterwards(() => useCase.ask(`${parking}/${long}`, { method: 'DELETE' }));
  for (const [each, isWithin] of [
    [long, true],
    [`a${long}`, false],
  ] as const)
    await bounded(useCase, `PUT of a name of ${each.length} characters`, isWithin, () =>
      useCase.ask(`${parking}/${each}`, { method: 'PUT', bytes: { type: 'audio/wav', text: 'a' } }),
    );
}

async function subscribe(useCase: UseCase): Promise<void> {
  const client = await EventClient.open(useCase, { site: useCase.there });
  if (client === undefined) return;
  const answered = async (what: string, body: Item, isRight: (answer: Item) => boolean) => {
    const answer = await client.subscribe(body);
    useCase.expect(what, undefined, () => (isRight(answer) ? undefined : `got ${JSON.stringify(answer)}`));
  };
  const isTaken = ({ result }: Item) => result === 'ok';
  for (let n = 1; n <= most.subscriptions; n += 1)
    if (!isTaken(await client.subscribe({ ...wanted, id: `${n}` })))
      return void useCase.report(`subscription ${n} is refused`);
  await answered('one subscription more', { ...wanted, id: 'more' }, ({ result }) => result === 'error');
  await answered('a renewal', { ...wanted, id: '1' }, isTaken);
  await answered('the removal of one', { id: '2', expires: 0 }, isTaken);
  await answered('one in its place', { ...wanted, id: 'more' }, isTaken);
  await client.close();
}

async function call(useCase: UseCase): Promise<void> {
  const [x, y] = await steadyUsers(useCase, 2);
  const own = x && y && (await connect(useCase, { from: x.number, to: y.number, label }));
  if (own === undefined) return;
  const { path, dialogid, inviteid } = own;
  const set = (method: string, body: Item) => useCase.ask(path, { method, body, site: useCase.there });
  const labels = Array.from({ length: most.labels }, (_, n) => `label ${n}`);
  const bound: Judge = expecting(200, { dialogid, result: 'ok' });
  useCase.expect('as many labels as a call may have', await set('SETUP_BINDINGS', { add: labels }), bound);
  useCase.expect('one label more', await set('SETUP_BINDINGS', { add: ['more'] }), refusing(409));
  useCase.expect('the same label again', await set('SETUP_BINDINGS', { add: ['label 1'] }), bound);
  const many = await set('SETUP_BINDINGS', { add: [...labels, 'more'] });
  useCase.expect('too many labels at once', many, refusing(400));
  const replaced = await set('SETUP_BINDINGS', { add: ['more'], remove: ['label 0'] });
  useCase.expect('one label in place of another', replaced, bound);
  await record(useCase, set);
  await endCall(useCase, own);
  await useCase.everywhere(
    `${records}/${inviteid}`,
    expecting(200, { inviteid, recordings: most.recordings }),
    useCase.patienceMs,
  );
}

/** Another rule may have begun a recording. */
async function record(
  useCase: UseCase,
  set: (method: string, body: Item) => ReturnType<UseCase['ask']>,
): Promise<void> {
  const isNew = async (action: string) => (await set('SETUP_RECORD', { action }))?.status === 200;
  await set('SETUP_RECORD', { action: 'stop' });
  let count = 0;
  for (; count < most.recordings + 2 && (await isNew('start')); count += 1)
    await set('SETUP_RECORD', { action: 'stop' });
  const isRight = count === most.recordings || count === most.recordings - 1;
  useCase.expect('the recordings of a call', undefined, () => (isRight ? undefined : `it may have ${count}`));
  useCase.expect('one recording more', await set('SETUP_RECORD', { action: 'start' }), refusing(409));
}
