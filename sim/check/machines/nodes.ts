/** Checks of the machines of a node: its life, its instances and their supervision, its peers, and its site. */
import { instanceMachine } from '../../../src/machines/instance.ts';
import { nodeMachine } from '../../../src/machines/node.ts';
import { peerMachine } from '../../../src/machines/peer.ts';
import { siteMachine } from '../../../src/machines/site.ts';
import { supervisionMachine } from '../../../src/machines/supervision.ts';
import { limits } from '../../../src/model/limits.ts';
import { type AnyCheck, checkOf, type Model, type Rule } from '../machine-check.ts';

const node = 'n1';
const inTurn = 'whoever runs it tells it only in its turn, once';

const nodeCheck = checkOf({
  machine: nodeMachine,
  facts: { listening: true, 'drain.requested': true, drained: true },
  once: ['start.instances', 'drain.instances', 'leave'],
  last: 'leave',
  rules: {
    'only instances that were started are drained': ({ count }) => count('drain.instances') <= count('start.instances'),
    'it leaves when it stops': ({ last, count }) => last.isOver === (count('leave') === 1),
  },
  finally: { tell: [{ type: 'drain.requested' }, { type: 'drained' }], waitMs: 0, states: ['stopped'] },
  undecided: {
    starting: { facts: ['drained'], why: inTurn },
    serving: { facts: ['listening', 'drained'], why: inTurn },
    draining: { facts: ['listening'], why: inTurn },
  },
  scenario: ({ type }) => (type === 'drain.requested' ? [{ fault: { crash: node } }] : []),
});

/** Of a group it waits to be elected; of an active-active role it serves as soon as it has started. */
function instanceModel({ redundancy }: { readonly redundancy: string }): Model<typeof instanceMachine> {
  const isElected = redundancy === 'active-passive';
  return ({ fact, before, after }) => {
    const next: Readonly<Record<string, string>> = {
      'starting started': isElected ? 'standby' : 'active',
      'starting drain.requested': 'stopped',
      'standby elected': 'active',
      'standby drain.requested': 'stopped',
      'active deposed': isElected ? 'standby' : 'active',
      'active drain.requested': 'draining',
      'draining drained': 'stopped',
    };
    const wanted = next[`${before} ${fact.type}`];
    return wanted === undefined || wanted === after ? undefined : `it is ${after}, not ${wanted}`;
  };
}

const instanceCheck = checkOf({
  machine: instanceMachine,
  input: (pick) => ({ redundancy: pick.from(['active-active', 'active-passive'] as const) }),
  facts: { started: true, elected: true, deposed: true, 'drain.requested': true, drained: true },
  once: ['drain', 'stopped'],
  last: 'stopped',
  rules: {
    'it serves and stands by in turns': ({ orders }) => {
      const turns = orders.map(({ type }) => type).filter((type) => type === 'serve' || type === 'stand.by');
      return turns.every((type, index) => (type === 'serve') === (index % 2 === 0));
    },
    'it is active as long as it serves': ({ last, orders }) => {
      const [turn] = orders
        .map(({ type }) => type)
        .filter((type) => type !== 'stopped')
        .slice(-1);
      return (last.after === 'active') === (turn === 'serve' && !last.isOver);
    },
    'it is drained only from active': ({ count }) => count('drain') <= count('serve'),
  },
  model: instanceModel,
  finally: { tell: [{ type: 'drain.requested' }, { type: 'drained' }], waitMs: 0, states: ['stopped'] },
  undecided: {
    starting: { facts: ['elected', 'deposed', 'drained'], why: inTurn },
    standby: { facts: ['started', 'drained'], why: inTurn },
    active: { facts: ['started', 'deposed', 'drained'], why: `${inTurn}; and only one of a group can be deposed` },
    draining: { facts: ['started'], why: inTurn },
  },
  scenario: () => [],
});

/** Restarts after a crash, until there were too many within the window. */
function supervisionModel(): Model<typeof supervisionMachine> {
  let crashesMs: number[] = [];
  return ({ fact, before, after }) => {
    if (fact.type === 'restart.requested' && before !== 'stopped' && after !== 'running')
      return `it is ${after}, and was to restart`;
    if (fact.type === 'stop.requested' && after !== 'stopped') return `it is ${after}, and was to stop`;
    if (before !== 'running' || !('atMs' in fact)) return undefined;
    crashesMs = crashesMs.filter((crashMs) => fact.atMs - crashMs < limits.restartWindowMs);
    const isTooOften = crashesMs.length >= limits.restarts;
    crashesMs = isTooOften ? [] : [...crashesMs, fact.atMs];
    const wanted = isTooOften ? 'failed' : 'waiting';
    return after === wanted ? undefined : `it is ${after} after ${crashesMs.length} crashes in the window`;
  };
}

const supervisionCheck = checkOf({
  machine: supervisionMachine,
  input: (pick) => ({ backoffMs: pick.from([1_000, 200]) }),
  facts: { 'instance.crashed': ({ nowMs }) => ({ atMs: nowMs }), 'restart.requested': true, 'stop.requested': true },
  stamp: (fact, atMs) => ('atMs' in fact ? { ...fact, atMs } : fact),
  longestMs: 1_000 * 2 ** limits.restarts,
  rules: {
    'an instance is started only when it runs from then on': ({ last }) =>
      last.orders.every(({ type }) => (type === 'start.instance') === (last.after === 'running') || type === 'give.up'),
    'it gives up when it has failed, and then only': ({ last }) =>
      last.orders.some(({ type }) => type === 'give.up') === (last.after === 'failed' && last.before !== 'failed'),
    'it waits with one deadline, and only then': ({ last }) =>
      last.deadlines.length === (last.after === 'waiting' ? 1 : 0),
  },
  model: supervisionModel,
  finally: { tell: [{ type: 'stop.requested' }], waitMs: 0, states: ['stopped'] },
  scenario: ({ type }) => (type === 'instance.crashed' ? [{ fault: { crash: 'b2b-214' } }] : []),
});

/** Told in turns, the first one first. */
function inTurns<O extends string>(one: O, other: O): Rule<typeof peerMachineOf3> {
  return ({ orders }) => {
    const told = orders.map(({ type }) => type as string).filter((type) => type === one || type === other);
    return told.every((type, index) => index === 0 || type !== told[index - 1]);
  };
}

const patience = 3;
const peerMachineOf3 = peerMachine(patience);

/** Lost after so many misses in a row, found by any pong. */
function peerModel(): Model<typeof peerMachineOf3> {
  let missed = 0;
  return ({ fact, after }) => {
    if (fact.type === 'start') return undefined;
    missed = fact.type === 'ping.missed' ? missed + 1 : 0;
    return after.startsWith('lost') === missed >= patience
      ? undefined
      : `it is ${after} after ${missed} misses in a row`;
  };
}

const peerCheck = checkOf({
  machine: peerMachineOf3,
  facts: { 'pong.received': true, 'ping.missed': true },
  rules: {
    'it is found and lost in turns': inTurns('peer.found', 'peer.lost'),
    'it is up when it was found, and down when it was lost or never found': ({ last, orders }) => {
      const isUp = orders.at(-1)?.type === 'peer.found';
      return isUp === last.after.startsWith('up');
    },
  },
  model: peerModel,
  scenario: ({ type }) => (type === 'ping.missed' ? [{ fault: { pause: node } }] : []),
});

/** Where what is seen of the members leads: more than half, half, or less. */
function siteModel(): Model<typeof siteMachine> {
  return ({ fact, before, after }) => {
    if (before.startsWith('tied') && fact.type === 'tie.granted')
      return after === 'tied.won' ? undefined : `it is ${after}, and was granted`;
    if (before.startsWith('tied') && fact.type === 'tie.denied')
      return after === 'tied.asking' ? undefined : `it is ${after}, and was denied`;
    if (!('reachable' in fact)) return undefined;
    const { reachable, pending, total } = fact;
    const isForming = before === 'forming' && (reachable + pending) * 2 > total;
    const isTie = reachable * 2 === total && pending === 0;
    const wanted = reachable * 2 > total ? 'quorate' : isTie ? 'tied' : isForming ? 'forming' : 'minority';
    return after.split('.')[0] === wanted ? undefined : `it is ${after}, not ${wanted}`;
  };
}

const siteCheck = checkOf({
  machine: siteMachine,
  facts: {
    'members.seen': ({ pick }) => {
      const total = pick.from([4, 3, 2]);
      const reachable = pick.integer(1, total);
      return { total, reachable, pending: pick.integer(0, total - reachable) };
    },
    'tie.granted': true,
    'tie.denied': true,
  },
  rules: {
    'quorum is gained and lost in turns, gained first': ({ orders }) => {
      const told = orders.map(({ type }) => type).filter((type) => type.startsWith('quorum'));
      return told.every((type, index) => (type === 'quorum.gained') === (index % 2 === 0));
    },
    'a tie is entered and left in turns, and is as long as its state': ({ orders, last }) => {
      const told = orders.map(({ type }) => type).filter((type) => type.startsWith('tie'));
      const isTied = told.at(-1) === 'tie.entered';
      return (
        told.every((type, index) => (type === 'tie.entered') === (index % 2 === 0)) &&
        isTied === last.after.startsWith('tied')
      );
    },
    'more than half has quorum, less than half has none': ({ last, orders }) => {
      if (!('reachable' in last.fact)) return true;
      const { reachable, total, pending } = last.fact;
      const has = orders.filter(({ type }) => type.startsWith('quorum')).at(-1)?.type === 'quorum.gained';
      if (reachable * 2 > total) return has;
      return reachable * 2 === total || pending > 0 || !has;
    },
  },
  model: siteModel,
  undecided: { forming: { facts: ['tie.granted', 'tie.denied'], why: 'nobody was asked yet' } },
  scenario: ({ type }) => (type === 'members.seen' ? [{ fault: { pause: node } }] : []),
});

export const nodeChecks: readonly AnyCheck[] = [nodeCheck, supervisionCheck, instanceCheck, peerCheck, siteCheck];
