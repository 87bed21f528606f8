/** What the platform has and this product does not: the source of the documents that list it. */

export interface Unbuilt {
  readonly what: string;
  readonly answer: string;
  readonly why: string;
}

export const unbuilt: readonly Unbuilt[] = [
  {
    what: 'Media',
    answer: 'none',
    why: 'only the routing of audio between participants is simulated; recordings are tones of the right length, made from the times of the call at each callstore, which has no sound files: a file that is played is shown by what a phone hears, not in a recording',
  },
];
