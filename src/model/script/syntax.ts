/** The JavaScript in components of scripts: where it is, and whether it can be parsed. Nothing here runs it. */
import { parse } from 'acorn';
import type { Component, ComponentKind } from './component.ts';

export interface Code {
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

/** The first syntax error of code, with its line and column: `Unexpected token at 1:5`. */
export function syntaxProblem({ code, isStatements }: Code): string | undefined {
  const [before, after] = isStatements ? ['', ''] : ['(', '\n)'];
  try {
    parse(before + code + after, { ecmaVersion: 'latest', sourceType: 'script' });
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
