/** A quiescent cluster does not hold more after work than before. */
import { limits } from '../../../../src/model/limits.ts';
import type { Census } from '../../../../src/ports/instrumentation/probe.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { byType } from '../kit/shared.ts';

/** Entities that outlive calls, each with a timer or two. */
const lasting = ['entities.session', 'entities.suspect', 'entities.ban', 'entities.registration', 'entities.ping'];
/** How long the change of a session is remembered at most, plus one sweep. */
const rememberedMs = limits.sessionMaxMs + limits.clockSkewMs + 2 * limits.sessionSyncMs;
/** Timers that come and go: sweeps of short memories, rounds, pending notifications. */
const spareTimers = 12;
/** Requests, and answers kept for retransmission for 32 s. Registrations continue in a quiescent cluster. */
const spareTransactions = 8;

export const nothingGrows: OracleMaker = {
  name: 'nothing-grows',
  rule: 'In a quiescent cluster an instance has no more timers, transactions and open asks than when it was quiescent before, long-lived entities excluded; it remembers no more changes of sessions than there were sessions, and changes of their users, lately.',
  make: ({ map, now, questions, census, stableMs, check, fail }) => {
    const rest = new Map<string, Census>();
    /** When each session was last observed. */
    const sessions = new Map<string, number>();
    /** Users that were removed, or have another password: fronts remember that too. */
    const gone = new Map<string, number>();
    const remembering = (nowMs: number, each: Census): string[] => {
      for (const all of [sessions, gone])
        for (const [key, atMs] of all) if (nowMs - atMs > rememberedMs) all.delete(key);
      const count = each.counts.get('session-changes') ?? 0;
      const most = sessions.size + gone.size;
      return count > most ? [`${each.of} has ${count} session-changes of ${most} sessions and changed users`] : [];
    };
    /** The end of an incarnation releases everything that it held. */
    const listeners: ObservationListeners = {
      'entity.state': { session: ({ key, atMs }) => void sessions.set(key, atMs) },
      'envelope.sent': byType(['session.user_gone'], ({ envelope: { body }, atMs }) => {
        const { id, passwordId } = body as { readonly id: string; readonly passwordId?: string };
        gone.set(`${id} ${passwordId ?? ''}`, atMs);
      }),
      'instance.status': ({ instance, status }) => {
        if (status === 'starting') rest.delete(instance);
      },
      'node.ended': ({ node }) => {
        for (const of of rest.keys()) if (of === map.node(node).address) rest.delete(of);
      },
    };
    /** No calls yet, or all calls ended long ago. */
    const tick = () => {
      if (rest.size > 0 || stableMs() < boundsOf(map).promptMs) return;
      for (const each of census()) rest.set(each.of, each);
    };
    const atQuiescence = async () => {
      if (stableMs() === 0) return;
      const look = () => census().flatMap((each) => [...grown(each, rest.get(each.of)), ...remembering(now(), each)]);
      const wrong = await questions.eventually(boundsOf(map).orphanedLegMs, look);
      if (stableMs() === 0) return;
      if (rest.size > 0) check();
      for (const what of wrong) fail(`quiescent: ${what}`);
      for (const each of census()) rest.set(each.of, each);
    };
    return { listeners, tick, atQuiescence };
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
    .map(([name]) => `${of} has ${counts.get(name)} ${name}, when quiescent before ${before.counts.get(name) ?? 0}`);
}
