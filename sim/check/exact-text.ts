/** Values as text, where the text says all of them: two values with the same text are the same to any machine. */

/** `undefined` for what JSON would drop or flatten: functions, Maps, Dates, objects of classes. */
export function exactText(value: unknown): string | undefined {
  let isExact = true;
  const text = JSON.stringify(value, (_key, each: unknown) => {
    if (each === undefined) return '\u0000undefined';
    if (typeof each === 'number') return Number.isFinite(each) ? each : `\u0000${each}`;
    if (typeof each === 'function' || typeof each === 'bigint' || typeof each === 'symbol') isExact = false;
    if (typeof each === 'object' && each !== null && !isPlain(each)) isExact = false;
    return isExact ? each : undefined;
  });
  return isExact ? text : undefined;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null;
}
