/** No resources of calls remain after them. */
import type { Census } from '../../../../src/ports/instrumentation/probe.ts';
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';

/** Entities and timers that only calls need. */
const ofCalls = [
  'legs',
  'entities.dialog',
  'entities.conference',
  'entities.participant',
  'entities.ivr-call',
  'entities.announcement',
  'calls',
];

export const nothingLeft: OracleMaker = {
  name: 'nothing-left',
  rule: 'In a quiescent cluster no leg, dialog, conference, participant or call remains.',
  make: ({ map, questions, census, stableMs, check, fail }) => ({
    atQuiescence: async () => {
      if (stableMs() === 0) return;
      const wrong = await questions.eventually(boundsOf(map).orphanedLegMs, () => census().flatMap(left));
      if (stableMs() === 0) return;
      check();
      for (const what of wrong) fail(`quiescent: ${what}`);
    },
  }),
};

function left({ of, counts }: Census): string[] {
  return ofCalls.flatMap((name) => {
    const count = counts.get(name) ?? 0;
    return count === 0 ? [] : [`${of} has ${count} ${name.replace('entities.', '')}`];
  });
}
