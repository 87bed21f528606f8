/**
 * Changes of domain data at mdc: one after the other, each durable before the next one begins and before it can be read.
 * What was refused surely did not happen.
 */

import type { RoleScope } from '../../cluster/role.ts';
import type { Envelope } from '../../model/cluster/envelope.ts';
import { childrenOf, entityOf } from '../../model/entities/entities.ts';
import type { Entity, EntityItem } from '../../model/entities/entity.ts';
import { createdItem, itemWithout, maskedSecretOf, newSecret, patchedItem } from '../../model/entities/item.ts';
import { done, type Fault, type FaultCode, failed, fault, type Outcome } from '../../model/fault.ts';
import { limits } from '../../model/limits.ts';
import type { BodyOf, ReplyOf } from '../../model/protocol/catalogue.ts';
import type { DataRow, DataRowChange } from '../../model/protocol/messages/data.ts';
import { StoreClosed, StoreUnwritable } from '../../ports/store.ts';
import type { Database } from '../../storage/database.ts';
import { collectionKeyOf } from '../../storage/table.ts';
import { defaultCost, hashedPassword } from './passwords.ts';
import { missingParent, noSuchItem } from './reads.ts';

export interface WriterOptions {
  readonly scope: RoleScope;
  readonly database: Database;
  /** Publishes changes that are durable; the answer waits for it. */
  readonly publish: (sequence: number, changes: readonly DataRowChange[]) => Promise<void>;
  /** Changes that are about to become visible. */
  readonly before: (changes: readonly DataRowChange[]) => void;
}

/** What a change comes to: rows, none where nothing changes, and the answer. */
export interface Made<T> {
  readonly changes: readonly DataRowChange[];
  readonly reply: T;
}

interface Taken<T> {
  readonly made: Made<T>;
  readonly sequence?: number;
}

/** Why nothing can be changed while reads go on. */
export function unwritableFault({ address }: { readonly address: string }): Fault {
  return fault('overloaded', `${address}: its disk is full or can't be written, nothing was changed: try again later`);
}

export class Writer {
  readonly #options: WriterOptions;
  #last: Promise<unknown> = Promise.resolve();
  /** Resolves when all changes so far are published. */
  #published: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  create(body: BodyOf<'data.create'>, envelope: Envelope): Promise<Outcome<ReplyOf<'data.create'>>> {
    return this.inTurn(envelope, () => this.#created(body));
  }

  patch(body: BodyOf<'data.patch'>, envelope: Envelope): Promise<Outcome<ReplyOf<'data.patch'>>> {
    return this.inTurn(envelope, () => this.#patched(body));
  }

  remove(body: BodyOf<'data.delete'>, envelope: Envelope): Promise<Outcome<ReplyOf<'data.delete'>>> {
    return this.inTurn(envelope, () => this.#removed(body));
  }

  /** Makes a change when all before it are done; no other one is made while `make` looks at the rows. */
  async inTurn<T>(envelope: Envelope, make: () => Outcome<Made<T>>): Promise<Outcome<T>> {
    if (this.#waiting >= limits.dataWrites) return this.#refused('overloaded', `${limits.dataWrites} changes wait`);
    this.#waiting += 1;
    const turn = this.#last.then(() => this.#take(envelope, make));
    // The caller gets the error of a turn; the next one begins after it.
    this.#last = turn.catch(() => {});
    // Answers leave in the order of the turns: what refuses a change can be seen everywhere by then, and a request that
    // comes twice gets its first answer first.
    const published = Promise.all([this.#published, turn.then((taken) => this.#publish(taken))]);
    this.#published = published.catch(() => {});
    const taken = await turn;
    await published;
    return taken.ok ? done(taken.value.made.reply) : taken;
  }

  async #publish<T>(taken: Outcome<Taken<T>>): Promise<void> {
    if (!taken.ok || taken.value.sequence === undefined) return;
    await this.#options.publish(taken.value.sequence, taken.value.made.changes);
  }

  async #take<T>(envelope: Envelope, make: () => Outcome<Made<T>>): Promise<Outcome<Taken<T>>> {
    const { scope, database } = this.#options;
    this.#waiting -= 1;
    if ((envelope.deadlineMs ?? Infinity) <= scope.clock.now()) {
      return this.#refused('overloaded', 'the change waited in the queue beyond its deadline; nothing was changed');
    }
    const made = make();
    if (!made.ok) return made;
    const { changes } = made.value;
    if (changes.length === 0) return done({ made: made.value });
    try {
      const sequence = await database.commit(changes, this.#options.before);
      return done({ made: made.value, sequence });
    } catch (error) {
      // Closed before the write began: another instance serves by now.
      if (error instanceof StoreClosed) return this.#refused('unreachable', 'does not serve any more');
      if (error instanceof StoreUnwritable) return failed(unwritableFault(this.#options.scope.instance));
      throw error;
    }
  }

  #created({ kind, domain, parent, id, given }: BodyOf<'data.create'>): Outcome<Made<ReplyOf<'data.create'>>> {
    const { scope, database } = this.#options;
    const entity = entityOf(kind);
    const missing = missingParent({ database }, { kind, domain, parent });
    if (missing !== undefined) return missing;
    if (database.size >= limits.dataRows) return this.#refused('overloaded', `${limits.dataRows} items are kept`);
    if (database.table(kind).get(id) !== undefined)
      return failed(fault('conflict', `id: ${JSON.stringify(id)} is taken`));
    const unknown = this.#unknownSite(entity, given);
    if (unknown !== undefined) return failed(unknown);
    const inherited = this.#inherited(entity, parent);
    const item = createdItem(entity, id, { given: { ...inherited, ...given }, atMs: scope.clock.now() });
    const collection = parent === undefined ? { kind, domain } : { kind, domain, parent };
    return this.#checked(entity, { ...collection, item, ...this.#secret(entity, given) });
  }

  #patched({ id, patch, ...collection }: BodyOf<'data.patch'>): Outcome<Made<ReplyOf<'data.patch'>>> {
    const { scope } = this.#options;
    const entity = entityOf(collection.kind);
    const row = this.#find(collection, id);
    if (row === undefined) return noSuchItem(collection.kind, id);
    const unknown = this.#unknownSite(entity, patch);
    if (unknown !== undefined) return failed(unknown);
    const before = row.item as EntityItem;
    const item = patchedItem(entity, before, { patch, atMs: scope.clock.now() });
    if (item === before) return done({ changes: [], reply: { item } });
    return this.#checked(entity, { ...row, item, ...this.#secret(entity, patch) });
  }

  #removed({ id, ...collection }: BodyOf<'data.delete'>): Outcome<Made<ReplyOf<'data.delete'>>> {
    const { database } = this.#options;
    const row = this.#find(collection, id);
    if (row === undefined) return noSuchItem(collection.kind, id);
    const { domain } = row;
    const inside = childrenOf(entityOf(collection.kind)).flatMap(({ kind }) =>
      database.table(kind).inOrder(collectionKeyOf({ domain, parent: id })),
    );
    const gone = [row, ...inside].map(({ kind, item }) => ({ gone: { kind, domain, id: item.id } }));
    return done({ changes: [...gone, ...this.#withoutRow(row)], reply: {} });
  }

  /** Changes of the other items of its parent that name a row that is removed: an item that is created again with its id is another one. */
  #withoutRow(row: DataRow): DataRowChange[] {
    const { parent } = entityOf(row.kind);
    if (parent === undefined) return [];
    const { scope, database } = this.#options;
    const change = { id: row.item.id, atMs: scope.clock.now() };
    const naming = childrenOf(entityOf(parent.kind)).filter(({ without }) => without !== undefined);
    return naming.flatMap((entity) =>
      database
        .table(entity.kind)
        .inOrder(collectionKeyOf(row))
        .flatMap((other) => {
          const item = itemWithout(entity, other.item as EntityItem, change);
          return item === other.item ? [] : [{ put: { ...other, item } }];
        }),
    );
  }

  /** Fields that have their default from the parent item. */
  #inherited({ parent: of, parentDefaults = {} }: Entity, parent = ''): Readonly<Record<string, unknown>> {
    const item = of === undefined ? undefined : this.#options.database.table(of.kind).get(parent)?.item;
    const names = item === undefined ? [] : Object.entries(parentDefaults);
    return Object.fromEntries(names.map(([name, from]) => [name, item?.[from]]));
  }

  #find(collection: { kind: string; domain: string; parent?: string | undefined }, id: string): DataRow | undefined {
    const row = this.#options.database.table(collection.kind).get(id);
    return row !== undefined && collectionKeyOf(row) === collectionKeyOf(collection) ? row : undefined;
  }

  /** The fault of a field with a site that the cluster does not have. */
  #unknownSite({ sites = [] }: Entity, given: Readonly<Record<string, unknown>>): Fault | undefined {
    const known = [...this.#options.scope.map.sites.keys()];
    const wrong = sites.find(
      (field) => given[field] !== undefined && !['', '*', ...known].includes(given[field] as string),
    );
    if (wrong === undefined) return undefined;
    const expected = `expected empty, "*" or a site (${known.join(', ')})`;
    return fault('invalid', `${wrong}: ${expected}, got ${JSON.stringify(given[wrong])}`);
  }

  /** The change that puts a row, unless a rule of its entity or another row forbids it. */
  #checked(entity: Entity, row: DataRow): Outcome<Made<{ item: DataRow['item'] }>> {
    const problem = entity.rule(row.item as EntityItem);
    if (problem !== undefined) return failed(fault('invalid', problem));
    const table = this.#options.database.table(entity.kind);
    for (const name of entity.unique) {
      const value = row.item[name];
      const others = value === '' ? [] : table.find(collectionKeyOf(row), name, value);
      if (others.some(({ item }) => item.id !== row.item.id)) {
        return failed(fault('conflict', `${name}: ${JSON.stringify(value)} is taken`));
      }
    }
    const crowded = this.#crowded(entity, row);
    if (crowded !== undefined) return failed(fault('too_large', crowded));
    return done({ changes: [{ put: row }], reply: { item: row.item } });
  }

  /** What would not hold of all items of a domain together with this row. */
  #crowded({ kind, together }: Entity, row: DataRow): string | undefined {
    if (together === undefined) return undefined;
    const others = this.#options.database.table(kind).inOrder(collectionKeyOf(row));
    const items = others.flatMap(({ item }) => (item.id === row.item.id ? [] : [item as EntityItem]));
    return together([...items, row.item as EntityItem]);
  }

  /** The secret that is kept apart, where a client gives one. */
  #secret(entity: Entity, given: Readonly<Record<string, unknown>>): { secret?: string } {
    const name = maskedSecretOf(entity);
    const pwd = name === undefined ? undefined : newSecret(given, name);
    if (pwd === undefined) return {};
    return { secret: hashedPassword(pwd, this.#options.scope.random.stream('ids').bytes(16), defaultCost) };
  }

  #refused(code: FaultCode, problem: string): { readonly ok: false; readonly fault: ReturnType<typeof fault> } {
    return failed(fault(code, `${this.#options.scope.instance.address}: ${problem}`));
  }
}
