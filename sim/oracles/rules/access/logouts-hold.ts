/** An acknowledged logout holds, whatever was cut off, restarted or mended since. */
import { boundsOf } from '../../bounds.ts';
import type { Hears, OracleMaker } from '../../oracle.ts';

export const logoutsHold: OracleMaker = {
  name: 'logouts-hold',
  rule: 'The ws instance that closed a session never accepts it again, and no instance does once nothing has been broken for 25 seconds, whatever restarted since.',
  silence:
    'Instances that cannot reach each other: an instance that is cut off accepts the sessions that it knows. A session that is closed while a disk is full, because its user was removed: it is kept in memory until there is room. How soon a logout is known while nothing is broken is judged by sessions-end.',
  make: ({ map, questions, calmMs, check, fail }) => {
    const { closedMs: knownMs } = boundsOf(map);
    /** Which ws instances accept a session. */
    const openAt = new Map<string, Set<string>>();
    const fullStores = new Set<number>();
    /** The instance that closed a session: it is the first that shows it as closed, when that is durable. */
    const closers = new Map<string, string>();
    const accepted = (): string[] =>
      [...openAt].flatMap(([key, owners]) => {
        const closer = closers.get(key);
        return closer === undefined ? [] : [`a session that ${closer} closed goes on at ${[...owners].join(', ')}`];
      });
    const hears: Hears = {
      'fault.inflicted': ({ fault, verb }) => {
        if (verb === 'fillStore') fullStores.add(fault);
      },
      'fault.mended': ({ fault, verb }) => {
        if (verb === 'mend') fullStores.clear();
        else fullStores.delete(fault);
      },
      'entity.state': ({ owner, key, state }) => {
        const owners = openAt.get(key) ?? new Set<string>();
        if (state === 'active') openAt.set(key, owners.add(owner));
        else if (owners.delete(owner) && owners.size === 0) openAt.delete(key);
        if (state === 'closed' && fullStores.size === 0 && !closers.has(key)) closers.set(key, owner);
        if (state === 'active' && closers.get(key) === owner) fail(`${owner} accepts a session that it closed`);
      },
    };
    let checked = 0;
    const tick = () => {
      if (calmMs() <= knownMs) return;
      check(closers.size - checked);
      checked = closers.size;
      for (const what of accepted()) fail(what);
    };
    const atQuiet = async () => {
      if (calmMs() === 0) return;
      const wrong = await questions.eventually(knownMs, accepted);
      if (calmMs() === 0) return;
      check(closers.size);
      for (const what of wrong) fail(what);
    };
    return { hears, tick, atQuiet, types: ['session'] };
  },
};
