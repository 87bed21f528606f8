/** What a cluster holds at rest does not grow with what it has done. */
import type { Census } from '../../../src/ports/probe.ts';
import { boundsOf } from '../bounds.ts';
import type { Hears, OracleMaker } from '../oracle.ts';

/** What lives on by right, each with a timer or two of its own. */
const lasting = [
  'tombstones',
  'entities.session',
  'entities.suspect',
  'entities.ban',
  'entities.binding',
  'entities.registration',
  'entities.ping',
];
/** Timers that come and go: sweeps of short memories, rounds, who waits to be told. */
const spareTimers = 12;
/** Requests, and answers that may be wanted again: for 32 s. What registers does so at quiet as well. */
const spareTransactions = 8;

export const nothingGrows: OracleMaker = {
  name: 'nothing-grows',
  rule: 'At quiet an instance has no more timers, transactions, open asks and unanswered asks than at rest before, but for what lives on by right.',
  make: ({ map, questions, census, calmMs, check, fail }) => {
    const rest = new Map<string, Census>();
    /** A life that is over has taken what it had with it. */
    const hears: Hears = {
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
      const look = () => census().flatMap((now) => grown(now, rest.get(now.of)));
      const wrong = await questions.eventually(boundsOf(map).letGoMs, look);
      if (calmMs() === 0) return;
      if (rest.size > 0) check();
      for (const what of wrong) fail(`at quiet ${what}`);
      for (const each of census()) rest.set(each.of, each);
    };
    return { hears, tick, atQuiet };
  },
};

function grown({ of, counts }: Census, before: Census | undefined): string[] {
  if (before === undefined) return [];
  const more = (name: string) => (counts.get(name) ?? 0) - (before.counts.get(name) ?? 0);
  const byRight = lasting.reduce((sum, name) => sum + Math.max(0, more(name)), 0);
  const limits: readonly [string, number][] = [
    ['timers', spareTimers + 2 * byRight],
    ['transactions', spareTransactions + byRight],
    ['asks', spareTransactions],
    ['answers', spareTransactions],
  ];
  return limits
    .filter(([name, limit]) => more(name) > limit)
    .map(([name]) => `${of} has ${counts.get(name)} ${name}, at rest before ${before.counts.get(name) ?? 0}`);
}
