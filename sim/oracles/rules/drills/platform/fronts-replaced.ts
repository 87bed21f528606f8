/** The fronts of a site crash, and with them the sessions that they have in memory. */
import { noSession, type OwnSession } from '../../../questions.ts';
import { current, groups } from '../../use-cases/kit/paths.ts';
import { expecting } from '../../use-cases/kit/use-case.ts';
import { entityKinds, merged } from '../../use-cases/platform/entity-kinds.ts';
import { makeUser, type OwnUser } from '../../use-cases/sessions/own-sessions.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { KeptItem } from '../kit/kept-item.ts';

const login = 'fronts-replaced';
/** Addresses of attempts that fail: five of one at a front would get it banned. */
const senders = ['10.6.1.34', '10.6.1.35', '10.6.1.36'] as const;

export const frontsReplaced = drillOf({
  name: 'fronts-replaced',
  rule: 'When the front of a site crashes, sessions go on at the other fronts and at that one once it is back, a session that was logged out at any of them is one at none, a session stays bound to its domain, and a change that was under way happened as a whole or not at all.',
  exclusions: 'Clusters where one site has fronts.',
  sender: '10.6.1.33',
  play: async (drill) => {
    const { here, there } = drill;
    const account = here === there ? undefined : await makeUser(drill, login);
    if (account !== undefined) await replace(drill, account);
  },
});

async function replace(drill: Drill, account: OwnUser): Promise<void> {
  const { here, there } = drill;
  const { questions, map } = drill.context;
  const sessions: OwnSession[] = [];
  for (const site of [here, there, here, there, here, there, here]) {
    const session = await drill.login(account, site);
    if (session !== undefined) sessions.push(session);
  }
  const [atHere, atThere, endedHere, endedLate, endedThere, endedBefore] = sessions;
  const bound = await questions.login(there, map.masterDomain, undefined, '10.6.1.33');
  const isMissing = [atHere, atThere, endedHere, endedLate, endedThere, endedBefore, bound].includes(undefined);
  if (isMissing) return;
  const item = await makeItem(drill);
  const logout = async (session: OwnSession | undefined, site: string) => {
    if (session === undefined) return;
    const answer = await drill.ask(current, { session, site, method: 'DELETE' });
    drill.expect(`a logout at ${site}`, answer, expecting(204));
  };
  await logout(endedBefore, there);
  await logout(endedHere, here);
  const toDomain = { session: bound as OwnSession, method: 'PATCH', body: { domain: drill.domain } };
  drill.expect('a switch of the domain', await drill.ask(current, { ...toDomain, site: here }), expecting(204));
  await questions.wait(drill.quickMs);
  // This logout is known to the front that crashes, and durable there.
  await logout(endedLate, here);
  const change = item?.change({
    method: 'PATCH',
    body: { members: ['7'] },
    site: here,
    makes: (before) => (before === 'absent' ? before : merged(before, { members: ['7'] })),
  });
  for (const front of drill.activeOf('ws', here)) drill.crash(front);
  await change;
  await goOn(drill, { sessions: [atHere, atThere], bound, sites: [there] });
  await logout(endedThere, there);
  const isBack = async () => (await drill.ask('/healthz', { site: here, session: noSession }))?.status === 200;
  await drill.holds(drill.noticedMs, `the front of ${here} is open`, isBack);
  await goOn(drill, { sessions: [atHere, atThere], bound, sites: drill.sites });
  await areOver(drill, [endedBefore, endedHere, endedThere]);
  await drill.becomesWhole();
  await questions.wait(drill.quickMs);
  await areOver(drill, [endedLate]);
  await goOn(drill, { sessions: [atHere, atThere], bound, sites: drill.sites });
  if (item !== undefined) {
    await item.settle(there);
    await item.shown();
    await drill.ask(item.path, { method: 'DELETE' });
  }
  for (const session of [...sessions, bound]) {
    if (session !== endedBefore && session !== endedHere && session !== endedLate && session !== endedThere)
      await logout(session, there);
  }
}

interface Open {
  readonly sessions: readonly (OwnSession | undefined)[];
  /** One that was switched to the domain of the drill. */
  readonly bound: OwnSession | undefined;
  readonly sites: readonly string[];
}

async function goOn(drill: Drill, { sessions, bound, sites }: Open): Promise<void> {
  const { domain } = drill;
  for (const session of sessions)
    if (session !== undefined)
      await drill.everywhere(current, expecting(200, { domain, login }), 0, { session, sites });
  if (bound !== undefined)
    await drill.everywhere(current, expecting(200, { domain, domain_is_master: false }), 0, { session: bound, sites });
}

/** At each front once. */
async function areOver(drill: Drill, ended: readonly (OwnSession | undefined)[]): Promise<void> {
  for (const [index, session] of ended.entries()) {
    if (session === undefined) continue;
    for (const site of drill.sites) {
      const answer = await drill.ask(current, { session, site, sender: senders[index] ?? senders[0] });
      drill.expect(`a session that was logged out, at ${site}`, answer, expecting(401));
    }
  }
}

async function makeItem(drill: Drill): Promise<KeptItem | undefined> {
  const index = 10 + drill.context.map.topology.domains.findIndex(({ name }) => name === drill.domain);
  const id = `aa0c0f3e-7d51-4c5b-9d8f-4000000${index}000`;
  const item = new KeptItem(drill, { collection: groups, id });
  const { whole = {} } = entityKinds(drill.domain, id).find(({ path }) => path === groups) ?? {};
  const body = { code: whole['code'], members: whole['members'] };
  const outcome = await item.change({ method: 'POST', body, site: drill.there, makes: () => ({ id, ...whole }) });
  return outcome === 'done' ? item : undefined;
}
