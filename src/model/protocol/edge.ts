/** Messages to edge roles: their network filters, and the figures of their dashboards. */
import { z } from 'zod';
import { pingstates, regstates } from '../states.ts';
import { ask } from './message.ts';

export const bannedSchema = z.strictObject({
  ip: z.string().describe('Address that is kept out'),
  expires: z.int().describe('Seconds until it is let in again'),
});
export type Banned = z.infer<typeof bannedSchema>;

/** A provider account on its esg instance. Shape: documented. */
export const accountSchema = z.strictObject({
  code: z.string(),
  d: z.string(),
  user: z.string(),
  domain: z.string(),
  port: z.int(),
  proto: z.enum(['udp', 'tcp', 'tls']),
  addrs: z.array(z.string()),
  regstate: z.enum(regstates),
  pingstate: z.enum(pingstates),
  last_response: z.array(z.string()),
  onlinetrunkcount: z.int(),
});
export type Account = z.infer<typeof accountSchema>;

export const edgeMessages = {
  'filter.add': ask({
    does: 'Bans an address, or prolongs its ban to at least so many seconds from now.',
    to: ['esg', 'sg'],
    body: z.strictObject({ ip: z.string(), expires: z.int() }),
    /** False: there is no room for another ban. */
    reply: z.strictObject({ result: z.boolean() }),
  }),
  'filter.list': ask({
    does: 'Lists the banned addresses.',
    to: ['esg', 'sg', 'ws'],
    body: z.strictObject({}),
    reply: z.strictObject({ banned: z.array(bannedSchema) }),
  }),
  'filter.remove': ask({
    does: 'Lifts the ban of one address, if there is one.',
    to: ['esg', 'sg', 'ws'],
    body: z.strictObject({ ip: z.string() }),
    reply: z.strictObject({}),
  }),
  'filter.clear': ask({
    does: 'Lifts all bans.',
    to: ['esg', 'sg', 'ws'],
    body: z.strictObject({}),
    reply: z.strictObject({}),
  }),
  'edge.figures': ask({
    does: 'Tells the dialogs and legs served now, the domains served, and the provider accounts.',
    to: ['esg'],
    body: z.strictObject({ code: z.string().optional() }),
    reply: z.strictObject({
      dlgcount: z.int(),
      callcount: z.int(),
      domains: z.array(z.string()),
      regs: z.array(accountSchema),
    }),
  }),
};
