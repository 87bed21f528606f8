/**
 * The declaration of a kind of component: its fields, its branches and whether it has an effect. Checks of scripts, the JSON
 * Schema and the reference are derived from it.
 */
import { z } from 'zod';
import { type Field, type FieldRules, field } from '../entities/field.ts';
import { limits } from '../limits.ts';

/** The kinds of scripts. */
export type ScriptKind = 'svcscript' | 'ivrscript';

export const scriptCodePattern = /^[A-Za-z0-9_.-]+$/;

/** `ivr-` and the code of an IVR script is a number that leads to it. (chosen) */
export const scriptNumberPrefix = 'ivr-';

/** A field of a component. `evaluated`: what it has that is evaluated before the component is executed; absent: the value is used as written. */
export interface ComponentField<T = unknown> extends Field<T> {
  readonly evaluated?: 'expression' | 'expressions';
}

export interface ComponentKind {
  /** The value of `type`: `http`. */
  readonly type: string;
  /** One sentence for the reference. */
  readonly does: string;
  /** The scripts that may contain it. */
  readonly scripts: readonly ScriptKind[];
  readonly fields: Readonly<Record<string, ComponentField>>;
  /** Its branches: for each the outcome that leads there. The value in a component is the name of the next component. */
  readonly branches: Readonly<Record<string, string>>;
  /**
   * It acts on something outside of the script: the run stores its position before and after it, and its host has a handler
   * of this type. Absent: the engine executes it.
   */
  readonly hasEffect?: boolean;
}

/** A component of a script, as an author writes it. */
export interface Component {
  readonly name: string;
  readonly type: string;
  readonly [field: string]: unknown;
}

export const everyScript: readonly ScriptKind[] = ['svcscript', 'ivrscript'];

const nameWanted = `expected a name of 1 to ${limits.nameChars} letters, digits or _ -`;
export const componentName = z
  .string(nameWanted)
  .max(limits.nameChars, nameWanted)
  .regex(/^[\w-]+$/, nameWanted);

/** The schema of a component of this kind, as an author writes it. */
export function componentSchema({ type, does, fields, branches }: ComponentKind): z.ZodObject {
  const shape: Record<string, z.ZodType> = {
    name: componentName.describe('Name of the component, unique in the script'),
    type: z.literal(type).describe(does),
  };
  for (const [name, { schema, initial, does: text }] of Object.entries(fields)) {
    shape[name] = (initial === undefined ? schema : schema.default(initial as never)).describe(text);
  }
  for (const [name, outcome] of Object.entries(branches)) {
    shape[name] = componentName.optional().describe(`Next component: ${outcome}`);
  }
  return z.strictObject(shape);
}

const expressionWanted = `expected an expression: a text of 1 to ${limits.scriptChars} characters`;
const expressionSchema = z.string(expressionWanted).min(1, expressionWanted).max(limits.scriptChars, expressionWanted);

/** A field with an expression. */
export function expression(rules: FieldRules<string>): ComponentField<string> {
  return { ...field(expressionSchema, { ...rules, does: `${rules.does}. An expression` }), evaluated: 'expression' };
}

const namePattern = /^(?!__proto__$)[A-Za-z_$][\w$]{0,63}$/;
const variableWanted =
  'expected the name of a variable: a letter, _ or $, then at most 63 characters A-Z a-z, digits, _ or $';
export const variableName = z.string(variableWanted).regex(namePattern, variableWanted);

/** Whether a property of the sandbox may become a variable. */
export function isVariableName(name: string): boolean {
  return namePattern.test(name);
}

/** A field with the name of a variable that gets a result; empty: none. */
export function variable(does: string, initial = ''): Field<string> {
  return field(z.union([z.literal(''), variableName], variableWanted), { initial, does });
}

const expressionsWanted = `expected an object of at most ${limits.listItems} expressions`;

/** What is wrong with a key, where that is the issue of a record. */
function keyProblem(issue: z.core.$ZodRawIssue): string | undefined {
  return issue.code === 'invalid_key' ? issue.issues[0]?.message : undefined;
}

/** A field with expressions by name. */
export function expressions(
  does: string,
  keys: z.ZodType<string, string> = componentName,
): ComponentField<Record<string, string>> {
  const schema = z
    .record(keys, expressionSchema, { error: (issue) => keyProblem(issue) ?? expressionsWanted })
    .refine((given) => Object.keys(given).length <= limits.listItems, expressionsWanted);
  return { ...field(schema, { initial: {}, does: `${does}. Expressions, by name` }), evaluated: 'expressions' };
}
