/** Checks the bodies of requests, and what is expected of their answers, against the schemas of the interface. */
import type { z } from 'zod';
import { errorSchema, isBytes, type RouteDefinition, wholeOf } from '../../../src/http/contract.ts';
import { typeOf } from '../../../src/model/shapes/schema-fields.ts';
import { faultsOfPart } from '../../input/read-part.ts';
import { type InputError, readValue, wordsOf } from '../../input/read-value.ts';
import type { Expectation, ScenarioRequest } from '../language/request-schema.ts';
import { referencesIn } from '../language/values.ts';
import { headerFaults } from './answer-headers.ts';
import { routesFor } from './interface.ts';

type Asked = Pick<ScenarioRequest, 'method' | 'path'>;

/** The faults of a request and of what is expected of its answer. A request that expects a refusal may have any body. */
export function exchangeErrors({ request, expect }: Exchange): InputError[] {
  const isRefused = (expect?.status ?? 0) >= 400;
  return [
    ...(isRefused ? [] : within(['request'], bodyErrors(request))),
    ...within(['request'], savedFaults(request, request.save, expect)),
    ...(expect === undefined ? [] : within(['expect'], expectationFaults(request, expect))),
  ];
}

interface Exchange {
  readonly request: ScenarioRequest;
  readonly expect?: Expectation | undefined;
}

/** What the operation cannot read in a body. Saved values are not known yet, and fit everywhere. */
export function bodyErrors({ method, path, body }: Asked & { readonly body?: unknown }): InputError[] {
  const found = routesFor(method, path).map((route) => faultsFor(route, body));
  return found.toSorted((a, b) => a.length - b.length)[0] ?? [];
}

function faultsFor({ method, path, takes }: RouteDefinition, body: unknown): InputError[] {
  const { body: schema, isBodyOptional = false } = takes ?? {};
  if (schema === undefined || isBytes(schema)) return [];
  if (body === undefined) {
    const message = `expected "body" beside "path": ${method} ${path} takes ${wordsOf(schema)}`;
    return isBodyOptional ? [] : [{ path: [], message }];
  }
  const read = readValue(schema, body);
  if (read.isValid) return [];
  const isKnown = ({ path: at }: InputError) => referencesIn(valueAt(body, at)).length === 0;
  return read.faults.filter(isKnown).map(({ path: at, message }) => ({ path: ['body', ...at], message }));
}

function valueAt(body: unknown, path: InputError['path']): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], body);
}

/** What no answer of the operation has: a field, a value, a list. */
function expectationFaults(asked: Asked, { status, headers, body, count, items = [] }: Expectation): InputError[] {
  const routes = routesFor(asked.method, asked.path);
  const ofHeaders = routes.some(isScripts) ? [] : headerFaults(headers);
  if (ofHeaders.length > 0) return ofHeaders;
  const statuses = routes.flatMap(({ gives }) => Object.keys(gives));
  if (status !== undefined && status < 400 && statuses.length > 0 && !statuses.includes(String(status))) {
    const known = [...new Set(statuses)].join(', ');
    return [
      { path: ['status'], message: `expected a status of the operation (${known}, or of a refusal), got ${status}` },
    ];
  }
  const schemas = answersOf(asked, status);
  if (schemas === undefined) return [];
  const partFaults = (part: unknown, at: InputError['path']) =>
    part === undefined ? [] : within(at, faultsOfPart(schemas, part, reader));
  const isList = faultsOfPart(schemas, [], reader).length === 0;
  const ofLists = [...(count === undefined ? [] : ['count']), ...(items.length === 0 ? [] : ['items'])];
  if (!isList) return [...partFaults(body, ['body']), ...ofLists.map(noList)];
  return [
    ...partFaults(body, ['body']),
    ...items.flatMap(({ where, every }, i) => [
      ...within(['items', i, 'where'], itemFaults(schemas, where)),
      ...within(['items', i, 'every'], itemFaults(schemas, every ?? {})),
    ]),
  ];
}

function noList(field: string): InputError {
  return { path: [field], message: `expected "${field}" only where the answer is a list: this one is an object` };
}

function itemFaults(schemas: readonly z.core.$ZodType[], item: unknown): InputError[] {
  return faultsOfPart(schemas, [item], reader).map(({ path, message }) => ({ path: path.slice(1), message }));
}

/** Paths of values to save that no answer of the operation has. */
function savedFaults(asked: Asked, save: ScenarioRequest['save'], expect: Expectation | undefined): InputError[] {
  const schemas = answersOf(asked, expect?.status);
  if (schemas === undefined) return [];
  return Object.entries(save ?? {}).flatMap(([name, each]) => {
    const from = typeof each === 'string' ? each : each.from;
    const [fault] = faultsOfPart(schemas, partAt(from.split('.')), reader);
    return fault === undefined ? [] : [{ path: ['save', name], message: `${from}: ${fault.message}` }];
  });
}

/** A value with one field, at this path, which may have any value. */
function partAt([key, ...rest]: readonly string[]): unknown {
  if (key === undefined) return anyValue;
  const inner = partAt(rest);
  return /^\d+$/.test(key) ? [inner] : { [key]: inner };
}

const anyValue = Symbol('any value');

/** The schemas of the JSON answers with this status, or with any; `undefined` if an answer may be anything. */
function answersOf({ method, path }: Asked, status: number | undefined): readonly z.core.$ZodType[] | undefined {
  const routes = routesFor(method, path);
  const isRefused = status !== undefined && status >= 400;
  if (isRefused) return routes.some(isScripts) ? undefined : [errorSchema];
  const given = routes.flatMap(({ gives }) =>
    Object.entries(gives).flatMap(([of, each]) => (status === undefined || Number(of) === status ? [each] : [])),
  );
  const schemas = given.flatMap((each) => (each === 'nothing' || isBytes(each) ? [] : [each]));
  if (schemas.length === 0 || schemas.length < given.length) return undefined;
  return status === undefined ? [...schemas, errorSchema] : schemas;
}

/** A script that serves a request answers as it likes. */
function isScripts({ path }: RouteDefinition): boolean {
  return path.startsWith('/exec') || /chatcampaigns\/:id\/./.test(path);
}

const reader = {
  wholeOf: (schema: z.core.$ZodType) =>
    typeOf(schema) === 'object' ? (wholeOf(schema as z.ZodType)?.item ?? schema) : schema,
  isOpen: (value: unknown) => value === anyValue || (typeof value === 'string' && referencesIn(value).length > 0),
};

function within(at: InputError['path'], faults: readonly InputError[]): InputError[] {
  return faults.map(({ path, message }) => ({ path: [...at, ...path], message }));
}
