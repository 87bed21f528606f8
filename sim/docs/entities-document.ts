/** The reference of the domain data, from the declarations of its entities. */
import { z } from 'zod';
import { entities } from '../../src/model/entities/entities.ts';
import { type Entity, operationNames } from '../../src/model/entities/entity.ts';
import { type Field, type Fields, isGroup } from '../../src/model/entities/field.ts';
import { limits } from '../../src/model/limits.ts';

export function entitiesDocument(): string {
  return `# Entities

Generated from \`src/model/entities/\` by \`npm run docs\`. Names and types of fields are documented; bounds, and what a field is
when it is not given, are chosen where no public fact says it. What is common to all:

- Every item has \`id\` (a uuid, which a create may give and which never changes) and \`ext\`: \`ct\`, when it was made, and \`lwt\`, which
  moves forward with each change (documented). Fields that only the platform sets, and fields that do not exist, are refused
  with 400 (chosen).
- POST and PATCH answer 200 with the item, DELETE 204. PATCH merges objects and replaces arrays (documented); one that
  changes nothing moves nothing (chosen). A value that must be unique and is taken: 409 (chosen).
- LOOKUP takes a JSON string and answers ids, or 404 \`Lookup failed\` (documented).
- A list shows the fields of its mask list (documented), in the order of creation, and takes \`countonly\` (chosen). What is
  found by \`id\`, a unique field or one that is indexed does not depend on how many items there are, nor do pages in the
  default order and newest first; else the items are read one by one, and 504 means that there was not enough time.
- Data is closed within a domain. Ids are unique in all of them. To read, the access role \`user\` or \`admin\` is needed, to
  change, \`admin\` (chosen).
- Changes are made by the active \`mdc\` at the master site, durable before they are acknowledged. While it is out of reach
  they are refused with 503 and did not happen; reads come from the copy of the site's \`sdc\`, whose age in seconds is in
  \`X-Data-Age\`. A change that was acknowledged holds at every site in reach, unless one was silent for ${limits.dataFollowMs} ms.

${entities.map(section).join('\n')}`;
}

function section(entity: Entity): string {
  const {
    kind,
    noun,
    path,
    aliases = [],
    list,
    names = {},
    lookup,
    unique,
    indexed = [],
    omittedOnChange = [],
  } = entity;
  const paths = [path, ...aliases].map((each) => `\`${each.replaceAll(/:(\w+)/g, '<$1>')}\``).join(', also ');
  const operations = operationNames.flatMap((name) =>
    entity.operations[name] ? [`${name} ${entity.operations[name]}`] : [],
  );
  const misspelt = Object.entries(names).map(([name, right]) => `\`${name}\` for \`${right}\``);
  const events = [
    ['Domains', domainTexts[entity.domain]],
    ['Operations', operations.join(', ')],
    ['LOOKUP by', code(lookup)],
    ['Unique', code(unique)],
    ['Indexed', code(indexed)],
    ['In lists', list === undefined ? 'all fields' : code(list)],
    ['Other spellings in queries', misspelt.join(', ')],
    ['Left out of the answers to POST and PATCH', code(omittedOnChange)],
  ].filter(([, text]) => text !== '');
  return `## ${kind}

A ${noun}. ${paths}

${events.map(([name, text]) => `- ${name}: ${text}`).join('\n')}

| field | type | when not given | |
|---|---|---|---|
${[...rows(entity.fields, '', entity.secrets ?? {}), ...derivedRows(entity)].join('\n')}
`;
}

const domainTexts = { master: 'the master domain', child: 'not the master domain', any: 'any' };

function code(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

function rows(fields: Fields, prefix: string, secrets: NonNullable<Entity['secrets']>): string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    if (isGroup(field)) return rows(field.fields, `${prefix}${name}.`, {});
    return [`| \`${prefix}${name}\` | ${typeText(field)} | ${initialText(field)} | ${noteOf(field, secrets[name])} |`];
  });
}

function derivedRows({ derived = {} }: Entity): string[] {
  return Object.entries(derived).map(([name, { does }]) => `| \`${name}\` | string | | ${does}. Shown only then |`);
}

function noteOf({ mode, does = '' }: Field, secret: 'masked' | 'administrators' | undefined): string {
  const notes = [does, mode === 'out' ? 'Set by the platform' : '', secret === 'masked' ? 'Shown as `*`' : ''];
  return notes.filter((note) => note !== '').join('. ');
}

function initialText({ initial }: Field): string {
  if (initial === undefined) return 'required';
  return typeof initial === 'function' ? '' : `\`${JSON.stringify(initial)}\``;
}

interface JsonType {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonType[];
  readonly items?: JsonType;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
}

function typeText({ schema }: Field): string {
  return textOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonType).replaceAll('|', '\\|');
}

function itemsText({ type, properties }: JsonType = {}): string {
  if (type === 'string') return 'texts';
  return properties === undefined ? 'any JSON' : `objects (${code(Object.keys(properties))})`;
}

function textOf(type: JsonType): string {
  if (type.anyOf !== undefined) return type.anyOf.map(textOf).join(' or ');
  if (type.enum !== undefined) return type.enum.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  if (type.const !== undefined) return `\`${JSON.stringify(type.const)}\``;
  if (type.format === 'uuid') return 'uuid';
  if (type.format === 'date-time') return 'time, ISO 8601 UTC';
  if (type.type === 'array') return `list of ${itemsText(type.items)}, at most ${type.maxItems}`;
  if (type.type === 'integer' || type.type === 'number') return `${type.type}, ${type.minimum} to ${type.maximum}`;
  if (type.type !== 'string') return type.type ?? 'any';
  const letters =
    type.maxLength === undefined ? 'text' : `text, ${type.minLength ?? 0} to ${type.maxLength} characters`;
  return type.pattern === undefined ? letters : `${letters}, \`${type.pattern}\``;
}
