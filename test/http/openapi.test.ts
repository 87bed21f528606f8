/** The OpenAPI document as authors of clients read it: its form, and that it says what the routes do. */

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { z } from 'zod';
import type { RouteDefinition } from '../../src/http/contract.ts';
import {
  type Document,
  type Json,
  type OpenApiOperation,
  openApiOf,
  resolved,
} from '../../src/http/openapi/document.ts';
import { operationsIn } from '../../src/http/openapi/operations.ts';
import { pageOf } from '../../src/http/openapi/page.ts';
import { routesOf } from '../../src/http/routes.ts';
import { allOf, openApiSchema } from '../kit/http/openapi-form.ts';
import { test } from '../kit/test.ts';

const routes = routesOf({ webApps: () => [] });
const document = openApiOf(routes);
const operations = operationsIn(document);
// What runs a few times is not worth an optimization of its code, which takes a third of its compilation.
const ajv = new Ajv2020({ strict: false, validateFormats: false, code: { optimize: false } });
ajv.addSchema(document, 'openapi');

const validators = new Map<string, ValidateFunction>();

/** Validates by a schema of the document; equal ones are compiled once. */
function validatorOf(schema: object): ValidateFunction {
  const text = JSON.stringify(schema).replaceAll('"#/', '"openapi#/');
  const validate = validators.get(text) ?? ajv.compile(JSON.parse(text) as object);
  validators.set(text, validate);
  return validate;
}

test('the document has the form of OpenAPI 3.2', (t) => {
  const validate = ajv.compile(openApiSchema);
  t.true(validate(JSON.parse(JSON.stringify(document))), ajv.errorsText(validate.errors));
});

test('every operation with JSON has examples that its schemas accept; files have none', (t) => {
  const without: string[] = [];
  const files = ['GET /static/{path}', 'GET /openapi.json'];
  for (const { method, path, operation } of operations) {
    const good = Object.entries(operation.responses).filter(([status]) => Number(status) < 400);
    const contents = [
      operation.requestBody?.content,
      ...good.map(([, response]) => response['content'] as Json | undefined),
    ];
    const json = contents.flatMap(
      (content) => (content?.['application/json'] as { schema: Json; example?: unknown } | undefined) ?? [],
    );
    if (json.length > 0 && !json.some((content) => 'example' in content)) without.push(`${method} ${path}`);
    for (const { schema, example } of json) {
      if (example === undefined) continue;
      const validate = validatorOf(schema);
      t.true(validate(example), `${method} ${path}: ${ajv.errorsText(validate.errors)}`);
    }
  }
  t.deepEqual(without, files);
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
  const named = (each: RouteDefinition) =>
    `${each.method} ${each.path.replaceAll(/:(\w+)/g, '{$1}').replace(/\*$/, '{path}')}`;
  t.deepEqual(operations.map(({ method, path }) => `${method} ${path}`).sort(), routes.map(named).sort());
});

test('every reference leads somewhere, and every schema is one', (t) => {
  for (const name of Object.keys(document.components.schemas)) {
    t.truthy(ajv.getSchema(`openapi#/components/schemas/${name}`), name);
  }
  for (const schema of allOf(document, 'schema')) {
    t.notThrows(() => validatorOf(schema as object), JSON.stringify(schema).slice(0, 200));
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

test('each operation, parameter and refusal has words and a source', (t) => {
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

test('each field of each body and answer says what it means, in words', (t) => {
  const silent: string[] = [];
  let count = 0;
  for (const { method, path, operation } of operations) {
    for (const [place, name, field] of fieldsIn(document, operation)) {
      count += 1;
      const words = String(field['description'] ?? '');
      if (!/\w{2}/.test(words) || words.toLowerCase() === name) silent.push(`${method} ${path} ${place}`);
    }
  }
  t.true(count > 3_000, String(count));
  t.deepEqual(silent, []);
});

test('a field without words is found, however deep it is', (t) => {
  const deep = z.array(z.union([z.string(), z.object({ a: z.record(z.string(), z.object({ b: z.int() })) })]));
  const route: RouteDefinition = {
    ...(routes[0] as RouteDefinition),
    path: '/x',
    gives: { 200: z.object({ c: deep }) },
  };
  const small = openApiOf([route]);
  const [only] = operationsIn(small);
  const names = [...fieldsIn(small, only!.operation)].map(([place]) => place);
  for (const each of ['c', 'c.a', 'c.a.b', 'error_code']) t.true(names.includes(each), each);
});

/** The fields of the bodies and answers of an operation: their dotted names, own names and schemas. */
function* fieldsIn(of: Document, { requestBody, responses }: OpenApiOperation): Generator<[string, string, Json]> {
  const contents = [
    requestBody?.content,
    ...Object.values(responses).map(({ content }) => content as Json | undefined),
  ];
  for (const content of contents) {
    for (const media of Object.values(content ?? {})) yield* fieldsBelow(of, (media as { schema: Json }).schema, '');
  }
}

function* fieldsBelow(of: Document, given: Json, path: string): Generator<[string, string, Json]> {
  // A schema that is part of itself is any JSON, which has no fields.
  if (String(given['$ref']).includes('/json')) return;
  const schema = resolved(of, given);
  for (const [name, field] of Object.entries((schema['properties'] ?? {}) as Record<string, Json>)) {
    // What must not be given has no words.
    if (field['not'] !== undefined) continue;
    const place = path === '' ? name : `${path}.${name}`;
    yield [place, name, field];
    yield* fieldsBelow(of, field, place);
  }
  const forms = [...((schema['anyOf'] ?? []) as Json[]), ...((schema['oneOf'] ?? []) as Json[])];
  for (const each of [schema['items'], schema['additionalProperties'], ...forms]) {
    if (typeof each === 'object' && each !== null) yield* fieldsBelow(of, each as Json, path);
  }
}

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
  t.notRegex(page, /<(script|link|img)[^>]*(src|href)="(?!data:)/);
  t.notRegex(page, /https?:\/\//);
});

test('the page escapes whatever a route says', (t) => {
  const evil = '<script>alert("1")</script>';
  const route: RouteDefinition = {
    ...(routes[0] as RouteDefinition),
    path: '/x',
    does: `${evil} \`${evil}\``,
    sameAs: `/${evil}`,
  };
  const page = pageOf(openApiOf([route]));
  t.false(page.includes('<script>alert'));
  t.true(page.includes('&lt;script&gt;alert'));
});

test('a document in YAML is the same as in JSON', async (t) => {
  const { stringify } = await import('yaml');
  const plain = JSON.parse(JSON.stringify(document)) as object;
  t.deepEqual(parse(stringify(plain, { aliasDuplicateObjects: false })), plain);
});
