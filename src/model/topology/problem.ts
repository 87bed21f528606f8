/** A fault in a topology: where (a path into the document) and what, with what was expected. */
export interface Problem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}
