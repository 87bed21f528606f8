/** The OpenAPI document as those read it who make clients of it: its form, and that it says what the routes do. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import test from 'ava';
import { parse } from 'yaml';
import { openApiOf } from '../../src/http/openapi/document.ts';
import { operationsIn } from '../../src/http/openapi/operations.ts';
import { pageOf } from '../../src/http/openapi/page.ts';
import type { Route } from '../../src/http/route.ts';
import { routesOf } from '../../src/http/routes.ts';
import { allOf, openApiSchema } from '../kit/openapi-form.ts';

const routes = routesOf({ webApps: () => [] });
const document = openApiOf(routes);
const operations = operationsIn(document);
const ajv = new Ajv2020({ strict: false, validateFormats: false });

test('the document has the form of OpenAPI 3.2', (t) => {
  const validate = ajv.compile(openApiSchema);
  t.true(validate(JSON.parse(JSON.stringify(document))), ajv.errorsText(validate.errors));
});

test('a document with a mistake in it does not have the form', (t) => {
  const validate = ajv.compile(openApiSchema);
  const item = document.paths['/healthz'] as object;
  for (const wrong of [
    { ...document, openapi: '3.1.0' },
    { ...document, paths: { healthz: item } },
    { ...document, paths: { '/healthz': { lookup: { ...item } } } },
    { ...document, paths: { '/healthz': { additionalOperations: { GET: operations[0]?.operation } } } },
    { ...document, paths: { '/healthz': { get: { operationId: 'x', responses: {} } } } },
  ]) {
    t.false(validate(JSON.parse(JSON.stringify(wrong))));
  }
});

test('every route is an operation, and every operation a route', (t) => {
  const named = (each: Route) => `${each.method} ${each.path.replaceAll(/:(\w+)/g, '{$1}').replace(/\*$/, '{path}')}`;
  t.deepEqual(operations.map(({ method, path }) => `${method} ${path}`).sort(), routes.map(named).sort());
});

test('every reference leads somewhere, and every schema is one', (t) => {
  ajv.addSchema(document, 'openapi');
  for (const name of Object.keys(document.components.schemas)) {
    t.truthy(ajv.getSchema(`openapi#/components/schemas/${name}`), name);
  }
  const texts = allOf(document, 'schema').map((schema) => JSON.stringify(schema).replaceAll('"#/', '"openapi#/'));
  for (const text of new Set(texts)) {
    t.notThrows(() => ajv.compile(JSON.parse(text) as object), text.slice(0, 200));
  }
});

test('operations have names of their own, and declare the parameters of their paths, each once', (t) => {
  const ids = operations.map(({ operation }) => operation.operationId);
  t.is(new Set(ids).size, ids.length);
  for (const { path, operation } of operations) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const declared = operation.parameters.map(({ name, in: place }) => `${place} ${name}`);
    t.is(new Set(declared).size, declared.length, path);
    t.deepEqual(
      declared.filter((each) => each.startsWith('path ')),
      inPath.map((name) => `path ${name}`),
      path,
    );
  }
});

test('each operation, parameter and refusal says what to trust, and what it means', (t) => {
  const sources = ['documented', 'public', 'chosen'];
  for (const { method, path, operation } of operations) {
    const { summary, parameters, responses } = operation;
    t.true(sources.includes(operation['x-strowger-source']) && summary.length > 5, `${method} ${path}`);
    for (const each of parameters) {
      t.true(sources.includes(each['x-strowger-source']) && each.description !== '', `${path} ${each.name}`);
    }
    for (const [status, answer] of Object.entries(responses)) {
      t.not(answer['description'], 'Refused', `${method} ${path} ${status}`);
      if (Number(status) >= 400) t.true(sources.includes(String(answer['x-strowger-source'])));
    }
  }
});

test('other names of a path are operations that name the first one, which is there', (t) => {
  const titles = new Set(operations.map(({ method, path }) => `${method} ${path}`));
  const aliases = operations.flatMap(({ operation }) => operation['x-strowger-same-as'] ?? []);
  t.true(aliases.length > 20);
  t.deepEqual(
    aliases.filter((each) => !titles.has(each)),
    [],
  );
});

test('the page has every operation under its own anchor, and nothing from elsewhere', (t) => {
  const page = pageOf(document);
  for (const { path, operation } of operations) {
    t.true(page.includes(`<details id="${operation.operationId}"`), operation.operationId);
    t.true(page.includes(path));
  }
  t.notRegex(page, /<(script|link|img)[^>]*(src|href)=/);
  t.notRegex(page, /https?:\/\//);
});

test('the page escapes whatever a route says', (t) => {
  const evil = '<script>alert("1")</script>';
  const route: Route = { ...(routes[0] as Route), path: '/x', does: `${evil} \`${evil}\``, sameAs: `/${evil}` };
  const page = pageOf(openApiOf([route]));
  t.false(page.includes('<script>alert'));
  t.true(page.includes('&lt;script&gt;alert'));
});

test('a document in YAML is the same as in JSON', async (t) => {
  const { stringify } = await import('yaml');
  const plain = JSON.parse(JSON.stringify(document)) as object;
  t.deepEqual(parse(stringify(plain, { aliasDuplicateObjects: false })), plain);
});
