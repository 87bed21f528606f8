import { isRecord } from './property.ts';

/**
 * An item without nested objects: `{opts: {title: 'a'}}` becomes `{'opts.title': 'a'}`. (documented)
 *
 * Arrays stay as they are, with the objects in them, and so does an object that is empty: nothing is lost. (chosen)
 */
export function flatten(item: object): Record<string, unknown> {
  return Object.fromEntries(flatEntries(item, ''));
}

function flatEntries(item: object, prefix: string): [string, unknown][] {
  return Object.entries(item).flatMap(([name, value]): [string, unknown][] => {
    const isBranch = isRecord(value) && Object.keys(value).length > 0;
    return isBranch ? flatEntries(value, `${prefix}${name}.`) : [[`${prefix}${name}`, value]];
  });
}
