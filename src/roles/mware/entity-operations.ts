/** Operations of scripts on the domain data of their domain. `params` are those of the component; faults are those of the directory. */
import { askInTurn, askRole, unreachableFault } from '../../cluster/messaging/ask-in-order.ts';
import { activeInstances, type RoleScope } from '../../cluster/role.ts';
import { entities } from '../../model/entities/entities.ts';
import type { Entity, EntityItem } from '../../model/entities/entity.ts';
import { problemOfParent, shownAfterChange } from '../../model/entities/item.ts';
import type { UserItem } from '../../model/entities/user.ts';
import { done, type Fault, failed, fault, type Outcome } from '../../model/fault.ts';
import { limits } from '../../model/limits.ts';
import type { BodyOf, ReplyOf } from '../../model/protocol/catalogue.ts';
import type { EntityCollection } from '../../model/protocol/messages/data.ts';
import { namedUuid } from '../../model/uuid.ts';
import type { EffectCall } from '../../scripts/effects.ts';
import { isLive, notifyChanged, pageOf, withStates } from '../meeting-states.ts';
import { wholeOf } from '../pieces.ts';
import { withDevices } from '../registered-devices.ts';
import type { Meetings } from './meetings/meeting-runner.ts';

type Values = Readonly<Record<string, unknown>>;

/** A collection of the domain of the script. */
interface Collection {
  readonly entity: Entity;
  readonly collection: EntityCollection;
}

export class EntityOperations {
  readonly #scope: RoleScope;
  readonly #meetings: Pick<Meetings, 'running'>;

  constructor(scope: RoleScope, meetings: Pick<Meetings, 'running'>) {
    this.#scope = scope;
    this.#meetings = meetings;
  }

  /** The items of `kind` (within `parent`) that `filter` lets pass, `limit` at most. */
  async list(call: EffectCall, params: Values): Promise<Outcome<unknown>> {
    const found = collectionOf(this.#scope, call, params);
    if (!found.ok) return found;
    const { filter, limit } = params;
    const query: [string, string][] = [['limit', String(limit)]];
    if (filter !== undefined && filter !== null) query.push(['filter', JSON.stringify(filter)]);
    const { collection } = found.value;
    if (!isLive(collection)) return this.#stored(call, collection, query);
    const all = await this.#stored(call, collection, [['limit', String(limits.pageItems)]]);
    if (!all.ok) return all;
    return pageOf(this.#scope, collection, { items: await this.#current(collection, all.value), params: query });
  }

  /** The items as they are stored. */
  async #stored(
    call: EffectCall,
    collection: EntityCollection,
    params: [string, string][],
  ): Promise<Outcome<readonly Values[]>> {
    const body = { ...collection, params, isAdmin: true };
    const listed = await this.#read(call, 'data.list', body);
    if (!listed.ok) return listed;
    const until = this.#until;
    return wholeOf(listed.value, ({ at, name }) => this.#scope.ask(at, 'data.rest', { name }, until));
  }

  /** Selector meetings, or participants of one, with their current states. */
  async #current(collection: EntityCollection, items: readonly Values[]): Promise<readonly Values[]> {
    const running = await this.#meetings.running(collection);
    return withStates(this.#scope, collection, { items, running: running.ok ? running.value.meetings : [] });
  }

  /** The item with this `id`, or `not_found`. */
  async get(call: EffectCall, params: Values): Promise<Outcome<unknown>> {
    const found = collectionOf(this.#scope, call, params);
    if (!found.ok) return found;
    const body = { ...found.value.collection, id: idIn(params), isAdmin: true };
    const item = await this.#read(call, 'data.get', body);
    return item.ok ? this.#shown(found.value, item.value.item as EntityItem) : item;
  }

  /** The item as the interface shows it: a SIP user with its registered devices, a meeting with its current state. */
  async #shown({ collection }: Collection, item: EntityItem): Promise<Outcome<unknown>> {
    if (!isLive(collection)) return done((await withDevices(this.#scope, collection, item)).item);
    const [current] = await this.#current(collection, [item]);
    return done(current);
  }

  /** The item as the answer to a change shows it, of which mware is notified if it is of a meeting. */
  #changed(found: Collection, item: EntityItem): Promise<Outcome<unknown>> | Outcome<unknown> {
    const { entity, collection } = found;
    const shown = shownAfterChange(entity, item);
    const isWithout = isLive(collection) && entity.omittedOnChange !== undefined;
    const answer = isWithout ? done(shown) : this.#shown(found, shown);
    this.#notify(collection);
    return answer;
  }

  #notify(collection: EntityCollection): void {
    if (isLive(collection)) notifyChanged(this.#scope, collection);
  }

  /** The ids of the items of `kind` of which a look-up field is `key`. */
  async lookUp(call: EffectCall, params: Values): Promise<Outcome<unknown>> {
    const found = collectionOf(this.#scope, call, params);
    if (!found.ok) return found;
    const body = { ...found.value.collection, key: String(params['key']) };
    const ids = await this.#read(call, 'data.lookup', body);
    return ids.ok ? done(ids.value.ids) : ids;
  }

  /**
   * Creates an item of `values`, and returns it as a POST shows it. Without an id it gets one that is made of the idempotency
   * key, so that a repeated create finds the item of the first one. `invalid`: the values; `conflict`: the id or a unique value is taken.
   */
  async create(call: EffectCall, params: Values): Promise<Outcome<unknown>> {
    const found = collectionOf(this.#scope, call, params);
    if (!found.ok) return found;
    const { entity, collection } = found.value;
    const read = entity.create.safeParse(params['values']);
    if (!read.success) return failed(fault('invalid', problemIn(read.error.issues)));
    const { id: given, ...values } = read.data as Values & { id?: string };
    const id = given ?? namedUuid(call.key);
    const body = { ...collection, id, given: values };
    const made = await askRole(this.#scope, this.#masterOf(call), { type: 'data.create', body, ...this.#until });
    if (made.ok) return this.#changed(found.value, made.value.item as EntityItem);
    if (made.fault.code !== 'conflict' || !call.isRepeated) return made;
    const earlier = await this.get(call, { ...params, id });
    // The first attempt has made none: another item has a unique value of it.
    if (!earlier.ok && earlier.fault.code === 'not_found') return made;
    this.#notify(collection);
    return earlier;
  }

  /** Changes the fields in `values` of the item with this `id`, and returns it as a PATCH shows it. */
  async patch(call: EffectCall, params: Values): Promise<Outcome<unknown>> {
    const found = await this.#changeable(call, params);
    if (!found.ok) return found;
    const { entity, collection } = found.value;
    const read = entity.patch.safeParse(params['values']);
    if (!read.success) return failed(fault('invalid', problemIn(read.error.issues)));
    const body = { ...collection, id: idIn(params), patch: read.data };
    const patched = await askRole(this.#scope, this.#masterOf(call), { type: 'data.patch', body, ...this.#until });
    if (!patched.ok) return patched;
    return this.#changed(found.value, patched.value.item as EntityItem);
  }

  /** Deletes the item with this `id`, and returns the id. A repeated delete finds nothing, and succeeds. */
  async remove(call: EffectCall, params: Values): Promise<Outcome<unknown>> {
    const found = await this.#changeable(call, params);
    const id = idIn(params);
    const isDone = ({ code }: Fault) => call.isRepeated && code === 'not_found';
    if (!found.ok) return isDone(found.fault) ? done({ id }) : found;
    const body = { ...found.value.collection, id };
    const removed = await askRole(this.#scope, this.#masterOf(call), { type: 'data.delete', body, ...this.#until });
    if (!removed.ok && !isDone(removed.fault)) return removed;
    this.#notify(found.value.collection);
    return done({ id });
  }

  /** A user can be changed where its `opts.allow_script_crud` says so; other entities always. (chosen) */
  async #changeable(call: EffectCall, params: Values): Promise<Outcome<Collection>> {
    const found = collectionOf(this.#scope, call, params);
    if (!found.ok || found.value.entity.kind !== 'user') return found;
    const item = await this.get(call, params);
    if (!item.ok) return item;
    if ((item.value as UserItem).opts.allow_script_crud) return found;
    return failed(fault('forbidden', 'opts.allow_script_crud: scripts may not change this user'));
  }

  /** Reads at the mdc that serves the domain or, while that is out of reach, at the copy of this site, as a client does. */
  #read<T extends 'data.list' | 'data.get' | 'data.lookup'>(
    { run: { domain } }: EffectCall,
    type: T,
    body: BodyOf<T>,
  ): Promise<Outcome<ReplyOf<T>>> {
    const { map, instance } = this.#scope;
    const copies = activeInstances(this.#scope, 'sdc', domain).filter(({ site }) => site === instance.site);
    const patience = copies.length === 0 ? {} : { patienceMs: map.topology.timings.requestDeadlineMs / 2 };
    const question = { type, body, ...this.#until, ...patience };
    const unreachable = unreachableFault('mdc', instance.site);
    return askInTurn(this.#scope, [...activeInstances(this.#scope, 'mdc', domain), ...copies], question, {
      unreachable,
    });
  }

  #masterOf({ run }: EffectCall) {
    return { role: 'mdc', domain: run.domain } as const;
  }

  get #until(): { deadlineMs: number } {
    const { clock, map } = this.#scope;
    return { deadlineMs: clock.now() + map.topology.timings.requestDeadlineMs };
  }
}

function collectionOf({ map }: RoleScope, { run: { domain } }: EffectCall, params: Values): Outcome<Collection> {
  const isMaster = domain === map.masterDomain;
  const own = entities.filter((each) => each.domain === 'any' || (each.domain === 'master') === isMaster);
  const entity = own.find(({ kind }) => kind === params['kind']);
  if (entity === undefined) {
    return failed(fault('invalid', `kind: expected one of ${own.map(({ kind }) => kind).join(', ')}`));
  }
  const { kind } = entity;
  const parent = params['parent'];
  const problem = problemOfParent(entity, parent);
  if (problem !== undefined) return failed(fault('invalid', problem));
  return done({
    entity,
    collection: { kind, domain, ...(parent !== undefined && { parent: String(parent).toLowerCase() }) },
  });
}

function idIn(params: Values): string {
  return String(params['id']).toLowerCase();
}

function problemIn([issue]: readonly { readonly path: PropertyKey[]; readonly message: string }[]): string {
  return `values.${issue?.path.join('.')}: ${issue?.message}`;
}
