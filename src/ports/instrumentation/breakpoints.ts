/** Stops runs of scripts before components, for the author of a script. In a cluster that is served nothing stops. */
export interface Breakpoints {
  /** A run is about to execute a component: it waits for the promise, if there is one. */
  reached(location: ScriptLocation): Promise<void> | undefined;
}

export interface ScriptLocation {
  readonly run: string;
  /** The code of the innermost script. */
  readonly script: string;
  readonly component: string;
  readonly type: string;
  /** Those of the innermost script. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Stops at nothing. */
export const noBreakpoints: Breakpoints = { reached: () => undefined };
