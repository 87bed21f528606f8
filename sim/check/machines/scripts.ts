/** The check of a run of a script. */
import { scriptRunMachine } from '../../../src/machines/script-run.ts';
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
  finally: { tell: [{ type: 'end.requested' }, { type: 'position.stored' }], waitMs: 60_000, states: ['over'] },
  scenario: () => [],
});

export const scriptChecks: readonly AnyCheck[] = [runCheck];
