/** Nothing happens that only a bug brings about. */
import type { Hears, OracleMaker } from '../../oracle.ts';

/** What a message brings that nobody here has made; the others (too late, no route …) come of faults. */
const strangeLetters = /^dead_letter\.(bad_body|unknown_type|malformed)$/;
/** Lines of the log that tell of a bug, or of one that somebody wanted. */
const bugLines: ReadonlySet<string> = new Set(['bug', 'outside.bug', 'instance.stop_failed', 'instance.given_up']);

export const noBugs: OracleMaker = {
  name: 'no-bugs',
  rule: 'No instance crashes by itself, no message is of a type or form that its receiver does not know, no machine receives an event that it does not expect, and no answer is 500.',
  make: ({ check, fail }) => {
    const hears: Hears = {
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
    return { hears };
  },
};
