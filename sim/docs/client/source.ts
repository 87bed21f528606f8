/**
 * The sources of the typed client in `src/client/api`, from the declarations of the routes and of the events: a file for each
 * part of the interface, the table of all operations, and a file for all events.
 */
import { z } from 'zod';
import { isBytes, type QueryParam, type RouteDefinition, wholeOf } from '../../../src/http/contract.ts';
import { routesOf } from '../../../src/http/routes.ts';
import { eventCatalogue } from '../../../src/model/events/event-catalogue.ts';
import type { EventDeclaration } from '../../../src/model/events/event-declaration.ts';
import { areaOf, isClientOperation, nameOf } from './names.ts';
import { commentLines, fieldLines, type JsonSchema, typeText } from './type-text.ts';

interface ClientOperation {
  readonly route: RouteDefinition;
  readonly group: string;
  readonly name: string;
}

/** A group, and the name of its file. */
interface Group {
  readonly name: string;
  readonly file: string;
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
    return { name, file: fileOf(first.route) };
  });
  const types = new Types();
  const methods = new Map(operations.map((operation) => [operation, methodLines(operation, types)] as const));
  const sources = groups.map((group) => {
    const own = operations.filter((operation) => operation.group === group.name);
    return {
      ...group,
      text: groupText(
        group.name,
        types,
        own.flatMap((operation) => methods.get(operation) ?? []),
      ),
    };
  });
  const files = [...new Set(groups.map(({ file }) => file))].map((file) => {
    const texts = sources.filter((source) => source.file === file).map(({ text }) => text);
    return [`src/client/api/${file}`, partFile(file, texts.join('\n'), { groups, types })] as const;
  });
  return new Map([
    ...files,
    ['src/client/api/api.ts', apiFile(groups, operations)],
    ['src/client/api/events.ts', eventsFile()],
  ]);
}

const banner = '// Generated from src/http/routes by `npm run docs`.\n';

/** The types that a group declares, and its methods. */
function groupText(group: string, types: Types, methods: readonly string[]): string {
  const own = types.all.filter((type) => type.group === group).flatMap(({ lines }) => [...lines, '']);
  return [...own, `export interface ${pascal(group)} {`, ...methods, '}', ''].join('\n');
}

interface KnownTypes {
  readonly groups: readonly Group[];
  readonly types: Types;
}

/** A part of the interface: its groups, and the types of other files that they use. */
function partFile(file: string, text: string, { groups, types }: KnownTypes): string {
  const isUsed = (name: string) => new RegExp(`\\b${name}\\b`).test(text);
  const fileOfGroup = new Map(groups.map((group) => [group.name, group.file]));
  const imports = new Map<string, string[]>([['../operation-types.ts', sharedTypes.filter(isUsed)]]);
  for (const { name, group } of types.all) {
    const from = fileOfGroup.get(group);
    if (from !== file && isUsed(name)) imports.set(`./${from}`, [...(imports.get(`./${from}`) ?? []), name]);
  }
  const lines = [...imports].flatMap(([from, names]) => (names.length === 0 ? [] : [importLine(names, from)]));
  return `${banner}${lines.toSorted().join('\n')}\n\n${text}`;
}

function importLine(names: readonly string[], from: string): string {
  return `import type { ${names.toSorted().join(', ')} } from '${from}';`;
}

const sharedTypes = ['Content', 'Files', 'Filter', 'ItemQuery', 'ListQuery', 'RequestOptions', 'WithConnected'];

function apiFile(groups: readonly Group[], operations: readonly ClientOperation[]): string {
  const imports = [...new Set(groups.map(({ file }) => file))].toSorted().map((file) => {
    const names = groups.filter((group) => group.file === file).map(({ name }) => pascal(name));
    return importLine(names, `./${file}`);
  });
  const table = groups.map(({ name: group }) => {
    const own = operations.filter((operation) => operation.group === group).flatMap(entriesOf);
    return `  ${group}: {\n${own.map((line) => `    ${line}`).join('\n')}\n  },`;
  });
  const fields = groups.map(({ name: group }) => `  readonly ${group}: ${pascal(group)};`);
  return `${banner}import type { OperationTable } from '../operation-types.ts';
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

  get all(): readonly NamedType[] {
    return [...this.#byText.values()];
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

/** One file for a part of the interface; `uc` would be too long for one. */
function fileOf(route: RouteDefinition): string {
  const isMeeting = /^\/rest\/v1\/uc\/(conferences|selectors)/.test(route.path);
  return isMeeting ? 'uc-conferences.ts' : `${areaOf(route)}.ts`;
}

const eventBanner = '// Generated from src/model/events by `npm run docs`.\n';

/** The data of the events of the web socket, a type for each class, and the table of the classes. */
function eventsFile(): string {
  const classes = Object.entries(eventCatalogue);
  const fields = classes.map(([name]) => `  readonly ${name}: ${eventTypeOf(name)};`);
  const comment = '/** The data of every event, by class and name. */';
  const table = `${comment}\nexport interface Events {\n${fields.join('\n')}\n}\n`;
  return [eventBanner, ...classes.map(([name, events]) => eventClassText(name, events)), table].join('\n');
}

function eventClassText(name: string, events: Readonly<Record<string, EventDeclaration>>): string {
  const fields = Object.entries(events).flatMap(([event, { when, data }]) => {
    const schema = schemaOf(data, 'output');
    return [...commentLines(when, '  '), `  readonly ${event}: {`, ...fieldLines(schema, 2), '  };'];
  });
  const comment = `/** The data of the events of class ${name}, by name. */`;
  return `${comment}\nexport interface ${eventTypeOf(name)} {\n${fields.join('\n')}\n}\n`;
}

/** `callevents`: `CallEvents`. */
function eventTypeOf(name: string): string {
  return `${pascal(name.replace(/events$/, ''))}Events`;
}

function pascal(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function camel(text: string): string {
  return text.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
