/** The parts of a b2b instance, as they know each other. */

import type { RoleScope } from '../../cluster/role.ts';
import type { DialogEvent } from '../../machines/dialog-events.ts';
import type { UserAgent } from '../../sip/user-agent.ts';
import type { Call, Progress } from './call.ts';
import type { CallEvents } from './call-events.ts';
import type { Calls } from './calls.ts';
import type { Router } from './routing.ts';
import type { Trunks } from './trunks.ts';

export interface Parts {
  readonly scope: RoleScope;
  readonly agent: UserAgent;
  readonly calls: Calls;
  readonly events: CallEvents;
  readonly router: Router;
  readonly trunks: Trunks;
  /** Tells the machine of a call an event. */
  readonly tell: (call: Call, event: DialogEvent) => void;
}

/** Tells those who wait for a call how it goes on. */
export function notify({ listeners }: Call, progress: Progress): void {
  for (const listener of listeners) listener(progress);
}
