/** Messages to a node about itself. */
import { z } from 'zod';
import { instanceStatuses } from '../states.ts';
import { ask } from './message.ts';

export const nodeMessages = {
  'node.describe': ask({
    does: 'Describes a node and its instances as they are now.',
    to: ['node'],
    body: z.strictObject({}),
    reply: z.strictObject({
      startedMs: z.number(),
      status: z.string(),
      instances: z.array(z.strictObject({ name: z.string(), status: z.enum(instanceStatuses), startedMs: z.number() })),
    }),
  }),
  'node.terminate': ask({
    does: 'Ends a node: it answers, drains its instances and leaves.',
    to: ['node'],
    body: z.strictObject({}),
    reply: z.strictObject({}),
  }),
  'instance.terminate': ask({
    does: 'Ends one role instance of a node; its supervisor starts another.',
    to: ['node'],
    body: z.strictObject({ name: z.string() }),
    reply: z.strictObject({}),
  }),
};
