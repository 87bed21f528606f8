/** Files of scripts: reads one, and finds what is wrong in it, the syntax of its expressions included. */
import { parse } from 'yaml';
import { z } from 'zod';
import { loadedSandbox } from '../../src/adapters/quickjs-sandbox.ts';
import { type Component, type ScriptKind, scriptCodePattern } from '../../src/model/script/component.ts';
import { componentsSchema, kindOf, typesIn } from '../../src/model/script/script.ts';
import { readYaml } from '../input/yaml.ts';
import { readText } from '../topology/load.ts';

const codeWanted = 'expected a code of letters, digits or _ . -';
const common = {
  code: z.string(codeWanted).min(1, codeWanted).regex(scriptCodePattern, codeWanted).describe('Code of the script'),
  name: z.string().optional().describe('Name of the script'),
};
const schemas = {
  svcscript: z.strictObject({ ...common, components: componentsSchema('svcscript') }),
  ivrscript: z.strictObject({ ...common, number: z.string().optional(), components: componentsSchema('ivrscript') }),
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
  return { kind, item: readYaml(file, text, { schema, checks: syntaxProblems }) };
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

function syntaxProblems({ components }: ScriptItem): { path: (string | number)[]; message: string }[] {
  return components.flatMap((component, index) =>
    codesOf(component).flatMap(({ path, code, isStatements }) => {
      const problem = syntaxProblem(code, isStatements);
      const where = `in component ${JSON.stringify(component.name)}`;
      return problem === undefined ? [] : [{ path: ['components', index, ...path], message: `${problem} ${where}` }];
    }),
  );
}

interface Code {
  readonly path: readonly string[];
  readonly code: string;
  readonly isStatements: boolean;
}

function codesOf(component: Component): Code[] {
  return Object.entries(kindOf(component).fields).flatMap(([name, { holds }]): Code[] => {
    const given = component[name];
    if (given === undefined) return [];
    if (holds === 'expression') return [{ path: [name], code: String(given), isStatements: false }];
    if (holds === 'expressions') {
      const all = Object.entries(given as Record<string, string>);
      return all.map(([key, code]) => ({ path: [name, key], code, isStatements: false }));
    }
    return component.type === 'code' && name === 'code'
      ? [{ path: [name], code: String(given), isStatements: true }]
      : [];
  });
}

/** The syntax error of code, found without running it. */
function syntaxProblem(code: string, isStatements: boolean): string | undefined {
  const wrapped = isStatements ? `(function () {${code}\n})` : `(function () { return (${code}\n) })`;
  const result = loadedSandbox().evaluate({ code: wrapped, form: 'expression', variables: {}, params: [] });
  return result.ok ? undefined : result.problem;
}
