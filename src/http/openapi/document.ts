/** The OpenAPI document of a list of routes, made from their declarations. */
import { z } from 'zod';
import { finished, type Sliced } from '../../model/collection/slices.ts';
import { type Provenance, sourceKey } from '../../model/provenance.ts';
import {
  type Access,
  type Contract,
  errorSchema,
  type Given,
  isBytes,
  type QueryParam,
  type RouteDefinition,
} from '../contract.ts';
import { exampleTexts } from './examples.ts';

export interface RefusalDoc {
  readonly status: number;
  readonly does: string;
  /** Of the status: the interface shows only few of them. */
  readonly source: Provenance;
}

const descriptions: Readonly<Record<number, string>> = {
  400: 'The request is not valid',
  401: 'No session, or wrong credentials',
  403: 'The session has not the required access',
  404: 'Not found',
  409: 'Conflicts with the current state, or a value is taken',
  412: 'The precondition does not hold',
  413: 'Too large',
  415: 'Unsupported content type',
  416: 'The range is outside of the file',
  426: 'A web socket handshake is expected',
  429: 'The address is banned',
  500: 'The script has failed',
  501: 'Not built',
  503: 'A required component is not reachable: it did not happen',
  504: 'No answer in time: it may have happened',
};

/** The refusals that the interface shows: each is 404 with this message. (documented) */
const shown: readonly { readonly of: (route: RouteDefinition) => boolean; readonly message: string }[] = [
  { of: ({ method }) => method === 'LOOKUP', message: 'Lookup failed' },
  { of: ({ path }) => path.endsWith('/attachments/:name'), message: 'Call record not found' },
  {
    of: ({ method, path }) => method === 'DELETE' && /\/calls\/:dialogid$|\/participants\/:participantid$/.test(path),
    message: 'Call/Participant not found',
  },
  { of: ({ path }) => path.endsWith('/iam/external'), message: 'No script of external authentication' },
];

export function refusalsOf(route: RouteDefinition): RefusalDoc[] {
  const statuses = [...statusesOf(route)].sort((a, b) => a - b);
  return statuses.map((status) => refusal(status, route));
}

function refusal(status: number, route: RouteDefinition): RefusalDoc {
  const documented = status === 404 && route.source !== 'chosen' ? shown.find(({ of }) => of(route)) : undefined;
  if (documented === undefined) return { status, does: descriptions[status] ?? 'Refused', source: 'chosen' };
  return { status, does: documented.message, source: 'documented' };
}

function statusesOf({ access, path, takes, refuses = [], isTool = false }: RouteDefinition): Set<number> {
  const statuses = new Set(refuses);
  if (isTool) return statuses;
  statuses.add(400).add(429).add(503).add(504);
  if (access !== 'open') statuses.add(401);
  if (typeof access === 'object') statuses.add(403);
  if (path.includes(':')) statuses.add(404);
  if (takes?.body !== undefined) statuses.add(413).add(415);
  return statuses;
}

export type Json = { readonly [name: string]: unknown };

export interface OpenApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly security: readonly Json[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Json };
  readonly responses: Readonly<Record<string, Json>>;
  readonly 'x-strowger-source': Provenance;
  /** The access rule, as a text. */
  readonly 'x-strowger-access': string;
  readonly 'x-strowger-same-as'?: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Json;
  readonly 'x-strowger-source': Provenance;
}

export interface Document {
  readonly openapi: '3.2.0';
  readonly info: Json;
  readonly servers: readonly Json[];
  readonly tags: readonly Json[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: { readonly schemas: Json; readonly securitySchemes: Json };
}

export type PathItem = { readonly [method: string]: OpenApiOperation | Readonly<Record<string, OpenApiOperation>> };

/** Steps that an operation costs, in the document or on the page. */
export const operationSteps = 50_000;

/** The methods that are fields of an OpenAPI path item. */
const named = new Set(['GET', 'PUT', 'POST', 'DELETE', 'PATCH']);

/** What a document is about. `path`: the beginning of all its paths, which tags leave out. */
export interface DocumentAbout {
  readonly title: string;
  readonly description: string;
  readonly path: string;
  /** A request and an answer of each operation, as JSON, by method and path. */
  readonly examples: ReadonlyMap<string, string>;
}

const platform: DocumentAbout = {
  title: 'Strowger',
  description:
    'The management interface of a simulated telephony platform. `x-strowger-source` says what to trust: *documented* (the platform shows it), *public* (public facts name it), *chosen* (this product chose it).',
  path: '/rest/v1',
  examples: exampleTexts,
};

export function openApiOf(routes: readonly RouteDefinition[], about = platform): Document {
  return finished(openApiInSteps(routes, about));
}

/** Stops after each operation. */
export function* openApiInSteps(routes: readonly RouteDefinition[], about: DocumentAbout = platform): Sliced<Document> {
  const { title, description, path: base } = about;
  const paths: Record<string, Record<string, unknown>> = {};
  const schemas = new Schemas();
  for (const route of routes) {
    const item = paths[shownPath(route.path)] ?? {};
    paths[shownPath(route.path)] = item;
    const operation = operationOf(route, schemas, about);
    if (named.has(route.method)) item[route.method.toLowerCase()] = operation;
    else item['additionalOperations'] = { ...(item['additionalOperations'] as Json), [route.method]: operation };
    yield operationSteps;
  }
  const tags = [...new Set(routes.map(({ path }) => tagOf(path, base)))];
  return {
    openapi: '3.2.0',
    info: {
      title,
      version: '1',
      description,
    },
    servers: [{ url: '/' }],
    tags: tags.map((name) => ({ name })),
    paths: paths as Document['paths'],
    components: {
      schemas: { Error: schemaOf(errorSchema, 'output'), ...schemas.shared },
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'The `session_token` of a login' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'RSession' },
      },
    },
  };
}

/** The path in OpenAPI syntax, such as `/rest/v1/master/nodes/{name}`; a final `*` becomes one parameter. */
export function shownPath(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}').replace(/\*$/, '{path}');
}

function operationOf(
  route: RouteDefinition,
  schemas: Schemas,
  { path: base, examples }: DocumentAbout,
): OpenApiOperation {
  const { method, path, does, source, access, sameAs } = route;
  const id = operationId(method, path);
  const example = exampleOf(route, examples);
  const body = bodyOf(route, (schema) => schemas.of(schema, 'input', `${id}_body`), example);
  return {
    operationId: id,
    tags: [tagOf(path, base)],
    summary: does,
    security: access === 'open' ? [] : [{ token: [] }, { cookie: [] }],
    parameters: [...pathParams(path, source), ...(route.takes?.query ?? []).map(queryParam)],
    ...(body !== undefined && { requestBody: body }),
    responses: responsesOf(route, (schema) => schemas.of(schema, 'output', `${id}_answer`), example),
    'x-strowger-source': source,
    'x-strowger-access': accessText(access),
    ...(sameAs !== undefined && { 'x-strowger-same-as': `${method} ${shownPath(sameAs)}` }),
  };
}

/** A request and an answer of an operation. */
interface Example {
  readonly request?: unknown;
  readonly status?: number;
  readonly answer?: unknown;
}

/** Those of a virtual cluster. */
function exampleOf({ method, path, sameAs }: RouteDefinition, examples: DocumentAbout['examples']): Example {
  return JSON.parse(examples.get(`${method} ${shownPath(sameAs ?? path)}`) ?? '{}') as Example;
}

/** An example where it fits: a strict server refuses fields that were chosen. */
function shownExample(schema: z.ZodType, example: unknown): { readonly example?: unknown } {
  return example !== undefined && schema.safeParse(example).success ? { example } : {};
}

function operationId(method: string, path: string): string {
  const parts = shownPath(path)
    .split(/[^A-Za-z0-9_]+/)
    .filter((part) => !['', 'rest', 'v1'].includes(part));
  return [method.toLowerCase(), ...parts].join('_');
}

/** The first components of a path, which name its subject. */
function tagOf(path: string, base: string): string {
  const isBelow = path.startsWith(base);
  const [first = '', second = '', third = ''] = (isBelow ? path.slice(base.length) : path).split('/').slice(1);
  if (!isBelow || base !== platform.path) return first.startsWith(':') ? 'other' : first;
  if (first === 'master' && second === 'logicalroles') return `master/${third}`;
  return second === '' || second.startsWith(':') ? first : `${first}/${second}`;
}

/** Descriptions of path parameters. */
const pathTexts: Readonly<Record<string, string>> = {
  id: 'The id',
  name: 'The name',
  dialogid: 'The `dialogid` of a live call',
  confid: 'The `confid` of a conference',
  participantid: 'The `participantid` of a participant',
  inviteid: 'The `inviteid` of an ended call',
  domain_id: 'A domain, by its id or its name',
  roleapp_id: 'The id of a role application',
  selector_id: 'The id of a selector meeting',
  folder: 'The `folder` of a role application',
  path: 'A path in the archive, which may have slashes',
  ip: 'An IP address',
  class: 'A class of entities, such as `sipuser`',
  domain: 'The name of a domain',
  number: 'A number of the domain',
  fault: 'The id or the name of a fault',
  world: 'The name of a world; `main` is the one that the process started with',
  delivery: 'The id of a delivery',
  scenario: 'The name of a scenario, one that ships or one that was uploaded',
};

function pathParams(path: string, source: Provenance): Parameter[] {
  return [...shownPath(path).matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: pathTexts[name] ?? '',
    schema: { type: 'string' },
    'x-strowger-source': source,
  }));
}

function queryParam({ name, schema, does, source }: QueryParam): Parameter {
  return {
    name,
    in: 'query',
    required: false,
    description: does,
    schema: schemaOf(schema, 'input'),
    [sourceKey]: source,
  } as Parameter;
}

type Shown = (schema: z.ZodType) => Json;

function bodyOf({ takes }: Contract, shown: Shown, { request }: Example): OpenApiOperation['requestBody'] {
  const { body, isBodyOptional = false } = takes ?? {};
  if (body === undefined) return undefined;
  const content = isBytes(body)
    ? bytesContent(body.media)
    : { 'application/json': { schema: shown(body), ...shownExample(body, request) } };
  return { required: !isBodyOptional, content };
}

function bytesContent(media: readonly string[]): Json {
  return Object.fromEntries(media.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]));
}

function responsesOf(route: RouteDefinition, shown: Shown, { status: of, answer }: Example): Record<string, Json> {
  const given = Object.entries(route.gives).map(([status, each]) => {
    return [status, answerOf(each, shown, Number(status) === of ? answer : undefined)] as const;
  });
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
  const refused = refusalsOf(route).map(
    ({ status, does, source }) => [String(status), { description: does, content, [sourceKey]: source }] as const,
  );
  return Object.fromEntries([...given, ...refused]);
}

function answerOf(given: Given, shown: Shown, example: unknown): Json {
  if (given === 'nothing') return { description: 'Done; no body' };
  if (isBytes(given)) return { description: given.does, content: bytesContent(given.media) };
  const content = { schema: shown(given), ...shownExample(given, example) };
  return { description: 'Done', content: { 'application/json': content } };
}

/** Schemas above a minimum size appear once in the document, named after the operation that used them first. */
class Schemas {
  readonly #names = new Map<string, string>();
  readonly shared: Record<string, Json> = {};

  of(schema: z.ZodType, io: 'input' | 'output', name: string): Json {
    const json = this.#hoisted(schemaOf(schema, io));
    return JSON.stringify(json).length < inlineCharacters ? json : this.#kept(json, name);
  }

  #kept(json: Json, name: string): Json {
    const text = JSON.stringify(json);
    const known = this.#names.get(text) ?? name;
    this.#names.set(text, known);
    this.shared[known] = json;
    return { $ref: `${schemasPointer}${known}` };
  }

  /** A schema without definitions of its own: recursive ones, such as any JSON, are shared too. */
  #hoisted({ $defs = {}, ...json }: Json): Json {
    const defs = Object.entries($defs as Readonly<Record<string, Json>>);
    if (defs.length === 0) return json;
    const moved = (value: Json) =>
      JSON.parse(JSON.stringify(value).replaceAll('#/$defs/', `${schemasPointer}json`)) as Json;
    for (const [name, each] of defs) this.shared[`json${name}`] = moved(each);
    return moved(json);
  }
}

const schemasPointer = '#/components/schemas/';
const inlineCharacters = 200;

/** Resolves a reference within the document. */
export function resolved({ components }: Document, schema: Json): Json {
  const { $ref } = schema;
  return typeof $ref === 'string' ? (components.schemas[$ref.split('/').at(-1) ?? ''] as Json) : schema;
}

/** The JSON Schema of an input or an output. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
  return json;
}

const domainTexts = { master: 'the master domain', child: 'a working domain', any: 'the domain' };

export function accessText(access: Access): string {
  if (access === 'open') return 'all clients';
  if (access === 'session') return 'any session';
  const domain = domainTexts[access.domain];
  return access.to === 'change' ? `admin of ${domain}` : `user or admin of ${domain}`;
}
