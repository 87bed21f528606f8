/** A request in a scenario, and the expectation of its answer. */
import { z } from 'zod';
import { sizeOf } from '../../../src/model/expression/expression.ts';
import { ExpressionProblem } from '../../../src/model/expression/translate.ts';
import { duration } from './fault-schema.ts';

export const expectSchema = z
  .strictObject({
    status: z.int().min(100).max(599).optional().describe('Status of the answer'),
    headers: z
      .record(z.string().toLowerCase(), z.string().nullable())
      .optional()
      .describe('Headers of the answer with their whole values; null: the header is absent'),
    body: z
      .unknown()
      .optional()
      .describe('What the JSON body must contain: objects may have more fields, lists must have the same length'),
    count: z.int().min(0).optional().describe('Number of items in the list'),
    items: z
      .array(
        z
          .strictObject({
            where: z.record(z.string(), z.unknown()).default({}),
            every: z.record(z.string(), z.unknown()).optional(),
            count: z.int().min(0).optional().describe('Number of items that match "where"; default: at least one'),
          })
          .refine(
            ({ every, count }) => every !== undefined || count !== undefined,
            'expected "every" or "count" beside "where", in each item of the list',
          ),
      )
      .optional()
      .describe('What the items that match "where" must contain'),
    within: duration.optional().describe('Retries the request until the expectation holds, for at most this time'),
  })
  .refine(
    ({ status, headers, body, count, items }) =>
      [status, headers, body, count, items].some((part) => part !== undefined),
    'expected a status, headers, a body, a count or items',
  );

export const path = z.string().regex(/^\//, 'expected a path that starts with /');

const saved = z.union(
  [
    z.string(),
    z.strictObject({
      from: z.string().describe('Path in the answer'),
      match: z
        .string()
        .superRefine((source, context) => {
          const size = sizeOf(source);
          if (size instanceof ExpressionProblem) context.addIssue({ code: 'custom', message: size.message });
        })
        .describe('Regular expression: only the matching part is saved; with a group, only the group'),
    }),
  ],
  'expected a path in the answer such as 0.dialogid, or { from: 0.dialogid, match: "^[0-9]+" }',
);

export const requestSchema = z.strictObject({
  through: z.string().describe('Site whose front receives the request'),
  as: z.string().optional().describe('Name of a session'),
  method: z.string().default('GET').describe('HTTP method'),
  path,
  body: z.unknown().optional(),
  headers: z.record(z.string(), z.string()).optional().describe('Further headers of the request'),
  save: z
    .record(z.string().regex(/^[A-Za-z][A-Za-z0-9_]*$/, 'expected letters, digits and "_"'), saved)
    .optional()
    .describe(
      'Values to save, by name: each a path in the answer (0.dialogid) or a part of the text there ({ from, match }); later steps refer to them as $name',
    ),
});

export const outside = z.string().describe('A phone (acme.root.test/1001) or a provider (sip.telecom.test)');

/** Lists of what scripts have sent, which a step may look at. */
export const sentLists: readonly string[] = ['deliveries', 'sms'];

export const looked = z
  .string()
  .describe(
    'Reads the state of a phone or provider, or the list of the HTTP requests (`deliveries`) or short messages (`sms`) of scripts; `expect` compares its fields or items',
  );

export type Expectation = z.infer<typeof expectSchema>;
export type ScenarioRequest = z.infer<typeof requestSchema>;
export type Saved = z.infer<typeof saved>;
