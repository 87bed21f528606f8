import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { entities } from '../../../src/model/entities/entities.ts';
import { operationNames } from '../../../src/model/entities/entity.ts';
import {
  type Form,
  formSchema,
  type Nav,
  navSchema,
  type Tab,
  tabSchema,
} from '../../../src/model/shapes/file-shapes.ts';
import { acmeAdmin, acmeUser, admin, FrontCluster, guest, oneNode } from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

const metadataPath = '/rest/v1/metadata/entities';
/** The classes of a domain that is not the master. */
const inDomains = entities.filter(({ domain }) => domain !== 'master');
let cluster: FrontCluster;
test.before(async () => {
  cluster = await FrontCluster.start({ outside: false });
});
test.after(() => cluster.world.stop());

function isOneWithin(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one);
}

async function read<T>(path: string, token: string): Promise<T> {
  const answer = await cluster.ask(`GET ${metadataPath}/${path}`, { token });
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return answer.body as T;
}

test('the navigation has the classes of the kind of domain, each with its views, and no others', async (t) => {
  for (const who of [admin, acmeAdmin, acmeUser]) {
    const token = await cluster.token(who);
    const { groups } = navSchema.parse(await read<Nav>('nav.json', token));
    const classes = groups.flatMap((group) => group.classes.flatMap((each) => [each.class, ...each.below]));
    const kind = who === admin ? 'master' : 'child';
    const wanted = entities.filter(({ domain }) => domain === 'any' || domain === kind).map((each) => each.kind);
    t.deepEqual(classes.toSorted(), wanted.toSorted());
    for (const name of entities.map((each) => each.kind)) {
      const status = wanted.includes(name) ? 200 : 404;
      t.is((await cluster.ask(`GET ${metadataPath}/${name}/tab.json`, { token })).status, status, name);
      t.is((await cluster.ask(`GET ${metadataPath}/${name}/form.json`, { token })).status, status, name);
    }
  }
});

test('a list view names the columns that a list item has, and the operations that the path takes', async (t) => {
  const token = await cluster.token(acmeAdmin);
  for (const entity of inDomains) {
    const tab = tabSchema.parse(await read<Tab>(`${entity.kind}/tab.json`, token));
    t.deepEqual(
      tab.operations.map(({ name }) => name),
      operationNames.filter((name) => entity.operations[name]),
    );
    if (entity.list !== undefined)
      t.deepEqual(
        tab.columns.map(({ name }) => name),
        [...entity.list],
      );
  }
  const answer = await cluster.ask('GET /rest/v1/uc/sipusers?flat&limit=1', { token });
  const [item] = answer.body as object[];
  const { columns } = await read<Tab>('sipuser/tab.json', token);
  t.deepEqual(Object.keys(item!).sort(), columns.map(({ name }) => name).sort());
});

test('what a form says of its fields is what a create holds to', async (t) => {
  const token = await cluster.token(acmeAdmin);
  const ajv = addFormats.default(new Ajv2020({ strict: false }));
  for (const entity of inDomains) {
    const { fields } = formSchema.parse(await read<Form>(`${entity.kind}/form.json`, token));
    for (const { name, mode, required, default: initial, schema } of fields) {
      const place = `${entity.kind}.${name}`;
      const missing = entity.create.safeParse({}).error?.issues.some(({ path }) => path.join('.') === name);
      if (name !== 'id' && !name.startsWith('ext.')) t.is(missing ?? false, required, `${place} is required`);
      if (initial !== undefined) t.true(ajv.validate(schema, initial), `${place}: ${ajv.errorsText()}`);
      // Beyond what any field takes.
      for (const odd of [{ 'a b': 1 }, -1e12]) {
        const body = name.split('.').reduceRight<unknown>((value, key) => ({ [key]: value }), odd) as object;
        const isTaken = !entity.create
          .safeParse(body)
          .error?.issues.some(({ path }) => isOneWithin(path.join('.'), name));
        if (!ajv.validate(schema, odd) || mode === 'out')
          t.false(isTaken, `${place} does not take ${JSON.stringify(odd)}`);
      }
    }
  }
});

test('a secret is edited as one, and what is unique says so', async (t) => {
  const token = await cluster.token(acmeUser);
  const { fields } = await read<Form>('user/form.json', token);
  t.like(
    fields.find(({ name }) => name === 'pwd'),
    { secret: true, required: true },
  );
  t.like(
    fields.find(({ name }) => name === 'login'),
    { unique: true, required: true, label: 'Login' },
  );
  t.like(
    fields.find(({ name }) => name === 'ext.ct'),
    { mode: 'out', required: false },
  );
});

test('an unknown class is 404, whatever its name looks like, and reading needs a session', async (t) => {
  const token = await cluster.token(admin);
  for (const name of ['unknown', '..%2f..%2fetc', '%2e%2e', 'constructor', '__proto__', 'user%00']) {
    const answer = await cluster.ask(`GET ${metadataPath}/${name}/tab.json`, { token });
    t.is(answer.status, 404, name);
  }
  t.is((await cluster.ask(`GET ${metadataPath}/user/other.json`, { token })).status, 404);
  t.is((await cluster.ask(`GET ${metadataPath}/nav.json`)).status, 401);
  t.is((await cluster.ask(`POST ${metadataPath}/nav.json`, { token, json: {} })).status, 405);
});

test("any session may read it, whatever its access roles, and files of one's own come first", async (t) => {
  const metadataFiles = {
    'master/entities/nav.json': '{"own": 1}',
    'common/entities/nav.json': '{"own": 2}',
    'common/entities/user/tab.json': '[3]',
    'common/entities/meter/form.json': ' "text"',
  };
  const own = await FrontCluster.start({ topology: oneNode, metadataFiles });
  t.teardown(() => own.world.stop());
  const token = await own.token(guest);
  t.deepEqual((await own.ask(`GET ${metadataPath}/nav.json`, { token })).body, {
    own: 1,
  });
  t.deepEqual((await own.ask(`GET ${metadataPath}/user/tab.json`, { token })).body, [3]);
  t.is((await own.ask(`GET ${metadataPath}/meter/form.json`, { token })).text, ' "text"');
  t.is((await own.ask(`GET ${metadataPath}/meter/tab.json`, { token })).status, 404);
  t.like((await own.ask(`GET ${metadataPath}/user/form.json`, { token })).body, { class: 'user' });
});

test('a page below static may have a name with blanks and letters beyond ASCII', async (t) => {
  const metadataFiles = { 'static/desk/Büro 1%.html': '"here"' };
  const own = await FrontCluster.start({ topology: oneNode, metadataFiles });
  t.teardown(() => own.world.stop());
  t.is((await own.ask(`GET /static/desk/${encodeURIComponent('Büro 1%.html')}`)).text, '"here"');
  t.is((await own.ask('GET /static/desk/B%FCro.html')).status, 404);
});
