/** The links between two sites fail that both reach the master site: what they send each other goes through that. */
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import { exactly } from '../../use-cases/calls/call-judges.ts';
import { connect, endedMs, type OwnCall, type SteadyUser, steadyUsers } from '../../use-cases/kit/call.ts';
import { calls, current, nodes, sipUsers, states } from '../../use-cases/kit/paths.ts';
import { expecting, filterOf, type Item, itemsOf, textOf } from '../../use-cases/kit/use-case.ts';
import { cutOf, lacking, seeing, siteOf } from '../kit/cut.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { hasOneRecord } from '../kit/known-call.ts';

const filter = '/rest/v1/master/logicalroles/esg/bannedaddrs';
const account = { login: 'detours-taken', pwd: 'detours-taken-1', phonenumber: '779970' };
/** For documentation (RFC 5737): nothing comes from it. */
const banned = '192.0.2.92';
const device = '10.66.23.1';
const wrongSender = '10.6.1.28';

export const detoursTaken = drillOf({
  name: 'detours-taken',
  rule: 'When the links between two sites fail, in both directions or in one, while both reach the master site, all fronts soon show all nodes in reach again and lists lack no site; a call of phones at these sites goes on, another one begins, and each has one record; bans, logouts and registrations at one of them are known at the other at once.',
  exclusions: 'Clusters with fewer than two sites besides that of the master.',
  sender: '10.6.1.27',
  play: async (drill) => {
    const { map } = drill.context;
    const [one, other] = [...map.sites.keys()].filter((site) => site !== map.masterSite.name);
    if (one === undefined || other === undefined || (await cutOf(drill)) === undefined) return;
    if (!drill.sites.includes(one) || !drill.sites.includes(other)) return;
    const made = await drill.make(sipUsers, { name: 'Detour', ...account });
    await drill.copied();
    await detour(drill, { sites: [one, other], users: await steadyUsers(drill, 8), id: made?.id });
  },
});

interface Place {
  readonly sites: readonly [string, string];
  readonly users: readonly SteadyUser[];
  /** A SIP user without a phone. */
  readonly id: string | undefined;
}

async function detour(drill: Drill, { sites: [one, other], users, id }: Place): Promise<void> {
  const { map, questions } = drill.context;
  const at = (site: string) => users.filter((user) => siteOf(drill, user) === site);
  const [[x, next], [y, last]] = [at(one), at(other)];
  const before = x && y && (await connect(drill, { from: x.number, to: y.number }, { site: one }));
  const oneWay = drill.drawn % 2 === 1;
  let during: OwnCall | undefined;
  await drill.during(
    (faults) => faults.cut({ from: one, to: other, oneWay }),
    async () => {
      await questions.wait(drill.noticedMs);
      const all = seeing([...map.sites.keys()]);
      await drill.everywhere(nodes, all, 0, { domain: map.masterDomain });
      await drill.everywhere(calls, lacking([], expecting(200)), 0);
      if (before !== undefined) await goesOn(drill, before, [x, y] as readonly SteadyUser[]);
      await bans(drill, one);
      await sessions(drill, one);
      if (id !== undefined) await registers(drill, id, [one, other]);
      during = next && last && (await connect(drill, { from: last.number, to: next.number }, { site: other }));
      // What was refreshed before the cut was noticed is compared within a minute.
      const isKnown = next !== undefined && (await drill.willing()).includes(next.number);
      if (next !== undefined && last !== undefined && isKnown)
        drill.expect(`a call of ${last.number} to ${next.number} at ${other}`, undefined, () =>
          during === undefined ? 'it does not connect' : undefined,
        );
      if (during !== undefined) await ends(drill, during, one);
    },
  );
  if (before !== undefined) await ends(drill, before, other);
  for (const call of [before, during])
    if (call !== undefined) await hasOneRecord(drill, { inviteid: call.inviteid }, { withinMs: endedMs });
}

async function goesOn(
  drill: Drill,
  { path, dialogid, inviteid }: OwnCall,
  users: readonly SteadyUser[],
): Promise<void> {
  await drill.everywhere(path, expecting(200, { dialogid, inviteid, status: 'dialog' }));
  await drill.everywhere(`${calls}?countonly&${filterOf({ inviteid })}`, exactly(200, { count: 1 }));
  for (const user of users)
    drill.expect(`the phone of ${user.number}`, undefined, () =>
      drill.callsOf(user).length === 1 ? undefined : `it has ${drill.callsOf(user).length} calls instead of 1`,
    );
}

async function ends(drill: Drill, { path, dialogid }: OwnCall, site: string): Promise<void> {
  const end = await drill.ask(path, { site, method: 'DELETE' });
  drill.expect(`DELETE of ${dialogid} at ${site}`, end, expecting(200, { dialogid, result: 'ok' }));
  await drill.everywhere(path, expecting(404));
}

/** A ban at one of the sites holds at all. */
async function bans(drill: Drill, site: string): Promise<void> {
  const asked = { domain: drill.context.map.masterDomain };
  const ban = await drill.ask(filter, { ...asked, site, method: 'POST', body: { ip: banned, expires: 600 } });
  drill.expect(`a ban at ${site}`, ban, (answer) =>
    itemsOf(answer).length > 0 && itemsOf(answer).every(({ online, result }) => online === true && result === true)
      ? undefined
      : `expected result true of all, got ${textOf(answer)}`,
  );
  const lifted = await drill.ask(`${filter}/${banned}`, { ...asked, site, method: 'DELETE' });
  drill.expect(`the end of the ban at ${site}`, lifted, expecting(204));
  await drill.everywhere(
    filter,
    (answer) => {
      const isLeft = itemsOf(answer).some(({ banned: list }) =>
        ((list ?? []) as Item[]).some(({ ip }) => ip === banned),
      );
      return answer?.status === 200 && !isLeft ? undefined : `expected no ban of ${banned}, got ${textOf(answer)}`;
    },
    0,
    asked,
  );
}

/** A session that is opened at one of the sites is valid at all, and when it is closed there at none. */
async function sessions(drill: Drill, site: string): Promise<void> {
  const user = drill.context.map.domains.get(drill.domain)?.users.find(({ roles }) => roles.includes('admin'));
  const session = user && (await drill.login(user, site));
  if (session === undefined) return;
  await drill.everywhere(current, expecting(200), drill.quickMs, { session });
  drill.expect('a logout', await drill.ask(current, { session, site, method: 'DELETE' }), expecting(204));
  await drill.context.questions.wait(drill.quickMs);
  for (const front of drill.sites) {
    const asked = { session, site: front, sender: wrongSender };
    drill.expect(`a closed session at ${front}`, await drill.ask(current, asked), expecting(401));
  }
}

/** A device that registers at one of the sites is known at all, and leaves at the other. */
async function registers(drill: Drill, id: string, sites: readonly string[]): Promise<void> {
  const { context, domain } = drill;
  const gates = sites.map((site): InstanceEntry | undefined => context.map.serving('sg', site, domain)[0]);
  const { login: username, pwd } = account;
  for (const [at, gate] of gates.entries()) {
    if (gate === undefined) return;
    const [status, expires] = at === 0 ? (['online', 120] as const) : (['offline', 0] as const);
    const response = await context.questions.register({ ip: device, username, domain, pwd, gate, expires });
    drill.expect(`REGISTER for ${expires} s at ${gate.name}`, undefined, () =>
      response.status === 200 ? undefined : `expected 200, got ${response.status}`,
    );
    await drill.everywhere(`${states}/${id}`, expecting(200, { username, status }));
  }
}
