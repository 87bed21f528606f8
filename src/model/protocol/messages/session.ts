/** Messages about sessions. */
import { z } from 'zod';
import { ask, tell } from '../message.ts';

export const userRecordSchema = z.strictObject({
  id: z.string(),
  login: z.string(),
  name: z.string(),
  roles: z.array(z.string()),
  tags: z.array(z.string()),
  passwordId: z.string().describe('Names the password that the user had then: another one has another id'),
});
export type UserRecord = z.infer<typeof userRecordSchema>;

/** A session as sent between ws instances. `key` is a hash: the session id itself stays with the client. */
export const sessionRecordSchema = z.strictObject({
  key: z.string(),
  /** The domain that the user logged into. */
  homeDomain: z.string(),
  /** The domain that the session is bound to now. */
  domain: z.string(),
  user: userRecordSchema,
  openedMs: z.number(),
  lastUsedMs: z.number(),
  /** When it was bound to its domain: the later of two copies counts. */
  switchedMs: z.number(),
});
export type SessionRecord = z.infer<typeof sessionRecordSchema>;

/** The fields that determine how long a change matters: `limits.sessionMaxMs` after the session was opened. */
const origin = { user: z.string(), openedMs: z.number() };

const closedSessionSchema = z.strictObject({ type: z.literal('closed'), key: z.string(), ...origin });

/** An acknowledged change of sessions, which must survive restarts. */
export const sessionChangeSchema = z.discriminatedUnion('type', [
  closedSessionSchema,
  z.strictObject({
    type: z.literal('bound'),
    key: z.string(),
    ...origin,
    domain: z.string(),
    switchedMs: z.number(),
  }),
  /** Closes all sessions of the user opened until then; replaces many single changes. */
  z.strictObject({ type: z.literal('closed_until'), ...origin }),
]);
export type SessionChange = z.infer<typeof sessionChangeSchema>;
export type ClosedSession = z.infer<typeof closedSessionSchema>;

/** A position in the list of changes that one incarnation of a ws instance has received. */
const positionSchema = z.strictObject({ epoch: z.number(), n: z.number() });
export type ChangesPosition = z.infer<typeof positionSchema>;

export const sessionMessages = {
  'session.create': ask({
    does: 'Creates a session for a script of external authentication. The ws instance keeps its id, and answers the client with it.',
    to: ['ws'],
    body: z.strictObject({
      run: z.string().describe('Id of the run of the script: it gets one session'),
      domain: z.string(),
      login: z.string().describe('Login of the user'),
    }),
    reply: z.strictObject({}),
    deadlineMs: 5_000,
  }),
  'session.find': ask({
    does: 'Asks another ws instance for a session that this one does not know.',
    to: ['ws'],
    body: z.strictObject({ key: z.string() }),
    /** Neither: the session is unknown. `closed` outweighs `session`. */
    reply: z.strictObject({ session: sessionRecordSchema.optional(), closed: closedSessionSchema.optional() }),
    deadlineMs: 1_000,
  }),
  'session.changed': tell({
    does: 'Sends other ws instances a session that was opened, used or switched.',
    to: ['ws'],
    body: z.strictObject({ session: sessionRecordSchema }),
  }),
  'session.closed': tell({
    does: 'Notifies other ws instances that a session was closed.',
    to: ['ws'],
    body: z.strictObject({ session: closedSessionSchema }),
  }),
  'session.changes': ask({
    does: 'Asks another ws instance which sessions were closed or bound to another domain, from a position in its list on.',
    to: ['ws'],
    body: z.strictObject({ after: positionSchema }),
    reply: z.strictObject({ changes: z.array(sessionChangeSchema), upTo: positionSchema, more: z.boolean() }),
    deadlineMs: 1_000,
  }),
  'session.user_gone': tell({
    does: 'Notifies ws instances that a user was removed or has another password: its sessions are over, except sessions that were opened with its present password.',
    to: ['ws'],
    body: z.strictObject({
      id: z.string(),
      passwordId: z.string().optional().describe('Names its present password; absent: the user is gone'),
      formerPasswordId: z
        .string()
        .optional()
        .describe('Names the password that it had before: a login that has read the user with it is refused'),
      agoMs: z
        .number()
        .min(0)
        .optional()
        .describe('How long ago that was, milliseconds; absent: just now. Later sessions are those of later passwords'),
    }),
  }),
};
