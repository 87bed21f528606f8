/** A reference sample of an audio matcher: a file of its folder. Two that are equal in all of this are the same sample. */
export interface Sample {
  /** Name of the file without its extension: the announcement that it recognises. */
  readonly name: string;
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly changedMs: number;
}
