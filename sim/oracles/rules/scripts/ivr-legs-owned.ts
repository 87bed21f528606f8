/** The legs of an ivr instance belong to its calls. */
import type { OracleMaker } from '../../oracle.ts';
import { owned } from '../kit/owned.ts';

/** `withdrawn`: its CANCEL waits for a response to its INVITE (RFC 3261, 9.1). */
const leaving: ReadonlySet<string> = new Set(['ending', 'cancelling', 'withdrawn', 'over']);

function hasAny(kinds: Readonly<Record<string, ReadonlySet<string>>>): boolean {
  return Object.values(kinds).some(({ size }) => size > 0);
}

export const ivrLegsOwned: OracleMaker = {
  name: 'ivr-legs-owned',
  rule: 'An ivr instance without calls and scripts has no leg for longer than two seconds that it does not end, whatever is broken: what a script has called ends with it.',
  make: (context) =>
    owned(context, {
      role: 'ivr',
      machines: ['leg', 'ivr-call', 'script-call', 'announcement'],
      isThere: (machine, state) => machine !== 'leg' || !leaving.has(state),
      isConcerned: ({ leg: _legs, ...calls }) => !hasAny(calls),
      wrongWith: ({ leg, ...calls }) => {
        if (hasAny(calls) || leg === undefined || leg.size === 0) return undefined;
        return `no calls, and the legs ${[...leg].join()}`;
      },
    }),
};
