/** What was needed for calls is gone with them. */
import type { Census } from '../../../../src/ports/probe.ts';
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';

/** What there is only for calls. */
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
  rule: 'When the cluster is quiescent, no leg, dialog, conference, participant or call exists.',
  make: ({ map, questions, census, calmMs, check, fail }) => ({
    atQuiet: async () => {
      if (calmMs() === 0) return;
      const wrong = await questions.eventually(boundsOf(map).letGoMs, () => census().flatMap(left));
      if (calmMs() === 0) return;
      check();
      for (const what of wrong) fail(`at quiet ${what}`);
    },
  }),
};

function left({ of, counts }: Census): string[] {
  return ofCalls.flatMap((name) => {
    const count = counts.get(name) ?? 0;
    return count === 0 ? [] : [`${of} has ${count} ${name.replace('entities.', '')}`];
  });
}
