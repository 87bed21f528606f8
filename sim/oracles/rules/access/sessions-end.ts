/** A closed session is closed everywhere. */
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleContext, OracleMaker } from '../../oracle.ts';

const path = '/rest/v1/iam/sessions/current';

export const sessionsEnd: OracleMaker = {
  name: 'sessions-end',
  rule: 'A session that was closed at one front is closed within five seconds at all fronts that see each other.',
  make: (context) => {
    const { map, stableMs, check, fail } = context;
    const { promptMs, quickMs } = boundsOf(map);
    /** The ws instances that accept a session. */
    const openAt = new Map<string, Set<string>>();
    const closedMs = new Map<string, number>();
    const listeners: ObservationListeners = {
      'entity.state': {
        session: ({ owner, key, state, atMs }) => {
          const owners = openAt.get(key) ?? new Set<string>();
          openAt.set(key, owners);
          if (state === 'active') owners.add(owner);
          else owners.delete(owner);
          // Right after a fault nodes may not reach each other yet, and the message is lost.
          if (state === 'closed' && stableMs() > quickMs && owners.size > 0)
            closedMs.set(key, closedMs.get(key) ?? atMs);
          if (owners.size > 0) return;
          openAt.delete(key);
          if (closedMs.delete(key)) check();
        },
      },
    };
    const tick = (nowMs: number) => {
      for (const [key, atMs] of closedMs) {
        if (nowMs <= atMs + promptMs) continue;
        closedMs.delete(key);
        const owners = [...(openAt.get(key) ?? [])];
        if (stableMs() > promptMs && owners.length > 0) fail(`a closed session is still open at ${owners.join(', ')}`);
      }
    };
    return { listeners, tick, atQuiescence: () => tryOne(context) };
  },
};

/** Logs in at one front, checks the session at each, logs out, and checks that each refuses it. */
async function tryOne({ map, questions, stableMs, check, fail }: OracleContext): Promise<void> {
  const { sites } = questions;
  const [first] = sites;
  if (first === undefined || stableMs() === 0) return;
  const session = await questions.login(first, map.masterDomain);
  if (session === undefined) return;
  const statusesAt = () => Promise.all(sites.map((site) => questions.askAs(session, site, { path })));
  await statusesAt();
  const out = await questions.askAs(session, first, { path, method: 'DELETE' });
  if (out === undefined || out.status >= 300) return;
  // An unknown session id counts towards a ban, so each front is asked once, after the bound.
  await questions.wait(boundsOf(map).promptMs);
  const answers = await statusesAt();
  if (stableMs() === 0) return;
  check();
  answers.forEach((answer, index) => {
    if (answer?.status === 200) fail(`${sites[index]} accepts a session that was closed at ${first}`);
  });
}
