/**
 * An entity of the interface, by declaration: from one text come the validation, the operations, the shape of its lists and
 * its documentation. To add an entity is to add a file here, and its name to `entities.ts`.
 */
import { z } from 'zod';
import type { CollectionShape } from '../collection/shape.ts';
import { type Field, type FieldGroup, type Fields, isGroup, uuidSchema, type ValuesOf } from './field.ts';

/** What to trust of an operation before going live; an operation that is absent is 405. */
export type OperationSource = 'documented' | 'public' | 'chosen';
export const operationNames = ['create', 'list', 'get', 'patch', 'delete', 'lookup'] as const;
export type OperationName = (typeof operationNames)[number];

/** An item as it is kept and shown: plain JSON. */
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
  /** The word for one of them: `sipuser`. */
  readonly kind: string;
  /** The words for one and for many of them, for people. */
  readonly noun: string;
  readonly nouns: string;
  /**
   * Path of the collection. With `:domain_id` in it that is the domain of the data, else it is the session's; a parameter
   * named after `parent` holds the id of the item that these belong to.
   */
  readonly path: string;
  /** Other paths of the same. */
  readonly aliases?: readonly string[];
  /** Which domains have such data. */
  readonly domain: 'master' | 'child' | 'any';
  /** The entity that one of these belongs to, and goes with; and its parameter in the path. */
  readonly parent?: { readonly kind: string; readonly param: string };
  /** Beside `id` and `ext`, in the order in which they are shown. */
  readonly fields: F;
  /** Fields of list items, which `mask` may name. Absent: all. */
  readonly list?: readonly string[];
  /** Names in queries that stand for others: misspelt where they are documented so. */
  readonly names?: Readonly<Record<string, string>>;
  /** Names whose values LOOKUP finds: `id`, and fields that are unique. */
  readonly lookup: readonly string[];
  /** Fields of which no two items of a domain have the same value; an empty text is no value. */
  readonly unique: readonly string[];
  /** Further fields that items are found by without a look at all of them. */
  readonly indexed?: readonly string[];
  /** How answers show a secret: as `*`, or in plain text to administrators only. */
  readonly secrets?: Readonly<Record<string, 'masked' | 'administrators'>>;
  /** Fields that the answers to POST and PATCH leave out. */
  readonly omittedOnChange?: readonly string[];
  /** Fields that hold the name of a site; empty or `*`: all sites. */
  readonly sites?: readonly string[];
  /** Fields that other roles know; absent where those are out of reach. */
  readonly live?: readonly string[];
  /** Every site has them, whatever domains it serves. */
  readonly isEverywhere?: boolean;
  /** What must hold between fields; says what is wrong. */
  readonly rule?: (item: ItemOf<{ fields: F }>) => string | undefined;
  /** What must hold of all items of a domain together; says what is wrong. */
  readonly together?: (items: readonly ItemOf<{ fields: F }>[]) => string | undefined;
  /** Fields that are made of the others whenever an item is shown, and are absent where there is nothing to say. */
  readonly derived?: Readonly<Record<string, Derived>>;
  readonly operations: { readonly [O in OperationName]?: OperationSource };
}

export interface Entity<F extends Fields = Fields> extends Omit<EntityDeclaration<F>, 'rule' | 'together'> {
  /** What a client may send to create one, and to change one. */
  readonly create: z.ZodObject;
  readonly patch: z.ZodObject;
  /** One as it is shown, whole. */
  readonly item: z.ZodObject;
  readonly shape: CollectionShape<EntityItem>;
  readonly rule: (item: EntityItem) => string | undefined;
  readonly together?: (items: readonly EntityItem[]) => string | undefined;
}

/** What a patch gives for a masked secret that is to stay as it is: what answers show of it. (chosen) */
export const secretMask = '*';

export function entity<F extends Fields>(declaration: EntityDeclaration<F>): Entity<F> {
  const { fields, list, names = {}, rule, together, derived = {}, live = [] } = declaration;
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
    ...(declaration as Omit<EntityDeclaration<F>, 'rule' | 'together'>),
    create: z.strictObject({
      id: uuidSchema.optional().describe('Id of the new item; default: a generated one'),
      ...createShape(fields),
      ext: unset,
    }),
    patch: z.strictObject({ id: unchanged, ...patchShape(fields, isPatched), ext: unset }),
    item,
    shape: {
      item,
      ...(shown !== undefined && { fields: shown as never, defaultFields: shown as never }),
      aliases: names as never,
      defaultOrder: ['ext.ct', 'id'],
      tieBreak: ['id'],
      isOrdered: true,
      isCountable: true,
    },
    rule: rule === undefined ? () => undefined : (item) => rule(item as never),
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

function createShape(fields: Fields): Shape {
  return shapeOf(
    fields,
    (field) =>
      described(field, field.initial === undefined ? field.schema : field.schema.default(field.initial as never)),
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
