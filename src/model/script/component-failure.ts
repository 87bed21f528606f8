/** Why a component of a script has failed: one shape for all components, in the variable that its field `result` names. */
import type { FaultCode } from '../fault.ts';

/** What a script can distinguish, and what each means. (chosen) */
export const componentFailureCodes = {
  invalid: 'a parameter or field is wrong; `problem` names it and says what was expected',
  forbidden: 'the script may not do that',
  not_found: 'there is no such call, conference, item, file or script, or the call of the script is over',
  conflict: 'a unique value is taken, or the state of its target does not allow it',
  changed: 'the item was changed in the meantime',
  too_large: 'above a limit of stored data',
  refused: 'the other party refused; `status` is the SIP status',
  overloaded: 'a limit is reached',
  unreachable: 'the required instance or system cannot be reached: it did not happen',
  standby: 'the reached instance is not active: it did not happen',
  timeout: 'no complete answer in time: it may have happened',
  crashed: 'the instance that performed it was lost: it may have happened',
  broken: 'a bug of the simulator: it may have happened',
  unauthorized: 'no session',
  banned: 'the address of the sender is banned',
} as const satisfies Readonly<Record<FaultCode | 'refused', string>>;

export interface ComponentFailure {
  /** What is wrong, and what was expected. */
  readonly problem: string;
  readonly code: keyof typeof componentFailureCodes;
  /** SIP status of a call or transfer that was refused. */
  readonly status?: number;
  /** How often an HTTP request was sent. */
  readonly attempts?: number;
}
