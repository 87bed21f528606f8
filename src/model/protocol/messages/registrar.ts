/** Messages about the registrations of devices, kept by sr. */
import { z } from 'zod';
import { ask, tell } from '../message.ts';
import { restSchema } from './data.ts';

/**
 * A device that registered as a SIP user, as sent between instances: where it is, for how long. The later changed of two
 * copies counts.
 */
export const bindingSchema = z.strictObject({
  domain: z.string(),
  login: z.string(),
  userid: z
    .string()
    .describe('Id of the SIP user in the domain data; empty in a tombstone of a device that is not known here'),
  /** Identity of the device. With domain and login the key of the binding. */
  device: z.string(),
  /** URI at which the device takes calls. */
  contact: z.string(),
  /** Address of the sg instance through which it is reached. */
  path: z.string(),
  callid: z.string(),
  cseq: z.int(),
  userAgent: z.string(),
  ha1: z
    .string()
    .describe(
      'HA1 of the login and password that the device has shown; empty in a tombstone of a device that is not known here',
    ),
  /** Remaining lifetime when this was sent, because clocks of nodes may differ. */
  leftMs: z.number(),
  /**
   * When it was made, refreshed or removed (ms since the epoch), by the clock of that instance, later than any change known
   * there.
   */
  changedMs: z.number(),
  /** For how long after that it outweighs others: as long as any registration of the device so far could last. Absent: as usual. */
  keptMs: z.number().optional(),
  /** A tombstone: the binding was removed, which outweighs older copies. */
  isRemoved: z.boolean(),
  isRevoked: z
    .boolean()
    .optional()
    .describe('A tombstone: the device did not ask for it, and is notified by the registrar of its site'),
});
export type BindingCopy = z.infer<typeof bindingSchema>;

export const registrarMessages = {
  'registrar.bind': ask({
    does: 'Registers a device, or refreshes it. Where the licence has no room, the registered devices are probed by OPTIONS and a silent one gives way.',
    to: ['sr'],
    body: z.strictObject({
      binding: bindingSchema,
      devices: z.int().describe('How many devices may register'),
    }),
    /** `full`: the licensed number of devices is registered and alive. */
    reply: z.strictObject({ result: z.enum(['bound', 'full', 'stale']), bindings: z.array(bindingSchema) }),
    deadlineMs: 8_000,
  }),
  'registrar.unbind': ask({
    does: 'Removes a device of a SIP user, or all of them. A device that did not ask for it gets a NOTIFY from the registrar of its site, so that it can register again.',
    to: ['sr'],
    body: z.strictObject({
      domain: z.string(),
      login: z.string(),
      device: z.string().optional(),
      lastsMs: z.number().optional(),
      keep: z
        .int()
        .optional()
        .describe('How many devices the user may have from now on; the last registered ones stay'),
      now: z
        .strictObject({
          userid: z.string().describe('Id of the SIP user in the domain data'),
          ha1: z.string().optional().describe('Absent: the user is gone'),
        })
        .optional()
        .describe(
          'The user after the change that revokes its registrations: with this login and password a device stays, with another one it is refused',
        ),
      /** Of the REGISTER that asks for it: one that was sent before it does not bring the device back. */
      callid: z.string().optional(),
      cseq: z.int().optional(),
    }),
    reply: z.strictObject({ removed: z.int() }),
    isForStandbys: true,
  }),
  'registrar.lookup': ask({
    does: 'Returns the registered devices of SIP users.',
    to: ['sr'],
    body: z.strictObject({ domain: z.string(), logins: z.array(z.string()) }),
    reply: z.strictObject({ bindings: z.array(bindingSchema) }),
  }),
  'registrar.online': ask({
    does: 'Lists the logins of a domain that have a registered device.',
    to: ['sr'],
    body: z.strictObject({ domain: z.string() }),
    reply: z.strictObject({ logins: z.array(z.string()), rest: restSchema }),
  }),
  'registrar.rest': ask({
    does: 'Gives the next logins of a list that was too long for one answer.',
    to: ['sr'],
    body: z.strictObject({ rest: z.string() }),
    reply: z.strictObject({ items: z.array(z.string()), rest: z.string().optional() }),
  }),
  'registrar.copied': tell({
    does: 'Sends changed bindings to other sr instances: standbys and other sites. A late message would prolong the bindings, so it is dropped; a later comparison repairs the difference.',
    to: ['sr'],
    body: z.strictObject({ bindings: z.array(bindingSchema) }),
    deadlineMs: 5_000,
  }),
  'registrar.sync': ask({
    does: 'Asks another sr instance for all that it has and this one serves as well, page by page, to be merged after a partition or a start.',
    to: ['sr'],
    body: z.strictObject({
      after: z.string().optional().describe('Key of the last binding of the page before'),
      digest: z
        .string()
        .optional()
        .describe('What the asker has; where the other has the same there is nothing to tell'),
    }),
    reply: z.strictObject({
      bindings: z.array(bindingSchema),
      next: z.string().optional(),
      isSame: z.boolean().default(false),
    }),
  }),
};
