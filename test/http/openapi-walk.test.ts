/** Walks the OpenAPI document that a cluster serves: every operation answers as the document says, whatever is asked. */

import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { form, goodBody, knownPath, rank, tokenFor, usesUp } from '../../sim/docs/examples/walk-requests.ts';
import { type AnsweredRequest, type Asked, appZip, WalkedInterface } from '../../sim/docs/examples/walked-interface.ts';
import type { Document } from '../../src/http/openapi/document.ts';
import { type ListedOperation, operationsIn } from '../../src/http/openapi/operations.ts';
import { brokenValue, goodValue, type Schema } from '../kit/http/schema-arbitrary.ts';
import { sized } from '../kit/property.ts';
import { scopedTest } from '../kit/scoped.ts';

const test = scopedTest();

/** Generated requests of each operation, beside the one that should succeed. */
const runs = sized(10, 16);
/** After so many it is clear that something is wrong. */
const mostProblems = 10;

const walked = new WalkedInterface();
let document: Document;
// Code that validates a few answers is not worth an optimization, which takes a third of its compilation.
const ajv = new Ajv2020({ strict: false, validateFormats: false, code: { optimize: false } });

test.before(async () => {
  await walked.start();
  await walked.fill();
  const { text } = await walked.ask({ method: 'GET', path: '/openapi.json' });
  document = JSON.parse(text) as Document;
  ajv.addSchema(document, 'openapi');
});

test.after(() => walked.world.stop());

function pointerOf({ path, method }: ListedOperation): string {
  const escaped = encodeURIComponent(path.replaceAll('~', '~0').replaceAll('/', '~1'));
  const place = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH'].includes(method)
    ? method.toLowerCase()
    : `additionalOperations/${method}`;
  return `openapi#/paths/${escaped}/${place}`;
}

/** What is wrong with an answer, by the document. */
function wrongWith(listed: ListedOperation, { status, type, text }: AnsweredRequest): string | undefined {
  const response = listed.operation.responses[String(status)];
  if (status >= 500 && status !== 501 && status !== 503 && status !== 504) return `${status}: ${text}`;
  if (response === undefined) return `status ${status} is not declared: ${text.slice(0, 200)}`;
  const content = response['content'] as Record<string, unknown> | undefined;
  if (content?.['application/json'] === undefined) return undefined;
  if ((content['application/json'] as { schema: Schema }).schema['format'] === 'binary') return undefined;
  if (!type.startsWith('application/json')) return `${type} in place of JSON`;
  const pointer = `${pointerOf(listed)}/responses/${status}/content/application~1json/schema`;
  const validate = ajv.getSchema(pointer);
  if (validate === undefined) return `no schema at ${pointer}`;
  return validate(JSON.parse(text)) ? undefined : `${ajv.errorsText(validate.errors)}: ${text.slice(0, 300)}`;
}

function resolvedSchema(schema: Schema): Schema {
  const name =
    String(schema['$ref'] ?? '')
      .split('/')
      .at(-1) ?? '';
  return schema['$ref'] === undefined ? schema : (document.components.schemas[name] as Schema);
}

type Upload = NonNullable<Asked['bytes']>;

function bodyIn({ operation }: ListedOperation): { json?: Schema; media: readonly string[] } {
  const content = operation.requestBody?.content ?? {};
  const json = content['application/json'] as { schema: Schema } | undefined;
  return { ...(json !== undefined && { json: resolvedSchema(json.schema) }), media: Object.keys(content) };
}

/** A request by the document; `how` far it is as it should be. */
function requestOf(listed: ListedOperation, token: string | undefined, how: 'good' | 'odd'): fc.Arbitrary<Asked> {
  const { method, path, operation } = listed;
  const { json, media } = bodyIn(listed);
  const oddId = fc
    .oneof(
      fc.string({ minLength: 1, maxLength: 20 }),
      fc.uuid(),
      fc.constantFrom('%00', '...', 'x'.repeat(500), '0', 'current', '🙂'),
    )
    .filter((id) => !/^\.{1,2}$/.test(id));
  const oddPath = fc.array(oddId, { minLength: 4, maxLength: 4 }).map((ids) => {
    let n = 0;
    return path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(ids[n++ % ids.length] ?? '').replaceAll('.', '%2E'));
  });
  const query = fc
    .array(
      fc.tuple(
        fc.constantFrom(...operation.parameters.filter((each) => each.in === 'query'), undefined),
        fc.string({ maxLength: 30 }),
        fc.boolean(),
      ),
      { maxLength: 3 },
    )
    .chain((picked) =>
      fc.tuple(
        ...picked.map(([param, text, isGood]) =>
          param === undefined
            ? fc.constant(['q', text])
            : (isGood || how === 'good'
                ? goodValue(param.schema as Schema)
                : fc.oneof(fc.constant(text), fc.json({ maxDepth: 2 }))
              ).map((value) => [param.name, String(value)]),
        ),
      ),
    )
    .map((pairs) => (pairs.length === 0 ? '' : `?${new URLSearchParams(pairs as [string, string][])}`));
  const body: fc.Arbitrary<Partial<Asked>> =
    json !== undefined
      ? (how === 'good' ? goodValue(json) : brokenValue(json)).map((value) => ({ json: quick(value) }))
      : media.length > 0
        ? fc.constantFrom(...uploads(media, how)).map((bytes) => ({ bytes }))
        : fc.constant({});
  const isChange = method !== 'GET';
  const where =
    how === 'good' ? fc.constant(knownPath(listed, walked)) : path.includes('{') ? oddPath : fc.constant(path);
  return fc
    .tuple(where, how === 'good' && isChange ? fc.constant('') : query, body)
    .map(([at, asked, more]) => ({ method, path: `${at}${asked}`, token, ...more }));
}

/** Files to be uploaded. */
function uploads(media: readonly string[], how: 'good' | 'odd'): Upload[] {
  if (how === 'odd') return [form('a.wav'), form('..'), { type: 'text/plain', body: new Uint8Array(3) }];
  return media.includes('application/zip') ? [appZip()] : [form('b.wav')];
}

/** A body whose request waits for at most a second, or for the first response. */
function quick(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('response_mode' in value)) return value;
  return { ...value, response_mode: Number(value.response_mode) > 1 ? 1 : value.response_mode, timeout: 1 };
}

/** What has been done under another path, or needs a script of its own. */
const elsewhere =
  /^DELETE \/rest\/v1\/journal\/calls\/\{inviteid\}\/attachments\/\{name\}$|^(GET|POST) \/(exec|rest\/v1\/iam\/external)$|^GET \/rest\/v1\/journal\/scripts\/\{id\}$|^POST \/rest\/v1\/uc\/chatcampaigns\/\{id\}\/(history|contextmenu)/;

/** What can't succeed here: it is not built, is not a request, or is tested elsewhere. */
function isHopeless({ method, path, operation }: ListedOperation): boolean {
  const isRefused = Object.keys(operation.responses).every((status) => Number(status) >= 400);
  return isRefused || elsewhere.test(`${method} ${path}`);
}

test('every operation answers as the document says: what should succeed, and thousands of generated requests', async (t) => {
  // What is inside of something goes before that.
  const operations = operationsIn(document).sort((a, b) => rank(a) - rank(b) || b.path.length - a.path.length);
  const problems: string[] = [];
  const unmetHere: string[] = [];
  let asked = 0;
  let wellDone = 0;
  for (const listed of operations) {
    if (problems.length > mostProblems) break;
    const { method, path } = listed;
    const title = `${method} ${path}`;
    const heard = async (request: Asked): Promise<number> => {
      asked += 1;
      const answer = await walked.ask(request);
      const wrong = wrongWith(listed, answer);
      if (wrong !== undefined)
        problems.push(
          `${title}\n  ${request.path.slice(0, 200)} ${JSON.stringify(request.json)?.slice(0, 300)}\n  ${wrong}`,
        );
      return answer.status;
    };
    const isDangerous = path.endsWith('/nodes/{name}') && method === 'DELETE';
    const statuses: number[] = [];
    const sample = async (how: 'good' | 'odd', count: number) => {
      for (const request of fc.sample(requestOf(listed, await tokenFor(listed, walked), how), {
        numRuns: count,
        seed: asked,
      })) {
        const body = how === 'good' && request.json !== undefined ? goodBody(listed, walked) : undefined;
        const fixed = body === undefined ? request : { ...request, json: body };
        statuses.push(
          await heard({
            ...fixed,
            token: path.endsWith('/sessions/current') ? await tokenFor(listed, walked) : request.token,
          }),
        );
        if (problems.length > mostProblems) return;
      }
    };
    await walked.refresh(`${path}${method === 'REFERCONF' ? ' {confid}' : ''}`);
    if (usesUp.has(method)) await walked.callAnew();
    await sample('good', isDangerous || method === 'DELETE' ? 1 : runs / 2);
    await walked.refresh(path);
    await sample('odd', isDangerous ? 4 : runs / 2);
    if (statuses.some((status) => status < 400)) wellDone += 1;
    else if (!isHopeless(listed)) unmetHere.push(`${title}: ${[...new Set(statuses)].join(' ')}`);
  }
  t.deepEqual(problems, []);
  t.log(`${operations.length} operations, ${asked} requests, ${wellDone} operations with success`);
  t.deepEqual(unmetHere, []);
  t.true(asked > 2_000);
});
