/** An administrator terminates the b2b of a call, and a server with another call, through the interface. */
import { exactly, isSame, longTextOf, refusing } from '../../use-cases/calls/call-judges.ts';
import { endCalls, type SteadyUser, steadyUsers } from '../../use-cases/kit/call.ts';
import { nodes } from '../../use-cases/kit/paths.ts';
import { type Item, itemsOf, type Judge, textOf } from '../../use-cases/kit/use-case.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { connectPair, hasRecord, isAtPhone, isGone, isTalking, type KnownCall } from '../kit/known-call.ts';
import { gatesOf, isSpare, sitesWithout } from '../kit/nodes.ts';

const label = 'nodes-drained';
/** A server that drains lets its calls end by themselves for a second; then it ends them. (docs: b2b) */
const drainedMs = 6_000;

export const nodesDrained = drillOf({
  name: 'nodes-drained',
  rule: 'When an administrator terminates a role node, its supervisor starts it again, and its server goes on: a b2b loses its calls, which have one record each. A server that is terminated ends its calls for both phones, each with one record, is shown as unreachable with all that is on it and refuses changes with 503, while new calls are made elsewhere; it comes back by itself, and its time counts anew, that of no other node.',
  exclusions:
    'Domains with fewer than two phones that are registered and answer; servers that their site or its front needs.',
  sender: '10.6.1.45',
  play: async (drill) => {
    const [x, y] = await steadyUsers(drill, 2);
    if (x === undefined || y === undefined) return;
    await terminateRole(drill, [x, y]);
    const isThere = await drill.willing();
    if ([x, y].every(({ number }) => isThere.includes(number))) await terminateServer(drill, [x, y]);
  },
});

type Pair = readonly [SteadyUser, SteadyUser];

function master({ context: { map } }: Drill) {
  return { domain: map.masterDomain };
}

/** The rows of these nodes, by name. */
function rowsIn(answer: Parameters<Judge>[0]): Map<string, Item> {
  return new Map(itemsOf(answer).map((row) => [String(row['name']), row]));
}

/** These nodes run since this moment, and the others since before. */
function restarted(drill: Drill, names: readonly string[], before: ReadonlyMap<string, Item>, sinceMs: number): Judge {
  return (answer) => {
    const rows = rowsIn(answer);
    if (!isSame([...rows.keys()], [...before.keys()])) return `expected the nodes of before, got ${textOf(answer)}`;
    for (const [name, row] of rows) {
      const { dtStart, upTimeSec, status, type } = row;
      const isRunning = status === 'active' || (status === 'standby' && type === 'role');
      const startedMs = Date.parse(String(dtStart));
      const upMs = drill.context.now() - startedMs;
      const isNew = startedMs >= sinceMs && Math.abs(Number(upTimeSec) * 1_000 - upMs) <= drill.quickMs;
      const isRight = names.includes(name) ? isNew : dtStart === before.get(name)?.['dtStart'];
      if (!isRunning || !isRight) return `${name}: ${JSON.stringify(row)} at ${Math.round(drill.context.now())}`;
    }
    return undefined;
  };
}

async function terminateRole(drill: Drill, pair: Pair): Promise<void> {
  const { questions, now } = drill.context;
  const call = await connectPair(drill, pair, { label });
  if (call === undefined) return;
  const { name } = call.b2b;
  const before = rowsIn(await drill.ask(nodes, master(drill)));
  const sinceMs = now();
  const deleted = await drill.ask(`${nodes}/${name}`, { ...master(drill), method: 'DELETE', site: drill.there });
  drill.expect(`DELETE of ${name}`, deleted, exactly(204, undefined));
  const { callGoneMs } = drill.context.map.topology.timings;
  await isGone(drill, call, { withinMs: callGoneMs + drill.quickMs });
  await hasRecord(drill, call, { type: 'dead', status: null }, { withinMs: drill.quickMs });
  await drill.everywhere(nodes, restarted(drill, [name], before, sinceMs), drill.noticedMs, master(drill));
  await drill.becomesWhole();
  await questions.wait(drill.quickMs);
  // What the phones have is over with the session timer.
  const lastMs = sinceMs + drill.context.map.topology.timings.sessionExpiresMs + drill.quickMs;
  await drill.holds(
    Math.max(0, lastMs - now()),
    `${call.dialogid} is over for its phones`,
    () => !isAtPhone(drill, call),
  );
}

/** Whether domain data and dialogs are served at its site without the node. */
function isServedWithout(drill: Drill, node: string): boolean {
  const { map } = drill.context;
  const { site } = map.node(node);
  return (['b2b', 'mdc', 'sdc'] as const).every((role) => {
    const all = map.serving(role, site, drill.domain);
    return all.length === 0 || all.some((each) => each.node !== node);
  });
}

/** A call whose b2b is on a server that may be lost, and is not behind the gates of its phones. */
async function callAtSpare(drill: Drill, pair: Pair): Promise<KnownCall | undefined> {
  const gates = pair.flatMap((user) => gatesOf(drill, user));
  for (const site of drill.sites) {
    const call = await connectPair(drill, pair, { label, site });
    if (call === undefined) return undefined;
    const { node } = call.b2b;
    if (isSpare(drill, node, gates) && isServedWithout(drill, node)) return call;
    await endCalls(drill, pair);
    await drill.holds(drill.quickMs, `${call.dialogid} is over for its phones`, () => !isAtPhone(drill, call));
  }
  return undefined;
}

async function terminateServer(drill: Drill, pair: Pair): Promise<void> {
  const { map, now } = drill.context;
  const { nodeRestartMs } = map.topology.timings;
  const call = nodeRestartMs === 0 ? undefined : await callAtSpare(drill, pair);
  if (call === undefined) return;
  const { node } = call.b2b;
  const sites = sitesWithout(drill, node);
  // Not through a front that is terminated as well.
  const site = sites.find((each) => each !== map.node(node).site);
  if (site === undefined) return;
  const names = [node, ...map.node(node).instances.map(({ name }) => name)];
  const before = rowsIn(await drill.ask(nodes, master(drill)));
  const sinceMs = now();
  const as = { ...master(drill), site };
  const deleted = await drill.ask(`${nodes}/${node}`, { ...as, method: 'DELETE' });
  drill.expect(`DELETE of ${node}`, deleted, exactly(204, undefined));
  await drill.holds(drainedMs, `${call.dialogid} is over for its phones`, () => !isAtPhone(drill, call));
  await isGone(drill, call, { sites });
  await hasRecord(drill, call, { type: 'call_terminate' }, { withinMs: drill.quickMs, sites });
  await isAway(drill, { names, before, site, sites });
  const next = await connectPair(drill, pair, { label, site });
  drill.expect(`a call while ${node} is away`, undefined, () => {
    if (next === undefined) return 'it was not connected';
    return next.b2b.node === node ? `it is at ${next.b2b.name}` : undefined;
  });
  const leftMs = Math.max(0, sinceMs + drainedMs + nodeRestartMs + drill.noticedMs - now());
  await drill.everywhere(nodes, restarted(drill, names, before, sinceMs), leftMs, master(drill));
  await drill.becomesWhole();
  if (next !== undefined) goesOn(drill, next);
  await hasRecord(drill, call, { type: 'call_terminate' });
}

function goesOn(drill: Drill, call: KnownCall): void {
  const isThere = isTalking(drill, call);
  drill.expect(`phones of ${call.dialogid}`, undefined, () => (isThere ? undefined : 'they do not talk any more'));
}

interface Away {
  readonly names: readonly string[];
  readonly before: ReadonlyMap<string, Item>;
  readonly site: string;
  /** The ones that have a front without it. */
  readonly sites: readonly string[];
}

/** Each front shows the server as unreachable, with all that is on it; it cannot be changed. */
async function isAway(drill: Drill, { names, before, site, sites }: Away): Promise<void> {
  const [node] = names;
  const away: Judge = (answer) => {
    for (const [name, row] of rowsIn(answer)) {
      const { status, dtStart, upTimeSec, maxLogLevel: _, ...identity } = row;
      if (!names.includes(name)) continue;
      const { status: _s, dtStart: _d, upTimeSec: _u, maxLogLevel: _m, ...was } = before.get(name) ?? {};
      const isRight = status === 'unreachable' && dtStart === null && upTimeSec === null && isSame(identity, was);
      if (!isRight) return `expected ${name} unreachable, got ${JSON.stringify(row)}`;
    }
    return answer?.status === 200 ? undefined : `got ${longTextOf(answer)}`;
  };
  if (!(await drill.everywhere(nodes, away, drill.noticedMs, { ...master(drill), sites }))) return;
  for (const name of [node, names.at(-1)]) {
    const path = `${nodes}/${name}`;
    const patch = { method: 'PATCH', body: { maxLogLevel: 'info' } };
    for (const request of [{ method: 'DELETE' }, patch]) {
      const answer = await drill.ask(path, { ...master(drill), site, ...request });
      drill.expect(`${request.method} of ${name}, which is away`, answer, (given) => {
        const message = String((given?.body as Item | undefined)?.['error_message']);
        const isNamed = message.includes(String(node)) && message.includes('not reachable') && message.includes(site);
        return refusing(503)(given) ?? (isNamed ? undefined : `message ${message}`);
      });
    }
  }
}
