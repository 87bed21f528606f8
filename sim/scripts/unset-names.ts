/** Finds names in the code of a script that nothing in it sets: often a text whose own quotes were forgotten. */
import { quickJs } from '../../src/adapters/quickjs-sandbox.ts';
import type { Component } from '../../src/model/script/component.ts';
import { codesOf, kindOf, treeOf, withDefaults } from '../../src/model/script/script.ts';

interface UnsetName {
  readonly name: string;
  readonly component: string;
  /** The field of the component, such as `set.response_content`. */
  readonly field: string;
}

/** Functions of expressions; the sandbox knows its own names. */
const functions = ['startparam', 'jwtverify', 'getglobal', 'setglobal'];

/** The names, each where it is first read. The script must be valid, and the sandbox loaded. */
export function unsetNames(components: readonly Component[]): UnsetName[] {
  const set = new Set(functions);
  const read = new Map<string, UnsetName>();
  for (const component of components.map(withDefaults)) {
    const kind = kindOf(component);
    for (const [field, { evaluated }] of Object.entries(kind.fields)) {
      const value = component[field];
      if (evaluated === undefined && typeof value === 'string') set.add(value);
      if (kind.type === 'assign') for (const name of Object.keys(value ?? {})) set.add(name);
    }
    for (const code of codesOf(kind, component)) {
      const onRead = (name: string) => {
        if (!read.has(name)) read.set(name, { name, component: component.name, field: code.path.join('.') });
      };
      walk(treeOf(code), { onRead, onSet: (name) => set.add(name) });
    }
  }
  return [...read.values()].filter(({ name }) => !set.has(name) && !isBuiltIn(name));
}

function isBuiltIn(name: string): boolean {
  const result = quickJs.evaluate({ code: `typeof ${name}`, form: 'expression', variables: {}, params: [] });
  return name === 'undefined' || (result.ok && result.value !== 'undefined');
}

interface Sinks {
  readonly onRead: (name: string) => void;
  readonly onSet: (name: string) => void;
}

/** A node of a syntax tree (ESTree). */
type AnyNode = { readonly type: string } & Readonly<Record<string, unknown>>;

/** Fields of nodes whose identifiers are declared or assigned there; names below them in any script are taken as set. */
const setting: Readonly<Record<string, readonly string[]>> = {
  ArrowFunctionExpression: ['params'],
  AssignmentExpression: ['left'],
  CatchClause: ['param'],
  ClassDeclaration: ['id'],
  ClassExpression: ['id'],
  ForInStatement: ['left'],
  ForOfStatement: ['left'],
  FunctionDeclaration: ['id', 'params'],
  FunctionExpression: ['id', 'params'],
  VariableDeclarator: ['id'],
};

function walk(node: unknown, { onRead, onSet }: Sinks, isSet = false): void {
  if (Array.isArray(node)) {
    for (const each of node) walk(each, { onRead, onSet }, isSet);
    return;
  }
  if (typeof node !== 'object' || node === null || !('type' in node)) return;
  const each = node as AnyNode;
  if (each.type === 'Identifier') return (isSet ? onSet : onRead)(String(each['name']));
  for (const [field, value] of Object.entries(each)) {
    if (isName(each, field)) continue;
    walk(value, { onRead, onSet }, isSet || (setting[each.type]?.includes(field) ?? false));
  }
}

/** Whether a field is a property or a label, not a variable; a name after `typeof` may be unset. */
function isName(node: AnyNode, field: string): boolean {
  if (field === 'label') return true;
  if (node.type === 'UnaryExpression') return node['operator'] === 'typeof';
  if (node['computed'] === true) return false;
  return (node.type === 'MemberExpression' && field === 'property') || (field === 'key' && 'computed' in node);
}
