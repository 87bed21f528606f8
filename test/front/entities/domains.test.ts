/** The domains, for reading: an administrator sees its own and those below, others their own. */
import { acmeAdmin, acmeUser, admin, FrontCluster, good, oneNode, refused, user } from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

const path = '/rest/v1/domain/domains';
const nil = '00000000-0000-0000-0000-000000000000';

interface Domain {
  readonly id: string;
  readonly name: string;
  readonly parent_id: string;
}

let cluster: FrontCluster;

test.before(async () => {
  cluster = await FrontCluster.start({ topology: oneNode });
});

async function listed(who: typeof admin, query = ''): Promise<Domain[]> {
  return (await cluster.ask(`GET ${path}${query}`, { token: await cluster.token(who) })).body as Domain[];
}

test('each sees what it may, with the domain above', async (t) => {
  const all = await listed(admin);
  const idOf = (name: string) => all.find((each) => each.name === name)?.id;
  t.deepEqual(
    all.map(({ name, parent_id }) => [name, parent_id]),
    [
      ['root.test', nil],
      ['acme.root.test', idOf('root.test')],
      ['west.acme.root.test', idOf('acme.root.test')],
      ['globex.root.test', idOf('root.test')],
    ],
  );
  t.deepEqual(
    (await listed(acmeAdmin)).map(({ name }) => name),
    ['acme.root.test', 'west.acme.root.test'],
  );
  t.deepEqual(
    (await listed(acmeUser)).map(({ name }) => name),
    ['acme.root.test'],
  );
  t.deepEqual(
    (await listed(user)).map(({ name }) => name),
    ['root.test'],
  );
});

test('one is shown by id and by name', async (t) => {
  const token = await cluster.token(acmeAdmin);
  const west = (await listed(acmeAdmin))[1]!;
  const shown = {
    ...west,
    name: 'west.acme.root.test',
    is_master: false,
    solution: 'standard',
    sites: ['hq'],
  };
  t.deepEqual(good(t, await cluster.ask(`GET ${path}/${west.id}`, { token })), shown);
  t.deepEqual(good(t, await cluster.ask(`GET ${path}/west.acme.root.test?mask=name`, { token })), { name: west.name });
  refused(t, await cluster.ask(`GET ${path}/globex.root.test`, { token }), 403, /bound to acme/);
  refused(t, await cluster.ask(`GET ${path}/nowhere.test`, { token }), 404, /no domain with id or name/);
  refused(t, await cluster.ask(`POST ${path}`, { token, json: {} }), 405);
});

test('the list takes what lists take', async (t) => {
  t.deepEqual((await listed(admin, '?mask=name&offset=1&limit=1')) as unknown, [{ name: 'acme.root.test' }]);
  t.deepEqual((await listed(admin, '?countonly')) as unknown, { count: 4 });
});
