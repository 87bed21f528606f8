/** Which participants of a meeting's conference hear which others, by the controls of its participants. */

import type { SelectorParticipantItem } from '../../../src/model/entities/selector.ts';
import type { ConferenceRecord } from '../../../src/model/protocol/messages/conference.ts';
import { meetingHears } from '../../../src/roles/mware/meetings/meeting-runner.ts';
import { test } from '../../kit/test.ts';

const ext = { ct: '2026-01-01T00:00:00Z' };
const seat = (id: string, controls: object = {}) =>
  ({ id, ext, number: id, mic: true, spk: true, topology_type: 'speaker', ...controls }) as SelectorParticipantItem;

/** Participants `1-x` of the conference; those of `members` are participants of the meeting. */
function hearsOf(ids: readonly string[], members: readonly SelectorParticipantItem[]) {
  const participants = ids.map((id) => ({
    participantid: `1-${id}`,
    state: 'active',
    ...(members.some((each) => each.id === id) && { member: `${id}/${ext.ct}/${id}` }),
  }));
  return meetingHears({ participants } as unknown as ConferenceRecord, members, { mode: 'direct', set: {} });
}

test('a muted participant is heard by no other one, a deaf one hears none', (t) => {
  t.deepEqual(hearsOf(['a', 'b'], [seat('a', { mic: false }), seat('b')]), { '1-a': ['1-b'], '1-b': [] });
  t.deepEqual(hearsOf(['a', 'b'], [seat('a', { spk: false }), seat('b')]), { '1-a': [], '1-b': ['1-a'] });
});

// Found by the oracle meeting-controls: a participant that a client had added heard all.
test('one that a client has added to the conference does not hear a muted participant', (t) => {
  const hears = hearsOf(['a', 'b', 'x', 'y'], [seat('a', { mic: false }), seat('b')]);
  t.deepEqual(
    [hears['1-x'], hears['1-y']],
    [
      ['1-b', '1-y'],
      ['1-b', '1-x'],
    ],
  );
});
