/** An acknowledged logout holds through partitions and restarts. */
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';

export const logoutsHold: OracleMaker = {
  name: 'logouts-hold',
  rule: 'The ws instance that closed a session never accepts it again, and after 25 seconds of stability no instance does, whatever has restarted.',
  exclusions:
    'Instances that cannot reach each other: an isolated one keeps the sessions that it knows. Sessions of a removed user that are closed while a disk is full: these are kept in memory until there is room. sessions-end judges how soon a logout is known without faults.',
  make: ({ map, now, questions, stableMs, check, fail }) => {
    const { closedMs: knownMs, promptMs } = boundsOf(map);
    /** The ws instances that accept a session. */
    const openAt = new Map<string, Set<string>>();
    const fullStores = new Set<number>();
    /** The instance that closed a session is the first that reports it closed, once that is durable. */
    const closers = new Map<string, { readonly owner: string; readonly atMs: number }>();
    const accepted = (): string[] =>
      [...openAt].flatMap(([key, owners]) => {
        const closer = closers.get(key);
        // It is published at once, and is on its way for a moment.
        return closer === undefined || now() <= closer.atMs + promptMs
          ? []
          : [`a session that ${closer.owner} closed is still open at ${[...owners].join(', ')}`];
      });
    const listeners: ObservationListeners = {
      'fault.inflicted': ({ fault, verb }) => {
        if (verb === 'fillStore') fullStores.add(fault);
      },
      'fault.mended': ({ fault, verb }) => {
        if (verb === 'mend') fullStores.clear();
        else fullStores.delete(fault);
      },
      'entity.state': {
        session: ({ owner, key, state, atMs }) => {
          const owners = openAt.get(key) ?? new Set<string>();
          if (state === 'active') openAt.set(key, owners.add(owner));
          else if (owners.delete(owner) && owners.size === 0) openAt.delete(key);
          if (state === 'closed' && fullStores.size === 0 && !closers.has(key)) closers.set(key, { owner, atMs });
          if (state === 'active' && closers.get(key)?.owner === owner)
            fail(`${owner} accepts a session that it closed`);
        },
      },
    };
    let checked = 0;
    const tick = () => {
      if (stableMs() <= knownMs) return;
      check(closers.size - checked);
      checked = closers.size;
      for (const what of accepted()) fail(what);
    };
    const atQuiescence = async () => {
      if (stableMs() === 0) return;
      const wrong = await questions.eventually(knownMs, accepted);
      if (stableMs() === 0) return;
      check(closers.size);
      for (const what of wrong) fail(what);
    };
    return { listeners, tick, atQuiescence };
  },
};
