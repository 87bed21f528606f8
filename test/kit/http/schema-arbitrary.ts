/** Values by a JSON Schema, as this product writes them: good ones, and ones with something wrong. */
import fc from 'fast-check';

export type Schema = Readonly<Record<string, unknown>>;

const deepest = 4;

/** Values that a schema accepts, as far as the schema says it all. */
export function goodValue(schema: Schema, depth = 0): fc.Arbitrary<unknown> {
  const {
    type,
    enum: values,
    const: only,
    pattern,
    format,
    minimum,
    maximum,
    minLength = 0,
    maxLength,
    items,
  } = schema;
  const forms = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined;
  if (forms !== undefined) return fc.oneof(...forms.map((form) => goodValue(form, depth)));
  if (only !== undefined) return fc.constant(only);
  if (Array.isArray(values)) return fc.constantFrom(...values);
  if (Array.isArray(type)) return fc.oneof(...type.map((each) => goodValue({ ...schema, type: each }, depth)));
  switch (type) {
    case 'string':
      if (format === 'uuid') return fc.uuid();
      if (format === 'ipv4') return fc.ipV4();
      if (typeof pattern === 'string') return matching(pattern, Math.min(Number(maxLength ?? 40), 40));
      return fc.string({ minLength: Number(minLength), maxLength: Math.min(Number(maxLength ?? 30), 30) });
    case 'integer':
      return fc.integer({
        min: Math.max(Number(minimum ?? -1_000), -(2 ** 31)),
        max: Math.min(Number(maximum ?? 1_000), 2 ** 31 - 1),
      });
    case 'number':
      return fc.double({ min: Number(minimum ?? -1_000), max: Number(maximum ?? 1_000), noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return depth > deepest
        ? fc.constant([])
        : fc.array(goodValue((items ?? {}) as Schema, depth + 1), { maxLength: 3 });
    case 'object':
      return objectOf(schema, depth);
    default:
      return fc.jsonValue({ maxDepth: 1 });
  }
}

/** Texts of a form. Look-aheads are left to a filter. */
function matching(pattern: string, maxLength: number): fc.Arbitrary<string> {
  const form = new RegExp(pattern);
  const plain = pattern.replaceAll(/\(\?[=!](?:[^()]|\([^()]*\))*\)/g, '');
  return fc.stringMatching(new RegExp(plain), { maxLength }).filter((text) => form.test(text));
}

function objectOf(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  const properties = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, Schema>>).filter(
    ([, property]) => property['not'] === undefined,
  );
  const required = ((schema['required'] ?? []) as string[]).filter((name) =>
    properties.some(([each]) => each === name),
  );
  const model = Object.fromEntries(properties.map(([name, property]) => [name, goodValue(property, depth + 1)]));
  return fc.record(model, { requiredKeys: required });
}

/** A good value with something wrong: a field too many or too few, another type, or something else altogether. */
export function brokenValue(schema: Schema): fc.Arbitrary<unknown> {
  const odd = fc.constantFrom<unknown>(null, '', 'x'.repeat(3_000), -1, 1e30, [], {}, [[]], true, '\u0000', '../..', {
    $ne: 1,
  });
  const spoilt = fc
    .tuple(goodValue(schema), fc.nat(), odd, fc.constantFrom('extra', 'less', 'other'))
    .map(([value, n, other, how]) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return other;
      const names = Object.keys(value);
      const name = names[n % Math.max(1, names.length)] ?? 'x';
      if (how === 'extra') return { ...value, ['__proto__x']: other };
      if (how === 'less') return Object.fromEntries(Object.entries(value).filter(([each]) => each !== name));
      return { ...value, [name]: other };
    });
  return fc.oneof(odd, spoilt, fc.jsonValue());
}
