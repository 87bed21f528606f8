/** Whether what is shown of an item, perhaps a part of it only, is what the item is. */

type Values = Readonly<Record<string, unknown>>;

/** The first field that both have, and have otherwise. */
export function differingField(part: Values, whole: Values): string | undefined {
  return Object.keys(part).find((name) => {
    const [short, long] = [part[name], whole[name]];
    if (long === undefined || JSON.stringify(short) === JSON.stringify(long)) return false;
    return !isValues(short) || !isValues(long) || differingField(short, long) !== undefined;
  });
}

function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
