/**
 * The declaration of an entity: validation, operations, lists and documentation are derived from it. To add an entity, add
 * a file here and its name to `entities.ts`.
 */
import { z } from 'zod';
import type { CollectionShape } from '../collection/shape.ts';
import { type Field, type FieldGroup, type Fields, isGroup, itemIdSchema, type ValuesOf } from './field.ts';

/** The provenance of an operation; an absent operation is 405. */
export type OperationSource = 'documented' | 'public' | 'chosen';
export const operationNames = ['create', 'list', 'get', 'patch', 'delete', 'lookup'] as const;
export type OperationName = (typeof operationNames)[number];

/** An item as it is stored and shown: plain JSON. */
export type EntityItem = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly ext: { readonly ct: string; readonly lwt: string };
};
export type ItemOf<E extends { readonly fields: Fields }> = EntityItem & ValuesOf<E['fields']>;

export interface Derived {
  readonly does: string;
  readonly of: (item: EntityItem) => string | undefined;
}

export interface EntityDeclaration<F extends Fields> {
  /** The kind of its items: `sipuser`. */
  readonly kind: string;
  /** Singular and plural for people. */
  readonly noun: string;
  readonly nouns: string;
  /**
   * Path of the collection. `:domain_id` in it is the domain of the data, else that is the session's domain; a parameter
   * named after `parent` is the id of the parent item.
   */
  readonly path: string;
  /** Aliases of the path. */
  readonly aliases?: readonly string[];
  /** The domains with such data. */
  readonly domain: 'master' | 'child' | 'any';
  /** The parent entity, with which items are removed, and its parameter in the path. */
  readonly parent?: { readonly kind: string; readonly param: string };
  /** Fields whose default is a field of the parent item. */
  readonly parentDefaults?: Readonly<Record<string, string>>;
  /** In addition to `id` and `ext`, in the order in which they are shown. */
  readonly fields: F;
  /** Fields of list items, which `mask` may name. Absent: all. */
  readonly list?: readonly string[];
  /** Aliases of names in queries: misspelt where they are documented so. */
  readonly names?: Readonly<Record<string, string>>;
  /** Names whose values LOOKUP finds: `id`, and fields that are unique. */
  readonly lookup: readonly string[];
  /** Fields with unique values within a domain; an empty text is no value. */
  readonly unique: readonly string[];
  /** Further indexed fields. */
  readonly indexed?: readonly string[];
  /** How answers show a secret: as `*`, or in plain text to administrators only. */
  readonly secrets?: Readonly<Record<string, 'masked' | 'administrators'>>;
  /** Fields that the answers to POST and PATCH leave out. */
  readonly omittedOnChange?: readonly string[];
  /** Fields that hold the name of a site; empty or `*`: all sites. */
  readonly sites?: readonly string[];
  /** Fields whose values come from other roles; absent when these are unreachable. No list can be selected or ordered by them. */
  readonly live?: readonly string[];
  /** All sites have the items, whatever domains they serve. */
  readonly isEverywhere?: boolean;
  /** A constraint between fields; returns the problem. */
  readonly rule?: (item: ItemOf<{ fields: F }>) => string | undefined;
  /** A constraint on all items of a domain together; returns the problem. */
  readonly together?: (items: readonly ItemOf<{ fields: F }>[]) => string | undefined;
  /** The item after another item of its parent, with this id, was removed. */
  readonly without?: (item: ItemOf<{ fields: F }>, id: string) => ItemOf<{ fields: F }>;
  /** Fields computed from the others whenever an item is shown; absent if they have no value. */
  readonly derived?: Readonly<Record<string, Derived>>;
  readonly operations: { readonly [O in OperationName]?: OperationSource };
}

export interface Entity<F extends Fields = Fields> extends Omit<EntityDeclaration<F>, 'rule' | 'together' | 'without'> {
  /** The fields that a client may send to create an item, and to change one. */
  readonly create: z.ZodObject;
  readonly patch: z.ZodObject;
  /** The schema of a complete item as shown. */
  readonly item: z.ZodObject;
  readonly shape: CollectionShape<EntityItem>;
  readonly rule: (item: EntityItem) => string | undefined;
  readonly together?: (items: readonly EntityItem[]) => string | undefined;
  readonly without?: (item: EntityItem, id: string) => EntityItem;
}

/** The value in a patch that keeps a masked secret: the mask that answers show. (chosen) */
export const secretMask = '*';

export function entity<F extends Fields>(declaration: EntityDeclaration<F>): Entity<F> {
  const { fields, list, names = {}, rule, together, without, derived = {}, live = [] } = declaration;
  const shown = list === undefined ? undefined : [...list, ...Object.keys(derived)];
  const isPatched = (name: string) => declaration.secrets?.[name] === 'masked';
  const item = z.object({
    id: z.string().describe('Id of the item, a uuid; never changes'),
    ...itemShape(fields, declaration.secrets, live),
    ...derivedShape(derived),
    ext: z
      .object({
        ct: z.string().describe('When the item was created, ISO 8601 UTC'),
        lwt: z.string().describe('When the item was last changed, ISO 8601 UTC; moves forward with each change'),
      })
      .describe('Set by the platform'),
  });
  return {
    ...(declaration as Omit<EntityDeclaration<F>, 'rule' | 'together' | 'without'>),
    create: z.strictObject({
      id: itemIdSchema.optional().describe('Id of the new item; default: a generated one'),
      ...createShape(fields, declaration.parentDefaults),
      ext: unset,
    }),
    patch: z.strictObject({ id: unchanged, ...patchShape(fields, isPatched), ext: unset }),
    item,
    shape: {
      item: z.object(Object.fromEntries(Object.entries(item.shape).filter(([name]) => !live.includes(name)))),
      ...(shown !== undefined && { fields: shown as never, defaultFields: shown as never }),
      aliases: names as never,
      defaultOrder: ['ext.ct', 'id'],
      tieBreak: ['id'],
      isOrdered: true,
      isCountable: true,
    },
    rule: rule === undefined ? () => undefined : (item) => rule(item as never),
    ...(without !== undefined && { without: (item: EntityItem, id: string) => without(item as never, id) }),
    ...(together !== undefined && { together: (items: readonly EntityItem[]) => together(items as never) }),
  };
}

const unset = z.never('expected nothing: only the platform sets it').optional();
const unchanged = z.never('expected nothing: it never changes').optional();

type Shape = Record<string, z.ZodType>;

function shapeOf(
  fields: Fields,
  schemaOf: (field: Field, name: string) => z.ZodType,
  ofGroup: (g: FieldGroup) => z.ZodType,
) {
  const shape: Shape = {};
  for (const [name, field] of Object.entries(fields)) {
    if (isGroup(field)) shape[name] = ofGroup(field);
    else shape[name] = field.mode === 'out' ? unset : schemaOf(field, name);
  }
  return shape;
}

function createShape(fields: Fields, parentDefaults: Readonly<Record<string, string>> = {}): Shape {
  return shapeOf(
    fields,
    (field, name) => {
      const { initial, schema, does } = field;
      const ofParent = parentDefaults[name];
      if (ofParent !== undefined) return schema.optional().describe(`${does}; default: \`${ofParent}\` of its parent`);
      return described(field, initial === undefined ? schema : schema.default(initial as never));
    },
    (inner) => z.strictObject(createShape(inner.fields)).prefault({}).describe(inner.does),
  );
}

function itemShape(
  fields: Fields,
  secrets: EntityDeclaration<Fields>['secrets'] = {},
  live: readonly string[] = [],
): Shape {
  const shape: Shape = {};
  for (const [name, field] of Object.entries(fields)) {
    if (isGroup(field)) shape[name] = z.object(itemShape(field.fields)).describe(field.does);
    else if (secrets[name] === 'masked')
      shape[name] = z.literal(secretMask).describe('Masked: a secret is never shown');
    else if (secrets[name] === 'administrators' || live.includes(name))
      shape[name] = described(field, field.schema.optional());
    else if (field.mode !== 'in') shape[name] = described(field, field.schema);
  }
  return shape;
}

function derivedShape(derived: Readonly<Record<string, Derived>>): Shape {
  const shape = (does: string) => z.string().describe(does).optional();
  return Object.fromEntries(Object.entries(derived).map(([name, { does }]) => [name, shape(does)]));
}

function described({ does }: Field, schema: z.ZodType): z.ZodType {
  return schema.describe(does);
}

function patchShape(fields: Fields, isMasked: (name: string) => boolean): Shape {
  return shapeOf(
    fields,
    (field, name) => {
      const schema = isMasked(name) ? z.union([z.literal(secretMask), field.schema]) : field.schema;
      return described(field, schema.optional());
    },
    (inner) =>
      z
        .strictObject(patchShape(inner.fields, () => false))
        .optional()
        .describe(inner.does),
  );
}
