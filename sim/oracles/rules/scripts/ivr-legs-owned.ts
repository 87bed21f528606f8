/** The legs of an ivr instance belong to its calls. */
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';
import { byType } from '../kit/shared.ts';

/** What one ivr instance has. */
interface Own {
  readonly calls: Set<string>;
  /** Legs that nothing ends yet. */
  readonly legs: Set<string>;
  /** Since when there are legs, and no calls. */
  lonelyMs: number | undefined;
}

const leaving: ReadonlySet<string> = new Set(['ending', 'cancelling', 'over']);

export const ivrLegsOwned: OracleMaker = {
  name: 'ivr-legs-owned',
  rule: 'An ivr instance without calls and scripts has no leg for longer than two seconds that it does not end, whatever is broken: what a script has called ends with it.',
  make: ({ map, check, fail }) => {
    const { quickMs } = boundsOf(map);
    const all = new Map<string, Own>();
    const ownOf = (owner: string): Own | undefined => {
      if (map.instances.get(owner)?.role !== 'ivr') return undefined;
      const own = all.get(owner) ?? { calls: new Set(), legs: new Set(), lonelyMs: undefined };
      all.set(owner, own);
      return own;
    };
    return {
      listeners: {
        'entity.state': byType(['leg', 'ivr-call', 'script-call'], ({ owner, machine, key, state, atMs }) => {
          const own = ownOf(owner);
          if (own === undefined) return;
          const isThere = state !== undefined && !(machine === 'leg' && leaving.has(state));
          const set = machine === 'leg' ? own.legs : own.calls;
          if (isThere) set.add(key);
          else set.delete(key);
          const isLonely = own.calls.size === 0 && own.legs.size > 0;
          if (own.calls.size === 0 && !isLonely) check();
          own.lonelyMs = isLonely ? (own.lonelyMs ?? atMs) : undefined;
        }),
        'instance.status': ({ instance, status }) => {
          if (status !== 'active' && status !== 'draining') all.delete(instance);
        },
        'instance.crashed': ({ instance }) => void all.delete(instance),
        'node.ended': ({ node }) => {
          for (const { address } of map.node(node).instances) all.delete(address);
        },
        // A node that is paused does nothing.
        'fault.inflicted': ({ verb, atMs }) => {
          if (verb !== 'pauseNode' && verb !== 'resumeNode') return;
          for (const own of all.values()) if (own.lonelyMs !== undefined) own.lonelyMs = atMs + quickMs;
        },
      },
      tick: (nowMs) => {
        for (const [owner, own] of all) {
          const { legs, lonelyMs } = own;
          if (lonelyMs === undefined || nowMs - lonelyMs <= quickMs) continue;
          own.lonelyMs = undefined;
          fail(`${owner} has no calls, and the legs ${[...legs].join()} for ${Math.round(nowMs - lonelyMs)} ms`);
        }
      },
    };
  },
};
