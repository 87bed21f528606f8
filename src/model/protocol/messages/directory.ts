/** Messages to the domain data: users, numbers, accounts, rules. */
import { z } from 'zod';
import { ruleRecordSchema } from '../../recording/recording.ts';
import { ask, tell } from '../message.ts';
import { restSchema } from './data.ts';
import { userRecordSchema } from './session.ts';

/** A SIP user as the platform uses it. Times are seconds; 0: no limit. */
export const sipUserRecordSchema = z.strictObject({
  id: z.string(),
  domain: z.string(),
  login: z.string(),
  pwd: z.string(),
  name: z.string(),
  phonenumber: z.string(),
  /** Id of the system user bound to it; all zeros when there is none. */
  iduser: z.string(),
  /** How many devices may register (lic.devices). */
  devices: z.int(),
  /** How long it may ring when it is called. */
  calltimesec: z.int(),
  /** How long its calls may last. */
  dlgtimesec: z.int(),
  /** Calls at once; -1: any number. */
  trunks: z.int(),
  /** Bounds of a registration's life. */
  maxexpires: z.int(),
  minexpires: z.int(),
  /** Modifiers of numbers from and to providers. */
  modextin: z.string(),
  modextout: z.string(),
});
export type SipUserRecord = z.infer<typeof sipUserRecordSchema>;

/** A provider account, as far as routing needs it. */
export const accountRouteSchema = z.strictObject({
  domain: z.string(),
  code: z.string(),
  /** srvidx of the esg instance that it is pinned to. */
  esg: z.int(),
  username: z.string(),
  /** Domain sent outward. */
  remote: z.string(),
  trunks: z.int(),
});
export type AccountRoute = z.infer<typeof accountRouteSchema>;

/** What a dialled number leads to. */
export const calleeSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('sipuser'), user: sipUserRecordSchema }),
  /** `number`: prefix and room as dialled. */
  z.strictObject({ kind: z.literal('conference'), domain: z.string(), prefix: z.string(), room: z.string() }),
  z.strictObject({
    kind: z.literal('ivr'),
    domain: z.string(),
    prefix: z.string(),
    rest: z.string(),
    script: z.string().optional().describe('Code of the IVR script; absent: the announcement'),
  }),
  /** Accounts of the domain, in the order in which they are tried. */
  z.strictObject({ kind: z.literal('outside'), accounts: z.array(accountRouteSchema) }),
  z.strictObject({ kind: z.literal('none') }),
]);
export type Callee = z.infer<typeof calleeSchema>;

/** The record rules of a domain that can apply, in order of precedence. */
export const domainRulesSchema = z.strictObject({
  domain: z.string(),
  /** Time zone of their working hours: that of the SIP user of the call, else of the domain. */
  offsetHours: z.number(),
  rules: z.array(ruleRecordSchema),
});
export type DomainRules = z.infer<typeof domainRulesSchema>;

/** A border rule as the edges apply it. */
export const borderRuleRecordSchema = z.strictObject({
  id: z.string().optional(),
  priority: z.int(),
  site: z.string(),
  domain: z.string(),
  username: z.string(),
  useragent: z.string(),
  remoteipmask: z.string(),
  action: z.enum(['allow', 'deny', 'drop']),
});
export type BorderRuleRecord = z.infer<typeof borderRuleRecordSchema>;

export const directoryMessages = {
  'directory.authenticate': ask({
    does: 'Finds the user with this login and password in a domain.',
    to: ['mdc', 'sdc'],
    body: z.strictObject({ domain: z.string(), login: z.string(), pwd: z.string() }),
    reply: z.strictObject({ user: userRecordSchema.nullable() }),
  }),
  'directory.route': ask({
    does: 'Returns what a number leads to when it is dialled in a domain (`user@domain` for another domain), the SIP user that calls, and the record rules.',
    to: ['mdc', 'sdc'],
    body: z.strictObject({
      domain: z.string(),
      number: z.string(),
      /** `number`: phone numbers, feature codes, accounts, then logins. `sipuser`: logins only. */
      mode: z.enum(['number', 'sipuser']).default('number'),
      /** Login of the calling SIP user, if it is one. */
      caller: z.string().optional(),
    }),
    reply: z.strictObject({
      caller: sipUserRecordSchema.nullable(),
      callee: calleeSchema,
      /** Of both domains, if they have any. */
      recordrules: z.array(domainRulesSchema).optional(),
    }),
  }),
  'directory.sipusers': ask({
    does: 'Lists the SIP users of a domain, or those among them that have one of these logins, and this value of a field.',
    to: ['mdc', 'sdc'],
    body: z.strictObject({
      domain: z.string(),
      logins: z.array(z.string()).optional(),
      where: z.strictObject({ field: z.enum(['id', 'iduser', 'phonenumber']), value: z.string() }).optional(),
    }),
    reply: z.strictObject({ users: z.array(sipUserRecordSchema), rest: restSchema }),
  }),
  'directory.borderrules': ask({
    does: 'Lists the border rules that are enabled.',
    to: ['mdc', 'sdc'],
    body: z.strictObject({}),
    /** Absent: the directory has no domain data. */
    reply: z.strictObject({ rules: z.array(borderRuleRecordSchema).optional() }),
  }),
  'directory.changed': tell({
    does: 'Notifies an edge that the border rules have changed, and ws that SIP users have. The edge reads the rules from the sender.',
    to: ['esg', 'sg', 'ws'],
    body: z.strictObject({
      changedusers: z.array(z.tuple([z.string(), z.string()])).optional(),
    }),
  }),
};
