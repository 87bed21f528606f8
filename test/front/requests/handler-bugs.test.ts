/** A bug in a handler: the client gets 500 and a reference, the log what happened; the front goes on. */
import { current, FrontCluster, good, nodes, oneNode, refused } from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

const secret = 'the secret inside';
let thrown: unknown;
let cluster: FrontCluster;
let token: string;

test.beforeEach(async () => {
  thrown = new Error(secret);
  const webApps = () => {
    throw thrown;
  };
  cluster = await FrontCluster.start({ topology: oneNode, webApps, keepJournal: true });
  token = await cluster.token();
});

/** The references of all bugs in the log. */
function references(): string[] {
  return cluster.world.journal.lines.flatMap((line) => / log bug .*"reference":"([^"]+)"/.exec(line)?.[1] ?? []);
}

test('a handler that throws answers 500 with a reference that is also in the log', async (t) => {
  const answer = await cluster.ask(`GET ${current}`, { token });
  const [reference = ''] = references();
  t.regex(reference, /^[0-9a-f]{12}$/);
  refused(t, answer, 500, new RegExp(reference));
});

test('nothing of the inside comes out: no message, no stack, no path', async (t) => {
  const { text, headers } = await cluster.ask(`GET ${current}`, { token });
  for (const inside of [secret, 'Error', ' at ', '.ts', '.js', 'node_modules']) t.false(text.includes(inside), inside);
  t.deepEqual([...headers.keys()].sort(), ['content-length', 'content-type']);
});

test('each bug has a reference of its own', async (t) => {
  for (let i = 0; i < 5; i += 1) refused(t, await cluster.ask(`GET ${current}`, { token }), 500);
  t.is(references().length, 5);
  t.is(new Set(references()).size, 5);
});

for (const [what, value] of [
  ['a text', secret],
  ['nothing', undefined],
  ['null', null],
  ['a symbol', Symbol(secret)],
  ['an object without a prototype', Object.create(null)],
  ['an error that is not of this realm', { name: 'Error', message: secret }],
] as const) {
  test(`a handler that throws ${what} answers 500 as well`, async (t) => {
    thrown = value;
    const answer = await cluster.ask(`GET ${current}`, { token });
    refused(t, answer, 500, new RegExp(references()[0] ?? 'no reference'));
    t.false(answer.text.includes(secret));
  });
}

test('an answer that can not be written as JSON is a bug too', async (t) => {
  const webApps = () => [{ name: 'a', roles: ['admin'], order: 1n }] as never;
  cluster = await FrontCluster.start({ topology: oneNode, webApps });
  refused(t, await cluster.ask(`GET ${current}`, { token: await cluster.token() }), 500, /reference/);
});

test('a HEAD that meets a bug has no body', async (t) => {
  const answer = await cluster.ask(`HEAD ${current}`, { token });
  t.is(answer.status, 500);
  t.is(answer.text, '');
});

test('after a bug the front, its instance and the session go on', async (t) => {
  refused(t, await cluster.ask(`GET ${current}`, { token }), 500);
  const rows = good<{ status: string }[]>(t, await cluster.ask(`GET ${nodes}`, { token }));
  t.true(rows.every((row) => row.status === 'active'));
  await cluster.token();
});
