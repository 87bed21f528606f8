/** The node with the active callstore, mware and registrar of a site does nothing until others have taken over, and goes on. */
import type { RoleName } from '../../../../../src/model/cluster/roles.ts';
import { type SteadyUser, steadyUsers } from '../../use-cases/kit/call.ts';
import { calls } from '../../use-cases/kit/paths.ts';
import { expecting, type Item, itemsOf, type Judge, textOf } from '../../use-cases/kit/use-case.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import * as known from '../kit/known-call.ts';
import { connectPair, connectWhere, type KnownCall } from '../kit/known-call.ts';
import { gatesOf, isSpare } from '../kit/nodes.ts';
import { inTime, silentNodes, timed } from '../kit/silence.ts';

const roles: readonly RoleName[] = ['callstore', 'mware', 'sr'];
const label = 'owners-silenced';
const marginMs = 500;

export const ownersSilenced = drillOf({
  name: 'owners-silenced',
  rule: 'When the node with the active callstore, mware and registrar of a site does nothing, each list of calls is answered in time, and is complete or says what is missing; no call is shown as over that is not; the others take over in time, show, end and connect calls, and each call has one record. When the node goes on, one member of each group is active a moment later, the calls are as they were, and no record is there twice.',
  exclusions: 'Sites where no node can be lost, or whose other nodes have no phones, b2b and front of their own.',
  sender: '10.6.1.63',
  play: async (drill) => {
    const [a, b, c, d] = await steadyUsers(drill, 4);
    if (a === undefined || b === undefined) return;
    await play(drill, [a, b], c === undefined || d === undefined ? undefined : [c, d]);
  },
});

type Pair = readonly [SteadyUser, SteadyUser];

/** The call of one pair ends while the node is silent, and another one begins; that of the other pair stays, where there is one. */
async function play(drill: Drill, pair: Pair, other: Pair | undefined): Promise<void> {
  const users = [...pair, ...(other ?? [])];
  // Without the master data no call begins at the master site.
  const masters = drill.activeOf('mdc', drill.context.map.masterSite.name).map(({ name }) => name);
  const needed = [...users.flatMap((user) => gatesOf(drill, user)), ...masters];
  const silent = silentNodes(drill).find(
    ({ node, sites }) =>
      sites.length === drill.sites.length && isSpare(drill, node.name, needed) && owned(drill, node.name).length > 0,
  );
  if (silent === undefined) return;
  const { name, site } = silent.node;
  const own = owned(drill, name);
  if (!(await areMoved(drill, name, site, own))) return;
  const ends = await elsewhere(drill, name, pair);
  const stays = other && (await elsewhere(drill, name, other));
  if (ends === undefined) return;
  const lasting = stays === undefined ? [] : [stays];
  const actives = () => own.map((role) => drill.activeOf(role, site).length).join() === own.map(() => 1).join();
  let later: KnownCall | undefined;
  await drill.paused([name], async () => {
    await Promise.all(drill.sites.map((at) => listed(drill, at, [...lasting, ends])));
    for (const call of lasting) await known.goesOn(drill, call, { withinMs: drill.noticedMs });
    const isEnded = async () => [200, 404].includes((await drill.ask(ends.path, { method: 'DELETE' }))?.status ?? 0);
    if (await drill.holds(drill.noticedMs, `DELETE of ${ends.path} is served`, isEnded))
      await drill.everywhere(ends.path, expecting(404), drill.noticedMs);
    const areReplaced = () => own.every((role) => drill.activeOf(role, site).some(({ node }) => node !== name));
    await drill.holds(drill.noticedMs, `another ${own.join(', another ')} is active at ${site}`, areReplaced);
    later = await connectPair(drill, pair, { label, site: drill.there });
    drill.expect(`a call of ${pair[0].number} while ${name} is silent`, undefined, () =>
      later === undefined ? 'it was not connected' : undefined,
    );
    await known.hasRecord(drill, ends, { type: 'call_terminate' }, { withinMs: drill.patienceMs });
    drill.context.faults.resumeNode(name);
    const { pingIntervalMs } = drill.context.map.topology.timings;
    await drill.holds(pingIntervalMs + drill.quickMs, `one ${own.join(', one ')} is active at ${site}`, actives);
    // At the moment when two may serve.
    for (const call of lasting) await known.goesOn(drill, call);
  });
  const all = [...lasting, ...(later === undefined ? [] : [later])];
  for (const call of all) await known.goesOn(drill, call, { withinMs: drill.patienceMs });
  await known.isGone(drill, ends);
  drill.expect(`groups of ${name}`, undefined, () => (actives() ? undefined : 'two are active'));
  for (const call of all) {
    const answer = await drill.ask(call.path, { method: 'DELETE', site: drill.there });
    drill.expect(`DELETE ${call.path}`, answer, expecting(200, { dialogid: call.dialogid, result: 'ok' }));
    await known.isGone(drill, call, { withinMs: drill.patienceMs });
    await known.hasRecord(drill, call, { type: 'call_terminate' });
  }
  await known.hasRecord(drill, ends, { type: 'call_terminate' });
}

/** The roles of which a node has a member that another node can replace. */
function owned(drill: Drill, name: string): RoleName[] {
  const { map } = drill.context;
  const { site } = map.node(name);
  return roles.filter((role) => {
    const all = map.serving(role, site, drill.domain);
    return all.some(({ node }) => node === name) && all.some(({ node }) => node !== name);
  });
}

/** Has the members of the node become the active ones: the others crash while these can serve. */
async function areMoved(drill: Drill, name: string, site: string, own: readonly RoleName[]): Promise<boolean> {
  const others = () => own.flatMap((role) => drill.activeOf(role, site).filter(({ node }) => node !== name));
  for (let count = 0; count < 2 && others().length > 0; count += 1) {
    for (const each of others()) drill.crash(each);
    await drill.becomesWhole();
  }
  return others().length === 0;
}

/** A call of a b2b on another node. */
function elsewhere(drill: Drill, name: string, pair: Pair): Promise<KnownCall | undefined> {
  return connectWhere(
    drill,
    pair,
    () => ({ label }),
    ({ b2b }) => b2b.node !== name,
  );
}

/** Answered before its deadline: with these calls, or with what is missing, or with an error. */
async function listed(drill: Drill, site: string, expected: readonly KnownCall[]): Promise<void> {
  const { requestDeadlineMs } = drill.context.map.topology.timings;
  const judge: Judge = (answer) => {
    if (answer?.status === 503 || answer?.status === 504 || answer?.headers.has('x-missing-sites') === true)
      return undefined;
    const ids = itemsOf(answer).map((item: Item) => item['dialogid']);
    const isWhole = answer?.status === 200 && expected.every(({ dialogid }) => ids.includes(dialogid));
    return isWhole ? undefined : `expected ${expected.map(({ dialogid }) => dialogid).join()}, got ${textOf(answer)}`;
  };
  const shown = await timed(drill, `${calls}?mask=dialogid`, { site });
  drill.expect(
    `GET ${calls} at ${site} during the silence`,
    shown.answer,
    inTime(shown, requestDeadlineMs + marginMs, judge),
  );
  // That it is over, only the callstore of its site can say.
  for (const { path, dialogid } of expected) {
    const answer = await drill.ask(path, { site });
    const isRefused = answer?.status === 503 || answer?.status === 504;
    if (!isRefused) drill.expect(`GET ${path} at ${site} during the silence`, answer, expecting(200, { dialogid }));
  }
}
