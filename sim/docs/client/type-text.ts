/** TypeScript types from JSON Schemas, with the descriptions as comments. */

export type JsonSchema = { readonly [key: string]: unknown };

/**
 * The type of a schema, in one line or as an object over several lines. `depth`: of the surrounding object. A reference stands
 * for any JSON, the only recursive schema, and is `unknown`.
 */
export function typeText(schema: JsonSchema, depth = 0): string {
  const { type, enum: values, const: constant, items, anyOf, oneOf, allOf } = schema;
  const forms = (anyOf ?? oneOf) as JsonSchema[] | undefined;
  if (constant !== undefined) return literal(constant);
  if (Array.isArray(values)) return values.map(literal).join(' | ');
  if (forms !== undefined) return [...new Set(forms.map((form) => typeText(form, depth)))].join(' | ');
  if (Array.isArray(allOf)) return allOf.map((form) => `(${typeText(form as JsonSchema, depth)})`).join(' & ');
  if (Array.isArray(type)) return type.map((each) => typeText({ ...schema, type: each }, depth)).join(' | ');
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return `readonly ${itemText((items ?? {}) as JsonSchema, depth)}[]`;
    case 'object':
      return objectText(schema, depth);
    default:
      return 'unknown';
  }
}

/** The fields of an object schema as lines of an interface. */
export function fieldLines(schema: JsonSchema, depth: number): string[] {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>);
  const required = new Set((schema['required'] as string[] | undefined) ?? []);
  const indent = '  '.repeat(depth);
  return properties
    .filter(([, field]) => field['not'] === undefined)
    .flatMap(([name, field]) => {
      const mark = required.has(name) ? '' : '?';
      const optional = required.has(name) ? '' : ' | undefined';
      const line = `${indent}readonly ${keyText(name)}${mark}: ${typeText(field, depth)}${optional};`;
      return [...commentLines(String(field['description'] ?? ''), indent), line];
    });
}

export function commentLines(text: string, indent: string): string[] {
  return text === '' ? [] : [`${indent}/** ${text.replaceAll('*/', '*\\/')} */`];
}

function objectText(schema: JsonSchema, depth: number): string {
  const lines = fieldLines(schema, depth + 1);
  const { additionalProperties: more } = schema;
  const isOpen = typeof more === 'object' && more !== null;
  if (lines.length === 0) return isOpen ? `Readonly<Record<string, ${typeText(more as JsonSchema, depth)}>>` : 'object';
  return `{\n${lines.join('\n')}\n${'  '.repeat(depth)}}`;
}

function itemText(schema: JsonSchema, depth: number): string {
  const text = typeText(schema, depth);
  return schema['type'] === 'object' || /^\w+$/.test(text) ? text : `(${text})`;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value);
}

function keyText(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`;
}
