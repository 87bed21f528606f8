/** Whether a SIP user can be reached, as the interface shows it. (public) */
import type { CollectionShape } from '../collection/shape.ts';

export interface SipUserState {
  /** Id of the SIP user. */
  readonly id: string;
  /** Its login. */
  readonly username: string;
  /** `online`: a device is registered. */
  readonly status: 'online' | 'offline';
}

/** Without an `order` a list is in the order of the domain's data. (chosen) */
export const sipUserStateShape: CollectionShape<SipUserState> = {
  fields: ['id', 'username', 'status'],
  defaultOrder: [],
  tieBreak: ['id'],
  isOrdered: true,
  isCountable: true,
};
