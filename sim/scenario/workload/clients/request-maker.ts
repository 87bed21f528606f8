/** Makes requests of declared operations, with paths and fields that mean something in the cluster. */
import { randomUuid } from '../../../../src/model/uuid.ts';
import type { RandomStream } from '../../../../src/ports/random.ts';
import { oneOf } from '../tally.ts';
import type { ClientOperation } from './client-operations.ts';
import type { KnownItems } from './known-items.ts';
import { DrawnValues, type Quality, type Schema } from './values.ts';

export interface MadeRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly bytes?: { readonly type: string; readonly text: string };
  readonly headers?: Readonly<Record<string, string>>;
}

/** A form with one file. */
export function formOf(name: string, text: string): NonNullable<MadeRequest['bytes']> {
  const head = `Content-Disposition: form-data; name="f"; filename="${name}"`;
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    text: `--${boundary}\r\n${head}\r\n\r\n${text}\r\n--${boundary}--\r\n`,
  };
}

/** What exists from the beginning. */
export interface InitialObjects {
  readonly domain: string;
  readonly sites: readonly string[];
  /** Names of role instances. */
  readonly instances: readonly string[];
  /** Numbers of SIP users of the domain. */
  readonly numbers: readonly string[];
  now(): number;
}

/** Names of new items: few, so that clients meet. */
const fewNames = 6;
const files = ['a1.wav', 'a2.wav', 'a3.mp3'];
const classes = ['sipuser', 'user', 'recordrule', 'roleapp', 'selector'];
const boundary = 'part';

export class RequestMaker {
  readonly #random: RandomStream;
  readonly #known: KnownItems;
  readonly #around: InitialObjects;
  readonly #values: DrawnValues;
  #count = 0;

  constructor(random: RandomStream, known: KnownItems, around: InitialObjects) {
    this.#random = random;
    this.#known = known;
    this.#around = around;
    this.#values = new DrawnValues(random, (name, schema) => this.field(name, schema));
  }

  of(operation: ClientOperation, quality: Quality): MadeRequest {
    const { method, body, media } = operation;
    const path = `${this.#path(operation, quality)}${this.#query(operation, quality)}`;
    if (body !== undefined) return { method, path, body: this.#values.draw(body, quality) };
    return media.length === 0 ? { method, path } : { method, path, bytes: this.#bytes(media) };
  }

  /** A value that no other change has, for a field that takes any text. */
  tag(): string {
    this.#count += 1;
    return `t${this.#count}-${this.#random.integer(0, 1e9)}`;
  }

  #path({ method, path }: ClientOperation, quality: Quality): string {
    let filled = '';
    for (const piece of path.split(/(\{\w+\})/)) {
      const name = /^\{(\w+)\}$/.exec(piece)?.[1];
      if (name === undefined) filled += piece;
      else if (quality === 'wrong' && this.#is(1 / 3))
        filled += this.#one(['none', '0', '%00', 'x'.repeat(300), '%F0%9F%99%82']);
      else filled += this.#pathPart(name, filled.replace(/\/$/, ''), method) ?? randomUuid(this.#random.bytes(16));
    }
    return filled;
  }

  /** Only items that the clients made are changed. */
  #pathPart(name: string, collection: string, method: string): string | undefined {
    const { domain, instances } = this.#around;
    const isChange = method !== 'GET';
    switch (name) {
      case 'id': {
        const spelt = collection.replace('/api/', '/uc/').replace('sipuser_states', 'sipusers');
        return this.#known.one(isChange ? `own ${spelt}` : spelt, this.#random);
      }
      case 'selector_id':
        return this.#known.one('own /rest/v1/uc/selectors', this.#random);
      case 'roleapp_id':
        return this.#known.one('own /rest/v1/domain/roleapps', this.#random);
      case 'domain_id':
        return domain;
      case 'name':
        if (collection.endsWith('/nodes')) return this.#one(instances);
        return collection.endsWith('/attachments') ? this.#known.one('recording', this.#random) : this.#one(files);
      case 'class':
        return this.#one(classes);
      case 'ip':
        return this.#address();
      case 'folder':
        return this.#name();
      case 'path':
        return 'index.html';
      default:
        return this.#known.one(name, this.#random);
    }
  }

  #query({ query }: ClientOperation, quality: Quality): string {
    const drawn = query.flatMap(({ name, schema }): [string, string][] => {
      if (!this.#is(1 / 5)) return [];
      const value = quality === 'wrong' && this.#is(1 / 2) ? '][' : this.#param(name, schema);
      return value === undefined ? [] : [[name, value]];
    });
    return drawn.length === 0 ? '' : `?${new URLSearchParams(drawn)}`;
  }

  #param(name: string, schema: Schema): string | undefined {
    switch (name) {
      case 'filter':
        return this.#one([
          '{}',
          '["!=",["property","id"],null]',
          '{"id":"none"}',
          '["like",["property","name"],"%1%"]',
        ]);
      case 'mask':
        return this.#one(['id', 'name,ext.lwt', 'opts']);
      case 'order':
        return this.#one(['id', '["ext.ct"]', '[{"id":"desc"}]']);
      case 'limit':
      case 'offset':
        return String(this.#random.integer(0, 4));
      case 'site':
      case 'sites':
        return this.#one(this.#around.sites);
      default:
        return schema['enum'] === undefined ? undefined : String(this.#values.draw(schema, 'valid'));
    }
  }

  /** A value for a named field; `undefined`: by its schema. */
  field(name: string, schema: Schema): unknown {
    const { numbers, now } = this.#around;
    switch (name) {
      case 'from':
      case 'to':
      case 'referto':
      case 'number':
        return schema['enum'] === undefined ? oneOf(numbers, this.#random) : undefined;
      case 'phonenumber':
        return `88${this.#random.integer(10, 10 + fewNames)}`;
      case 'login':
      case 'code':
      case 'folder':
        return this.#name();
      case 'comment':
      case 'title':
        return this.tag();
      case 'by':
        return this.#one(['a', 'b']);
      case 'dialogid':
      case 'confid':
      case 'inviteid':
        return this.#known.one(name, this.#random);
      case 'timestartutc':
        return new Date(now() + this.#random.integer(-2_000, 6_000)).toISOString();
      case 'calldurationsec':
        return this.#random.integer(3, 15);
      case 'recall':
        return false;
      case 'timeout':
      case 'expires':
        return this.#random.integer(1, 12);
      case 'ip':
        return this.#address();
      case 'action':
        return (schema['enum'] as readonly string[] | undefined)?.includes('allow') === true ? 'allow' : undefined;
      case 'domain':
        return this.#around.domain;
      default:
        return undefined;
    }
  }

  #bytes(media: readonly string[]): NonNullable<MadeRequest['bytes']> {
    const text = `content ${this.tag()}`;
    const type = this.#one(media);
    if (type !== 'multipart/form-data') return { type: type.includes('*') ? 'audio/wav' : type, text };
    return formOf(this.#one(files), text);
  }

  #name(): string {
    return `shared-${this.#random.integer(1, fewNames)}`;
  }

  /** No client and no phone has it. */
  #address(): string {
    return `10.66.1.${this.#random.integer(1, 9)}`;
  }

  #one<T>(items: readonly T[]): T {
    return oneOf(items, this.#random) as T;
  }

  #is(probability: number): boolean {
    return this.#random.float() < probability;
  }
}
