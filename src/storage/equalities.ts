/** The equalities of a filter that all must hold, as far as they are plain to see: by them an index finds the items. */
import { isRecord } from '../model/collection/property.ts';

export interface Equality {
  readonly name: string;
  readonly value: unknown;
}

/** The equalities in the text of a filter that was read before; `names` are those that stand for others. */
export function equalitiesOf(text: string, names: Readonly<Record<string, string>>): Equality[] {
  const found = equalitiesIn(JSON.parse(text));
  return found.map(({ name, value }) => ({ name: Object.hasOwn(names, name) ? (names[name] as string) : name, value }));
}

function equalitiesIn(json: unknown): Equality[] {
  if (isRecord(json)) return Object.entries(json).map(([name, value]) => ({ name, value }));
  if (!Array.isArray(json)) return [];
  const [operator, ...operands] = json as unknown[];
  if (operator === '&&') return operands.flatMap(equalitiesIn);
  if (operator !== '==') return [];
  const [left, right] = operands;
  return [...equalityOf(left, right), ...equalityOf(right, left)];
}

function equalityOf(property: unknown, value: unknown): Equality[] {
  const isProperty = Array.isArray(property) && property[0] === 'property' && typeof property[1] === 'string';
  return isProperty && !Array.isArray(value) ? [{ name: property[1] as string, value }] : [];
}
