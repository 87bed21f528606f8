/**
 * What surrounds quorum, failover and lease in a site of two nodes that is cut in half: what each node notices, the link between them, the
 * members of the group, and the node of the arbiter.
 */
import { emit, setup } from 'xstate';
import { timingsSchema } from '../../../src/model/topology/schema.ts';

const { pingIntervalMs, pingPatienceMs, pingMisses, takeoverMs: waitMs } = timingsSchema.parse({});
export const takeoverMs = waitMs;
/** As the node sets them (`cluster/node-parts.ts`). */
const claimEveryMs = pingIntervalMs;
export const leaseMs = 3 * claimEveryMs;
const claimPatienceMs = claimEveryMs / 2;
/** After a cut a node misses the other one between these times: a ping may have been answered just before, or was just due. */
const noticedMs = { earliest: (pingMisses - 1) * pingIntervalMs, latest: pingMisses * pingIntervalMs + pingPatienceMs };
/** How long both members may serve: as much later as one node may notice the cut, and until its claim is refused. */
const overlapMs = noticedMs.latest - noticedMs.earliest + claimPatienceMs - takeoverMs;

export const sides = ['west', 'east'] as const;
export type Half = (typeof sides)[number];
export const otherOf = { west: 'east', east: 'west' } as const;

/** What a node sees of the other one, with its claims: it claims while half of the site is in reach. */
export const nodeMachine = setup({
  types: {
    events: {} as
      | { type: 'link.cut' | 'link.mended' | 'peer.missed' | 'tie.entered' | 'tie.left' | 'view.changed' }
      | Answer,
    emitted: {} as HalfCommand,
  },
  actions: {
    seeBoth: emit({ type: 'sees', reachable: 2 }),
    seeHalf: emit({ type: 'sees', reachable: 1 }),
    claim: emit({ type: 'claim' }),
    giveUp: emit({ type: 'refused' }),
    passOn: emit(({ event }) => ({ type: (event as Answer).granted ? 'granted' : 'refused' })),
    judge: emit({ type: 'judge' }),
  },
  delays: {
    earliest: noticedMs.earliest,
    rest: noticedMs.latest - noticedMs.earliest,
    claimEvery: claimEveryMs,
    claimPatience: claimPatienceMs,
  },
}).createMachine({
  id: 'node',
  type: 'parallel',
  on: { 'view.changed': { actions: 'judge' } },
  states: {
    peer: {
      initial: 'reached',
      states: {
        reached: { entry: 'seeBoth', on: { 'link.cut': 'unheard' } },
        unheard: { after: { earliest: 'missing' }, on: { 'link.mended': 'reached' } },
        missing: { after: { rest: 'lost' }, on: { 'peer.missed': 'lost', 'link.mended': 'reached' } },
        lost: { entry: 'seeHalf', on: { 'link.mended': 'reached' } },
      },
    },
    claims: {
      initial: 'none',
      states: {
        none: { on: { 'tie.entered': 'some' } },
        some: {
          initial: 'open',
          after: { claimEvery: { target: 'some', reenter: true } },
          on: { 'tie.left': 'none' },
          states: {
            open: {
              entry: 'claim',
              after: { claimPatience: { target: 'answered', actions: 'giveUp' } },
              on: { 'claim.answered': { target: 'answered', actions: 'passOn' } },
            },
            answered: {},
          },
        },
      },
    },
  },
});

interface Answer {
  readonly type: 'claim.answered';
  readonly granted: boolean;
}
export type HalfCommand = { type: 'sees'; reachable: number } | { type: 'claim' | 'granted' | 'refused' | 'judge' };

export const linkMachine = setup({
  types: { events: {} as { type: 'cut' | 'mend' }, emitted: {} as { type: 'cut' | 'mended' } },
  actions: { cut: emit({ type: 'cut' }), mended: emit({ type: 'mended' }) },
}).createMachine({
  id: 'link',
  initial: 'whole',
  states: {
    whole: { on: { cut: { target: 'cut', actions: 'cut' }, mend: {} } },
    cut: { on: { mend: { target: 'whole', actions: 'mended' } } },
  },
});

/** A member of the group. */
export const memberMachine = (initial: 'active' | 'standby') =>
  setup({
    types: { events: {} as { type: 'elected' | 'deposed' }, emitted: {} as { type: 'changed' } },
    actions: { changed: emit({ type: 'changed' }) },
  }).createMachine({
    id: 'member',
    initial,
    states: {
      active: { on: { deposed: { target: 'standby', actions: 'changed' }, elected: {} } },
      standby: { on: { elected: { target: 'active', actions: 'changed' }, deposed: {} } },
    },
  });

/** For how long both members serve. */
export const overlapMachine = setup({
  types: { events: {} as { type: 'both.serve' | 'one.serves' } },
  delays: { bound: overlapMs + 1 },
}).createMachine({
  id: 'overlap',
  initial: 'none',
  states: {
    none: { on: { 'both.serve': 'short', 'one.serves': {} } },
    short: { after: { bound: 'long' }, on: { 'one.serves': 'none', 'both.serve': {} } },
    long: { on: { 'one.serves': 'none', 'both.serve': {} } },
  },
});

/** The node of the arbiter: it may restart, and then has a lease that knows nothing of the one before. */
export const arbiterNode = setup({
  types: { events: {} as { type: 'restart' }, emitted: {} as { type: 'restarted' } },
  actions: { restarted: emit({ type: 'restarted' }) },
}).createMachine({
  id: 'arbiter-node',
  initial: 'first',
  states: {
    first: { on: { restart: { target: 'second', actions: 'restarted' } } },
    second: { on: { restart: {} } },
  },
});
