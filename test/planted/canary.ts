/** A bug that shows in one run of a hundred: a campaign that is worth its time finds it all the same. */
import type { PlantedBug } from './plant.ts';

/** Of some six instances in a cluster one is struck, in a run of a hundred. */
const probability = 1 / 600;

export const canary: PlantedBug = {
  name: 'canary',
  does: 'one callstore in six hundred counts one call too many.',
  role: 'callstore',
  handlers: (right, scope) => {
    if (scope.random.stream('faults').float() >= probability) return {};
    return {
      'callstore.list': async (body, envelope) => {
        const outcome = await right['callstore.list']?.(body, envelope);
        return outcome.ok ? { ok: true, value: { ...outcome.value, count: outcome.value.count + 1 } } : outcome;
      },
    };
  },
};
