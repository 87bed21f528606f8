/** Messages about scripts: running one, and the domain data that its requests need. */
import { z } from 'zod';
import { scriptRunDetailSchema, scriptRunSchema } from '../../shapes/script-shapes.ts';
import { ask } from '../message.ts';
import { itemSchema } from './data.ts';
import { userRecordSchema } from './session.ts';

const readers = ['mdc', 'sdc'] as const;
const item = z.strictObject({ item: itemSchema.nullable().describe('The item; null: there is none') });

const requesterSchema = z.strictObject({
  by: z.enum(['exec', 'chat', 'external', 'token', 'call', 'api']).describe('What started the script'),
  front: z.string().optional().describe('Address of the ws instance that waits for the result'),
  user: z
    .strictObject({ id: z.string(), isAdmin: z.boolean() })
    .optional()
    .describe('User of the session of the request; absent: there is none'),
});
const scriptKindSchema = z.enum(['svcscript', 'ivrscript']);

/** On whose behalf a script runs. */
export type ScriptRequester = z.infer<typeof requesterSchema>;

const runResultSchema = z.strictObject({
  status: z.enum(['finished', 'failed']).describe('Whether the script has ended by itself'),
  problem: z.string().optional().describe('Why it failed'),
  isIndefinite: z
    .literal(true)
    .optional()
    .describe(
      'It failed in the middle without an error of its own: it is unknown whether an effect happened, and it has no branch for that; or a nested script could not be read',
    ),
  variables: z.record(z.string(), z.unknown()).describe('Final variables of the script'),
});
/** The result of a run for the request that started it. */
export type RunResult = z.infer<typeof runResultSchema>;

export const scriptMessages = {
  'script.run': ask({
    does: 'Runs a service script. The answer comes when it has ended; without an answer in time it goes on.',
    to: ['mware'],
    body: z.strictObject({
      id: z.string().describe('Id of the run; a duplicate of the message starts no second run'),
      domain: z.string(),
      code: z.string().describe('Code of the script'),
      params: z.array(z.unknown()).describe('Start parameters'),
      requester: requesterSchema.describe('On whose behalf it runs'),
    }),
    reply: runResultSchema,
    deadlineMs: 3_600_000,
  }),
  'script.operation': ask({
    does: 'Executes the component Operation for an IVR script.',
    to: ['mware'],
    body: z.strictObject({
      run: z
        .strictObject({ id: z.string(), kind: scriptKindSchema, domain: z.string(), code: z.string() })
        .describe('The run: its id, domain, and the kind and code of the script'),
      requester: requesterSchema.describe('On whose behalf it runs'),
      component: z.string().describe('Name of the component'),
      values: z.record(z.string(), z.unknown()).describe('Fields of the component, evaluated'),
      key: z.string().describe('Idempotency key'),
      isRepeated: z.boolean().describe('Whether an earlier attempt may have had the effect'),
    }),
    reply: z.strictObject({
      branch: z.string().describe('Branch at which the run continues'),
      value: z.unknown().optional().describe('Value of the result variable'),
    }),
    deadlineMs: 600_000,
  }),
  'script.runs': ask({
    does: 'Lists the runs of scripts of a domain that an mware group or an ivr instance keeps.',
    to: ['mware', 'ivr'],
    body: z.strictObject({ domain: z.string() }),
    reply: z.strictObject({ runs: z.array(scriptRunSchema).describe('The runs, the oldest first') }),
  }),
  'script.get': ask({
    does: 'Returns a run of a script with its last steps.',
    to: ['mware', 'ivr'],
    body: z.strictObject({ domain: z.string(), id: z.string().describe('Id of the run') }),
    reply: z.strictObject({ run: scriptRunDetailSchema.nullable().describe('The run; null: it is not known here') }),
  }),
  'directory.channel': ask({
    does: 'Finds the integration channel with a token, in all domains of which the directory has data.',
    to: readers,
    body: z.strictObject({ token: z.string().describe('Hash (SHA-256) of the token') }),
    reply: item.extend({ domain: z.string().optional() }),
  }),
  'directory.roleapp': ask({
    does: 'Returns a role application by its folder.',
    to: readers,
    body: z.strictObject({ domain: z.string(), folder: z.string().describe('Folder of the application') }),
    reply: item,
  }),
  'directory.user': ask({
    does: 'Returns a user of a domain by its login, without a check of the password.',
    to: readers,
    body: z.strictObject({ domain: z.string(), login: z.string().describe('Login of the user') }),
    reply: z.strictObject({ user: userRecordSchema.nullable() }),
  }),
  'directory.script': ask({
    does: 'Returns a script of a domain by its code.',
    to: readers,
    body: z.strictObject({
      domain: z.string(),
      kind: scriptKindSchema.describe('Kind of the script'),
      code: z.string().describe('Code of the script'),
    }),
    reply: item,
  }),
};
