/** A site is cut off, and its front crashes meanwhile: what it has acknowledged of sessions is known at the other sites afterwards. */
import type { OwnSession } from '../../../questions.ts';
import { noSession } from '../../../questions.ts';
import { current } from '../../use-cases/kit/paths.ts';
import { expecting } from '../../use-cases/kit/use-case.ts';
import { makeUser, type OwnUser } from '../../use-cases/sessions/own-sessions.ts';
import { acrossCut, cutOf } from '../kit/cut.ts';
import { type Drill, drillOf } from '../kit/drill.ts';

const sender = '10.6.1.92';
/** Addresses of attempts that fail: five of one at a front would get it banned. */
const failing = '10.6.1.93';
/** An even number: the session is bound to its first domain at the end. Each switch is a change that the next one replaces. */
const switches = 12;

export const frontsRestarted = drillOf({
  name: 'fronts-restarted',
  rule: 'When a site is cut off and its front crashes and starts again meanwhile, a session that was logged out there before the crash is one at no front after the cut, and the others go on.',
  exclusions: 'Clusters of one site.',
  sender,
  play: async (drill) => {
    const account = await makeUser(drill, 'fronts-restarted');
    if (account !== undefined) await restart(drill, account);
  },
});

async function restart(drill: Drill, account: OwnUser): Promise<void> {
  const { map, questions } = drill.context;
  const cut = await cutOf(drill);
  const outside = cut?.outside.fronts[0];
  if (cut === undefined || outside === undefined) return;
  const { site } = cut;
  const [ended, kept] = [await drill.login(account, outside), await drill.login(account, outside)];
  const moved = await questions.login(site, map.masterDomain, undefined, sender);
  if (ended === undefined || kept === undefined || moved === undefined) return;
  for (let at = 0; at < switches; at += 1) {
    const body = { domain: at % 2 === 0 ? drill.domain : map.masterDomain };
    const switched = await drill.ask(current, { session: moved, site, method: 'PATCH', body });
    drill.expect(`a switch to ${body.domain}`, switched, expecting(204));
  }
  await questions.wait(drill.quickMs);
  for (const session of [ended, kept, moved])
    await drill.everywhere(current, expecting(200), drill.quickMs, { session });
  await acrossCut(drill, cut, async () => {
    const closed = await drill.ask(current, { session: ended, site, method: 'DELETE' });
    drill.expect(`a logout at ${site}, which is cut off`, closed, expecting(204));
    for (const front of drill.activeOf('ws', site)) drill.crash(front);
    const isBack = async () => (await drill.ask('/healthz', { site, session: noSession }))?.status === 200;
    await drill.holds(drill.noticedMs, `the front of ${site} is open`, isBack);
    await isOver(drill, ended, [site]);
  });
  await isOver(drill, ended, drill.sites);
  await drill.everywhere(current, expecting(200, { domain: drill.domain }), drill.quickMs, { session: kept });
  await drill.everywhere(current, expecting(200, { domain: map.masterDomain }), drill.quickMs, { session: moved });
  for (const session of [kept, moved]) await drill.ask(current, { session, method: 'DELETE' });
}

async function isOver(drill: Drill, session: OwnSession, sites: readonly string[]): Promise<void> {
  for (const site of sites) {
    const answer = await drill.ask(current, { session, site, sender: failing });
    drill.expect(`a session that was logged out during the cut, at ${site}`, answer, expecting(401));
  }
}
