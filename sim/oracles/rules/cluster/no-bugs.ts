/** Symptoms that only a bug causes. */
import { jsonOr } from '../../../../src/model/json.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';

/** Dead letters that only a bug causes; faults explain the others (too late, no route …). */
const strangeLetters = /^dead_letter\.(bad_body|unknown_type|malformed)$/;
/** Log events of bugs, injected ones included. */
const bugLines: ReadonlySet<string> = new Set(['bug', 'outside.bug', 'instance.stop_failed']);
/** The script of a client has failed, or has made no answer of its variables. */
const scriptFailure = /^(script "|variable \w+ of the script: |the script reports success)/;
/** An instance that has crashed so often in a row may be given up. (chosen) */
const mostCrashes = 5;

export const noBugs: OracleMaker = {
  name: 'no-bugs',
  rule: 'No instance crashes without a fault, or is given up before its sixth crash, no message has an unknown type or a malformed body, no machine receives an unexpected event, and no answer is 500, unless a script of a client has failed.',
  make: ({ check, fail }) => {
    /** The crashes that faults have caused, by the name of the instance. */
    const crashes = new Map<string, number>();
    const listeners: ObservationListeners = {
      counted: ({ by, name }) => {
        if (strangeLetters.test(name)) fail(`${by} has counted ${name}`);
        if (name.startsWith('event.unexpected.')) fail(`${by} has counted ${name}`);
      },
      'instance.crashed': ({ instance, reason, cause }) => {
        const name = instance.slice(instance.lastIndexOf('/') + 1);
        if (cause === 'bug') fail(`${instance} has crashed: ${reason}`);
        else crashes.set(name, (crashes.get(name) ?? 0) + 1);
      },
      logged: ({ event, fields }) => {
        const isGivenUp =
          event === 'instance.given_up' && (crashes.get(String(fields['instance'])) ?? 0) <= mostCrashes;
        if (bugLines.has(event) || isGivenUp) fail(`${event}: ${fields['reason'] ?? fields['stack'] ?? ''}`);
      },
      'request.answered': ({ method, target, site, status, body }) => {
        if (status === 0) return;
        check();
        if (status === 500 && !isOfScript(body)) fail(`${method} ${target} at ${site} was answered 500: ${body}`);
      },
    };
    return { listeners };
  },
};

/** A bug while a script runs is named as one. */
function isOfScript(body: unknown): boolean {
  const { error_message: message } = jsonOr(String(body ?? ''), {}) as { error_message?: unknown };
  return scriptFailure.test(String(message)) && !String(message).includes('a bug of the simulator');
}
