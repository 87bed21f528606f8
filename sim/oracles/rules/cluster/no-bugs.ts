/** Symptoms that only a bug causes. */
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';

/** Dead letters that only a bug causes; faults explain the others (too late, no route …). */
const strangeLetters = /^dead_letter\.(bad_body|unknown_type|malformed)$/;
/** Log events of bugs, injected ones included. */
const bugLines: ReadonlySet<string> = new Set(['bug', 'outside.bug', 'instance.stop_failed', 'instance.given_up']);

export const noBugs: OracleMaker = {
  name: 'no-bugs',
  rule: 'No instance crashes without a fault, no message has an unknown type or a malformed body, no machine receives an unexpected event, and no answer is 500.',
  make: ({ check, fail }) => {
    const listeners: ObservationListeners = {
      counted: ({ by, name }) => {
        if (strangeLetters.test(name)) fail(`${by} has counted ${name}`);
        if (name.startsWith('event.unexpected.')) fail(`${by} has counted ${name}`);
      },
      'instance.crashed': ({ instance, reason, cause }) => {
        if (cause === 'bug') fail(`${instance} has crashed: ${reason}`);
      },
      logged: ({ event, fields }) => {
        if (bugLines.has(event)) fail(`${event}: ${fields['reason'] ?? fields['stack'] ?? ''}`);
      },
      'request.answered': ({ method, target, site, status, body }) => {
        if (status === 0) return;
        check();
        if (status === 500) fail(`${method} ${target} at ${site} was answered 500: ${body}`);
      },
    };
    return { listeners };
  },
};
