/** Which participants of the conference of a selector meeting hear which others. */
import {
  hearsItsGroup,
  hearsOf,
  participantOfSeat,
  type SelectorParticipantItem,
  type SelectorTopology,
} from '../../../model/entities/selector.ts';
import type { ConferenceRecord } from '../../../model/protocol/messages/conference.ts';

/**
 * By the ids of participants of the conference. A muted participant is heard by no other one, also not by one that a client has
 * added to the conference and that is no participant of the meeting; a deaf one hears nothing.
 */
export function meetingHears(
  { participants }: ConferenceRecord,
  members: readonly SelectorParticipantItem[],
  topology: SelectorTopology,
): Record<string, string[]> {
  const here = participants.flatMap(({ member, participantid, state }) => {
    const item = member === undefined ? undefined : members.find(({ id }) => id === participantOfSeat(member));
    return item === undefined || state === 'leaving' ? [] : [{ participantid, item }];
  });
  const strangers = participants.filter(
    ({ state, participantid }) => state !== 'leaving' && !here.some((each) => each.participantid === participantid),
  );
  const hears = hearsOf(members, topology);
  const audible = here.flatMap(({ participantid, item }) => (item.mic ? [participantid] : []));
  const ofStrangers = strangers.map(({ participantid }): [string, string[]] => {
    const others = strangers.flatMap((each) => (each.participantid === participantid ? [] : [each.participantid]));
    return [participantid, [...audible, ...others]];
  });
  return Object.fromEntries([
    ...ofStrangers,
    ...here.map(({ participantid, item }) => {
      const ids = hears[item.id] ?? [];
      const ownGroup = hearsItsGroup(item, topology.mode) ? item.id : undefined;
      const isHeard = (other: (typeof here)[number]) =>
        other.participantid !== participantid &&
        other.item.mic &&
        (ids.includes(other.item.id) || other.item.id === ownGroup);
      return [participantid, item.spk ? here.filter(isHeard).map((other) => other.participantid) : []] as const;
    }),
  ]);
}
