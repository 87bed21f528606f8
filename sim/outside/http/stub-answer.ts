/** What another system does with a request, as data: in tests of scripts, scenarios and the control interface. */
import { z } from 'zod';

export const stubAnswerSchema = z
  .union([
    z.strictObject({
      status: z.int().min(100).max(599).describe('Status'),
      headers: z.record(z.string(), z.string()).optional().describe('Headers, with names in lower case'),
      body: z.string().optional().describe('Body'),
      afterMs: z.int().min(0).optional().describe('Time to the answer, in milliseconds'),
    }),
    z.enum(['silent', 'reset']),
  ])
  .describe('An answer; `silent`: there is none; `reset`: the connection breaks after the request has arrived');

export type StubAnswer = z.infer<typeof stubAnswerSchema>;

export const stubUrlSchema = z
  .string()
  .max(1_000)
  .regex(/^https?:\/\//, 'expected the beginning of an address, such as https://crm.test/')
  .describe('The beginning of the addresses, such as https://crm.test/');
