/** What the operations of the client take, and the table that describes them. */

/** Options of every operation. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The name of a field, dotted for nested ones. */
type Field<T> = (keyof T & string) | `${keyof T & string}.${string}`;

/** A prefix expression: `['==', ['property', 'status'], 'dialog']`, `['&&', …, …]`. */
export type FilterExpression<T> =
  | readonly ['==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'like', readonly ['property', Field<T>], unknown]
  | readonly ['!', FilterExpression<T>]
  | readonly ['&&' | '||', ...FilterExpression<T>[]];

/** An object of equalities, `{ site: 'north' }`, or a prefix expression. */
export type Filter<T> =
  | ({ readonly [K in keyof T]?: T[K] } & { readonly [K in `${keyof T & string}.${string}`]?: unknown })
  | FilterExpression<T>;

type Order = string | Readonly<Record<string, 'asc' | 'desc'>>;

/** The parameters of a list of `T`. `M`: names of the fields to return. */
export interface ListQuery<T, M extends keyof T> {
  readonly filter?: Filter<T> | undefined;
  readonly mask?: readonly M[] | undefined;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
  readonly order?: Order | readonly Order[] | undefined;
}

/** The parameters of an item. */
export interface ItemQuery<M extends PropertyKey> {
  readonly mask?: readonly M[] | undefined;
}

/** The content of a file. */
export type Content = string | Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array>;

/** Files by name. */
export type Files = Readonly<Record<string, string | Uint8Array<ArrayBuffer> | Blob>>;

/** The result of a call. `result: 'ok'` says that the platform carried out the request. */
export type WithConnected<T> = T & {
  /** Whether the callee has answered: the last response is a 2xx. */
  readonly connected: boolean;
};

/** Method, path, body, whether there is a query, and the kind of the answer. */
export type OperationEntry = readonly [
  method: string,
  path: string,
  body: 'none' | 'json' | 'bytes' | 'files',
  hasQuery: boolean,
  answer: 'json' | 'call' | 'bytes' | 'nothing' | 'count',
];

export type OperationTable = Readonly<Record<string, Readonly<Record<string, OperationEntry>>>>;
