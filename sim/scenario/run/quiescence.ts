/** How a run becomes quiescent, so that oracles can compare copies, and use cases and drills can be played. */
import { type Bounds, boundsOf } from '../../oracles/bounds.ts';
import { dealt, hands } from '../../oracles/deck.ts';
import { observedMs } from '../../oracles/stability.ts';
import type { LossPoint } from '../../ports/fault-points.ts';
import type { World } from '../../world/world.ts';
import type { RunContext } from './context.ts';

/** After a fault point has lost a message: the bound of the time until it is known. */
const caughtUp: Readonly<Record<LossPoint, keyof Bounds>> = {
  'stream.unheard': 'streamCatchUpMs',
  'events.unheard': 'subscriberCatchUpMs',
  'session.untold': 'closedMs',
  'registrar.untold': 'comparedMs',
  'data.unheard': 'copiedMs',
};

/** Longest time for calls to end, and the settle time after them. */
const callsMs = 100_000;
const settleMs = 60_000;
const stableMs = 5_000;
const pollMs = 250;
/** Longest delay of observations: a process that reports nothing delays them no longer. */
const lateMs = 10_000;

/**
 * Makes the cluster quiescent (no load, no calls, all events delivered), and runs the checks of the oracles, which compare
 * copies. Skipped while a fault is active, because copies may differ then.
 */
export async function becomeQuiescent(context: RunContext): Promise<void> {
  const { watch, workloads, faultInjector } = context;
  workloads.stop();
  if (
    watch === undefined ||
    watch.verdicts().length === 0 ||
    faultInjector.activeCount > 0 ||
    context.quiescentMs === context.atMs ||
    !(await comesToRest(context))
  )
    return;
  await watch.atQuiescence(() => playUseCases(context));
  context.quiescentMs = context.atMs;
}

/** Plays use cases while fault points lose no message, and when copies have caught up with what was lost before. */
async function playUseCases(context: RunContext): Promise<void> {
  const { faultPoints, map } = context.world;
  if (faultPoints === undefined) return play(context, 'useCase', async () => true);
  faultPoints.losesMessages = false;
  const bounds = boundsOf(map);
  const waits = [...faultPoints.fired.keys()].map(
    (point) => bounds[point in caughtUp ? caughtUp[point as LossPoint] : 'quickMs'],
  );
  await context.wait(Math.max(0, ...waits));
  await play(context, 'useCase', async () => true);
  faultPoints.losesMessages = true;
}

/**
 * Plays the use cases or drills that the scenario names, or as many as it says, which the seed draws: one that is impossible
 * in this cluster does not count. Before each one `isReady` says whether it can be played; if not, the others are not played either.
 */
async function play(
  { watch, scenario, seed }: RunContext,
  kind: 'useCase' | 'drill',
  isReady: () => Promise<boolean>,
): Promise<void> {
  const { always = 'all', useCases, drills } = scenario;
  const playable = watch?.playable(kind) ?? [];
  const wanted = kind === 'drill' ? drills : useCases;
  const areAll = always !== 'all' || wanted === true;
  // Fewer are the first ones of the same hand: a scenario is shrunk so.
  const order = areAll ? playable : dealt(playable, { seed, hand: hands[kind] });
  let left = areAll ? order.length : Number(wanted);
  for (const { name } of order) {
    if (left === 0 || !(await isReady())) return;
    if (await watch?.play(name)) left -= 1;
  }
}

/**
 * Plays drills in a cluster that was quiescent, the ones that the scenario names or as many as the seed draws. Then runs the quiescence
 * checks of the rules once more.
 */
export async function playDrills(context: RunContext): Promise<void> {
  const { watch, world, scenario } = context;
  const { always = 'all', drills } = scenario;
  const areNone = always === 'all' ? drills === 0 : watch?.playable('drill').length === 0;
  if (watch === undefined || areNone || context.quiescentMs < 0) return;
  // What breaks from here on, a drill has broken.
  world.faultPoints?.end();
  world.cluster.rules.spareNone();
  world.outside.network.rules.spareNone();
  await play(context, 'drill', async () => {
    if (context.isOver || !(await comesToRest(context))) return false;
    context.requestCount += 1;
    return true;
  });
  if (context.isOver || !(await comesToRest(context))) return;
  await watch.atQuiescence();
  context.quiescentMs = context.atMs;
}

/** Waits until no call is live, and all see each other; resolves with whether that is so. */
async function comesToRest(context: RunContext): Promise<boolean> {
  const { world } = context;
  const isAtRest = () => world.outside.calls === 0;
  const hasEnded = () => {
    if (!isAtRest()) endCalls(context);
    return isAtRest() && !isCalling(world);
  };
  endCalls(context);
  await waitFor(context, hasEnded, callsMs);
  await waitFor(context, () => world.cluster.isSettled, settleMs);
  if (!world.cluster.isSettled || !isAtRest()) return false;
  await context.wait(stableMs);
  return true;
}

/** Whether a call on request goes on, which may call a party again that has hung up. */
function isCalling(world: World): boolean {
  return world.census().some(({ counts }) => (counts.get('entities.ivr-call') ?? 0) > 0);
}

/** Observations of other processes arrive later: waits until all of what has happened so far is observed. */
export async function observeAll(context: RunContext): Promise<void> {
  const { world } = context;
  const nowMs = world.now();
  await waitFor(context, () => observedMs(world) >= nowMs, lateMs);
}

/** All phones and providers hang up. */
export function endCalls({ world: { outside }, workloads }: RunContext): void {
  workloads.hangUp();
  for (const { endpoint } of [...outside.phones(), ...outside.providers()]) outside.hangUp(endpoint);
}

async function waitFor(context: RunContext, holds: () => boolean, mostMs: number): Promise<void> {
  const untilMs = context.atMs + mostMs;
  while (!holds() && context.atMs < untilMs) await context.wait(pollMs);
}
