/** The mask of a list: the fields of an item that are shown. */
import { isRecord } from './property.ts';
import { type NameReader, pathOf } from './shape.ts';

/** The fields to show, as a tree: under a name either `whole`, or a mask for the object in the property. */
export interface Mask extends ReadonlyMap<string, Mask | 'whole'> {}

interface MaskDraft extends Map<string, MaskDraft | 'whole'> {}

/** The mask of the named fields. A name includes all fields below it: beside `opts`, `opts.title` adds nothing. */
export function maskOf(names: Iterable<string>): Mask {
  const mask: MaskDraft = new Map();
  for (const name of names) {
    const path = [...pathOf(name)];
    const last = path.pop() as string;
    parentOf(mask, path)?.set(last, 'whole');
  }
  return mask;
}

/** The branch at `path`, created if missing; undefined if a name on the path is shown whole. */
function parentOf(mask: MaskDraft, path: readonly string[]): MaskDraft | undefined {
  let branch = mask;
  for (const step of path) {
    const below = branch.get(step) ?? new Map();
    if (below === 'whole') return undefined;
    branch.set(step, below);
    branch = below;
  }
  return branch;
}

/** The rules for a mask's names: the known ones (absent: all), and their aliases. */
export interface MaskRules {
  readonly fields?: readonly string[] | undefined;
  readonly readName: NameReader;
}

/**
 * Reads `mask`: names between commas, blanks around them ignored. Every text is a mask.
 *
 * Unknown names are ignored. `opts` shows all known fields below it; `archive._links` is known where `archive` is.
 * A mask that names nothing known shows nothing: the items are `{}`, since more than was asked for is no answer.
 * (the first rule documented, the rest chosen)
 */
export function parseMask(text: string, { fields, readName }: MaskRules): Mask {
  const asked = text.split(',').map((name) => readName.translate(name.trim()));
  return maskOf(fields === undefined ? asked : asked.flatMap((name) => known(name, fields)));
}

function known(asked: string, fields: readonly string[]): string[] {
  if (fields.some((field) => covers(field, asked))) return [asked];
  return fields.filter((field) => covers(asked, field));
}

function covers(outer: string, inner: string): boolean {
  return inner === outer || inner.startsWith(`${outer}.`);
}

/**
 * The part of an item that `mask` selects, in the item's own order of keys.
 *
 * Names that the item does not have are left out, and objects without a selected field. Arrays are values as a whole: a
 * name that leads into one selects nothing. (chosen)
 */
export function applyMask(item: object, mask: Mask): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(item)) {
    const below = mask.get(name);
    if (below === undefined) continue;
    const part = below === 'whole' ? value : partOf(value, below);
    if (part === undefined && below !== 'whole') continue;
    if (name === '__proto__') Object.defineProperty(shown, name, { ...ownMember, value: part });
    else shown[name] = part;
  }
  return shown;
}

const ownMember = { enumerable: true, configurable: true, writable: true };

function partOf(value: unknown, mask: Mask): object | undefined {
  if (!isRecord(value)) return undefined;
  const part = applyMask(value, mask);
  return Object.keys(part).length > 0 ? part : undefined;
}
