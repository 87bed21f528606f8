/** Messages of the edge roles: SIP between role instances, banned addresses, provider accounts. */
import { z } from 'zod';
import { pingstates, regstates } from '../../cluster/states.ts';
import { sipMessageSchema } from '../../sip/message.ts';
import { ask, tell } from '../message.ts';

/** SIP between role instances: sent without acknowledgement, because SIP retransmits itself. */
export const signallingMessages = {
  sip: tell({
    does: 'Carries a SIP request or response one hop further.',
    to: ['sg', 'esg', 'b2b', 'conf', 'ivr', 'sr'],
    body: sipMessageSchema,
  }),
  'call.referred': tell({
    does: 'Reports to ivr the progress of the call that its REFER has started: when b2b sees the call, and at each response of the callee.',
    to: ['ivr'],
    body: z.strictObject({
      /** The key that ivr put into the token of Referred-By. */
      key: z.string(),
      acallid: z.string(),
      inviteid: z.string(),
      dialogid: z.string(),
      /** Status of the last response from the callee; 0 before the first. */
      status: z.int(),
      reason: z.string(),
      /** Call-Id of the callee's leg that responded last. */
      bcallid: z.string().optional(),
    }),
  }),
};

export const bannedSchema = z.strictObject({
  ip: z.string().describe('Banned address, IPv4 or IPv6'),
  expires: z.int().describe('Seconds until the ban ends'),
});
export type Banned = z.infer<typeof bannedSchema>;

/** A provider account on its esg instance. Shape: documented. */
export const accountSchema = z.strictObject({
  code: z.string().describe('Code of the provider account'),
  d: z.string().describe('Domain of the platform that the account belongs to'),
  user: z.string().describe('User name of the account at the provider'),
  domain: z.string().describe('Domain that the account presents to the provider'),
  port: z.int().describe('Port of the provider'),
  proto: z.enum(['udp', 'tcp', 'tls']).describe('Transport to the provider'),
  addrs: z.array(z.string()).describe('Addresses of the provider'),
  regstate: z
    .enum(regstates)
    .describe(
      '`disabled`: works without registration; `wait_result`: REGISTER sent; `registered`; `retry`: failed, the next attempt waits; `detached`: being removed from this instance',
    ),
  pingstate: z
    .enum(pingstates)
    .describe('Check of the connection by OPTIONS: `disabled`, `ok` or `error`, of the last check'),
  last_response: z.array(z.string()).describe('Header lines of the last response to REGISTER'),
  onlinetrunkcount: z.int().describe('Calls that go through the account now'),
});
export type ProviderAccount = z.infer<typeof accountSchema>;

export const edgeMessages = {
  'filter.add': ask({
    does: 'Bans an address, or prolongs its ban to at least so many seconds from now.',
    to: ['esg', 'sg', 'ws'],
    body: z.strictObject({ ip: z.string(), expires: z.int() }),
    /** False: the limit of bans is reached, or the disk cannot be written; then the ban holds until the instance ends. */
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
  'account.released': tell({
    does: 'Reports to the esg that has an account now that the sender, which had it meanwhile, has let it go: the provider may have the contact of the sender, or none.',
    to: ['esg'],
    body: z.strictObject({
      /** `domain/code` */
      key: z.string(),
    }),
  }),
  'edge.figures': ask({
    does: 'Returns the numbers of dialogs and legs, the domains, and the provider accounts of the instance.',
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
