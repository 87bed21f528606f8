/** The media that a party of a call sends and receives: every event in every state. */

import {
  answeredMedia,
  type HoldEvent,
  type HoldState,
  holdMachine,
  isHeard,
} from '../../../src/machines/call/hold.ts';
import type { Media } from '../../../src/model/sip/message.ts';
import { machineTable, type Row } from '../../kit/machine-table.ts';
import { test } from '../../kit/test.ts';

const states: Readonly<Record<Media, HoldState>> = {
  sendrecv: 'talking.sendrecv',
  recvonly: 'talking.recvonly',
  sendonly: 'holding.sendonly',
  inactive: 'holding.inactive',
};
const all = Object.keys(states) as Media[];

machineTable(test, 'the hold of a party', {
  machine: holdMachine,
  events: { 'media.sendrecv': true, 'media.recvonly': true, 'media.sendonly': true, 'media.inactive': true },
  context: {},
  rows: all.flatMap((from) =>
    all.map((to): Row<typeof holdMachine> => {
      const event: HoldEvent = { type: `media.${to}` };
      return [states[from], event, states[to], from === to ? [] : [{ type: 'note.heard' }]];
    }),
  ),
});

test('a party is heard when it sends and the other one takes', (t) => {
  const heard = all.flatMap((speaker) =>
    all.filter((listener) => isHeard(states[speaker], states[listener])).map((listener) => `${speaker} ${listener}`),
  );
  t.deepEqual(heard, ['sendrecv sendrecv', 'sendrecv recvonly', 'sendonly sendrecv', 'sendonly recvonly']);
});

// What was compared were states and media: an answer counted as sendrecv, whatever it said.
test('a callee wants what it answers, as far as the offer leaves it the choice', (t) => {
  const wanted = (offer: Media) => all.map((answer) => answeredMedia(offer, answer));
  t.deepEqual(all, ['sendrecv', 'recvonly', 'sendonly', 'inactive']);
  t.deepEqual(wanted('sendrecv'), ['sendrecv', 'recvonly', 'sendonly', 'inactive']);
  t.deepEqual(wanted('sendonly'), ['sendrecv', 'sendrecv', 'sendonly', 'sendonly']);
  t.deepEqual(wanted('recvonly'), ['sendrecv', 'recvonly', 'sendrecv', 'recvonly']);
  t.deepEqual(wanted('inactive'), ['sendrecv', 'sendrecv', 'sendrecv', 'sendrecv']);
});
