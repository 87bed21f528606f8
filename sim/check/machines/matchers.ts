/** The check of the audio matcher of an mware instance. */
import { type MatcherInput, matcherMachine } from '../../../src/machines/matcher.ts';
import { type AnyCheck, checkOf, type Model } from '../machine/machine-check.ts';

/** Each load takes time, the first ones fail, and requests during a load cause one more. */
function matcherModel({ loadMs, fails }: MatcherInput): Model<typeof matcherMachine> {
  let begunMs: number | undefined;
  let loads = 0;
  let isAgainWanted = false;
  const begin = (atMs: number) => {
    begunMs = atMs;
    isAgainWanted = false;
  };
  return ({ event, after, atMs, commands }) => {
    if (event.type === 'reload.requested') {
      if (begunMs === undefined) begin(atMs);
      else isAgainWanted = true;
      return after === 'loading' ? undefined : `it should load, but is ${after}`;
    }
    if (begunMs === undefined || event.type === 'start') return after === 'off' ? undefined : `it starts ${after}`;
    if (atMs !== begunMs + loadMs) return `it has loaded after ${atMs - begunMs} ms, not after ${loadMs}`;
    loads += 1;
    if (isAgainWanted) {
      begin(atMs);
      return after === 'loading' && commands.length === 0 ? undefined : 'it should load once more';
    }
    begunMs = undefined;
    const wanted = loads <= fails ? 'failed' : 'loaded';
    return after === wanted ? undefined : `load ${loads} left it ${after}, not ${wanted}`;
  };
}

const matcherCheck = checkOf({
  machine: matcherMachine,
  input: (pick) => ({ loadMs: pick.from([3_000, 100]), fails: pick.from([0, 1, 2]) }),
  events: { 'reload.requested': true },
  longestMs: 3_000,
  rules: {
    'it waits for nothing but the end of a load': ({ last }) =>
      last.deadlines.length === (last.after === 'loading' ? 1 : 0),
  },
  model: matcherModel,
  finally: { tell: [], waitMs: 6_000, states: ['off', 'loaded', 'failed'] },
  scenario: () => [],
});

export const matcherChecks: readonly AnyCheck[] = [matcherCheck];
