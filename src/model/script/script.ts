/** Scripts: what must hold for the components of one, and the schema of a file. */

import { parse } from 'acorn';
import { z } from 'zod';
import { limits } from '../limits.ts';
import { nearest } from '../shapes/nearest.ts';
import { callKinds } from './call-components.ts';
import { type Component, type ComponentKind, componentSchema, type ScriptKind } from './component.ts';
import { commonKinds } from './components.ts';

/** Every kind of component, by the scripts that may contain it. */
export const componentKinds: readonly ComponentKind[] = [...commonKinds, ...callKinds];

const byType = new Map(componentKinds.map((kind) => [kind.type, { kind, schema: componentSchema(kind) }]));

/** The kind of a component of a checked script. */
export function kindOf({ type }: Component): ComponentKind {
  const found = byType.get(type);
  if (found === undefined) throw new Error(`no kind of component "${type}"`);
  return found.kind;
}

/** A component of a checked script, with the defaults of fields that its author left out. */
export function withDefaults(component: Component): Component {
  return byType.get(component.type)?.schema.parse(component) as Component;
}

/** A violated rule: where, as a path into the list of components, and what, with the name of the component. */
export interface ScriptProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** All problems of a list of components; empty for a valid script. `parsedChars`: how much of its code is parsed. */
export function scriptProblems(
  kind: ScriptKind,
  components: readonly unknown[],
  parsedChars: number = limits.scriptParsedChars,
): ScriptProblem[] {
  const hintFor = newHints();
  const own = components.map((component, index) => componentProblems(kind, component, { index, hintFor }));
  const whole = components.flatMap((component, index): [number, Component][] =>
    own[index]?.length === 0 ? [[index, component as Component]] : [],
  );
  return [...own.flat(), ...syntaxProblems(whole, parsedChars), ...graphProblems(components, whole, hintFor)];
}

function componentProblems(
  kind: ScriptKind,
  component: unknown,
  { index, hintFor }: { readonly index: number; readonly hintFor: HintFor },
): ScriptProblem[] {
  const given = typeof component === 'object' && component !== null ? (component as Record<string, unknown>) : {};
  const where = typeof given['name'] === 'string' ? ` in component ${JSON.stringify(given['name'])}` : '';
  const type = typeof given['type'] === 'string' ? given['type'] : '';
  const found = byType.get(type);
  if (found === undefined || !found.kind.scripts.includes(kind)) {
    const types = typesIn(kind);
    return [{ path: [index, 'type'], message: `expected one of ${types.join(', ')}${hintFor(type, types)}${where}` }];
  }
  const read = found.schema.safeParse(component);
  const issues = read.error?.issues ?? [];
  const hidden = Object.keys(given).filter((name) => hasProto(given[name]));
  const unseen = hidden.map((name) => ({ path: [index, name, '__proto__'], message: `expected another name${where}` }));
  const fields = Object.keys(found.schema.shape);
  const problems = issues.flatMap((issue): ScriptProblem[] => {
    const path = [index, ...(issue.path as (string | number)[])];
    if (issue.code !== 'unrecognized_keys') return [{ path, message: `${issue.message}${where}` }];
    return issue.keys.map((key) => {
      const message = `expected one of ${fields.join(', ')}${hintFor(key, fields)} as a field${where}`;
      return { path: [...path, key], message };
    });
  });
  return [...problems, ...unseen];
}

type HintFor = (got: string, names: readonly string[]) => string;

/** Each name is compared with all others, which holds up all other requests: only few are, and only short ones with few. */
const hints = { most: 10, names: 50, chars: 40 };

/** The hint for a name, in brackets: what was got follows. Only the first problems of a script have one. */
function newHints(): HintFor {
  let left = hints.most;
  return (got, names) => {
    if (left === 0 || names.length > hints.names || got.length > hints.chars) return '';
    left -= 1;
    const near = nearest(
      got,
      names.filter((name) => name.length <= hints.chars),
    );
    return near === undefined ? '' : ` (did you mean ${JSON.stringify(near)}?)`;
  };
}

/** A key that the schema of a record does not see. */
function hasProto(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__');
}

/** Code beyond `parsedChars` is not looked at: parsing holds up all other requests. */
function syntaxProblems(components: readonly (readonly [number, Component])[], parsedChars: number): ScriptProblem[] {
  let left = parsedChars;
  return components.flatMap(([index, component]) =>
    codesOf(kindOf(component), component).flatMap((each) => {
      left -= each.code.length;
      const problem = left < 0 ? undefined : syntaxProblem(each);
      const wanted = each.isStatements ? 'JavaScript' : 'an expression of JavaScript';
      const message = `expected ${wanted}: ${problem} in component ${JSON.stringify(component.name)}`;
      return problem === undefined ? [] : [{ path: [index, ...each.path], message }];
    }),
  );
}

export function typesIn(kind: ScriptKind): string[] {
  return componentKinds.filter(({ scripts }) => scripts.includes(kind)).map(({ type }) => type);
}

/** What must hold between the components. `whole`: those without a problem of their own, with their places. */
function graphProblems(
  components: readonly unknown[],
  whole: readonly (readonly [number, Component])[],
  hintFor: HintFor,
): ScriptProblem[] {
  const names = new Map<string, number>();
  const problems: ScriptProblem[] = [];
  const given = components.map((component) => (component ?? {}) as Partial<Component>);
  for (const [index, { name }] of given.entries()) {
    if (typeof name !== 'string') continue;
    if (names.has(name))
      problems.push({
        path: [index, 'name'],
        message: `expected a name that no other component has: ${JSON.stringify(name)} is taken`,
      });
    names.set(name, index);
  }
  const starts = given.filter(({ type }) => type === 'start').length;
  if (starts !== 1) problems.push({ path: [], message: `expected one component of type "start", got ${starts}` });
  const known = [...names.keys()];
  for (const [index, component] of whole) {
    for (const branch of Object.keys(kindOf(component).branches)) {
      const target = component[branch];
      if (target === undefined || names.has(target as string)) continue;
      const where = `in component ${JSON.stringify(component.name)}`;
      const message = `expected the name of a component ${where}, which has no ${JSON.stringify(target)}${hintFor(String(target), known)}`;
      problems.push({ path: [index, branch], message });
    }
  }
  return problems;
}

const listWanted = `expected a list of 1 to ${limits.scriptComponents} components`;

/** The components of a script, checked: the field of an entity. `parsedChars` as above. */
export function componentsSchema(kind: ScriptKind, parsedChars?: number): z.ZodType<Component[]> {
  const list = z.array(z.looseObject({}), listWanted).min(1, listWanted).max(limits.scriptComponents, listWanted);
  return list.superRefine((components, context) => {
    if (JSON.stringify(components).length > limits.scriptBytes) {
      context.addIssue({ code: 'custom', message: `expected at most ${limits.scriptBytes} bytes of JSON` });
      return;
    }
    for (const { path, message } of scriptProblems(kind, components, parsedChars)) {
      context.addIssue({ code: 'custom', path: [...path], message });
    }
  }) as unknown as z.ZodType<Component[]>;
}

/** The schema of a component of a script of this kind, for editors and the reference. */
export function componentUnion(kind: ScriptKind): z.ZodType {
  const schemas = componentKinds.filter(({ scripts }) => scripts.includes(kind)).map(componentSchema);
  return z.discriminatedUnion('type', schemas as unknown as [z.ZodObject, ...z.ZodObject[]] as never);
}

/** JavaScript in a component. Nothing here runs it. */
interface Code {
  /** Path into the component. */
  readonly path: readonly string[];
  readonly code: string;
  /** Statements; else an expression. */
  readonly isStatements: boolean;
}

/** The code of a component whose fields are valid. */
export function codesOf({ type, fields }: ComponentKind, component: Component): Code[] {
  return Object.entries(fields).flatMap(([name, { evaluated }]): Code[] => {
    const given = component[name];
    if (given === undefined) return [];
    if (evaluated === 'expression') return [{ path: [name], code: String(given), isStatements: false }];
    if (evaluated === 'expressions') {
      const all = Object.entries(given as Record<string, string>);
      return all.map(([key, code]) => ({ path: [name, key], code, isStatements: false }));
    }
    return type === 'code' && name === 'code' ? [{ path: [name], code: String(given), isStatements: true }] : [];
  });
}

/** What is put around code to parse it. */
function wrapOf({ isStatements }: Code): readonly [before: string, after: string] {
  return isStatements ? ['', ''] : ['(', '\n)'];
}

/** The syntax tree of code. Throws a `SyntaxError`. */
export function treeOf(each: Code): object {
  const [before, after] = wrapOf(each);
  return parse(before + each.code + after, { ecmaVersion: 'latest', sourceType: 'script' });
}

/** The first syntax error of code, with its line and column: `Unexpected token at 1:5`. */
function syntaxProblem(each: Code): string | undefined {
  const { code } = each;
  const [before] = wrapOf(each);
  try {
    treeOf(each);
    return undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // How deep it may nest depends on the stack that is left: no line is named.
    if (error.message.startsWith('Not enough stack space')) return 'it nests too deeply';
    const { pos = 0 } = error as { pos?: number };
    const words = error.message.replace(/ \(\d+:\d+\)$/, '');
    return `${words} at ${lineAndColumn(code, pos - before.length)}`;
  }
}

/** Line and column, from 1. */
function lineAndColumn(code: string, position: number): string {
  const lines = code.slice(0, Math.max(0, Math.min(position, code.length))).split('\n');
  return `${lines.length}:${(lines.at(-1) ?? '').length + 1}`;
}
