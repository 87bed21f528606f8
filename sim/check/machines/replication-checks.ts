/** The check of a consumer that keeps up with a source. */
import {
  type ReplicationEvent,
  replicationDelaysMs,
  replicationMachine,
} from '../../../src/machines/cluster/replication.ts';
import { type AnyCheck, checkOf, type Model, type RunStep } from '../machine/machine-check.ts';

type Step = RunStep<typeof replicationMachine>;

const ended = ['pull.completed', 'pull.failed'] as const;
const noPull = 'the library reports the end of a pull only during the pull, once';

/** Whether a pull is running after these steps; a text if one begins before the last has ended. */
function pulls(steps: readonly Step[]): boolean | string {
  let isPulling = false;
  for (const { event, commands } of steps) {
    if (isPulling && (ended as readonly string[]).includes(event.type)) isPulling = false;
    for (const { type } of commands) {
      if (type === 'abort.pull') isPulling = false;
      if (type !== 'pull') continue;
      if (isPulling) return 'a pull begins during another one';
      isPulling = true;
    }
  }
  return isPulling;
}

/** A model: it pulls missing items while a source is reachable, and again for those noticed meanwhile. */
function replicationModel(): Model<typeof replicationMachine> {
  let isInReach = false;
  let isPulling = false;
  /** Items are missing without a pull for them; items were missing when the present pull began. */
  let isMissing = true;
  let isBehind = true;
  const note = ({ event: { type } }: Step) => {
    if (type === 'source.found' || type === 'source.away') isInReach = type === 'source.found';
    if (type === 'source.found' || type === 'gap.noticed' || (type === 'pull.failed' && isPulling)) isMissing = true;
    if (type === 'source.away') isBehind = true;
    if (type === 'pull.completed' && isPulling && !isMissing) isBehind = false;
    if (type === 'source.away' || type === 'pull.completed' || type === 'pull.failed') isPulling = false;
  };
  return (step) => {
    note(step);
    if (step.commands.some(({ type }) => type === 'pull')) {
      isPulling = true;
      isBehind ||= isMissing;
      isMissing = false;
    }
    const { after } = step;
    const isAway = after === 'behind.away' || after === 'lost';
    if (isAway === isInReach) return `it is ${after}, though ${isInReach ? 'a' : 'no'} source is reachable`;
    const isCurrent = after.startsWith('current');
    if (isAway || isCurrent === !(isBehind || isMissing)) return undefined;
    return `it is ${after}, though ${isCurrent ? 'something' : 'nothing'} is missing`;
  };
}

const idle = { events: ended, why: noPull };

const replicationCheck = checkOf({
  machine: replicationMachine,
  events: {
    'source.found': true,
    'source.away': true,
    'gap.noticed': true,
    'message.received': true,
    'pull.completed': true,
    'pull.failed': true,
  },
  longestMs: Math.max(...Object.values(replicationDelaysMs)),
  rules: {
    'pulls are under way one at a time': ({ steps }) => {
      const open = pulls(steps);
      return typeof open === 'string' ? open : true;
    },
    'it is current after a complete pull, and reports each time it becomes current': ({ last }) => {
      const isReported = last.commands.some(({ type }) => type === 'report.current');
      return isReported === (last.after === 'current.quiet' && last.before === 'pulling.fresh');
    },
    'it is lost only after it was unreachable for the whole time': ({ last }) =>
      last.commands.some(({ type }) => type === 'report.lost') === (last.after === 'lost' && last.before !== 'lost') &&
      (last.after !== 'lost' || ['behind.away', 'lost'].includes(last.before)),
    'a running pull has no deadline; otherwise there is one unless it is lost': ({ last }) => {
      const isPulling = last.after.startsWith('pulling') || last.after === 'current.checking';
      return last.deadlines.length === (isPulling || last.after === 'lost' ? 0 : 1);
    },
  },
  model: replicationModel,
  finally: {
    events: [{ type: 'source.away' }] satisfies ReplicationEvent[],
    waitMs: replicationDelaysMs.gone,
    states: ['lost'],
  },
  undecided: {
    'behind.away': idle,
    'behind.waiting': idle,
    'current.quiet': idle,
    'current.active': idle,
    lost: idle,
  },
  scenario: ({ type }) => {
    if (type === 'source.away') return [{ fault: { pause: 'n1' } }];
    return type === 'source.found' ? [{ fault: { restart: 'n1' } }] : [];
  },
});

export const replicationChecks: readonly AnyCheck[] = [replicationCheck];
