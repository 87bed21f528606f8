/**
 * The sources of the typed client in `src/client/api`, from the declarations of the routes and of the events: a file for each
 * group of operations, in the folder of its part of the interface, the table of all, and a file for each class of events.
 */
import { z } from 'zod';
import { isBytes, type QueryParam, type RouteDefinition, wholeOf } from '../../../src/http/contract.ts';
import { routesOf } from '../../../src/http/routes.ts';
import { eventSources } from './event-source.ts';
import { areaOf, isClientOperation, nameOf } from './names.ts';
import { commentLines, fieldLines, type JsonSchema, typeText } from './type-text.ts';

interface ClientOperation {
  readonly route: RouteDefinition;
  readonly group: string;
  readonly name: string;
}

/** A group, and the folder of its file. */
interface Group {
  readonly name: string;
  readonly area: string;
}

/** A named type: its file is that of the group that used it first. */
interface NamedType {
  readonly name: string;
  readonly group: string;
  readonly lines: readonly string[];
}

/** The files by their path below the folder of the package. */
export function clientSources(): ReadonlyMap<string, string> {
  const operations = routesOf({ webApps: () => [] })
    .filter(isClientOperation)
    .map((route) => ({ route, ...nameOf(route) }));
  const names = [...new Set(operations.map(({ group }) => group))].toSorted();
  const groups = names.map((name): Group => {
    const first = operations.find(({ group }) => group === name) as ClientOperation;
    return { name, area: areaOf(first.route) };
  });
  const types = new Types();
  const methods = new Map(operations.map((operation) => [operation, methodLines(operation, types)] as const));
  const files = groups.map((group) => {
    const own = operations.filter((operation) => operation.group === group.name);
    const lines = own.flatMap((operation) => methods.get(operation) ?? []);
    return [`src/client/api/${fileOf(group)}`, groupFile(group, { groups, types, methods: lines })] as const;
  });
  return new Map([...files, ['src/client/api/api.ts', apiFile(groups, operations)], ...eventSources()]);
}

const banner = '// Generated from src/http/routes by `npm run docs`.\n';

interface GroupParts {
  readonly groups: readonly Group[];
  readonly types: Types;
  readonly methods: readonly string[];
}

function groupFile({ name: group, area }: Group, { groups, types, methods }: GroupParts): string {
  const body = [`export interface ${pascal(group)} {`, ...methods, '}'];
  const own = types.of(group).flatMap(({ lines }) => [...lines, '']);
  const pathTo = (other: string) => {
    const to = groups.find(({ name }) => name === other) as Group;
    return to.area === area ? `./${fileName(other)}` : `../${fileOf(to)}`;
  };
  const text = [...own, ...body].join('\n');
  const shared = sharedTypes.filter((name) => new RegExp(`\\b${name}\\b`).test(text));
  const imported = types
    .others(group)
    .filter(({ name }) => new RegExp(`\\b${name}\\b`).test(text))
    .map(({ name, group: from }) => `import type { ${name} } from '${pathTo(from)}';`);
  const sharedLine = shared.length === 0 ? [] : [`import type { ${shared.join(', ')} } from '../../requests.ts';`];
  return `${banner}${[...sharedLine, ...imported].toSorted().join('\n')}\n\n${text}\n`;
}

const sharedTypes = ['Content', 'Files', 'Filter', 'ItemQuery', 'ListQuery', 'RequestOptions', 'WithConnected'];

function apiFile(groups: readonly Group[], operations: readonly ClientOperation[]): string {
  const imports = groups.map((group) => `import type { ${pascal(group.name)} } from './${fileOf(group)}';`).toSorted();
  const table = groups.map(({ name: group }) => {
    const own = operations.filter((operation) => operation.group === group).flatMap(entriesOf);
    return `  ${group}: {\n${own.map((line) => `    ${line}`).join('\n')}\n  },`;
  });
  const fields = groups.map(({ name: group }) => `  readonly ${group}: ${pascal(group)};`);
  return `${banner}import type { OperationTable } from '../requests.ts';
${imports.join('\n')}

/** The operations of the interface, by group. */
export interface Api {
${fields.join('\n')}
}

export const operations: OperationTable = {
${table.join('\n')}
};
`;
}

/** The entries of an operation in the table, and of the count of a list. */
function entriesOf({ route, name }: ClientOperation): string[] {
  const { method, path, takes } = route;
  const query = takes?.query ?? [];
  const entry = (answer: string) => `['${method}', '${path}', '${bodyKind(route)}', ${query.length > 0}, '${answer}'],`;
  const own = `${name}: ${entry(answerKind(route))}`;
  return isCountable(query) ? [own, `${countName(name)}: ${entry('count')}`] : [own];
}

function bodyKind({ takes }: RouteDefinition): 'none' | 'json' | 'bytes' | 'files' {
  const { body } = takes ?? {};
  if (body === undefined) return 'none';
  if (!isBytes(body)) return 'json';
  return body.media.every((media) => media === 'multipart/form-data') ? 'files' : 'bytes';
}

function answerKind({ gives }: RouteDefinition): 'json' | 'call' | 'bytes' | 'nothing' {
  const given = gives[200];
  if (given === undefined || given === 'nothing') return 'nothing';
  if (isBytes(given)) return 'bytes';
  return isCallResult(given) ? 'call' : 'json';
}

/** The result of a call: the client adds whether the callee has answered. */
function isCallResult(schema: z.ZodType): boolean {
  const { properties } = schemaOf(schema, 'output') as { readonly properties?: object };
  return properties !== undefined && 'last_response' in properties;
}

function isCountable(query: readonly QueryParam[]): boolean {
  return query.some(({ name }) => name === 'countonly');
}

function countName(list: string): string {
  return list === 'list' ? 'count' : `${list}Count`;
}

function methodLines(operation: ClientOperation, types: Types): string[] {
  const { route, name } = operation;
  const query = route.takes?.query ?? [];
  const places = [...route.path.matchAll(/:(\w+)/g)].map(([, param = '']) => `${parameterName(param)}: string`);
  const body = bodyText(operation, types);
  const { result, generic, queryText, listed = 'never' } = answerText(operation, types);
  const parameters = [...places, ...body, ...(query.length > 0 ? [queryText] : []), 'options?: RequestOptions'];
  const line = `  ${name}${generic}(${parameters.join(', ')}): Promise<${result}>;`;
  const text = `${route.does} (\`${route.method} ${route.path}\`)`;
  const lines = [...commentLines(text, '  '), line];
  if (!isCountable(query)) return lines;
  const extra = extraQuery(query);
  const countQuery = `query?: { readonly filter?: Filter<${listed}> | undefined }${extra}`;
  const count = [...places, countQuery, 'options?: RequestOptions'].join(', ');
  return [...lines, `  /** How many items a filter selects. */`, `  ${countName(name)}(${count}): Promise<number>;`];
}

function bodyText({ route, group, name }: ClientOperation, types: Types): string[] {
  const { body, isBodyOptional = false } = route.takes ?? {};
  if (body === undefined) return [];
  if (isBytes(body)) return [bodyKind(route) === 'files' ? 'files: Files' : 'content: Content'];
  const type = types.named(`${pascal(group)}${pascal(name)}Body`, group, schemaOf(body, 'input'));
  return [`body${isBodyOptional ? '?' : ''}: ${type}`];
}

interface AnswerText {
  readonly result: string;
  readonly generic: string;
  readonly queryText: string;
  /** The type of the items of a list. */
  readonly listed?: string;
}

function answerText({ route, group, name }: ClientOperation, types: Types): AnswerText {
  const query = route.takes?.query ?? [];
  const plain = { generic: '', queryText: `query?: ${queryType(query)}` };
  const kind = answerKind(route);
  const given = route.gives[200];
  if (kind === 'nothing') return { ...plain, result: 'void' };
  if (kind === 'bytes' || given === undefined || given === 'nothing' || isBytes(given))
    return { ...plain, result: 'Response' };
  const whole = wholeOf(given);
  const hasMask = query.some((param) => param.name === 'mask');
  if (whole === undefined || !hasMask) {
    const type = types.named(`${pascal(group)}${pascal(name)}Answer`, group, schemaOf(given, 'output'));
    const union = route.gives[204] === undefined ? type : `${type} | undefined`;
    return { ...plain, result: kind === 'call' ? `WithConnected<${union}>` : union };
  }
  const isList = query.some((param) => param.name === 'filter');
  const item = schemaOf(whole.item, 'output');
  const schema = whole.fields === undefined ? item : reduced(item, whole.fields);
  const isReduced = JSON.stringify(schema) !== JSON.stringify(item);
  const type = types.named(`${pascal(group)}${isReduced ? 'List' : ''}Item`, group, schema);
  const pick = `Pick<${type}, M>`;
  const queryText = `query?: ${isList ? `ListQuery<${type}, M>` : 'ItemQuery<M>'}${extraQuery(query)}`;
  return {
    generic: `<M extends keyof ${type} = keyof ${type}>`,
    queryText,
    listed: type,
    result: isList ? `readonly ${pick}[]` : pick,
  };
}

/** A parameter must not have the name of a keyword. */
function parameterName(param: string): string {
  return param === 'class' ? 'className' : camel(param);
}

/** The query parameters beside those of every list and item. */
function extraQuery(query: readonly QueryParam[]): string {
  const extra = query.filter(({ name }) => !commonQuery.has(name));
  return extra.length === 0 ? '' : ` & ${queryType(extra)}`;
}

const commonQuery: ReadonlySet<string> = new Set(['filter', 'mask', 'offset', 'limit', 'order', 'flat', 'countonly']);

function queryType(query: readonly QueryParam[]): string {
  const fields = query.map(({ name, schema }) => {
    const isFlag = JSON.stringify(schemaOf(schema, 'input')).includes('"true"');
    const type = isFlag ? 'boolean' : /^(sites|servers|nodes)$/.test(name) ? 'string | readonly string[]' : 'string';
    return `readonly ${name}?: ${type} | undefined`;
  });
  return `{ ${fields.join('; ')} }`;
}

/** The schema of the items of a list, which have only some of the fields. */
function reduced(schema: JsonSchema, fields: readonly string[]): JsonSchema {
  const names = new Set(fields.map((field) => field.split('.')[0] ?? ''));
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>);
  const kept = properties
    .filter(([name]) => names.has(name))
    .map(([name, field]) => [name, fields.includes(name) ? field : { ...field, required: [] }] as const);
  return { ...schema, properties: Object.fromEntries(kept) };
}

class Types {
  readonly #byText = new Map<string, NamedType>();

  /** The name of an object type; the text of any other type. */
  named(name: string, group: string, schema: JsonSchema): string {
    if (schema['type'] !== 'object' && !/\{\n/.test(typeText(schema))) return typeText(schema);
    const text = JSON.stringify(schema);
    const known = this.#byText.get(text);
    if (known !== undefined) return known.name;
    this.#byText.set(text, { name, group, lines: declaration(name, schema) });
    return name;
  }

  of(group: string): NamedType[] {
    return [...this.#byText.values()].filter((type) => type.group === group);
  }

  others(group: string): NamedType[] {
    return [...this.#byText.values()].filter((type) => type.group !== group);
  }
}

function declaration(name: string, schema: JsonSchema): string[] {
  const fields = schema['type'] === 'object' ? fieldLines(schema, 1) : [];
  if (fields.length === 0) return [`export type ${name} = ${typeText(schema)};`];
  return [`export interface ${name} {`, ...fields, '}'];
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  return z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonSchema;
}

function fileOf({ name, area }: Group): string {
  return `${area}/${fileName(name)}`;
}

function fileName(group: string): string {
  return `${group.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.ts`;
}

function pascal(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function camel(text: string): string {
  return text.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
