/** The kinds of components that every script may contain. */
import { z } from 'zod';
import { integer, oneOf, text } from '../entities/field.ts';
import { limits } from '../limits.ts';
import { type ComponentKind, everyScript, expression, expressions, variable, variableName } from './component.ts';
import { operationNames } from './script-operations.ts';

const next = { next: 'afterwards. Absent: the script ends' };

/** The kinds that the engine executes. */
const controlKinds: readonly ComponentKind[] = [
  {
    type: 'start',
    does: 'The first component: a script has exactly one.',
    scripts: everyScript,
    fields: {},
    branches: next,
  },
  {
    type: 'assign',
    does: 'Sets variables, in the order in which they are written.',
    scripts: everyScript,
    fields: { set: expressions('Variables and their values', variableName) },
    branches: next,
  },
  {
    type: 'code',
    does: 'Runs statements. Each global variable that they leave behind is a variable of the script.',
    scripts: everyScript,
    fields: { code: text({ least: 1, most: limits.scriptChars, does: 'Statements in JavaScript' }) },
    branches: next,
  },
  {
    type: 'branch',
    does: 'Continues by a condition.',
    scripts: everyScript,
    fields: { condition: expression({ does: 'The condition' }) },
    branches: {
      yes: 'the condition is true. Absent: the script ends',
      no: 'it is not. Absent: the script ends',
    },
  },
  {
    type: 'script',
    does: 'Runs another script of the same kind and domain, with variables of its own.',
    scripts: everyScript,
    fields: {
      code: expression({ does: 'Code of the script' }),
      params: expressions('Variables with which the script starts', variableName),
      result: variable('Variable that gets the final variables of the script, as an object'),
    },
    branches: { ...next, missing: 'there is no such script. Absent: the run fails' },
  },
  {
    type: 'log',
    does: 'Writes a line to the journal of the run.',
    scripts: everyScript,
    fields: { text: expression({ does: 'The line' }) },
    branches: next,
  },
  {
    type: 'wait',
    does: 'Waits.',
    scripts: everyScript,
    fields: { seconds: expression({ does: `Seconds, 0 to ${limits.scriptWaitSeconds}` }) },
    branches: next,
  },
  {
    type: 'stop',
    does: 'Ends the script. A nested script returns to the script that runs it.',
    scripts: everyScript,
    fields: {},
    branches: {},
  },
];

const headerWanted = 'expected the name of a header';
const headerName = z.string(headerWanted).regex(/^[\w!#$%&'*+.^`|~-]{1,100}$/, headerWanted);

const unknown = oneOf(['repeat', 'indefinite'], {
  initial: 'indefinite',
  does: 'What happens when a failover leaves it open whether the effect happened: `repeat`: again, under the same idempotency key; `indefinite`: continue at that branch',
});

/** For what a receiver can recognize by its idempotency key. */
const repeated = { ...unknown, initial: 'repeat' as const };

/** Branches of an effect. */
const outcomes = {
  next: 'it succeeded. Absent: the script ends',
  failed: 'it failed; `problem` and `code` of the result say why. Absent: the run fails',
  indefinite: 'a failover left it open whether it happened. Absent: the run fails',
};

/** The kinds with an effect that every host executes. */
const effectKinds: readonly ComponentKind[] = [
  {
    type: 'operation',
    does: 'Executes an operation of the interface in the domain of the script.',
    scripts: everyScript,
    fields: {
      operation: oneOf(operationNames, { does: 'Name of the operation; see below' }),
      params: expressions('Parameters of the operation'),
      result: variable('Variable that gets the answer, or `{problem, code}`', 'result'),
      unknown,
    },
    branches: outcomes,
    hasEffect: true,
  },
  {
    type: 'http',
    does: 'Sends an HTTP request to another system. Any answer leads to `next`; `result` has `status`, `headers`, `body` and `attempts`.',
    scripts: everyScript,
    fields: {
      method: oneOf(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], { initial: 'GET', does: 'Method' }),
      url: expression({ does: 'Address, http or https' }),
      headers: expressions('Further headers', headerName),
      body: expression({ initial: 'null', does: 'Body: a text, or a value that is sent as JSON; `null`: none' }),
      timeout: integer({ least: 1, most: 60, initial: 10, does: 'Seconds that an attempt may take' }),
      retries: integer({
        ...{ least: 0, most: 10, initial: 0 },
        does: 'Further attempts without an answer, or after the status 429 or 5xx: after one second, two, four …, varied by half',
      }),
      secret: expression({
        initial: '""',
        does: 'Secret of the signature (Standard Webhooks: headers `webhook-id`, `webhook-timestamp`, `webhook-signature`); empty: none',
      }),
      result: variable('Variable that gets the answer, or `{problem, code}`', 'result'),
      unknown: repeated,
    },
    branches: outcomes,
    hasEffect: true,
  },
  {
    type: 'sms',
    does: 'Sends a short message through the simulated gateway, whose messages the control interface shows.',
    scripts: everyScript,
    fields: {
      to: expression({ does: 'Number' }),
      text: expression({ does: 'Text' }),
      result: variable('Variable that gets `{problem, code}` where it fails'),
      unknown: repeated,
    },
    branches: outcomes,
    hasEffect: true,
  },
];

export const commonKinds: readonly ComponentKind[] = [...controlKinds, ...effectKinds];
