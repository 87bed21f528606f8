/** Whether a SIP user can be reached, as the interface shows it. (public) */
import { z } from 'zod';
import type { CollectionShape } from '../collection/shape.ts';

export const sipUserStateSchema = z.object({
  id: z.string().describe('Id of the SIP user'),
  username: z.string().describe('Login of the SIP user'),
  status: z.enum(['online', 'offline']).describe('`online`: at least one device is registered; `offline`: none is'),
});
export type SipUserState = z.infer<typeof sipUserStateSchema>;

/** Without an `order` a list is in the order of the domain's data. (chosen) */
export const sipUserStateShape: CollectionShape<SipUserState> = {
  item: sipUserStateSchema,
  fields: ['id', 'username', 'status'],
  defaultOrder: [],
  tieBreak: ['id'],
  isOrdered: true,
  isCountable: true,
};
