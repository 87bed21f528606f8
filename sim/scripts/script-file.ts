/** Files of scripts: reads one, and finds what is wrong in it. */
import { parse } from 'yaml';
import { z } from 'zod';
import { type ScriptKind, scriptCodePattern } from '../../src/model/script/component.ts';
import { componentsSchema, typesIn } from '../../src/model/script/script.ts';
import { readOwnYaml } from '../input/file-kind.ts';
import { readText } from '../topology/load-topology.ts';

const codeWanted = 'expected a code of letters, digits or _ . -';
const common = {
  code: z.string(codeWanted).min(1, codeWanted).regex(scriptCodePattern, codeWanted).describe('Code of the script'),
  name: z.string().optional().describe('Name of the script'),
};
const schemas = {
  svcscript: z.strictObject({ ...common, components: componentsSchema('svcscript', Number.POSITIVE_INFINITY) }),
  ivrscript: z.strictObject({
    ...common,
    number: z.string().optional(),
    components: componentsSchema('ivrscript', Number.POSITIVE_INFINITY),
  }),
};

/** A script as its file has it: what is sent to create the item. */
type ScriptItem = z.infer<(typeof schemas)['svcscript']> | z.infer<(typeof schemas)['ivrscript']>;
export interface ScriptFile {
  readonly kind: ScriptKind;
  readonly item: ScriptItem;
}

export const scriptNouns: Readonly<Record<ScriptKind, string>> = {
  svcscript: 'service script',
  ivrscript: 'IVR script',
};

/** Reads a script. Throws for what is wrong in it. It is an IVR script if it has a number, or a component that acts on a call. */
export function readScript(file: string): ScriptFile {
  const text = readText(file);
  const kind = kindIn(text);
  const schema = schemas[kind] as z.ZodType<ScriptItem>;
  return { kind, item: readOwnYaml({ kind: 'script', file, text }, { schema }) };
}

function kindIn(text: string): ScriptKind {
  let given: unknown;
  try {
    given = parse(text);
  } catch {
    // The reader says what is wrong with the text.
    return 'svcscript';
  }
  const { number, components } = (given ?? {}) as { number?: unknown; components?: unknown };
  const types = Array.isArray(components)
    ? components.map((each) => (each as { type?: string } | null)?.type ?? '')
    : [];
  const ofService = typesIn('svcscript');
  const isIvr = types.some((type) => typesIn('ivrscript').includes(type) && !ofService.includes(type));
  return number !== undefined || isIvr ? 'ivrscript' : 'svcscript';
}
