/**
 * Checks of the machines of a node: its start and end, its instances and their supervision, its peers, and its site's
 * quorum, failover and leases.
 */
import { failoverMachine } from '../../../src/machines/cluster/failover.ts';
import { instanceMachine } from '../../../src/machines/cluster/instance.ts';
import { leaseMachine } from '../../../src/machines/cluster/lease.ts';
import { nodeMachine } from '../../../src/machines/cluster/node.ts';
import { peerMachine } from '../../../src/machines/cluster/peer.ts';
import { quorumMachine } from '../../../src/machines/cluster/quorum.ts';
import { supervisionMachine } from '../../../src/machines/cluster/supervision.ts';
import { limits } from '../../../src/model/limits.ts';
import { type AnyCheck, checkOf, type Model, type Rule } from '../machine/machine-check.ts';

const node = 'n1';
const inTurn = 'the node sends each of its events in its turn, once';

const front = { name: 'ws-1', address: 's/n/ws-1', isFront: true, isGateway: false };
const other = { name: 'b2b-1', address: 's/n/b2b-1', isFront: false, isGateway: false };
const gateway = { name: 'rpco-1', address: 's/n/rpco-1', isFront: false, isGateway: true };

const nodeCheck = checkOf({
  machine: nodeMachine,
  input: (pick) => ({
    instances: pick.from([[front, other, gateway], [front, other], [front], [other], [gateway], []]),
    backoffMs: 1,
  }),
  events: {
    listening: true,
    'fronts.close.requested': true,
    'drain.requested': true,
    'xstate.done.actor.*': true,
    'xstate.error.actor.*': () => ({ error: new Error('a bug') }),
  },
  once: ['leave', 'fail'],
  rules: {
    'it leaves, or fails, when it ends': ({ last, count }) => last.isOver === (count('leave') + count('fail') === 1),
    'it leaves only after its last supervisor': ({ last, count }) =>
      count('leave') === 0 || last.context.supervised.length === 0 || last.before === 'starting',
  },
  finally: {
    events: [
      { type: 'drain.requested' },
      { type: 'xstate.done.actor.ws-1' },
      { type: 'xstate.done.actor.b2b-1' },
      { type: 'xstate.done.actor.rpco-1' },
    ],
    waitMs: 0,
    states: ['stopped', 'failed'],
  },
  undecided: {
    serving: { events: ['listening'], why: inTurn },
    'draining.fronts': { events: ['listening'], why: inTurn },
    'draining.others': { events: ['listening'], why: inTurn },
    'draining.gateways': { events: ['listening'], why: inTurn },
  },
  scenario: ({ type }) => (type === 'drain.requested' ? [{ fault: { crash: node } }] : []),
});

type InstanceMachine = ReturnType<typeof instanceMachine>;
type Redundancy = Parameters<typeof instanceMachine>[0];

/** In a group it waits to be elected; in an active-active role it serves right after its start. */
function instanceModel(isElected: boolean): Model<InstanceMachine> {
  return ({ event, before, after }) => {
    const next: Readonly<Record<string, string>> = {
      'starting started': isElected ? 'standby' : 'active',
      'starting drain.requested': 'stopped',
      'standby elected': 'active',
      'standby drain.requested': 'draining',
      'active deposed': isElected ? 'standby' : 'active',
      'active drain.requested': 'draining',
      'draining drained': 'stopped',
    };
    const wanted = next[`${before} ${event.type}`];
    return wanted === undefined || wanted === after ? undefined : `it is ${after}, not ${wanted}`;
  };
}

const instanceCheckOf = (redundancy: Redundancy) => {
  const isElected = redundancy === 'active-passive';
  return checkOf({
    machine: instanceMachine(redundancy),
    name: isElected ? 'instance-of-a-group' : 'instance',
    events: { started: true, elected: true, deposed: true, 'drain.requested': true, drained: true },
    once: ['drain'],
    rules: {
      'it serves and stands by in turns': ({ commands }) => {
        const turns = commands.map(({ type }) => type).filter((type) => type === 'serve' || type === 'stand.by');
        return turns.every((type, index) => (type === 'serve') === (index % 2 === 0));
      },
      'it is active while it serves': ({ last, commands }) =>
        (last.after === 'active') === (commands.at(-1)?.type === 'serve' && !last.isOver),
      'one of no group is drained only from active': ({ count }) => isElected || count('drain') <= count('serve'),
    },
    model: () => instanceModel(isElected),
    finally: { events: [{ type: 'drain.requested' }, { type: 'drained' }], waitMs: 0, states: ['stopped'] },
    undecided: {
      starting: { events: ['elected', 'deposed', 'drained'], why: inTurn },
      ...(isElected && { standby: { events: ['started', 'drained'] as const, why: inTurn } }),
      active: isElected
        ? { events: ['started', 'drained'], why: inTurn }
        : { events: ['started', 'deposed', 'drained'], why: `${inTurn}; and only a member of a group can be deposed` },
      draining: { events: ['started'], why: inTurn },
    },
    scenario: () => [],
  });
};

/** Restarts after a crash, until too many within the window. */
function supervisionModel(): Model<typeof supervisionMachine> {
  let crashesMs: number[] = [];
  return ({ event, before, after }) => {
    if (event.type === 'restart.requested' && !before.startsWith('stop') && after !== 'running')
      return `it is ${after}, but should restart`;
    if (event.type === 'stop.requested' && after !== 'stopped' && after !== 'stopping')
      return `it is ${after}, but should stop`;
    if (before !== 'running' || event.type !== 'xstate.error.actor.instance') return undefined;
    const { atMs } = (event as { error: { atMs: number } }).error;
    crashesMs = crashesMs.filter((crashMs) => atMs - crashMs < limits.restartWindowMs);
    const isTooOften = crashesMs.length >= limits.restarts;
    crashesMs = isTooOften ? [] : [...crashesMs, atMs];
    const wanted = isTooOften ? 'failed' : 'waiting';
    return after === wanted ? undefined : `it is ${after} after ${crashesMs.length} crashes in the window`;
  };
}

/** Number of instances that a step starts. */
const started = (commands: readonly { type: string }[]) => commands.filter(({ type }) => type === 'start.child').length;

const supervisionCheck = checkOf({
  machine: supervisionMachine,
  input: (pick) => ({ name: 'b2b-1', address: 's/n/b2b-1', backoffMs: pick.from([1_000, 200]) }),
  events: {
    'xstate.error.actor.instance': ({ nowMs }) => ({ error: { atMs: nowMs } }),
    'xstate.done.actor.instance': true,
    'restart.requested': true,
    'stop.requested': true,
  },
  stamp: (event, atMs) => (event.type === 'xstate.error.actor.instance' ? { ...event, error: { atMs } } : event),
  longestMs: 1_000 * 2 ** limits.restarts,
  rules: {
    'an instance is started exactly when running is entered': ({ last }) =>
      started(last.commands) === (last.after === 'running' && last.before !== 'running' ? 1 : 0) ||
      last.name === 'start',
    'it gives up exactly when it has failed': ({ last }) =>
      last.commands.some(({ type }) => type === 'give.up') === (last.after === 'failed' && last.before !== 'failed'),
    'it has one deadline exactly while it waits': ({ last }) =>
      last.deadlines.length === (last.after === 'waiting' ? 1 : 0),
  },
  model: supervisionModel,
  finally: {
    events: [{ type: 'stop.requested' }, { type: 'xstate.done.actor.instance' }],
    waitMs: 0,
    states: ['stopped'],
  },
  scenario: ({ type }) => (type === 'xstate.error.actor.instance' ? [{ fault: { crash: 'b2b-214' } }] : []),
});

/** Reported in turns, the first one first. */
function inTurns<O extends string>(one: O, other: O): Rule<typeof peerMachineOf3> {
  return ({ commands }) => {
    const given = commands.map(({ type }) => type as string).filter((type) => type === one || type === other);
    return given.every((type, index) => index === 0 || type !== given[index - 1]);
  };
}

const patience = 3;
const peerMachineOf3 = peerMachine(patience);

/** Lost after this many misses in a row, found by any pong. */
function peerModel(): Model<typeof peerMachineOf3> {
  let missed = 0;
  return ({ event, after }) => {
    if (event.type === 'start') return undefined;
    missed = event.type === 'ping.missed' ? missed + 1 : 0;
    return after.startsWith('lost') === missed >= patience
      ? undefined
      : `it is ${after} after ${missed} misses in a row`;
  };
}

const peerCheck = checkOf({
  machine: peerMachineOf3,
  events: { 'pong.received': true, 'ping.missed': true },
  rules: {
    'it is found and lost in turns': inTurns('peer.found', 'peer.lost'),
    'it is up after it was found, and down after it was lost or before it was found': ({ last, commands }) => {
      const isUp = commands.at(-1)?.type === 'peer.found';
      return isUp === last.after.startsWith('up');
    },
  },
  model: peerModel,
  scenario: ({ type }) => (type === 'ping.missed' ? [{ fault: { pause: node } }] : []),
});

/** The target by the visible members: more than half, half, or less. */
function quorumModel(): Model<typeof quorumMachine> {
  return ({ event, before, after }) => {
    if (before.startsWith('tied') && event.type === 'tie.granted')
      return after === 'tied.won' ? undefined : `it is ${after}, but was granted`;
    if (before.startsWith('tied') && event.type === 'tie.denied')
      return after === 'tied.asking' ? undefined : `it is ${after}, but was denied`;
    if (!('reachable' in event)) return undefined;
    const { reachable, pending, total } = event;
    const isForming = before === 'forming' && (reachable + pending) * 2 > total;
    const isTie = reachable * 2 === total && pending === 0;
    const wanted = reachable * 2 > total ? 'quorate' : isTie ? 'tied' : isForming ? 'forming' : 'minority';
    return after.split('.')[0] === wanted ? undefined : `it is ${after}, not ${wanted}`;
  };
}

const quorumCheck = checkOf({
  machine: quorumMachine,
  events: {
    'members.seen': ({ pick }) => {
      const total = pick.from([4, 3, 2]);
      const reachable = pick.integer(1, total);
      return { total, reachable, pending: pick.integer(0, total - reachable) };
    },
    'tie.granted': true,
    'tie.denied': true,
  },
  rules: {
    'quorum is gained and lost in turns, gained first': ({ commands }) => {
      const given = commands.map(({ type }) => type).filter((type) => type.startsWith('quorum'));
      return given.every((type, index) => (type === 'quorum.gained') === (index % 2 === 0));
    },
    'a tie is entered and left in turns, and is as long as its state': ({ commands, last }) => {
      const given = commands.map(({ type }) => type).filter((type) => type.startsWith('tie'));
      const isTied = given.at(-1) === 'tie.entered';
      return (
        given.every((type, index) => (type === 'tie.entered') === (index % 2 === 0)) &&
        isTied === last.after.startsWith('tied')
      );
    },
    'more than half has quorum, less than half has none': ({ last, commands }) => {
      if (!('reachable' in last.event)) return true;
      const { reachable, total, pending } = last.event;
      const has = commands.filter(({ type }) => type.startsWith('quorum')).at(-1)?.type === 'quorum.gained';
      if (reachable * 2 > total) return has;
      return reachable * 2 === total || pending > 0 || !has;
    },
  },
  model: quorumModel,
  undecided: { forming: { events: ['tie.granted', 'tie.denied'], why: 'no arbiter was asked yet' } },
  scenario: ({ type }) => (type === 'members.seen' ? [{ fault: { pause: node } }] : []),
});

const failoverCheck = checkOf({
  machine: failoverMachine,
  input: (pick) => ({ takeoverMs: pick.from([4_000, 1_000]) }),
  events: { 'election.not.needed': true, 'group.vacant': true, 'group.uncertain': true, 'member.must.step.down': true },
  longestMs: 4_000,
  rules: {
    'it has one deadline exactly while it waits': ({ last }) =>
      last.deadlines.length === (last.after === 'waiting' ? 1 : 0),
    'it elects when the group is vacant, or after it has waited': ({ last }) =>
      last.commands.some(({ type }) => type === 'elect') ===
      (last.event.type === 'group.vacant' || last.event.type.startsWith('xstate.after')),
    'it deposes a member that is superseded': ({ last }) =>
      last.commands.some(({ type }) => type === 'depose') === (last.event.type === 'member.must.step.down'),
  },
  scenario: ({ type }) => (type === 'group.uncertain' ? [{ fault: { pause: node } }] : []),
});

/** A model of a lease: the side that holds it, and until when. */
function leaseModel({ leaseMs }: { readonly leaseMs: number }): Model<typeof leaseMachine> {
  let holder: { readonly side: readonly string[]; readonly untilMs: number } | undefined;
  return ({ name, event, atMs, commands }) => {
    if (holder !== undefined && holder.untilMs <= atMs) holder = undefined;
    if (name === 'start' || event.type === 'earlier.arbiter.seen') holder = { side: [], untilMs: atMs + leaseMs };
    if (!('side' in event)) return undefined;
    const { side } = event as { side: readonly string[] };
    const isFree = holder === undefined || holder.side.some((name) => side.includes(name));
    if (isFree) holder = { side, untilMs: atMs + leaseMs };
    const wanted = isFree ? 'granted' : 'denied';
    return commands[0]?.type === wanted ? undefined : `it is ${commands[0]?.type}, not ${wanted}`;
  };
}

const leaseCheck = checkOf({
  machine: leaseMachine,
  input: (pick) => ({ leaseMs: pick.from([3_000, 500]) }),
  events: {
    claimed: ({ pick }) => ({ side: pick.from([['n1'], ['n2'], ['n1', 'n3'], ['n2', 'n4']]) }),
    'earlier.arbiter.seen': true,
  },
  longestMs: 3_000,
  rules: {
    'each claim is granted or denied, once': ({ last }) =>
      last.commands.length === (last.event.type === 'claimed' ? 1 : 0),
    'it has a deadline while it is held or withheld': ({ last }) =>
      last.deadlines.length === (last.after === 'free' ? 0 : 1),
  },
  model: leaseModel,
  finally: { waitMs: 3_000, states: ['free'] },
  scenario: ({ type }) => (type === 'claimed' ? [{ fault: { pause: node } }] : []),
});

export const nodeChecks: readonly AnyCheck[] = [
  nodeCheck,
  supervisionCheck,
  instanceCheckOf('active-active'),
  instanceCheckOf('active-passive'),
  peerCheck,
  quorumCheck,
  failoverCheck,
  leaseCheck,
];
