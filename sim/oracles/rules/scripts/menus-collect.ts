/** The menus of an IVR script collect what its caller dials. */
import { jsonOr } from '../../../../src/model/json.ts';
import type { SipMessage } from '../../../../src/model/sip/message.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { setLast } from '../kit/shared.ts';

interface Dialled {
  readonly digits: string;
  /** CSeq of the last request with a digit: a repeated one dials nothing. */
  readonly cseq: number;
}

interface Sent {
  readonly body?: unknown;
}

/** Legs with digits, and longer than any of their scripts runs. */
const mostLegs = 1_000;

export const menusCollect: OracleMaker = {
  name: 'menus-collect',
  rule: 'The digits that an IVR script sends as those of its menus, one menu after the other, were dialled in this order in one call: none counts twice.',
  exclusions: 'Scripts that do not send what their menus have collected, as a list `menus` of texts.',
  make: ({ map, check, fail }) => {
    const dialled = new Map<string, Dialled>();
    const listeners: ObservationListeners = {
      // Of a device, or of a client by command.
      'envelope.delivered': {
        sip: ({ envelope: { to, body } }) => {
          const message = body as SipMessage;
          if (message.method !== 'INFO' || message.kind !== 'request' || message.dtmf === undefined) return;
          if (map.instances.get(to)?.role !== 'ivr') return;
          const { callid, cseq, dtmf } = message;
          const leg = `${to} ${callid}`;
          const before = dialled.get(leg);
          if (before !== undefined && before.cseq >= cseq) return;
          setLast(dialled, leg, { digits: `${before?.digits ?? ''}${dtmf}`, cseq }, mostLegs);
        },
      },
      'effect.received': ({ run, content }) => {
        const { body } = jsonOr(content ?? '', {}) as Sent;
        const { menus } = (typeof body === 'string' ? jsonOr(body, {}) : {}) as { readonly menus?: unknown };
        if (!Array.isArray(menus)) return;
        const collected = menus.filter((each) => typeof each === 'string').join('');
        if (collected === '') return;
        check();
        if (![...dialled.values()].some(({ digits }) => isIn(collected, digits)))
          fail(`the run ${run} has collected ${JSON.stringify(menus)}, which was dialled in no call`);
      },
    };
    return { listeners };
  },
};

/** Whether the digits are among others, in their order. */
function isIn(some: string, all: string): boolean {
  let at = 0;
  for (const digit of all) if (digit === some[at]) at += 1;
  return at === some.length;
}
