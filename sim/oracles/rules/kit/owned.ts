/** What one instance has of one kind belongs to what it has of another. */
import type { RoleName } from '../../../../src/model/cluster/roles.ts';
import { boundsOf } from '../../bounds.ts';
import type { Oracle, OracleContext } from '../../oracle.ts';
import { byType, together, whenLost } from './shared.ts';

/** The keys of its entities, by machine. */
type Own = Readonly<Record<string, ReadonlySet<string>>>;

export interface Ownership {
  readonly role: RoleName;
  readonly machines: readonly string[];
  /** Whether an entity counts in this state. */
  isThere(machine: string, state: string): boolean;
  /** Whether the rule says anything of what an instance has. */
  isConcerned(own: Own): boolean;
  /** What is wrong with what an instance has, if that lasts; `undefined` where nothing is. */
  wrongWith(own: Own): string | undefined;
}

interface Instance {
  readonly own: Readonly<Record<string, Set<string>>>;
  sinceMs: number | undefined;
}

/** Fails where something is wrong with what an instance has for longer than two seconds, whatever is broken around it. */
export function owned(
  { map, check, fail }: OracleContext,
  { role, machines, isThere, isConcerned, wrongWith }: Ownership,
): Oracle {
  const { quickMs } = boundsOf(map);
  const all = new Map<string, Instance>();
  const instanceOf = (owner: string): Instance => {
    const own = Object.fromEntries(machines.map((machine) => [machine, new Set<string>()]));
    const instance = all.get(owner) ?? { own, sinceMs: undefined };
    all.set(owner, instance);
    return instance;
  };
  return {
    listeners: together(
      whenLost(map, (address) => void all.delete(address), ['active', 'draining']),
      {
        'entity.state': byType(machines, ({ owner, machine, key, state, atMs }) => {
          if (map.instances.get(owner)?.role !== role) return;
          const instance = instanceOf(owner);
          if (state !== undefined && isThere(machine, state)) instance.own[machine]?.add(key);
          else instance.own[machine]?.delete(key);
          const isWrong = wrongWith(instance.own) !== undefined;
          if (!isWrong && isConcerned(instance.own)) check();
          instance.sinceMs = isWrong ? (instance.sinceMs ?? atMs) : undefined;
        }),
        // A node that is paused does nothing.
        'fault.inflicted': ({ verb, atMs }) => {
          if (verb !== 'pauseNode' && verb !== 'resumeNode') return;
          for (const instance of all.values()) if (instance.sinceMs !== undefined) instance.sinceMs = atMs + quickMs;
        },
      },
    ),
    tick: (nowMs) => {
      for (const [owner, instance] of all) {
        const { own, sinceMs } = instance;
        if (sinceMs === undefined || nowMs - sinceMs <= quickMs) continue;
        instance.sinceMs = undefined;
        fail(`${owner} has ${wrongWith(own)} for ${Math.round(nowMs - sinceMs)} ms`);
      }
    },
  };
}
