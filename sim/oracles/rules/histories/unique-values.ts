/** A value of a unique field of the domain data belongs to one item at a time. */
import { checkLinearizable } from '../../../histories/linearizable.ts';
import type { Operation, SequentialModel } from '../../../histories/operation.ts';
import type { OracleMaker } from '../../oracle.ts';
import { ClientRequests, type ObservedAnswer, type ObservedRequest } from '../kit/client-requests.ts';
import { itemPathOf, uniqueFieldsOf } from './collections.ts';

interface Input {
  /** `take`: an item is to have the value; `leave`: it has another one now, or is removed. */
  readonly type: 'take' | 'leave';
  readonly id: string;
}

type Output = 'done' | 'refused';
/** `unknown`: perhaps an item from before the history. */
type Holder = { readonly id: string } | 'free' | 'unknown';

/** A value of a unique field of the domain data is an object that one item holds at a time. */
const holderModel: SequentialModel<Holder, Input, Output> = {
  initial: 'unknown',
  step: (state, { type, id }, output) => {
    const isOwn = typeof state === 'object' && state.id === id;
    if (type === 'leave') return isOwn ? 'free' : state;
    if (output === 'refused') return state === 'free' || isOwn ? undefined : state;
    if (typeof state === 'string' || isOwn) return { id };
    return output === undefined ? state : undefined;
  },
  isRead: () => false,
  keyOf: (state) => (typeof state === 'object' ? state.id : `(${state})`),
};

type Item = Readonly<Record<string, unknown>>;

export const uniqueValues: OracleMaker = {
  name: 'unique-values',
  rule: 'Of two items of a domain no two have the same value in a unique field, whichever clients set it at once; a value is refused only while another item has it.',
  make: ({ check, fail }) => {
    const values = new Values();
    const requests = new ClientRequests(
      (_, path) => itemPathOf(path) !== undefined,
      (request, answer) => {
        const twice = answer.status === 200 && request.method === 'GET' ? values.twiceIn(request, answer) : [];
        for (const what of twice) fail(what);
        values.enter(request, answer);
      },
      (request) => values.enter(request, undefined),
    );
    return {
      listeners: requests.listeners,
      atQuiescence: () => {
        for (const request of requests.open) values.enter(request, undefined);
        for (const [name, history] of values.all) {
          check(history.length);
          if (checkLinearizable(history, holderModel).verdict !== 'fail') continue;
          fail(`${name}: no order of the changes explains who was given the value, and who was refused it`);
        }
      },
    };
  },
};

class Values {
  /** Values that an item without a known id may have, with the position from which on it may. */
  readonly #unsure = new Map<string, number>();
  /** By collection, domain, field and value. */
  readonly #all = new Map<string, Operation<Input, Output>[]>();
  /** The values that an item was ever to have, by its id. */
  readonly #taken = new Map<string, Set<string>>();
  /** What made an item leave values, by its id: of changes at once, the one that is answered first may have come last. */
  readonly #left = new Map<string, Left[]>();

  /** The histories of all values, each up to where an item whose id is not known may have got it. */
  get all(): [name: string, history: readonly Operation<Input, Output>[]][] {
    return [...this.#all].map(([name, history]) => {
      const until = this.#unsure.get(name) ?? Number.POSITIVE_INFINITY;
      const open = { output: undefined, returnedAt: Number.POSITIVE_INFINITY };
      const certain = history.filter(({ calledAt }) => calledAt < until);
      return [name, certain.map((each) => (each.returnedAt < until ? each : { ...each, ...open }))];
    });
  }

  enter(request: ObservedRequest, answer: ObservedAnswer | undefined): void {
    const place = itemPathOf(request.path);
    const fields = uniqueFieldsOf(place?.collection ?? '');
    if (place === undefined || fields.length === 0) return;
    const domain = place.collection === 'users' ? place.parent : request.domain;
    const sent = (request.sent ?? {}) as Item;
    const id = place.id ?? String((answer?.body as Item | undefined)?.['id'] ?? sent['id'] ?? `new ${request.id}`);
    if (domain === undefined || (answer !== undefined && answer.status >= 300 && answer.status !== 409)) return;
    if (request.method === 'DELETE' && place.id !== undefined) {
      if (answer?.status !== 409) this.#leave(id, () => true, { request, answer });
      return;
    }
    if (request.method !== 'POST' && request.method !== 'PATCH') return;
    for (const field of fields) {
      if (typeof sent[field] !== 'string' || sent[field] === '') continue;
      const name = `${place.collection} of ${domain}, ${field} ${JSON.stringify(sent[field])}`;
      if (answer === undefined && place.id === undefined && sent['id'] === undefined)
        this.#unsure.set(name, Math.min(request.calledAt, this.#unsure.get(name) ?? Number.POSITIVE_INFINITY));
      if (answer?.status === 409) {
        if (isAbout(answer, field)) this.#add(name, { type: 'take', id }, { request, answer });
        continue;
      }
      this.#leave(id, (other) => other !== name && other.startsWith(name.slice(0, name.indexOf(' "'))), {
        request,
        answer,
      });
      this.#taken.set(id, (this.#taken.get(id) ?? new Set()).add(name));
      this.#add(name, { type: 'take', id }, { request, answer });
      for (const { isLeft, exchange } of this.#left.get(id) ?? []) {
        const isBefore = (exchange.answer?.returnedAt ?? Number.POSITIVE_INFINITY) < request.calledAt;
        if (!isBefore && exchange.request !== request && isLeft(name)) this.#add(name, { type: 'leave', id }, exchange);
      }
    }
  }

  /** The values that a list shows in two items. */
  twiceIn({ path, site }: ObservedRequest, { body }: ObservedAnswer): string[] {
    const place = itemPathOf(path);
    if (place === undefined || place.id !== undefined || !Array.isArray(body)) return [];
    return uniqueFieldsOf(place.collection).flatMap((field) => {
      const seen = new Set<unknown>();
      return (body as Item[]).flatMap(({ [field]: value }) => {
        const isTwice = typeof value === 'string' && value !== '' && seen.has(value);
        seen.add(value);
        return isTwice ? [`${site} lists two ${place.collection} with ${field} ${JSON.stringify(value)}`] : [];
      });
    });
  }

  #leave(id: string, isLeft: (name: string) => boolean, exchange: Exchange): void {
    this.#left.set(id, [...(this.#left.get(id) ?? []), { isLeft, exchange }]);
    for (const name of this.#taken.get(id) ?? []) if (isLeft(name)) this.#add(name, { type: 'leave', id }, exchange);
  }

  #add(name: string, input: Input, { request: { client, calledAt }, answer }: Exchange): void {
    const output = answer && (answer.status === 409 ? 'refused' : 'done');
    const returnedAt = answer?.returnedAt ?? Number.POSITIVE_INFINITY;
    this.#all.set(name, [...(this.#all.get(name) ?? []), { client, input, output, calledAt, returnedAt }]);
  }
}

interface Left {
  readonly isLeft: (name: string) => boolean;
  readonly exchange: Exchange;
}

interface Exchange {
  readonly request: ObservedRequest;
  readonly answer: ObservedAnswer | undefined;
}

/** Whether a refusal names the field. */
function isAbout({ body }: ObservedAnswer, field: string): boolean {
  const text = (body as Item | undefined)?.['error_message'];
  return typeof text === 'string' && text.startsWith(`${field}: `);
}
