/** A strict server: what this product chose is absent, and all other operations answer as they do without the option. */
import type { Document } from '../../src/http/openapi/document.ts';
import { operationsIn } from '../../src/http/openapi/operations.ts';
import { limits } from '../../src/model/limits.ts';
import { tokens } from '../../src/tokens.ts';
import { type Answer, acmeAdmin, FrontCluster, refused } from '../kit/front.ts';
import { allOf } from '../kit/http/openapi-form.ts';
import { scopedTest } from '../kit/scoped.ts';

const test = scopedTest();

const calls = '/rest/v1/uc/calls';
const parking = '/rest/v1/fs/targets/parking';
let strict: FrontCluster;
let usual: FrontCluster;
let token: string;

test.before(async () => {
  strict = await FrontCluster.start({
    replaceRoles: (scope) => scope.register(tokens.isStrict, { useValue: true }),
  });
  usual = await FrontCluster.start();
  token = await strict.token(acmeAdmin);
});
test.after(async () => {
  await strict?.world.stop();
  await usual?.world.stop();
});

const documentOf = async (cluster: FrontCluster) => (await cluster.ask('GET /openapi.json')).body as Document;
const titlesOf = (document: Document) => operationsIn(document).map(({ method, path }) => `${method} ${path}`);

test('operations that were chosen are not there, nor are their methods among those allowed', async (t) => {
  refused(t, await strict.ask('GET /rest/v1/domain/domains', { token }), 404, /no such path/);
  refused(t, await strict.ask('GET /rest/v1/journal/calls', { token }), 404, /no such path/);
  const answer = await strict.ask(`DELETE ${parking}/a.wav`, { token });
  refused(t, answer, 405);
  t.is(answer.headers.get('allow'), 'GET, PUT, HEAD, OPTIONS');
});

test('parameters that were chosen are refused, others are read as ever', async (t) => {
  refused(t, await strict.ask(`GET ${calls}?countonly`, { token }), 400, /^countonly: this server is strict/);
  t.deepEqual((await strict.ask(`GET ${calls}?limit=5&mask=status`, { token })).body, []);
  refused(t, await strict.ask(`GET ${calls}?limit=ten`, { token }), 400, /^limit/);
});

test('fields of bodies that were chosen are refused, and the rest of a body counts', async (t) => {
  const start = (json: unknown) => strict.ask(`POST ${calls}`, { token, json });
  const whole = { from: '1001', to: '1002' };
  refused(t, await start({ ...whole, label: 'x' }), 400, /^label: this server is strict/);
  refused(t, await start({ ...whole, labels: 'x' }), 400, /^labels: no such field/);
  t.like(await start(whole), { status: 200 });
});

test('a malformed body is refused as it is without the option', async (t) => {
  const start = (raw: string, type: string): Promise<Answer> =>
    strict.ask(`POST ${calls}`, { token, raw, headers: { 'content-type': type } });
  refused(t, await start('{', 'application/json'), 400, /expected JSON/);
  refused(t, await start('', 'application/json'), 400, /got nothing/);
  refused(t, await start('[]', 'application/json'), 400);
  refused(t, await start('{}', 'text/plain'), 415);
  refused(t, await start(`"${'x'.repeat(limits.bodyBytes)}"`, 'application/json'), 413);
});

test('its document has what is served, and nothing that was chosen but what belongs to the tool', async (t) => {
  const document = await documentOf(strict);
  const chosen = operationsIn(document).filter(({ operation }) => operation['x-strowger-source'] === 'chosen');
  t.deepEqual(
    chosen.map(({ path }) => path),
    ['/healthz', '/static/{path}', '/openapi.json', '/docs', '/favicon.ico'],
  );
  const parameters = operationsIn(document).flatMap(({ operation }) => operation.parameters);
  t.deepEqual(
    parameters.filter((each) => each['x-strowger-source'] === 'chosen' && each.in === 'query'),
    [],
  );
  const bodies = allOf(document, 'requestBody');
  t.false(JSON.stringify(bodies).includes('chosen'));
  const answers = Object.entries(document.components.schemas).filter(([name]) => name.startsWith('get_uc_'));
  t.true(answers.length > 5);
  for (const [name, schema] of answers) t.false('anyOf' in (schema as object), `${name} may be a count`);
  const all = new Set(titlesOf(await documentOf(usual)));
  t.deepEqual(
    titlesOf(document).filter((title) => !all.has(title)),
    [],
  );
  t.true(all.size > titlesOf(document).length + 20);
});

test('the page of a strict server is there too', async (t) => {
  const response = await strict.world.request('hq', new Request('http://hq/docs'));
  const text = await response.text();
  t.is(response.status, 200);
  t.false(text.includes('countonly'));
});
