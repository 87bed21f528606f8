/** Two parties that hold and resume, and the recording of their call, as b2b has them in one process. */
import { type HoldState, holdEvents, holdMachine, isHeard } from '../../../src/machines/call/hold.ts';
import { type RecordingContext, recordingMachine } from '../../../src/machines/call/recording.ts';
import type { Part, SystemCheck, View } from '../system/system-check.ts';

const heardIn = (view: View) => {
  const [a, b] = [view.state('a') as HoldState, view.state('b') as HoldState];
  return [isHeard(a, b), isHeard(b, a)] as const;
};

const party = (): Part => ({
  machine: holdMachine,
  ownerEvents: holdEvents.map((event) => ({ event, times: 2 })),
});

export const recordedHoldSystem: SystemCheck = {
  name: 'hold+recording',
  parts: {
    a: party(),
    b: party(),
    recording: {
      machine: recordingMachine,
      input: { dialogid: '214-1-1' },
      ownerEvents: [
        { event: { type: 'rule.matched', atMs: 0, heard: [true, true] } as never, times: 1, when: isUntouched },
        { event: { type: 'stop.requested', atMs: 0 } as never, times: 2 },
      ],
    },
  },
  onCommand: ({ command: { type }, view }) => {
    if (type !== 'note.heard') return [];
    const event = { type: 'heard.changed', atMs: 0, heard: heardIn(view) };
    return [{ to: 'recording', event, isReliable: true }];
  },
  channel: { losses: 0, duplicates: 0, inFlight: 1, latencyMs: 0 },
  rules: {
    'the recording has the party that is audible now': (view) => {
      if (view.state('recording') !== 'on') return true;
      const [, a, b] = (view.context('recording') as RecordingContext).recordings.at(-1)?.heard.at(-1) ?? [];
      const [isA, isB] = heardIn(view);
      return (a === isA && b === isB) || `recorded: ${a}, ${b}; heard: ${isA}, ${isB}`;
    },
  },
  agree: () => true,
  bound: { depth: 8, states: 4_000, healedWithinMs: 1_000 },
};

/** Both send and receive, as the rule finds them when the call connects. */
function isUntouched(view: View): boolean {
  return view.state('a') === 'talking.sendrecv' && view.state('b') === 'talking.sendrecv';
}
