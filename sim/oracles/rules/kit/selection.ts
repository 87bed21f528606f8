/** The meaning of `filter` and `order`, as the interface describes them. */

export type Item = Readonly<Record<string, unknown>>;

/** Whether an item passes; `undefined` for an expression that is not modelled here. */
export function matches(filter: unknown, item: Item): boolean | undefined {
  if (!Array.isArray(filter)) return equalities(filter, item, '');
  const [operator, ...operands] = filter as readonly unknown[];
  if (operator === '!') return not(matches(operands[0], item));
  if (operator === '&&' || operator === '||') {
    const verdicts = operands.map((each) => matches(each, item));
    if (verdicts.includes(undefined)) return undefined;
    return operator === '&&' ? !verdicts.includes(false) : verdicts.includes(true);
  }
  const [left, right] = [operandIn(operands[0], item), operands[1]];
  if (operator === 'in') return Array.isArray(right) && right[0] !== 'property' ? right.includes(left) : undefined;
  return compared(operator, left, operandIn(right, item));
}

function compared(operator: unknown, left: unknown, right: unknown): boolean | undefined {
  if (isCompound(left) || isCompound(right)) return undefined;
  const areAlike = typeof left === typeof right && (typeof left === 'number' || typeof left === 'string');
  switch (operator) {
    case '==':
      return left === right;
    case '!=':
      return left !== right;
    case '<':
      return areAlike && (left as string) < (right as string);
    case '<=':
      return areAlike && (left as string) <= (right as string);
    case '>':
      return areAlike && (left as string) > (right as string);
    case '>=':
      return areAlike && (left as string) >= (right as string);
    case 'like':
      return typeof left === 'string' && typeof right === 'string' ? isLike(left, right) : false;
    default:
      return undefined;
  }
}

function equalities(filter: unknown, item: Item, prefix: string): boolean | undefined {
  if (typeof filter !== 'object' || filter === null) return undefined;
  const verdicts = Object.entries(filter).map(([name, value]) => {
    const path = `${prefix}${name}`;
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return equalities(value, item, `${path}.`);
    return compared('==', valueAt(item, path), value);
  });
  return verdicts.includes(undefined) ? undefined : !verdicts.includes(false);
}

/** Names of the documented lists of names that are spelt otherwise in an item. */
const otherNames: Readonly<Record<string, string>> = {
  searchhitoryscr: 'searchhistoryscr',
  storageid: 'storageruleid',
};

/** A missing property is null. */
export function valueAt(item: Item, name: string): unknown {
  let value: unknown = item;
  for (const part of (otherNames[name] ?? name).split('.'))
    value = isCompound(value) ? (value as Item)[part] : undefined;
  return value ?? null;
}

function operandIn(operand: unknown, item: Item): unknown {
  return Array.isArray(operand) && operand[0] === 'property' ? valueAt(item, String(operand[1])) : operand;
}

/** `%` stands for any characters, `_` for one. */
function isLike(text: string, pattern: string): boolean | undefined {
  if (pattern.includes('\\')) return undefined;
  const form = pattern
    .replaceAll(/[.*+?^${}()|[\]]/g, '\\$&')
    .replaceAll('%', '.*')
    .replaceAll('_', '.');
  return new RegExp(`^${form}$`, 's').test(text);
}

function isCompound(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function not(verdict: boolean | undefined): boolean | undefined {
  return verdict === undefined ? undefined : !verdict;
}

/** The only name of an order; `undefined` for others. */
export function ordered(text: string): { readonly name: string; readonly isDescending: boolean } | undefined {
  if (/^[\w.]+$/.test(text)) return { name: text, isDescending: false };
  const [term, ...more] = JSON.parse(text) as readonly unknown[];
  if (more.length > 0) return undefined;
  if (typeof term === 'string') return { name: term, isDescending: false };
  const [[name = '', way] = []] = Object.entries((term ?? {}) as Item);
  return { name, isDescending: way === 'desc' };
}
