/** A b2b instance with live calls crashes, alone or with its node. Its calls end; those of other instances go on. */
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import { exactly, isSame, longTextOf } from '../../use-cases/calls/call-judges.ts';
import { jobs, load } from '../../use-cases/dialogs/announcements-matched.ts';
import { place } from '../../use-cases/dialogs/phone-calls.ts';
import { connect, endCalls, limit, type OwnCall, type SteadyUser, steadyUsers } from '../../use-cases/kit/call.ts';
import { calls as callsPath, dashboards, records } from '../../use-cases/kit/paths.ts';
import { expecting, type Item, type Judge } from '../../use-cases/kit/use-case.ts';
import { eventsAt, type SubscribedEvents } from '../kit/call-events.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import * as known from '../kit/known-call.ts';
import { connectPair, type KnownCall } from '../kit/known-call.ts';
import { gatesOf, isSpare } from '../kit/nodes.ts';

const label = 'b2bs-lost';
/** An announcement, longer than a loss is noticed. */
const playsMs = 60_000;
/** A number that leads outside. */
const outside = '4930777178';
/** Calls by IVR, until one is at another instance of the site. */
const mostByIvr = 3;
/** Of a recording: 8 kHz, 16 bit, stereo, behind a header. */
const [bytesPerMs, headerBytes] = [32, 44];

export const b2bsLost = drillOf({
  name: 'b2bs-lost',
  rule: 'When a b2b instance crashes, alone or with its node, its calls are shown, listed and found at no front a moment later, and the edges do not count them; each has one record, of type dead, the same at each front, with what was recorded until then, and one dlg_dead; no matcher listens to their announcements; they end for both phones with the session timer; two users with one trunk can call each other again; calls of other instances stay as they were.',
  exclusions:
    'Domains with fewer than two phones that are registered and answer, whose users limit no calls, and limits in those with fewer than four; nodes with the only callstore of their site; with a node, what its gates serve.',
  sender: '10.6.1.10',
  play: async (drill) => {
    const users = await steadyUsers(drill, 4);
    const [a, b] = users;
    if (a === undefined || b === undefined) return;
    const [, , c = a, d = b] = users;
    const subscribers = await eventsAt(drill, drill.sites);
    await loseMatched(drill, [a, b]);
    if (users.length < 4 || (await limit(drill, [a, b]))) await lose(drill, [a, b, c, d], subscribers);
  },
});

interface Loss {
  readonly lost: InstanceEntry;
  /** The node that crashes with it. */
  readonly node: string | undefined;
  /** Sites that have a front without the node. */
  readonly sites: readonly string[];
  readonly calls: readonly KnownCall[];
  /** Calls to a provider, and who has called. */
  readonly outward: readonly OwnCall[];
  readonly caller: SteadyUser;
  readonly subscribers: readonly SubscribedEvents[];
}

type Four = readonly [SteadyUser, SteadyUser, SteadyUser, SteadyUser];

async function lose(drill: Drill, [a, b, c, d]: Four, subscribers: readonly SubscribedEvents[]): Promise<void> {
  const first = await connectPair(drill, [a, b], { label });
  if (first === undefined) return;
  const outward = await callOut(drill, c);
  const calls = [await connectPair(drill, [c, d], { label, site: drill.there })];
  for (let count = 0; count < mostByIvr && calls.at(-1)?.b2b !== first.b2b; count += 1)
    calls.push(await connectPair(drill, [c, d], { label, method: 'POST' }));
  const recording = await record(drill, first);
  if (recording === undefined) return;
  const lost = first.b2b;
  const { now } = drill.context;
  const node = isSpare(drill, lost.node, []) && drill.drawn % 2 === 0 ? lost.node : undefined;
  const sites = drill.sites.filter((site) => hasFront(drill, site, node));
  const talking = [recording.call, ...calls.filter((call) => call !== undefined)];
  const loss = { lost, node, sites, calls: talking, outward, caller: c, subscribers };
  // What is published of a call just now may be lost with the node.
  await drill.context.questions.wait(drill.quickMs);
  const crashedMs = now();
  if (node === undefined) {
    drill.crash(lost);
    await ends(drill, loss);
    await drill.becomesWhole();
  } else await drill.without([node], () => ends(drill, loss));
  await remains(drill, loss, crashedMs);
  await recordedUntil(drill, recording, crashedMs);
  const willing = await drill.willing();
  if (!willing.includes(a.number) || !willing.includes(b.number)) return;
  const again = await connectPair(drill, [a, b], { label });
  drill.expect(`a call of ${a.number} with ${b.number}, with one trunk each, after the loss`, undefined, () =>
    again === undefined ? 'it was not connected' : undefined,
  );
}

/** An announcement plays in a call: no matcher listens to it when the b2b of the call is gone. */
async function loseMatched(drill: Drill, [a, b]: readonly [SteadyUser, SteadyUser]): Promise<void> {
  const { questions, map } = drill.context;
  if (!(await load(drill))) return;
  const before = await jobs(drill);
  questions.behave(drill.domain, b.number, { ringMs: 0, announcement: label, answerMs: playsMs, reject: 480 });
  const placed = place(drill, a, b.number);
  const isHeard = async () => ((await jobs(drill)) > before ? [] : ['no job']);
  if (placed !== undefined && (await questions.eventually(drill.patienceMs, isHeard)).length === 0) {
    const found = await drill.ask(callsPath, { method: 'LOOKUP', body: { callid: placed.callid } });
    const [dialogid] = Array.isArray(found?.body) ? found.body : [];
    const b2b = drill.ownerOf('b2b', String(dialogid));
    if (b2b !== undefined) {
      drill.crash(b2b);
      const withinMs = map.topology.timings.callGoneMs + drill.noticedMs;
      await drill.holds(withinMs, `no matcher listens for ${b2b.name}`, async () => (await jobs(drill)) <= before);
      await drill.becomesWhole();
    }
  }
  questions.behave(drill.domain, b.number);
  await endCalls(drill, [a, b]);
}

/** The edge of the only account of the domain. */
function edgeOf({ context: { map }, domain }: Drill): InstanceEntry | undefined {
  const [account, more] = map.domains.get(domain)?.providers ?? [];
  return more === undefined ? map.instancesOf('esg').find(({ srvidx }) => srvidx === account?.esg) : undefined;
}

/** Two calls to a provider, at two sites. The edges count them. */
async function callOut(drill: Drill, { number }: SteadyUser): Promise<OwnCall[]> {
  const edge = edgeOf(drill);
  const placed: OwnCall[] = [];
  if (edge === undefined) return placed;
  const counted = await drill.ask(`${dashboards}/count?site=${edge.site}`, { domain: drill.context.map.masterDomain });
  // An edge counts a leg whose end it has missed for as long as a session lasts.
  if ((counted?.body as Item | undefined)?.['callcount'] !== 0) return placed;
  for (const site of [drill.here, drill.there]) {
    const call = await connect(drill, { from: number, to: outside }, { site });
    if (call !== undefined) placed.push(call);
  }
  return placed;
}

interface Recording {
  readonly call: KnownCall;
  readonly before: number;
  readonly askedMs: number;
  readonly startedMs: number;
}

/** Gives the call a label, and has it recorded from now on. */
async function record(drill: Drill, call: KnownCall): Promise<Recording | undefined> {
  const { path, dialogid } = call;
  const { now } = drill.context;
  const set = (method: string, body: Item) => drill.ask(path, { method, body, site: drill.there });
  const done = { dialogid, result: 'ok' };
  // By a rule of the domain.
  const before = call.opts['recording'] === true ? 1 : 0;
  if (before > 0) drill.expect('SETUP_RECORD stop', await set('SETUP_RECORD', { action: 'stop' }), exactly(200, done));
  const bound = await set('SETUP_BINDINGS', { add: [label] });
  drill.expect('SETUP_BINDINGS', bound, exactly(200, { ...done, bindings: [label] }));
  const askedMs = now();
  drill.expect('SETUP_RECORD start', await set('SETUP_RECORD', { action: 'start' }), exactly(200, done));
  const startedMs = now();
  const isSet: Judge = (answer) => {
    const { bindings, recording } = ((answer?.body as Item | undefined)?.['opts'] ?? {}) as Item;
    return recording === true && isSame(bindings, [label])
      ? undefined
      : `no label, or no recording in ${longTextOf(answer)}`;
  };
  await drill.everywhere(path, isSet);
  const shown = await known.asShown(drill, call);
  return shown && { call: shown, before, askedMs, startedMs };
}

const dead = { type: 'dead', status: null };

/** Soon after the loss. */
async function ends(drill: Drill, loss: Loss): Promise<void> {
  const { lost, node, sites, calls, outward } = loss;
  const { callGoneMs } = drill.context.map.topology.timings;
  const withinMs = callGoneMs + (node === undefined ? drill.quickMs : drill.noticedMs);
  const ended = calls.filter(({ b2b }) => b2b === lost);
  for (const call of [...ended, ...outward.filter((each) => drill.ownerOf('b2b', each.dialogid) === lost)])
    await known.isGone(drill, call, { withinMs, sites });
  for (const call of ended) await known.hasRecord(drill, call, dead, { withinMs: drill.quickMs, sites });
  for (const call of living(drill, loss)) await known.goesOn(drill, call, { sites });
  await count(drill, loss);
}

/** When all is whole: nothing has changed, and nothing came twice. */
async function remains(drill: Drill, loss: Loss, crashedMs: number): Promise<void> {
  const { lost, calls, outward, subscribers } = loss;
  const ended = calls.filter(({ b2b }) => b2b === lost);
  for (const call of ended) {
    await known.hasRecord(drill, call, dead);
    await known.heard(drill, call, subscribers, ['dlg_dead']);
  }
  for (const { inviteid } of outward.filter((each) => drill.ownerOf('b2b', each.dialogid) === lost))
    await drill.everywhere(`${records}/${inviteid}`, expecting(200, dead));
  const lastMs = crashedMs + drill.context.map.topology.timings.sessionExpiresMs + drill.quickMs;
  for (const call of ended) {
    const leftMs = Math.max(0, lastMs - drill.context.now());
    await drill.holds(leftMs, `${call.dialogid} is over for its phones`, () => !known.isAtPhone(drill, call));
  }
  for (const call of living(drill, loss)) {
    await known.goesOn(drill, call);
    await known.heard(drill, call, subscribers, []);
    const isTalking = known.isTalking(drill, call);
    drill.expect(`phones of ${call.dialogid}`, undefined, () => (isTalking ? undefined : 'they do not talk any more'));
  }
  await count(drill, loss);
}

/** Each front shows so many dialogs and legs at the edges as calls to the provider are left. */
async function count(drill: Drill, { lost, node, sites, outward, caller }: Loss): Promise<void> {
  const { map } = drill.context;
  const edge = edgeOf(drill);
  if (outward.length === 0 || edge === undefined || edge.node === node || isBehind(drill, caller, node)) return;
  const left = outward.filter((each) => drill.ownerOf('b2b', each.dialogid) !== lost).length;
  const judge = expecting(200, { dlgcount: left, callcount: left });
  await drill.everywhere(`${dashboards}/count?site=${edge.site}`, judge, drill.quickMs, {
    domain: map.masterDomain,
    sites,
  });
}

/** Calls of other instances, whose phones are not behind a gate of the node. */
function living(drill: Drill, { lost, node, calls }: Loss): KnownCall[] {
  return calls.filter(({ b2b, pair }) => b2b !== lost && !pair.some((user) => isBehind(drill, user, node)));
}

function isBehind(drill: Drill, user: SteadyUser, node: string | undefined): boolean {
  return gatesOf(drill, user).some((gate) => drill.context.map.instanceNamed(gate)?.node === node);
}

/** Each front lists one recording more, as long as the call had it. */
async function recordedUntil(drill: Drill, recording: Recording, crashedMs: number): Promise<void> {
  const { call, before, askedMs, startedMs } = recording;
  const path = `${records}/${call.inviteid}/attachments`;
  await drill.everywhere(`${records}/${call.inviteid}`, expecting(200, { recordings: before + 1 }));
  const { endts } = ((await drill.ask(`${records}/${call.inviteid}`))?.body ?? {}) as { endts?: number };
  const judge: Judge = (answer) => {
    const [listed] = (answer?.body ?? []) as { site: string; files: { name: string; size: number }[] }[];
    const ms = (Number(listed?.files.at(-1)?.size) - headerBytes) / bytesPerMs;
    const isRight =
      listed?.site === call.site &&
      listed.files.length === before + 1 &&
      ms >= crashedMs - startedMs - 5 &&
      ms <= Number(endts) - askedMs + 5;
    return isRight
      ? undefined
      : `expected ${crashedMs - startedMs} to ${Number(endts) - askedMs} ms, got ${ms} in ${longTextOf(answer)}`;
  };
  if (!(await drill.everywhere(path, judge, drill.patienceMs))) return;
  const [{ files } = { files: [] }] = ((await drill.ask(path))?.body ?? []) as {
    files: { name: string; size: number }[];
  }[];
  const file = files.at(-1);
  await drill.everywhere(
    `${path}/${file?.name}`,
    (answer) => {
      const length = Number(answer?.headers.get('content-length'));
      return answer?.status === 200 && length === file?.size
        ? undefined
        : `expected ${file?.size} bytes, got ${length}`;
    },
    drill.quickMs,
    { method: 'HEAD' },
  );
}

function hasFront(drill: Drill, site: string, without: string | undefined): boolean {
  return drill.context.map.instancesOf('ws').some((front) => front.site === site && front.node !== without);
}
