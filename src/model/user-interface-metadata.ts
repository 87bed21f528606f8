/** User-interface metadata generated from the declarations of entities: lists, forms and navigation. (chosen) */
import { z } from 'zod';
import { type Entity, type OperationName, operationNames } from './entities/entity.ts';
import { type Field, type Fields, isGroup, itemIdSchema, type Mode } from './entities/field.ts';
import { limits } from './limits.ts';
import type { FieldType, Form, FormField, Nav, Tab } from './shapes/file-shapes.ts';

/** Groups of the navigation panel, by the first word of the path; what has another comes under its own. */
const groupLabels: Readonly<Record<string, string>> = {
  domain: 'Domain',
  iam: 'Access',
  master: 'Platform',
  uc: 'Telephony',
};

const methods: Readonly<Record<OperationName, { method: string; isOfItem: boolean }>> = {
  create: { method: 'POST', isOfItem: false },
  list: { method: 'GET', isOfItem: false },
  get: { method: 'GET', isOfItem: true },
  patch: { method: 'PATCH', isOfItem: true },
  delete: { method: 'DELETE', isOfItem: true },
  lookup: { method: 'LOOKUP', isOfItem: false },
};

/** The navigation panel over `classes`: a class of child items is below the class of its parents. */
export function navOf(classes: readonly Entity[]): Nav {
  const groups = new Map<string, Nav['groups'][number]>();
  for (const { kind, nouns, path, parent } of classes) {
    if (parent !== undefined) continue;
    const name = path.split('/')[3] ?? '';
    const group = groups.get(name) ?? { name, label: groupLabels[name] ?? labelOf(name), classes: [] };
    const below = classes.filter((each) => each.parent?.kind === kind).map((each) => each.kind);
    group.classes.push({ class: kind, label: capital(nouns), path: shown(path), below });
    groups.set(name, group);
  }
  return { groups: [...groups.values()] };
}

/** The list of a class. */
export function tabOf(entity: Entity): Tab {
  const fields = fieldsOf(entity).filter(({ mode }) => mode !== 'in');
  const columns = entity.list ?? fields.map(({ name }) => name);
  const { operations, path, shape } = entity;
  return {
    ...headOf(entity),
    columns: columns.flatMap((column) => {
      const found = fields.find(({ name }) => name === column || isWithin(name, column));
      if (found === undefined) return [];
      if (found.name !== column) return [{ name: column, label: labelOf(column), type: 'any' as const }];
      const { name, label, type, hint } = found;
      return [{ name, label, type, ...(hint !== undefined && { hint }) }];
    }),
    order: [...shape.defaultOrder],
    limit: limits.pageItemsDefault,
    lookup: [...entity.lookup],
    operations: operationNames.flatMap((name) => {
      const source = operations[name];
      if (source === undefined) return [];
      const { method, isOfItem } = methods[name];
      return [{ name, method, path: shown(isOfItem ? `${path}/:id` : path), source }];
    }),
  };
}

/** The edit window of a class. */
export function formOf(entity: Entity): Form {
  return { ...headOf(entity), fields: fieldsOf(entity) };
}

function headOf({ kind, nouns, path }: Entity) {
  return { class: kind, label: capital(nouns), path: shown(path) };
}

function fieldsOf(entity: Entity): FormField[] {
  const time = (does: string) => ({ schema: z.string(), mode: 'out', initial: '', does }) as const;
  const id = { schema: itemIdSchema, mode: 'inout', initial: '', does: 'Id of the item; never changes' } as const;
  return [
    { ...described('id', id, entity), fixed: true, unique: true },
    ...flattened(entity.fields).map(([name, field]) => described(name, field, entity)),
    described('ext.ct', time('When the item was created'), entity),
    described('ext.lwt', time('When the item was last changed'), entity),
  ].map(withoutPlatformDefault);
}

function withoutPlatformDefault(field: FormField): FormField {
  const { default: _, ...rest } = field;
  return field.name === 'id' || field.mode === 'out' ? rest : field;
}

function flattened(fields: Fields, prefix = ''): [string, Field][] {
  return Object.entries(fields).flatMap(([name, field]): [string, Field][] =>
    isGroup(field) ? flattened(field.fields, `${prefix}${name}.`) : [[`${prefix}${name}`, field]],
  );
}

function described(name: string, { schema, mode, initial, does }: Field, { secrets = {}, unique }: Entity): FormField {
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return {
    name,
    label: labelOf(name),
    type: typeOf(jsonSchema),
    mode: mode satisfies Mode,
    required: mode !== 'out' && initial === undefined,
    fixed: false,
    unique: unique.includes(name),
    secret: Object.hasOwn(secrets, name),
    ...(initial !== undefined && typeof initial !== 'function' && { default: z.json().parse(initial) }),
    hint: does,
    schema: z.record(z.string(), z.json()).parse(jsonSchema),
  };
}

function typeOf({ type, enum: values, anyOf = [], const: only }: z.core.JSONSchema.BaseSchema): FieldType {
  if (values !== undefined || only !== undefined) return 'choice';
  const isChoice = anyOf.length > 0 && anyOf.every((each) => typeof each === 'object' && each.const !== undefined);
  if (isChoice) return 'choice';
  return type === 'string' || type === 'integer' || type === 'number' || type === 'boolean' || type === 'array'
    ? type
    : 'any';
}

function isWithin(name: string, group: string): boolean {
  return name.startsWith(`${group}.`);
}

/** `opts.is_hand_raised`: Is hand raised. */
function labelOf(name: string): string {
  return capital((name.split('.').at(-1) ?? name).replaceAll('_', ' '));
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function shown(path: string): string {
  return path.replaceAll(/:(\w+)/g, '<$1>');
}
