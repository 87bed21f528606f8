/** Messages about sessions. */
import { z } from 'zod';
import { ask, tell } from './message.ts';

export const userRecordSchema = z.strictObject({
  id: z.string(),
  login: z.string(),
  name: z.string(),
  roles: z.array(z.string()),
  tags: z.array(z.string()),
});
export type UserRecord = z.infer<typeof userRecordSchema>;

/** A session as ws instances tell each other of it. `key` is a hash: the session id itself never leaves the client. */
export const sessionRecordSchema = z.strictObject({
  key: z.string(),
  /** The domain that the user logged into. */
  homeDomain: z.string(),
  /** The domain that the session is bound to now. */
  domain: z.string(),
  user: userRecordSchema,
  lastUsedMs: z.number(),
  /** When it was bound to its domain: of two copies that differ the later one counts. */
  switchedMs: z.number(),
});
export type SessionRecord = z.infer<typeof sessionRecordSchema>;

export const sessionMessages = {
  'session.find': ask({
    does: 'Asks another ws instance for a session that this one does not know.',
    to: ['ws'],
    body: z.strictObject({ key: z.string() }),
    reply: z.strictObject({
      /** `closed` outweighs `open`: somebody logged out. */
      state: z.enum(['open', 'closed', 'unknown']),
      session: sessionRecordSchema.optional(),
    }),
    deadlineMs: 1_000,
  }),
  'session.changed': tell({
    does: 'Tells other ws instances of a session that was opened, used or switched.',
    to: ['ws'],
    body: z.strictObject({ session: sessionRecordSchema }),
  }),
  'session.closed': tell({
    does: 'Tells other ws instances that a session is over.',
    to: ['ws'],
    body: z.strictObject({ key: z.string() }),
  }),
  'session.user_gone': tell({
    does: 'Tells that a user was removed: its sessions are over.',
    to: ['ws'],
    body: z.strictObject({ id: z.string() }),
  }),
};
