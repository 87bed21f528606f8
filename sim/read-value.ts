/** Reads data as a schema has it; says of all that does not fit where it is, what was expected there, and what was found. */
import type { z } from 'zod';
import { nearest } from './nearest.ts';
import { choicesOf, quotesHint, wordsOf } from './words.ts';
import { fieldsAt, schemasAt } from './yaml-fields.ts';

/** What is wrong, by the path of its value. */
export interface PathFault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** A value as `schema` has it, or every fault of it. */
export function readValue<S extends z.ZodType>(
  schema: S,
  value: unknown,
): { isSound: true; value: z.infer<S> } | { isSound: false; faults: PathFault[] } {
  const read = schema.safeParse(value);
  if (read.success) return { isSound: true, value: read.data };
  const faults = withoutConsequences(read.error.issues.flatMap(issueFaults));
  return { isSound: false, faults: faults.map((fault) => inWords(fault, schema, value)) };
}

/** `sites[0].name`. */
export function pathText(path: PathFault['path']): string {
  return path.map((part, i) => (typeof part === 'number' ? `[${part}]` : i === 0 ? part : `.${part}`)).join('');
}

/** A fault in a line; `whole`: what that of all is called which was read. */
export function faultText({ path, message }: PathFault, whole?: string): string {
  const place = path.length === 0 ? whole : pathText(path);
  return place === undefined ? message : `${place}: ${message}`;
}

/** A fault as a schema finds it. */
interface IssueFault {
  readonly path: PathFault['path'];
  /** `field`: there is no such field; `key`: its name is none; `rule`: of an object as a whole. */
  readonly of: 'value' | 'field' | 'key' | 'rule';
  /** What the author of the schema says of it. */
  readonly said?: string | undefined;
}

function issueFaults(issue: z.core.$ZodIssue): IssueFault[] {
  const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
  const meant = issue.code === 'invalid_union' ? meantBy(issue) : undefined;
  if (meant !== undefined)
    return meant.flatMap(issueFaults).map((each) => ({ ...each, path: [...path, ...each.path] }));
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => ({ path: [...path, key], of: 'field' }));
  if (issue.code === 'invalid_key')
    return issue.issues.slice(0, 1).map((each) => ({ path, of: 'key', said: saidBy(each) }));
  return [{ path, of: issue.code === 'custom' ? 'rule' : 'value', said: saidBy(issue) }];
}

/** All that is said here begins so; what the parser says by itself does not. */
function saidBy({ message }: z.core.$ZodIssue): string | undefined {
  return message.startsWith('expected ') ? message : undefined;
}

/** Where an object has a field that there is not, that another is missing, or that it is nothing, comes of it. */
function withoutConsequences(faults: readonly IssueFault[]): IssueFault[] {
  const misspelt = faults.flatMap(({ path, of }) => (of === 'field' ? [pathText(path.slice(0, -1))] : []));
  return faults.filter(({ path, of }) => of !== 'rule' || !misspelt.includes(pathText(path)));
}

/** Of several forms that a value may have the one that was meant: that in which least of it is wrong, and not it as a whole. */
function meantBy({ errors }: z.core.$ZodIssueInvalidUnion): z.core.$ZodIssue[] | undefined {
  const forms = errors.filter((form) =>
    form.every((issue) => issue.path.length > 0 || issue.code === 'unrecognized_keys'),
  );
  const wrongs = forms.map((form) => form.reduce((sum, issue) => sum + wrongsIn(issue), 0));
  const least = Math.min(...wrongs);
  const [only, ...more] = forms.filter((_, i) => wrongs[i] === least);
  return more.length === 0 ? only : undefined;
}

function wrongsIn(issue: z.core.$ZodIssue): number {
  return issue.code === 'unrecognized_keys' ? issue.keys.length : 1;
}

function inWords({ path, of, said }: IssueFault, schema: z.ZodType, value: unknown): PathFault {
  const name = String(path.at(-1));
  if (of === 'field') return { path, message: noField(name, fieldsAt(schema, path.slice(0, -1), value)) };
  if (of === 'key') return { path, message: `${said ?? 'expected another name'}, got "${name}"` };
  const got = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value);
  const wanted = schemasAt(schema, path);
  const words = said ?? `expected ${[...new Set(wanted.map(wordsOf))].join(', or ')}`;
  // What is said of an object as a whole says what is in it.
  if (said !== undefined && typeof got === 'object' && got !== null) return { path, message: words };
  const [quotes] = wanted.flatMap((each) => quotesHint(each, got) ?? []);
  const hint = quotes === undefined ? meantText(got, wanted) : `; ${quotes}`;
  return { path, message: `${words}, got ${shown(got)}${hint}` };
}

function noField(name: string, fields: readonly string[]): string {
  return `no such field here, expected one of ${fields.join(', ')}${hintText(nearest(name, fields))}`;
}

function meantText(got: unknown, wanted: readonly z.core.$ZodType[]): string {
  return typeof got === 'string' ? hintText(nearest(got, wanted.flatMap(choicesOf))) : '';
}

function hintText(near: string | undefined): string {
  return near === undefined ? '' : `; did you mean "${near}"?`;
}

/** The value that was found, or what kind of value where it is a long one. */
function shown(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  if (typeof value === 'object') return 'an object';
  const text = JSON.stringify(value);
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}

const longest = 200;
