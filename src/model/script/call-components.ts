/** The kinds of components that only IVR scripts contain: they act on the call of the script. */
import { flag, integer, text } from '../entities/field.ts';
import { limits } from '../limits.ts';
import { type ComponentKind, expression, variable } from './component.ts';

const scripts = ['ivrscript'] as const;
const next = { next: 'afterwards. Absent: the script ends' };
const failed = { failed: 'it failed; `problem` of the result says why. Absent: the run fails' };
const file = expression({
  initial: "''",
  does: 'Name of a parking file of the domain, which the party hears; an empty text: none',
});

export const callKinds: readonly ComponentKind[] = [
  {
    type: 'answer',
    does: 'Answers the call.',
    scripts,
    fields: {},
    branches: { ...next, ...failed },
    hasEffect: true,
  },
  {
    type: 'play',
    does: 'Plays a file to the party, once, or repeatedly for a number of seconds: so a call is parked.',
    scripts,
    fields: {
      file,
      seconds: expression({
        initial: '0',
        does: `How long, 0 to ${limits.scriptWaitSeconds}; 0: the length of the file`,
      }),
      interrupt: flag({ initial: false, does: 'Whether a digit of the party ends it' }),
      result: variable('Variable that gets `{problem}` if it fails'),
    },
    branches: { ...next, ...failed },
    hasEffect: true,
  },
  {
    type: 'menu',
    does: 'Collects digits of the party, while it plays a file. Digits that were pressed before count.',
    scripts,
    fields: {
      file,
      digits: integer({ least: 1, most: limits.dtmfDigits, initial: 1, does: 'How many digits it collects' }),
      end: text({
        most: 1,
        like: /^[0-9*#]?$/,
        wanted: 'expected a digit, * or #',
        initial: '#',
        does: 'Digit that ends the collection early, and is not collected; empty: none',
      }),
      seconds: expression({ initial: '5', does: `How long it waits for all digits, 1 to ${limits.scriptWaitSeconds}` }),
      result: variable('Variable that gets the digits, as a text', 'digits'),
    },
    branches: { ...next, timeout: 'the digits did not come in time. Absent: the run fails', ...failed },
    hasEffect: true,
  },
  {
    type: 'refer',
    does: 'Transfers the party to a number by REFER; waits at most 60 s for the outcome. The call ends when it succeeds.',
    scripts,
    fields: {
      to: expression({ does: 'Number, or number@domain' }),
      result: variable('Variable that gets `{status}` or `{problem}` of a transfer that failed'),
    },
    branches: { ...next, timeout: 'there is no outcome after 60 s. Absent: the run fails', ...failed },
    hasEffect: true,
  },
  {
    type: 'hangup',
    does: 'Ends the call. The script continues.',
    scripts,
    fields: {},
    branches: next,
    hasEffect: true,
  },
];
