/** Whether a phone or a provider is present. */

import { type PresenceEvent, presenceMachine } from '../../../../sim/outside/presence.ts';
import { machineTable } from '../../../kit/machine-table.ts';
import { test } from '../../../kit/test.ts';

const silence: PresenceEvent = { type: 'silence' };
const revive: PresenceEvent = { type: 'revive' };
const flap: PresenceEvent = { type: 'flap', everyMs: 500 };
const fall = { type: 'fall.silent' } as const;
const back = { type: 'come.back' } as const;
const paced = { after: { everyMs: 500 } };

machineTable(test, 'a presence', {
  machine: presenceMachine,
  events: { silence: true, revive: true, flap: true },
  context: { everyMs: 100 },
  rows: [
    ['present', silence, 'silent', [fall]],
    ['present', revive, 'present', []],
    ['present', flap, 'down', [fall], paced],
    ['silent', silence, 'silent', []],
    ['silent', revive, 'present', [back]],
    ['silent', flap, 'down', [], paced],
    ['down', silence, 'silent', []],
    ['down', revive, 'present', [back]],
    ['down', flap, 'down', [], paced],
    ['up', silence, 'silent', [fall]],
    ['up', revive, 'present', []],
    ['up', flap, 'up', [], paced],
  ],
  input: undefined,
  deadlines: [
    [[flap], 'down', 500, 'up', [back]],
    [[flap, 500], 'up', 500, 'down', [fall]],
    [[flap, 400, flap], 'down', 500, 'up', [back]],
    [[flap, 500, 400, flap], 'up', 500, 'down', [fall]],
  ],
});
