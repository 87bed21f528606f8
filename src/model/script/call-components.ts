/** The kinds of components that only IVR scripts contain: they act on the call of the script. */
import { flag, integer, text } from '../entities/field.ts';
import { soundAddresses } from '../entities/stored-file.ts';
import { limits } from '../limits.ts';
import { type ComponentKind, expression, variable } from './component.ts';

const scripts = ['ivrscript'] as const;
const next = { next: 'afterwards. Absent: the script ends' };
const failed = { failed: 'it failed; `problem` and `code` of the result say why. Absent: the run fails' };
const file = expression({
  initial: "''",
  does: `File that the party hears: the name of a parking file, or its address (${Object.keys(soundAddresses).join(', ')}); an empty text: none`,
});

const endDigit = (does: string) =>
  text({ most: 1, like: /^[0-9*#]?$/, wanted: 'expected a digit, * or #', initial: '#', does });
const target = expression({ does: 'Number, or number@domain' });
const referred = { ...next, timeout: 'there is no outcome after 60 s. Absent: the run fails', ...failed };
const referMode = integer({
  ...{ least: 0, most: 3, initial: 0 },
  does: 'Re-INVITE before it: 0 none, 1 as the platform chooses (sendonly), 2 sendonly, 3 inactive',
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
      result: variable('Variable that gets `{problem, code}` if it fails'),
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
      end: endDigit('Digit that ends the collection early, and is not collected; empty: none'),
      seconds: expression({ initial: '5', does: `How long it waits for all digits, 1 to ${limits.scriptWaitSeconds}` }),
      result: variable('Variable that gets the digits, as a text', 'digits'),
    },
    branches: { ...next, timeout: 'the digits did not come in time. Absent: the run fails', ...failed },
    hasEffect: true,
  },
  {
    type: 'record',
    does: 'Records the call, until the time is over or the party presses a digit. The file is an attachment of the call.',
    scripts,
    fields: {
      seconds: expression({ initial: '60', does: `How long at most, 1 to ${limits.scriptWaitSeconds}` }),
      end: endDigit('Digit that ends the recording; empty: none'),
      result: variable(
        'Variable that gets `{inviteid, name, digit}`: the call, its file, and the digit that has ended it; or `{problem, code}`',
        'recording',
      ),
    },
    branches: { ...next, ...failed },
    hasEffect: true,
  },
  {
    type: 'call',
    does: 'Calls another number while the party waits. The call ends with the script, unless `transfer` connects the party to it.',
    scripts,
    fields: {
      to: target,
      seconds: expression({ initial: '30', does: `How long it may ring, 1 to ${limits.longestRingMs / 1_000}` }),
      result: variable(
        'Variable that gets `{uri, callid, totag, fromtag}` for `transfer`; or `{problem, code, status}`',
        'called',
      ),
    },
    branches: { ...next, timeout: 'there is no answer in time. Absent: the run fails', ...failed },
    hasEffect: true,
  },
  {
    type: 'refer',
    does: 'Transfers the party to a number by REFER; waits at most 60 s for the outcome. The call ends when it succeeds.',
    scripts,
    fields: {
      to: target,
      reinvite: referMode,
      result: variable('Variable that gets `{problem, code, status}` of a transfer that failed'),
    },
    branches: referred,
    hasEffect: true,
  },
  {
    type: 'transfer',
    does: 'Attended transfer: connects the party to another call by REFER with Replaces; waits at most 60 s for the outcome.',
    scripts,
    fields: {
      to: expression({ initial: 'called.uri', does: 'Refer-To: number, number@domain or URI of the other call' }),
      callid: expression({ initial: 'called.callid', does: 'Replaces: Call-Id of that call' }),
      totag: expression({ initial: 'called.totag', does: 'Replaces: To-tag' }),
      fromtag: expression({ initial: 'called.fromtag', does: 'Replaces: From-tag' }),
      reinvite: referMode,
      result: variable('Variable that gets `{problem, code, status}` of a transfer that failed'),
    },
    branches: referred,
    hasEffect: true,
  },
  {
    type: 'conference',
    does: 'Transfers the party into a conference by REFER; waits at most 60 s for the outcome.',
    scripts,
    fields: {
      to: expression({ initial: "''", does: 'Number of a room, or confid; an empty text: a new conference' }),
      result: variable('Variable that gets `{confid}` of a new conference; or `{problem, code, status}`'),
    },
    branches: referred,
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
