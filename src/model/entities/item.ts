/** Items of entities: creation, change, and the fields shown to a client. Pure; never throws. */
import { isRecord, isSame } from '../collection/property.ts';
import { isoTime, timeOf } from '../time.ts';
import { type Entity, type EntityItem, secretMask } from './entity.ts';
import { type Fields, isGroup } from './field.ts';

type Values = Readonly<Record<string, unknown>>;

/** The item created from `given`, which `entity.create` has validated. */
export function createdItem(entity: Entity, id: string, { given, atMs }: { given: Values; atMs: number }): EntityItem {
  const at = isoTime(atMs);
  return masked(entity, { id, ...initialValues(entity.fields, id, given), ext: { ct: at, lwt: at } });
}

/**
 * The item changed by `patch`, which `entity.patch` has validated: objects are merged, arrays replaced. Returns the same
 * item if nothing changes; else `lwt` increases, also within one millisecond.
 */
export function patchedItem(
  entity: Entity,
  item: EntityItem,
  { patch, atMs }: { patch: Values; atMs: number },
): EntityItem {
  const merged = masked(entity, merge(item, patch) as EntityItem);
  const isNewSecret = Object.entries(entity.secrets ?? {}).some(
    ([name, shown]) => shown === 'masked' && newSecret(patch, name) !== undefined,
  );
  return isSame(merged, item) && !isNewSecret ? item : changed(item, merged, atMs);
}

/** An item after another one of its parent was removed: the same item if nothing changes. */
export function itemWithout(
  entity: Entity,
  item: EntityItem,
  { id, atMs }: { readonly id: string; readonly atMs: number },
): EntityItem {
  const left = entity.without?.(item, id) ?? item;
  return isSame(left, item) ? item : changed(item, left, atMs);
}

function changed({ ext: { ct, lwt } }: EntityItem, after: EntityItem, atMs: number): EntityItem {
  return { ...after, ext: { ct, lwt: isoTime(Math.max(atMs, timeOf(lwt) + 1)) } };
}

/** The new value of a masked secret in a create or a patch, if there is one. */
export function newSecret(given: Values, name: string): string | undefined {
  const value = given[name];
  return typeof value === 'string' && value !== secretMask ? value : undefined;
}

/** The name of the secret that is stored apart from the item, if the entity has one. */
export function maskedSecretOf({ secrets = {} }: Entity): string | undefined {
  return Object.keys(secrets).find((name) => secrets[name] === 'masked');
}

/** An item as a user may see it. */
export function shownTo(entity: Entity, isAdmin: boolean): (item: EntityItem) => EntityItem {
  const hidden = Object.keys(entity.secrets ?? {}).filter((name) => entity.secrets?.[name] === 'administrators');
  const complete = (item: EntityItem) => withDerived(entity, item);
  return isAdmin || hidden.length === 0 ? complete : (item) => without(complete(item), hidden);
}

/** The answer to a POST or a PATCH. (documented for participants) */
export function shownAfterChange(entity: Entity, item: EntityItem): EntityItem {
  const { omittedOnChange = [] } = entity;
  const complete = withDerived(entity, item);
  return omittedOnChange.length === 0 ? complete : without(complete, omittedOnChange);
}

function withDerived({ derived }: Entity, item: EntityItem): EntityItem {
  if (derived === undefined) return item;
  const made = Object.entries(derived).flatMap(([name, { of }]) => {
    const value = of(item);
    return value === undefined ? [] : [[name, value] as const];
  });
  return made.length === 0 ? item : { ...item, ...Object.fromEntries(made) };
}

function initialValues(fields: Fields, id: string, given: Values): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = given[name];
    if (isGroup(field)) values[name] = initialValues(field.fields, id, isRecord(value) ? value : {});
    else if (value !== undefined) values[name] = value;
    else values[name] = typeof field.initial === 'function' ? field.initial(id) : field.initial;
  }
  return values;
}

function merge(into: Values, patch: Values): Values {
  const merged: Record<string, unknown> = { ...into };
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    const before = merged[name];
    merged[name] = isRecord(before) && isRecord(value) ? merge(before, value) : value;
  }
  return merged;
}

function masked(entity: Entity, item: EntityItem): EntityItem {
  const secret = maskedSecretOf(entity);
  return secret === undefined ? item : { ...item, [secret]: secretMask };
}

function without(item: EntityItem, names: readonly string[]): EntityItem {
  return Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name))) as EntityItem;
}

/** Why an item of this entity can't have this parent id, or be without one; `undefined` if it can. */
export function problemOfParent({ kind, parent }: Entity, id: unknown): string | undefined {
  if ((id !== undefined) === (parent !== undefined)) return undefined;
  return `parent: ${parent === undefined ? 'not allowed' : 'required'} for ${kind}`;
}
