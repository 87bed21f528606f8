/** Calls as a part of a workload: a load of the world outside. */
import type { OutsideWorld } from '../../outside/outside.ts';
import type { Traffic, TrafficOptions } from '../../outside/traffic.ts';
import type { WorkloadCalls } from '../workload-schema.ts';
import type { Part } from './part.ts';
import { tallyOf } from './tally.ts';

/** Of a call that its caller ends before it is answered (RFC 3261, 15.1.2). */
const givenUp = '487';

/** Throws where nobody outside can make such calls. */
export function callsPart({ rate, holding, fixed = false, rooms, mix }: WorkloadCalls, outside: OutsideWorld): Part {
  const options: TrafficOptions = {
    rate,
    ...(holding !== undefined && { holdingMs: holding }),
    ...(fixed && { holding: 'fixed' }),
    ...(rooms !== undefined && { rooms }),
    ...(mix !== undefined && { mix }),
  };
  const traffic: Traffic | undefined = rate === 0 ? undefined : outside.traffic(options);
  const givenUpSoFar = () => traffic?.counts.why[givenUp] ?? 0;
  let givenUpBefore: number | undefined;
  return {
    start: () => traffic?.start(),
    stop: () => traffic?.stop(),
    hangUp: () => {
      givenUpBefore ??= givenUpSoFar();
    },
    account: () => {
      if (traffic === undefined) return [];
      const { started, answered, why } = traffic.counts;
      const reasons = new Map(Object.entries(why)).set(givenUp, givenUpBefore ?? givenUpSoFar());
      return [tallyOf({ name: 'calls', started, acknowledged: answered, why: reasons })];
    },
  };
}
