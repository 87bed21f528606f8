/** Every participant of a conference has a leg. */
import type { OracleMaker } from '../../oracle.ts';
import { owned } from '../kit/owned.ts';

export const participantsConnected: OracleMaker = {
  name: 'participants-connected',
  rule: 'A conf instance has no more participants than legs for longer than two seconds, whatever is broken: one whose leg has ended, such as a caller that gave up at once, is none.',
  make: (context) =>
    owned(context, {
      role: 'conf',
      machines: ['leg', 'participant'],
      isThere: (_machine, state) => state !== 'over' && state !== 'gone',
      isConcerned: ({ participant }) => participant !== undefined && participant.size > 0,
      wrongWith: ({ leg, participant }) => {
        const [legs, participants] = [leg?.size ?? 0, participant?.size ?? 0];
        return participants > legs ? `${participants} participants and ${legs} legs` : undefined;
      },
    }),
};
