/** What a cluster holds at rest does not grow with what it has done. */
import { limits } from '../../../../src/model/limits.ts';
import type { Census } from '../../../../src/ports/probe.ts';
import { boundsOf } from '../../bounds.ts';
import type { Hears, OracleMaker } from '../../oracle.ts';

/** What lives on by right, each with a timer or two of its own. */
const lasting = ['entities.session', 'entities.suspect', 'entities.ban', 'entities.registration', 'entities.ping'];
/** How long a change of a session is remembered at most, and a sweep is away. */
const rememberedMs = limits.sessionMaxMs + limits.clockSkewMs + 2 * limits.sessionSyncMs;
/** Timers that come and go: sweeps of short memories, rounds, who waits to be told. */
const spareTimers = 12;
/** Requests, and answers that may be wanted again: for 32 s. What registers does so at quiet as well. */
const spareTransactions = 8;

export const nothingGrows: OracleMaker = {
  name: 'nothing-grows',
  rule: 'When the cluster is quiescent, an instance has no more timers, transactions, open asks and unanswered asks than at rest before, except those of entities that still live; it keeps no more changes of sessions than there were sessions lately.',
  make: ({ map, now, questions, census, calmMs, check, fail }) => {
    const rest = new Map<string, Census>();
    /** When each session was last seen in any state. */
    const sessions = new Map<string, number>();
    const remembering = (nowMs: number, each: Census): string[] => {
      for (const [key, atMs] of sessions) if (nowMs - atMs > rememberedMs) sessions.delete(key);
      const count = each.counts.get('session-changes') ?? 0;
      return count > sessions.size ? [`${each.of} has ${count} session-changes of ${sessions.size} sessions`] : [];
    };
    /** A life that is over has taken what it had with it. */
    const hears: Hears = {
      'entity.state': ({ key, atMs }) => void sessions.set(key, atMs),
      'instance.status': ({ instance, status }) => {
        if (status === 'starting') rest.delete(instance);
      },
      'node.ended': ({ node }) => {
        for (const of of rest.keys()) if (of === map.node(node).address) rest.delete(of);
      },
    };
    /** Nobody has called yet, or all calls are long over. */
    const tick = () => {
      if (rest.size > 0 || calmMs() < boundsOf(map).promptMs) return;
      for (const each of census()) rest.set(each.of, each);
    };
    const atQuiet = async () => {
      if (calmMs() === 0) return;
      const look = () => census().flatMap((each) => [...grown(each, rest.get(each.of)), ...remembering(now(), each)]);
      const wrong = await questions.eventually(boundsOf(map).letGoMs, look);
      if (calmMs() === 0) return;
      if (rest.size > 0) check();
      for (const what of wrong) fail(`at quiet ${what}`);
      for (const each of census()) rest.set(each.of, each);
    };
    return { hears, tick, atQuiet, types: ['session'] };
  },
};

function grown({ of, counts }: Census, before: Census | undefined): string[] {
  if (before === undefined) return [];
  const more = (name: string) => (counts.get(name) ?? 0) - (before.counts.get(name) ?? 0);
  const byRight = lasting.reduce((sum, name) => sum + Math.max(0, more(name)), 0);
  const most: readonly [string, number][] = [
    ['timers', spareTimers + 2 * byRight],
    ['transactions', spareTransactions + byRight],
    ['asks', spareTransactions],
    ['answers', spareTransactions],
  ];
  return most
    .filter(([name, limit]) => more(name) > limit)
    .map(([name]) => `${of} has ${counts.get(name)} ${name}, at rest before ${before.counts.get(name) ?? 0}`);
}
