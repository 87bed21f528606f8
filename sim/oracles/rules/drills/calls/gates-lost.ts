/** The gate of a phone crashes, and the edge of a provider account, alone or with its node. */
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import { type AccountEntry, accountsOf } from '../../../../outside/population.ts';
import { exactly } from '../../use-cases/calls/call-judges.ts';
import { connect, type SteadyUser, steadyUsers } from '../../use-cases/kit/call.ts';
import { calls, records } from '../../use-cases/kit/paths.ts';
import { expecting, type Item, itemsOf, type Judge, textOf } from '../../use-cases/kit/use-case.ts';
import { agree, endAll } from '../kit/agreement.ts';
import { eventsAt, type SubscribedEvents } from '../kit/call-events.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import * as known from '../kit/known-call.ts';
import { connectPair } from '../kit/known-call.ts';
import { gatesOf } from '../kit/nodes.ts';

const info = '/rest/v1/master/logicalroles/esg/dashboards/info?regs';
const label = 'gates-lost';
/** A number that leads outside. */
const outside = '4930777179';

export const gatesLost = drillOf({
  name: 'gates-lost',
  rule: 'When the gate of a phone crashes and starts again, the call of the phone goes on with all its fields, takes commands, and the phone can be called; when the edge of a provider account crashes, the account is in service again at one edge of the site soon after, shown there by each front, calls go out and come in by it, and it is back at its own edge in the end.',
  exclusions:
    'Domains with fewer than two phones that are registered and answer, and whose users limit no calls; accounts that are not registered.',
  sender: '10.6.1.12',
  play: async (drill) => {
    const [x, y] = await steadyUsers(drill, 2);
    if (x === undefined || y === undefined) return;
    const subscribers = await eventsAt(drill, drill.sites);
    await loseGate(drill, [x, y], subscribers);
    await endAll(drill, [x, y]);
    await loseEdge(drill, x);
  },
});

async function loseGate(
  drill: Drill,
  [x, y]: readonly [SteadyUser, SteadyUser],
  subscribers: readonly SubscribedEvents[],
): Promise<void> {
  // A gate that is away for longer than callGoneMs ends the call.
  await drill.crashesForgotten();
  const call = await connectPair(drill, [x, y], { label });
  const lost = drill.context.map.instanceNamed(gatesOf(drill, y)[0] ?? '');
  if (call === undefined || lost === undefined) return;
  drill.crash(lost);
  await drill.becomesWhole();
  await known.goesOn(drill, call);
  for (const to of ['a', 'b']) {
    const sent = await drill.ask(call.path, { method: 'SEND_DTMF', body: { to, dtmf: '5' }, site: drill.there });
    drill.expect(`SEND_DTMF to ${to}`, sent, exactly(200, { dialogid: call.dialogid, result: 'ok' }));
  }
  const has = (user: SteadyUser, callid: string) =>
    drill.callsOf(user).some((each) => each.callid === callid && each.digits.includes('5'));
  await drill.holds(drill.patienceMs, 'both phones hear the digit', () => has(x, call.acallid) && has(y, call.bcallid));
  if (!(await drill.willing()).includes(y.number)) return;
  const again = await connectPair(drill, [x, y], { label, site: drill.there });
  drill.expect(`a call of ${y.number} by the gate that has started again`, undefined, () =>
    again === undefined ? 'it was not connected' : undefined,
  );
  await agree(drill, [x, y], { subscribers });
}

interface Reg {
  readonly code: string;
  readonly d: string;
  readonly regstate: string;
}

interface Server {
  readonly srvidx: number;
  readonly regs?: readonly Reg[];
}

/** The account is registered at this edge, and at no other one. */
function registeredAt({ domain, provider: { code } }: AccountEntry, edge: InstanceEntry): Judge {
  return (answer) => {
    const { sites = [] } = (answer?.body ?? {}) as { sites?: { servers: Server[] }[] };
    const found = sites.flatMap(({ servers }) =>
      servers.flatMap(({ srvidx, regs = [] }) =>
        regs.filter((reg) => reg.code === code && reg.d === domain).map(({ regstate }) => `${srvidx} ${regstate}`),
      ),
    );
    const right = `${edge.srvidx} registered`;
    return found.join() === right ? undefined : `expected ${right}, got ${found.join() || textOf(answer)}`;
  };
}

async function loseEdge(drill: Drill, user: SteadyUser): Promise<void> {
  const { map } = drill.context;
  const accounts = accountsOf(map);
  const account = accounts.find(({ domain }) => domain === drill.domain);
  if (account === undefined || map.domains.get(drill.domain)?.providers.length !== 1) return;
  const { gate } = account;
  const as = { domain: map.masterDomain };
  if (registeredAt(account, gate)(await drill.ask(info, as)) !== undefined) return;
  const others = map.serving('esg', gate.site).filter((each) => each !== gate && each.node !== gate.node);
  const next = others.find(({ order }) => order > gate.order) ?? others[0];
  const needed = ['ws', 'mware', 'callstore', 'b2b', 'sg', 'sr', 'rpco'] as const;
  const isAlone = (role: (typeof needed)[number]) =>
    map.serving(role, gate.site).some(({ node }) => node === gate.node) &&
    !map.serving(role, gate.site, drill.domain).some(({ node }) => node !== gate.node);
  const canSpare = !needed.some(isAlone);
  const site = [gate.site, ...drill.sites].find((name) => drill.sites.includes(name)) ?? drill.here;
  // Rules, or the provider, may refuse it.
  const before = await connect(drill, { from: user.number, to: outside }, { site });
  if (before === undefined) return;
  await drill.ask(before.path, { method: 'DELETE' });
  if (next !== undefined && canSpare && gate.site !== map.masterSite.name)
    await drill.without([gate.node], async () => {
      if (await drill.everywhere(info, registeredAt(account, next), drill.noticedMs, as))
        await callBoth(drill, account, { user, site });
    });
  else {
    drill.crash(gate);
    await drill.becomesWhole();
  }
  if (await drill.everywhere(info, registeredAt(account, gate), drill.noticedMs, as))
    await callBoth(drill, account, { user, site });
}

interface Caller {
  readonly user: SteadyUser;
  readonly site: string;
}

/** A call goes out by the account, and one comes in. */
async function callBoth(
  drill: Drill,
  account: AccountEntry,
  { user: { number, answerMs }, site }: Caller,
): Promise<void> {
  const { questions } = drill.context;
  if (!(await drill.willing()).includes(number)) return;
  const out = await connect(drill, { from: number, to: outside }, { site });
  drill.expect(`a call of ${number} to ${outside}`, undefined, () =>
    out === undefined ? 'it was not connected' : undefined,
  );
  if (out !== undefined) {
    await drill.ask(out.path, { method: 'DELETE' });
    await known.isGone(drill, out, { withinMs: drill.patienceMs });
    await drill.everywhere(`${records}/${out.inviteid}`, expecting(200, { type: 'call_terminate' }), drill.patienceMs);
  }
  const placed = questions.callBy(account.key, number);
  if (placed === undefined) return;
  let found: Item | undefined;
  const isThere = async () => {
    const live = itemsOf(await drill.ask(calls));
    found = live.find(({ esgdlg, status }) => esgdlg !== '' && status === 'dialog');
    return found !== undefined;
  };
  await drill.holds(answerMs + drill.patienceMs, `a call of ${account.key} reaches ${number}`, isThere);
  questions.hangUp(placed);
  if (found === undefined) return;
  await drill.everywhere(`${calls}/${String(found['dialogid'])}`, expecting(404), drill.patienceMs);
}
