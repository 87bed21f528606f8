/** The sequential specification of an item of the domain data, as clients see it: absent, or its fields. */
import type { SequentialModel } from '../../../histories/operation.ts';

/** Fields by their dotted names, each value as JSON. */
export type FieldValues = ReadonlyMap<string, string>;

export interface ItemInput {
  /** `drop`: what the item belongs to is removed, and the item with it if it exists. */
  readonly type: 'create' | 'patch' | 'delete' | 'drop' | 'read';
  /** What the client sent. */
  readonly fields: FieldValues;
}

/** `absent`: 404. The fields of the answer, perhaps not all of the item. */
export type ItemOutput = 'absent' | FieldValues;

/** `unknown`: an item from before the history. */
export type ItemState = 'unknown' | 'absent' | FieldValues;

export const noFields: FieldValues = new Map();

export const itemModel: SequentialModel<ItemState, ItemInput, ItemOutput> = {
  initial: 'unknown',
  step: (state, { type, fields }, output) => {
    if (type === 'drop') return 'absent';
    if (output === undefined) return unanswered(state, type, fields);
    if (output === 'absent') return type === 'create' || isFound(state) ? undefined : 'absent';
    if (type === 'create') return isFound(state) ? undefined : agreed(fields, output);
    if (state === 'absent') return undefined;
    if (type === 'delete') return 'absent';
    return agreed(with_(isFound(state) ? state : noFields, fields), output);
  },
  isRead: ({ type }) => type === 'read',
  keyOf: (state) => (isFound(state) ? keyOfFields(state) : state),
};

/** Configurations share their states, so each key is made once. */
const keys = new WeakMap<FieldValues, string>();

function keyOfFields(fields: FieldValues): string {
  const known = keys.get(fields);
  if (known !== undefined) return known;
  const key = JSON.stringify([...fields].sort());
  keys.set(fields, key);
  return key;
}

function isFound(state: ItemState): state is FieldValues {
  return state !== 'unknown' && state !== 'absent';
}

/** The effect of a change whose answer is not known: none on an item that it would be refused for. */
function unanswered(state: ItemState, type: ItemInput['type'], fields: FieldValues): ItemState {
  if (type === 'delete') return 'absent';
  if (type === 'create') return isFound(state) ? state : fields;
  return isFound(state) ? with_(state, fields) : state;
}

function with_(state: FieldValues, fields: FieldValues): FieldValues {
  return fields.size === 0 ? state : new Map([...state, ...fields]);
}

/** The state with the fields that the answer shows; `undefined` if a known one has another value there. */
function agreed(state: FieldValues, shown: FieldValues): FieldValues | undefined {
  let isNew = false;
  for (const [name, value] of shown) {
    const known = state.get(name);
    if (known !== undefined && known !== value) return undefined;
    isNew ||= known === undefined;
  }
  return isNew ? with_(state, shown) : state;
}

/** Fields on which the platform acts by itself, or that an answer masks. */
const changing = /^(id$|ext\.|ext$|devices|pwd$|state$|hold$|is_hand_raised$)/;

/** The fields of a JSON object. Empty objects have none. */
export function fieldsOf(value: unknown, prefix = ''): FieldValues {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return noFields;
  const found = new Map<string, string>();
  for (const [name, each] of Object.entries(value)) {
    const path = `${prefix}${name}`;
    if (changing.test(path)) continue;
    const isBranch = typeof each === 'object' && each !== null && !Array.isArray(each);
    if (isBranch) for (const [inner, text] of fieldsOf(each, `${path}.`)) found.set(inner, text);
    else found.set(path, JSON.stringify(each));
  }
  return found;
}
