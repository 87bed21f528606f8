/**
 * Requests of an administrator of another domain, by every operation of the OpenAPI document, with the ids, names and texts of a
 * domain in paths, filters and bodies: none is shown anything of the domain, and none changes it.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type AnsweredRequest, collectionOf, WalkedInterface } from '../../sim/docs/examples/walked-interface.ts';
import type { Document } from '../../src/http/openapi/document.ts';
import { type ListedOperation, operationsIn } from '../../src/http/openapi/operations.ts';
import { goodValue, type Schema } from '../kit/http/schema-arbitrary.ts';
import { holds, runs } from '../kit/property.ts';
import { scopedTest } from '../kit/scoped.ts';

const test = scopedTest();

const walked = new WalkedInterface();
let stranger = '';
let document: Document;
let operations: readonly ListedOperation[];
/** Ids and names that only answers to the domain have. */
let secrets: readonly string[];

test.before(async () => {
  await walked.start();
  await walked.fill();
  document = JSON.parse((await walked.ask({ method: 'GET', path: '/openapi.json' })).text) as Document;
  const isOfData = ({ path }: ListedOperation) => /^\/(rest|app)\//.test(path) && !path.includes('/iam/sessions');
  operations = operationsIn(document).filter(isOfData);
  stranger = await walked.logIn('globex.root.test');
  const shownTo = async (token: string) => {
    const reads = operations.filter(({ method }) => method === 'GET');
    const answers: AnsweredRequest[] = [];
    for (const { path } of reads) answers.push(await walked.ask({ method: 'GET', path: pathOf(path), token }));
    return answers.filter(({ type }) => type.startsWith('application/json')).map(({ text }) => text);
  };
  const own = await shownTo(walked.acme);
  const others = (await shownTo(stranger)).join();
  const texts = new Set(own.flatMap((text) => textsIn(JSON.parse(text))));
  secrets = [...texts].filter((text) => isName(text) && !others.includes(text));
});
test.after(() => walked.world.stop());

/** An id, or a name that was made for this: words of the interface have no digits. */
function isName(text: string): boolean {
  return /^[\w-]{8,}$/.test(text) && /\d/.test(text);
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** The id in a path, of what the domain has. */
function idOf(path: string, parameter: string): string {
  const name = parameter === 'id' ? collectionOf(path) : parameter;
  if (name === 'name') return walked.ids.get(path.startsWith('/rest/v1/fs') ? 'file' : 'recording') ?? 'none';
  return walked.ids.get(name) ?? 'none';
}

function pathOf(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(idOf(path, name)));
}

/** Whether a path names something that only the domain has. */
function isOfDomain(path: string): boolean {
  return [...path.matchAll(/\{(\w+)\}/g)].some(([, name = '']) => secrets.includes(idOf(path, name)));
}

function schemaOf({ operation }: ListedOperation): Schema {
  const json = operation.requestBody?.content['application/json'] as { schema: Schema } | undefined;
  const shared = String(json?.schema['$ref'] ?? '').split('/');
  return (document.components.schemas[shared.at(-1) ?? ''] as Schema | undefined) ?? json?.schema ?? {};
}

/** A good body, in which some texts are those of the domain. */
function bodyOf(listed: ListedOperation): fc.Arbitrary<unknown> {
  if (listed.operation.requestBody === undefined) return fc.constant(undefined);
  const planted = (value: unknown, picks: number[]): unknown => {
    if (typeof value === 'string') {
      const pick = picks.pop() ?? 0;
      return pick % 3 === 0 ? value : secrets[pick % secrets.length];
    }
    if (Array.isArray(value)) return value.map((each) => planted(each, picks));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, planted(each, picks)]));
  };
  const body = fc.tuple(goodValue(schemaOf(listed)), fc.array(fc.nat(), { minLength: 20, maxLength: 20 }));
  const one = fc.nat().map((pick) => secrets[pick % secrets.length]);
  return fc.oneof({ weight: 4, arbitrary: body.map(([value, picks]) => planted(value, picks)) }, one);
}

/** Filters and selectors that name what the domain has, by any field. */
function queryOf({ operation, path }: ListedOperation): fc.Arbitrary<string> {
  const names = (operation.parameters ?? []).filter((each) => each.in === 'query').map((each) => each.name);
  if (names.length === 0) return fc.constant('');
  const field = fc.constantFrom('id', 'login', 'name', 'code', 'domain', 'dialogid', 'inviteid', 'confid', 'iduser');
  const secret = fc.oneof(
    fc.nat().map((pick) => secrets[pick % secrets.length] ?? ''),
    fc.constantFrom('acme.root.test', '1001@acme.root.test', idOf(path, 'id')),
  );
  const filter = fc.tuple(field, secret, fc.boolean()).map(([name, value, isExpression]) => {
    return JSON.stringify(isExpression ? ['==', ['property', name], value] : { [name]: value });
  });
  return fc
    .array(fc.tuple(fc.constantFrom(...names), fc.oneof(filter, secret)), { minLength: 1, maxLength: 2 })
    .map((pairs) => new URLSearchParams(pairs).toString());
}

/** What the other administrator has stored in its own domain. */
let stored = '';

/** Texts of the domain in an answer that were not in what it was asked or given. */
function shownBy(answer: string, asked: string): string[] {
  const words = new Set(answer.match(/[\w-]+/g));
  return secrets.filter((secret) => words.has(secret) && !asked.includes(secret) && !stored.includes(secret));
}

/** What the domain has: its entities as lists, and that what lives is there. */
async function state(): Promise<unknown> {
  const lists = operations.filter(
    ({ method, path }) => method === 'GET' && !/calls|conferences|states|journal/.test(path),
  );
  const read = async (path: string) => {
    const { status, text } = await walked.ask({ method: 'GET', path, token: walked.acme });
    return [path, status, text];
  };
  const all: unknown[] = [];
  for (const { path } of lists.filter((each) => !each.path.includes('dashboards'))) all.push(await read(pathOf(path)));
  for (const name of ['dialogid', 'other']) all.push((await read(`/rest/v1/uc/calls/${walked.ids.get(name)}`))[1]);
  all.push((await read(`/rest/v1/journal/calls/${walked.ids.get('inviteid')}/attachments`))[2]);
  return all;
}

test('what an administrator of another domain asks for by the ids of a domain is not there', async (t) => {
  t.true(secrets.length > 15, secrets.join());
  const before = await state();
  let refused = 0;
  for (const listed of operations) {
    const path = pathOf(listed.path);
    const hasBody = listed.operation.requestBody !== undefined;
    const [json] = hasBody ? fc.sample(goodValue(schemaOf(listed)), { numRuns: 1, seed: 12 }) : [];
    const { method } = listed;
    const { status, text } = await walked.ask({ method, path, token: stranger, ...(json !== undefined && { json }) });
    const line = `${method} ${listed.path}: ${status} ${text.slice(0, 300)}`;
    t.deepEqual(shownBy(text, `${decodeURIComponent(path)} ${JSON.stringify(json)}`), [], line);
    if (!isOfDomain(listed.path)) continue;
    refused += 1;
    t.true(status >= 400 && status < 500, line);
  }
  t.true(refused > 15, String(refused));
  t.deepEqual(await state(), before);
});

const requests = fc.nat().chain((index) => {
  const listed = operations[index % operations.length] as ListedOperation;
  return fc.record({ listed: fc.constant(listed), query: queryOf(listed), json: bodyOf(listed) });
});

test('filters, selectors and bodies that name what another domain has find and change nothing of it', async (t) => {
  const before = await state();
  const met = new Map<number, number>();
  await holds(
    t,
    fc.asyncProperty(requests, async ({ listed: { method, path }, query, json }) => {
      const target = `${pathOf(path)}${query === '' ? '' : `?${query}`}`;
      const { status, text } = await walked.ask({
        ...{ method, path: target, token: stranger },
        ...(json !== undefined && { json }),
      });
      met.set(status, (met.get(status) ?? 0) + 1);
      const asked = `${decodeURIComponent(target).replaceAll('+', ' ')} ${JSON.stringify(json)}`;
      assert.deepEqual(shownBy(text, asked), []);
      if (status < 300 && method !== 'GET' && method !== 'LOOKUP') stored += asked;
    }),
    { numRuns: runs(75), uncovered: () => [200, 404].filter((status) => !met.has(status)) },
  );
  t.log([...met].map(([status, count]) => `${status} ×${count}`).join(', '));
  t.deepEqual(await state(), before);
});
