/** A call to an IVR number. */

import { announcementMachine } from '../../../src/machines/call/announcement.ts';
import { machineTable } from '../../kit/machine-table.ts';
import { test } from '../../kit/test.ts';

const answered = { type: 'leg.answered' } as const;
const gone = { type: 'leg.gone' } as const;
const end = { type: 'end.requested' } as const;
const endLeg = { type: 'end.leg' } as const;
const dropLeg = { type: 'drop.leg' } as const;

machineTable(test, 'an announcement', {
  machine: announcementMachine,
  events: { 'leg.answered': true, 'leg.gone': true, 'end.requested': true },
  context: {},
  rows: [
    ['answering', answered, 'playing', []],
    ['answering', gone, 'over', []],
    ['answering', end, 'ending', [endLeg]],
    ['playing', answered, 'playing', []],
    ['playing', gone, 'over', []],
    ['playing', end, 'ending', [endLeg]],
    ['ending', answered, 'ending', []],
    ['ending', gone, 'over', []],
    ['ending', end, 'ending', []],
  ],
  deadlines: [
    [[], 'answering', 40_000, 'over', [dropLeg]],
    [[1_000, answered], 'playing', 5_000, 'ending', [endLeg]],
    [[answered, end], 'ending', 40_000, 'over', [dropLeg]],
  ],
});
