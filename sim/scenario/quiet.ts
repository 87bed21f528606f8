/** Brings a world to rest, so that the oracles can look whether everybody agrees: no load, no calls, and time has passed. */
import type { Stage } from './stage.ts';

/** How long calls may take to end, and what is told afterwards to be heard. */
const callsMs = 100_000;
const settleMs = 60_000;
const calmMs = 5_000;
const lookMs = 250;

/** Asks the oracles at quiet, where the cluster is whole; while something is broken nobody need agree. */
export async function becomeQuiet(stage: Stage): Promise<void> {
  const { world, watch, workloads, inflictor } = stage;
  workloads.stop();
  if (watch === undefined || watch.verdicts().length === 0 || inflictor.standing > 0 || stage.quietMs === stage.atMs)
    return;
  endCalls(stage);
  const isAtRest = () => world.outside.calls === 0;
  await waitFor(stage, isAtRest, callsMs);
  await waitFor(stage, () => world.cluster.isSettled, settleMs);
  if (!world.cluster.isSettled || !isAtRest()) return;
  await stage.wait(calmMs);
  await watch.atQuiet();
  stage.quietMs = stage.atMs;
}

/** Everybody outside hangs up. */
export function endCalls({ world: { outside }, workloads }: Stage): void {
  workloads.hangUp();
  for (const { endpoint } of [...outside.phones(), ...outside.providers()]) outside.hangUp(endpoint);
}

async function waitFor(stage: Stage, holds: () => boolean, mostMs: number): Promise<void> {
  const untilMs = stage.atMs + mostMs;
  while (!holds() && stage.atMs < untilMs) await stage.wait(lookMs);
}
