/** The check of the audio matcher of an mware instance. */
import { isDeepStrictEqual } from 'node:util';
import { type MatcherInput, matcherMachine } from '../../../src/machines/matcher.ts';
import { type AnyCheck, checkOf, type Model } from '../machine/machine-check.ts';

const sample = { name: 'number-not-in-service', bytes: 8_044, changedMs: 0 };
const onlyOnce = 'A load reads the folder once, and does not end before it has read it.';
const reads = ['samples.read', 'samples.unreadable'] as const;

/** Each load takes time and reads the folder, the first ones fail, and requests during a load cause one more. */
function matcherModel({ loadMs, fails }: MatcherInput): Model<typeof matcherMachine> {
  let begunMs: number | undefined;
  let read: boolean | undefined;
  let failures = fails;
  let isAgainWanted = false;
  const begin = (atMs: number) => {
    begunMs = atMs;
    read = undefined;
    isAgainWanted = false;
  };
  return ({ event, after, atMs, commands }) => {
    if (event.type === 'start') return after === 'off' ? undefined : `it starts ${after}`;
    if (event.type === 'reload.requested') {
      if (begunMs === undefined) begin(atMs);
      else isAgainWanted = true;
      return after === 'loading' || after === 'reading' ? undefined : `it should load, but is ${after}`;
    }
    if (begunMs === undefined) return commands.length === 1 ? undefined : `it does not load, but took ${event.type}`;
    if (event.type === 'samples.read' || event.type === 'samples.unreadable') read = event.type === 'samples.read';
    if (
      atMs < begunMs + loadMs ||
      (event.type !== 'samples.read' && event.type !== 'samples.unreadable' && read === undefined)
    ) {
      const wanted = atMs < begunMs + loadMs ? 'loading' : 'reading';
      return after === wanted ? undefined : `${atMs - begunMs} ms after its begin it is ${after}, not ${wanted}`;
    }
    const isFailure = failures > 0 || read === false;
    failures = Math.max(0, failures - 1);
    if (isAgainWanted) {
      begin(atMs);
      return after === 'loading' ? undefined : 'it should load once more';
    }
    begunMs = undefined;
    const wanted = isFailure ? 'failed' : 'loaded';
    return after === wanted ? undefined : `the load left it ${after}, not ${wanted}`;
  };
}

const matcherCheck = checkOf({
  machine: matcherMachine,
  input: (pick) => ({ loadMs: pick.from([3_000, 100]), fails: pick.from([0, 1, 2]) }),
  events: {
    'reload.requested': true,
    'samples.read': ({ pick }) => ({ samples: pick.from([[], [sample]]) }),
    'samples.unreadable': true,
  },
  longestMs: 3_000,
  undecided: {
    off: { events: reads, why: onlyOnce },
    loaded: { events: reads, why: onlyOnce },
    failed: { events: reads, why: onlyOnce },
  },
  rules: {
    'it waits for nothing but the end of a load': ({ last }) =>
      last.deadlines.length === (last.after === 'loading' ? 1 : 0),
    'a load that fails leaves its samples as they were': ({ last, steps }) =>
      last.after !== 'failed' || isDeepStrictEqual(last.context.samples, (steps.at(-2) ?? last).context.samples),
  },
  model: matcherModel,
  finally: {
    events: [{ type: 'samples.read', samples: [] }],
    waitMs: 6_000,
    states: ['off', 'loaded', 'failed', 'reading'],
  },
  scenario: () => [],
});

export const matcherChecks: readonly AnyCheck[] = [matcherCheck];
