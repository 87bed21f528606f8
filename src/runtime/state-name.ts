/** How states are named where they are shown: nested ones joined by dots, parallel ones by commas. */
import type { StateValue } from 'xstate';

/** The name of a state of a snapshot. */
export function stateName(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, inner]) => `${name}.${stateName(inner)}`)
    .join(',');
}

/** The value of a state that is not in a parallel one, by its name. */
export function stateValue(name: string): StateValue {
  const [outer = '', ...inner] = name.split('.');
  return inner.length === 0 ? outer : { [outer]: stateValue(inner.join('.')) };
}
