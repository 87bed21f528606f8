/**
 * Runs JavaScript of authors apart from everything else: without clock, chance or network, within budgets that do not
 * depend on the speed of the machine. Synchronous. Implemented by QuickJS as WebAssembly, which both worlds use: the same
 * code gives the same result in every run.
 */
export interface Sandbox {
  /** Resolves when it can evaluate. The engine is loaded when the first script is wanted: most processes run none. */
  ready(): Promise<void>;
  /** Evaluates code. Never throws because of what the code does. */
  evaluate(request: Evaluation): EvaluationResult;
}

export interface Evaluation {
  readonly code: string;
  /** An expression has a value. Statements leave global variables behind. */
  readonly form: 'expression' | 'statements';
  /** Global variables before it, as JSON values. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** What `startparam(1)`, `startparam(2)` … return. */
  readonly params: readonly unknown[];
  /** Further functions that the code may call. Arguments and results are JSON values; an error becomes one of the code. */
  readonly functions?: Readonly<Record<string, (...args: unknown[]) => unknown>>;
}

export type EvaluationOutcome =
  /** `value`: of an expression; `undefined` where it has no JSON form. `variables`: the global variables after it. */
  | { readonly ok: true; readonly value: unknown; readonly variables: Readonly<Record<string, unknown>> }
  /** The error of the code, or the budget that it has exceeded. */
  | { readonly ok: false; readonly problem: string };

/** `steps`: of the engine. */
export type EvaluationResult = EvaluationOutcome & { readonly steps: number };
