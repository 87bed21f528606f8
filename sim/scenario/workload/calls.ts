/** Calls as a part of a workload: a load of the world outside. */
import type { OutsideWorld } from '../../outside/outside.ts';
import type { Traffic, TrafficOptions } from '../../outside/traffic.ts';
import type { WorkloadCalls } from '../workload-schema.ts';
import type { Part } from './part.ts';

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
  return {
    start: () => traffic?.start(),
    stop: () => traffic?.stop(),
    account: () => {
      if (traffic === undefined) return [];
      const { started, answered, failed } = traffic.counts;
      return [{ name: 'calls', started, acknowledged: answered, failed }];
    },
  };
}
