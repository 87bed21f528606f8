/** The check of a run of a script. */
import { scriptCallMachine } from '../../../src/machines/script/script-call.ts';
import { scriptRunMachine } from '../../../src/machines/script/script-run.ts';
import { limits } from '../../../src/model/limits.ts';
import { type AnyCheck, checkOf, type Run } from '../machine/machine-check.ts';

type ScriptRun = Run<typeof scriptRunMachine>;

/** Before an effect is performed its position is stored; after it, before anything else, too. */
function storesAroundEffects({ steps }: ScriptRun): boolean | string {
  let isStored = true;
  for (const { commands, event } of steps) {
    if (event.type === 'position.stored') isStored = true;
    for (const { type } of commands) {
      if (type === 'store.position') isStored = false;
      if (type === 'perform.effect' && !isStored) return 'an effect is performed while its position is being stored';
      if (type === 'execute.component' && !isStored && event.type === 'effect.ended') {
        return 'a component is executed before the outcome of the last effect is stored';
      }
    }
  }
  return true;
}

const runCheck = checkOf({
  machine: scriptRunMachine,
  input: (pick) => {
    const from = pick.from(['component', 'effect', undefined] as const);
    const times = { durationMs: pick.from([60_000, 500]), pauseMs: pick.from([0, 100]) };
    return { ...times, isRepeatable: pick.maybe(), ...(from !== undefined && { from }) };
  },
  events: {
    'component.passed': true,
    'effect.found': ({ pick }) => ({ isRepeatable: pick.maybe() }),
    'wait.found': ({ pick }) => ({ ms: pick.from([200, 5_000]) }),
    'script.ended': true,
    'position.stored': true,
    'effect.ended': true,
    'end.requested': true,
  },
  once: ['store.result', 'report.result', 'fail.run'],
  last: 'report.result',
  longestMs: 60_000,
  rules: { 'an effect is stored before it and after it': storesAroundEffects },
  finally: { events: [{ type: 'end.requested' }, { type: 'position.stored' }], waitMs: 60_000, states: ['over'] },
  scenario: () => [],
});

type ScriptCall = Run<typeof scriptCallMachine>;

const requests: ReadonlySet<string> = new Set([
  'answer.requested',
  'play.requested',
  'digits.requested',
  'record.requested',
  'call.requested',
  'refer.requested',
  'hangup.requested',
]);

/** The engine requests a component when the one before is done: until then no request comes. */
function isOneAtATime({ steps }: ScriptCall): boolean {
  let open = 0;
  for (const { event, commands } of steps) {
    const reports = commands.filter(({ type }) => type === 'report.component').length;
    if (commands.some(({ type }) => type === 'event.unexpected')) continue;
    open += (requests.has(event.type) ? 1 : 0) - reports;
    if (open < 0) return false;
  }
  return true;
}

const oneAtATime = 'The engine requests a component after the one before is done.';
const afterAnswer = 'A leg is answered once, after the answer was sent.';
const executing = {
  events: [
    'answer.requested',
    'play.requested',
    'digits.requested',
    'record.requested',
    'call.requested',
    'refer.requested',
    'hangup.requested',
    'leg.answered',
  ],
  why: oneAtATime,
} as const;

const callCheck = checkOf({
  machine: scriptCallMachine,
  events: {
    'answer.requested': true,
    'play.requested': ({ pick }) => ({ ms: pick.from([500, 4_000]), isInterruptible: pick.maybe() }),
    'digits.requested': ({ pick }) => ({
      count: pick.from([1, 2]),
      end: pick.from(['', '#']),
      ms: pick.from([1_000, 5_000]),
    }),
    'record.requested': ({ pick }) => ({ ms: pick.from([1_000, 20_000]), end: pick.from(['', '#']) }),
    'call.requested': ({ pick }) => ({ ms: pick.from([1_000, 30_000]) }),
    'refer.requested': true,
    'hangup.requested': true,
    'script.ended': true,
    'leg.answered': true,
    'leg.gone': true,
    'digit.pressed': ({ pick }) => ({ digit: pick.from(['1', '2', '#']) }),
    'refer.ended': ({ pick }) => ({ status: pick.from([200, 404, 486]) }),
    'target.answered': true,
    'target.failed': ({ pick }) => ({ status: pick.from([404, 486, 503]) }),
    'end.requested': true,
  },
  undecided: {
    incoming: { events: ['leg.answered'], why: afterAnswer },
    talking: { events: ['leg.answered'], why: afterAnswer },
    answering: { events: executing.events.slice(0, -1) as never, why: oneAtATime },
    playing: executing,
    collecting: executing,
    recording: executing,
    consulting: executing,
    referring: executing,
  },
  once: ['end.leg', 'drop.leg'],
  longestMs: 60_000,
  rules: {
    'a component is reported at most once': isOneAtATime,
    'digits are kept up to their limit': ({ last }) => last.context.digits.length <= limits.dtmfDigits,
  },
  finally: { events: [{ type: 'end.requested' }], waitMs: 100_000, states: ['over'] },
  scenario: () => [],
});

export const scriptChecks: readonly AnyCheck[] = [runCheck, callCheck];
