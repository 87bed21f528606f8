/**
 * The contract of a route as data: input, output, refusals. The OpenAPI document is generated from it, and a strict server
 * enforces it. Requests are read by the same schemas; `chosen` in them marks additions of this product.
 */
import { z } from 'zod';
import type { CollectionShape } from '../model/collection/shape.ts';
import { limits } from '../model/limits.ts';
import type { SessionRecord } from '../model/protocol/messages/session.ts';
import { chosen, type Provenance } from '../model/provenance.ts';
import type { ExtendDeadline, HeaderReader } from '../ports/http-server.ts';
import type { WsParts } from '../roles/ws/ws.ts';

/** A parameter in the query. */
export interface QueryParam {
  readonly name: string;
  readonly schema: z.ZodType;
  readonly does: string;
  readonly source: Provenance;
}

/** A body or answer of raw bytes. */
export interface Bytes {
  readonly media: readonly string[];
  readonly does: string;
}

export interface Takes {
  readonly query?: readonly QueryParam[];
  readonly body?: z.ZodType | Bytes;
  /** The body is optional. */
  readonly isBodyOptional?: boolean;
}

/** An answer: JSON described by a schema, bytes, or nothing. */
export type Given = z.ZodType | Bytes | 'nothing';

export interface Contract {
  readonly takes?: Takes;
  /** By status: the successful answers. */
  readonly gives: Readonly<Record<number, Given>>;
  /** Statuses of refusals in addition to those of every route. */
  readonly refuses?: readonly number[];
}

export function isBytes(given: z.ZodType | Bytes | 'nothing'): given is Bytes {
  return typeof given === 'object' && 'media' in given;
}

const json = (does: string) => z.string().describe(does);
const wholeNumber = z.string().regex(/^\d{1,9}$/);
export const flagSchema = z.enum(['', 'true', 'false', '1', '0']);

const mask: QueryParam = {
  name: 'mask',
  schema: z.string(),
  does: 'Fields to return, separated by commas, dotted for nested ones; unknown names are ignored',
  source: 'documented',
};
const flat: QueryParam = {
  name: 'flat',
  schema: flagSchema,
  does: 'Return nested objects as dotted keys, such as `opts.title`',
  source: 'documented',
};

/** The query parameters of a list. */
export function listQuery<T extends object>({ fields, isCountable = false }: CollectionShape<T>): QueryParam[] {
  const names = fields === undefined ? '' : `: ${fields.join(', ')}`;
  return [
    {
      name: 'filter',
      schema: json('JSON'),
      does: 'A JSON object of equalities, or a prefix expression such as `["==",["property","status"],"active"]`',
      source: 'documented',
    },
    { ...mask, does: `${mask.does}${names}` },
    { name: 'offset', schema: wholeNumber, does: 'Number of items to skip; default 0', source: 'documented' },
    {
      name: 'limit',
      schema: wholeNumber,
      does: `Largest number of items to return: 0 to ${limits.pageItems}, default ${limits.pageItemsDefault}`,
      source: 'documented',
    },
    {
      name: 'order',
      schema: json('JSON, or a name'),
      does: 'Name to sort by, or a JSON array of names and of `{"name": "desc"}`',
      source: 'documented',
    },
    flat,
    ...(isCountable
      ? [{ name: 'countonly', schema: flagSchema, does: 'Return only `{"count": N}`', source: 'chosen' } as const]
      : []),
  ];
}

/** The query parameters of a single item. */
export const itemQuery: readonly QueryParam[] = [mask, flat];

const scopeDoes = {
  site: 'Only instances of this site',
  sites: 'Only instances of these sites, separated by commas',
  server: 'Only instances of this server, by address, srvidx or name',
  servers: 'Only instances of these servers, separated by commas',
};

/** The scope parameters of requests to edge roles; at most one may be given. (documented) */
export const scopeQuery: readonly QueryParam[] = Object.entries(scopeDoes).map(([name, does]) => ({
  name,
  schema: z.string(),
  does,
  source: 'documented',
}));

export const attachmentQuery: readonly QueryParam[] = [
  {
    name: 'attachment',
    schema: flagSchema,
    does: '`true`: the browser saves the file (`Content-Disposition: attachment`); default `false`: it may show it',
    source: 'documented',
  },
];

/** A list of items with the fields that `mask` selects; with `countonly`, the count. */
export function listOf(item: z.ZodObject, shape: ListShape = {}): z.ZodType {
  const items = z.array(maskedOf(item));
  const list = shape.isCountable === true ? z.union([items, countSchema]) : items;
  wholes.set(list, { item, fields: shape.fields });
  return list;
}

interface ListShape {
  readonly isCountable?: boolean;
  readonly fields?: readonly string[] | undefined;
}

/** The item of a masked answer before a mask is applied. `fields`: the fields in a list, dotted for nested ones. */
export interface WholeItem {
  readonly item: z.ZodObject;
  readonly fields?: readonly string[] | undefined;
}

/** Absent for nested objects, and for answers without a mask. */
export function wholeOf(answer: z.ZodType): WholeItem | undefined {
  return wholes.get(answer);
}

const wholes = new WeakMap<z.ZodType, WholeItem>();

const countSchema = z
  .strictObject({ count: z.int().min(0).describe('Number of items that `filter` selects, before paging') })
  .meta(chosen);

/** An item from which `mask` may omit fields, nested ones included, and which `flat` turns into dotted keys. */
export function maskedOf(item: z.ZodObject): z.ZodObject {
  const fields = Object.entries(item.shape as Readonly<Record<string, z.ZodType>>);
  const shape = fields.map(([name, field]) => {
    const inner = field instanceof z.ZodObject ? maskedOf(field) : field;
    return [name, inner.optional().meta(field.meta() ?? {})] as const;
  });
  const masked = z.looseObject(Object.fromEntries(shape));
  wholes.set(masked, { item });
  return masked;
}

/** The ids that match a key. */
export const idsSchema = z.array(z.string());

export const errorSchema = z
  .strictObject({
    error_code: z.int().describe('1000 + the HTTP status'),
    error_message: z.string().describe('What is wrong, where, and what was expected'),
  })
  .describe('What was wrong, where, and what was expected. The code is 1000 and the status');

export type { Provenance as Source };

/**
 * Which clients may use a route. `open`: every client. `session`: every session. `master`, `child`, `any`: a session bound
 * to such a domain. Reading, and requests limited to one's own calls, need the access role `user` or `admin`; changes need `admin`.
 * (chosen)
 */
export type Access =
  | 'open'
  | 'session'
  | { readonly domain: 'master' | 'child' | 'any'; readonly to: 'read' | 'change' | 'own' };

export interface RouteDefinition extends Contract {
  readonly method: string;
  /** Hono's syntax: `/rest/v1/master/nodes/:name`. */
  readonly path: string;
  readonly does: string;
  readonly source: Provenance;
  readonly access: Access;
  /** The path of which this one is an alias. */
  readonly sameAs?: string;
  /** The route belongs to the tool, not to the interface; a strict server has it too. */
  readonly isTool?: boolean;
  /** A GET that runs a script: HEAD is not a method of its path. */
  readonly refusesHead?: boolean;
  readonly answer: (exchange: Exchange) => Response | Promise<Response>;
}

/** A request with its context. */
export interface Exchange {
  readonly ws: WsParts;
  readonly request: Request;
  /** IP address of the client. */
  readonly sender: string;
  /** Parameters of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly identity: Identity | undefined;
  readonly header: HeaderReader;
  /** Throws when a page of another origin may have sent the request; for an open route that uses the cookie. */
  readonly refuseForged: () => void;
  /** Extends the time to send the body, for files. Absent: there is no time limit. */
  readonly extendDeadline?: ExtendDeadline | undefined;
}

/** The session of a request, and how the client presented it. */
export interface Identity {
  readonly session: SessionRecord;
  /** The session id that the client sent. */
  readonly id: string;
  readonly by: 'token' | 'cookie';
}

/** The identity of an exchange; the route must not be open. */
export function identityOf({ identity }: Exchange): Identity {
  if (identity === undefined) throw new Error('an open route has no identity');
  return identity;
}
