/** Messages arrive twice while use cases are played: each counts once. */
import { allUseCases } from '../../use-cases/all.ts';
import { drillOf } from '../kit/drill.ts';
import { playInterrupted, unnoticedWeight } from './interrupted-use-case.ts';

/** Of the messages inside, and of those of SIP outside, arrive twice. */
const insideShare = 0.5;
const outsideShare = 0.3;
const useCases = 4;

export const repeatsUnnoticed = drillOf({
  name: 'repeats-unnoticed',
  rule: 'When messages inside and SIP messages outside arrive twice, use cases find nothing changed: each message counts once, and each answer is as it would be without.',
  weight: unnoticedWeight,
  sender: '10.6.1.98',
  play: (drill) =>
    drill.during(
      (faults) => {
        const lifts = [faults.duplicate({ from: '*' }, insideShare), faults.duplicateOutside(outsideShare)];
        return () => {
          for (const lift of lifts) lift();
        };
      },
      () => playInterrupted(drill, allUseCases, { count: useCases }),
    ),
});
