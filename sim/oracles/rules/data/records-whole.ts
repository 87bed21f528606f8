/** The record of a connected call is whole. */
import type { DialogRecord } from '../../../../src/model/protocol/messages/dialog.ts';
import type { OracleMaker } from '../../oracle.ts';

export const recordsWhole: OracleMaker = {
  name: 'records-whole',
  rule: 'The record of a call that is connected has one leg on each side, the one of side a is that of `acallid`, and it says when it was answered.',
  make: ({ map, check, fail }) => {
    return {
      listeners: {
        'published.dialog': ({ from, dialog }) => {
          if (dialog.status !== 'dialog' || map.instances.get(from)?.role !== 'b2b') return;
          const problem = problemOf(dialog);
          check();
          if (problem !== undefined) fail(`the record of ${dialog.dialogid}, which is connected, ${problem}`);
        },
      },
    };
  },
};

function problemOf({ legs, acallid, answerts }: DialogRecord): string | undefined {
  const [a, b] = (['a', 'b'] as const).map((wanted) => legs.filter(({ side }) => side === wanted));
  if (a?.length !== 1 || b?.length !== 1) return `has ${a?.length} legs of side a and ${b?.length} of side b`;
  if (a[0]?.callid !== acallid) return `has the acallid ${acallid}, and the leg of side a is ${a[0]?.callid}`;
  return answerts === undefined ? 'has no answerts' : undefined;
}
