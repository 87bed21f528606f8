/** The histories of items of the domain data: what clients asked of each, and what they were answered. */
import type { Operation } from '../../../histories/operation.ts';
import type { ObservationListeners } from '../../oracle.ts';
import { ClientRequests, type ObservedAnswer, type ObservedRequest } from '../kit/client-requests.ts';
import { type ItemPath, itemPathOf } from './collections.ts';
import { fieldsOf, type ItemInput, type ItemOutput, noFields } from './item-model.ts';

export interface ItemOperation extends Operation<ItemInput, ItemOutput> {
  readonly site: string;
  readonly calledMs: number;
  readonly returnedMs: number;
  /** Seconds by which the copy that answered may be behind; `undefined`: the master answered. */
  readonly ageS: number | undefined;
}

export interface ItemHistory {
  /** Such as `sipusers 0f…`. */
  readonly name: string;
  /** The domain in which the item was found. */
  domain: string | undefined;
  readonly parent: string;
  readonly operations: ItemOperation[];
}

type Item = Readonly<Record<string, unknown>>;

const types: Readonly<Record<string, ItemInput['type']>> = {
  POST: 'create',
  GET: 'read',
  PATCH: 'patch',
  DELETE: 'delete',
};

const drop = { type: 'drop', fields: noFields } as const;
/** A meeting is removed with its participants when it has ended. */
const endedByPlatform: ReadonlySet<string> = new Set(['selectors', 'participants']);

export class ItemHistories {
  readonly all = new Map<string, ItemHistory>();
  readonly #requests = new ClientRequests(
    (method, path) => method in types && itemPathOf(path) !== undefined,
    (request, answer) => this.#answered(request, answer),
    (request) => this.#unanswered(request),
  );

  get listeners(): ObservationListeners {
    return this.#requests.listeners;
  }

  /** Enters the changes that have no answer yet. */
  close(): void {
    for (const request of this.#requests.open) this.#unanswered(request);
  }

  #answered(request: ObservedRequest, answer: ObservedAnswer): void {
    const place = itemPathOf(request.path);
    const type = types[request.method];
    if (place === undefined || type === undefined) return;
    const { status, body } = answer;
    if (type === 'read' && place.id === undefined) return this.#listed(place, request, answer);
    if (status === 404 && place.id !== undefined) return this.#missed(place, type, { request, answer });
    if (status >= 300) return;
    const id = place.id ?? idOf(body);
    if (id === undefined) return;
    const history = this.#of({ ...place, id });
    history.domain = domainOf(place, request);
    const input = { type, fields: fieldsOf(request.sent) };
    history.operations.push(operationOf(request, input, { output: fieldsOf(body), answer }));
    if (type === 'create' && endedByPlatform.has(place.collection)) history.operations.push(operationOf(request, drop));
    if (type === 'delete') this.#dropChildren(id, request, answer);
  }

  /** Not found where it was found before: an item of another domain is hidden. */
  #missed(
    place: ItemPath,
    type: ItemInput['type'],
    { request, answer }: { readonly request: ObservedRequest; readonly answer: ObservedAnswer },
  ): void {
    const history = this.all.get(nameOf(place));
    if (history === undefined || history.domain === undefined || history.domain !== domainOf(place, request)) return;
    history.operations.push(operationOf(request, { type, fields: noFields }, { output: 'absent', answer }));
  }

  #unanswered(request: ObservedRequest): void {
    const place = itemPathOf(request.path);
    const type = types[request.method];
    if (place === undefined || type === undefined || type === 'read') return;
    const id = place.id ?? idOf(request.sent);
    if (id === undefined) return;
    const input = { type, fields: fieldsOf(request.sent) };
    this.#of({ ...place, id }).operations.push(operationOf(request, input));
    if (type === 'delete') this.#dropChildren(id, request);
  }

  #listed(place: ItemPath, request: ObservedRequest, answer: ObservedAnswer): void {
    if (answer.status !== 200 || !Array.isArray(answer.body)) return;
    for (const item of answer.body as Item[]) {
      const id = idOf(item);
      if (id === undefined) continue;
      const history = this.#of({ ...place, id });
      history.domain ??= domainOf(place, request);
      const read = { type: 'read', fields: noFields } as const;
      history.operations.push(operationOf(request, read, { output: fieldsOf(item), answer }));
    }
  }

  #dropChildren(id: string, request: ObservedRequest, answer?: ObservedAnswer): void {
    for (const { parent, operations } of this.all.values()) {
      if (parent !== id) continue;
      operations.push(operationOf(request, drop, answer && { output: noFields, answer }));
    }
  }

  #of(place: ItemPath): ItemHistory {
    const name = nameOf(place);
    const parent = place.collection === 'participants' ? place.parent : '';
    const history = this.all.get(name) ?? { name, domain: undefined, parent, operations: [] };
    this.all.set(name, history);
    return history;
  }
}

function operationOf(
  { client, site, calledAt, calledMs }: ObservedRequest,
  input: ItemInput,
  answered?: { readonly output: ItemOutput; readonly answer: ObservedAnswer },
): ItemOperation {
  const { returnedAt, returnedMs, ageS } = answered?.answer ?? {};
  return {
    client,
    site,
    input,
    output: answered?.output,
    calledAt,
    returnedAt: returnedAt ?? Number.POSITIVE_INFINITY,
    calledMs,
    returnedMs: returnedMs ?? Number.POSITIVE_INFINITY,
    ageS,
  };
}

function nameOf({ collection, id = '' }: ItemPath): string {
  return `${collection} ${id}`;
}

/** Users are in the domain of the path, other items in that of the session. */
function domainOf({ collection, parent }: ItemPath, { domain }: ObservedRequest): string | undefined {
  return collection === 'users' ? parent : domain;
}

function idOf(value: unknown): string | undefined {
  const id = typeof value === 'object' && value !== null ? (value as Item)['id'] : undefined;
  return typeof id === 'string' ? id.toLowerCase() : undefined;
}
