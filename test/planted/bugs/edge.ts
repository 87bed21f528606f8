/** Bugs of the edges and of registrations: esg, sg, sr. */
import type { ProviderAccount } from '../../../src/model/protocol/messages/edge.ts';
import type { PlantedBug } from '../plant.ts';
import { forgetting, spoiltStores } from '../spoiling.ts';

/** What a device that is gone has left to live is more than this. */
const bindingMs = 61_000;

export const edgeBugs: readonly PlantedBug[] = [
  {
    name: 'leaked-trunk',
    does: 'esg does not give a trunk back that was in use once.',
    role: 'esg',
    handlers: (right) => {
      const most = new Map<string, number>();
      return {
        'edge.figures': (body, envelope) => {
          const outcome = right['edge.figures']?.(body, envelope);
          if (!outcome.ok) return outcome;
          const regs = outcome.value.regs.map((account: ProviderAccount) => {
            const count = Math.max(most.get(account.code) ?? 0, account.onlinetrunkcount);
            most.set(account.code, count);
            return { ...account, onlinetrunkcount: count };
          });
          return { ok: true, value: { ...outcome.value, regs } };
        },
      };
    },
  },
  {
    name: 'counter-below-zero',
    does: 'esg counts the end of a call twice.',
    role: 'esg',
    handlers: (right) => {
      let before = 0;
      let drift = 0;
      return {
        'edge.figures': (body, envelope) => {
          const outcome = right['edge.figures']?.(body, envelope);
          if (!outcome.ok) return outcome;
          if (outcome.value.callcount < before) drift += 1;
          before = outcome.value.callcount;
          return { ok: true, value: { ...outcome.value, callcount: outcome.value.callcount - drift } };
        },
      };
    },
  },
  {
    name: 'ban-in-memory-only',
    does: 'esg acknowledges a ban and stores nothing of it.',
    role: 'esg',
    stores: (stores) => spoiltStores(stores, () => ({ write: async () => {} })),
  },
  {
    name: 'ban-that-never-ends',
    does: 'sg forgets when bans end.',
    role: 'sg',
    ...forgettingTimersOf('filter.add'),
  },
  {
    name: 'registration-that-never-ends',
    does: 'sr forgets when registrations expire.',
    role: 'sr',
    scope: (scope) => forgetting(scope, (delayMs) => delayMs > bindingMs),
  },
];

/** The timers that are set while messages of a type are handled are forgotten. */
function forgettingTimersOf(type: string): Pick<PlantedBug, 'scope' | 'handlers'> {
  let isInside = false;
  return {
    scope: (scope) => forgetting(scope, () => isInside),
    handlers: (right) => ({
      [type]: (body, envelope) => {
        isInside = true;
        try {
          return right[type]?.(body, envelope);
        } finally {
          isInside = false;
        }
      },
    }),
  };
}
