/** The result of a call that the platform begins (INVITE) says what has become of X. */
import type { BodyOf, ReplyOf } from '../../../../src/model/protocol/catalogue.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { together, whenLost } from '../kit/shared.ts';

interface Originated {
  readonly ask: string;
  readonly mode: number;
  /** When X answered. */
  takenMs?: number;
}

export const originatedReported: OracleMaker = {
  name: 'originated-reported',
  rule: 'When X has answered a call that an INVITE request has begun, the request is answered with ok within two seconds where its response_mode is 1; and where it is 2 or 3, later, the result is none that says that X was not reached.',
  exclusions: 'Calls whose b2b instance has ended.',
  make: ({ map, check, fail }) => {
    const { quickMs } = boundsOf(map);
    /** The request whose call begins next, by b2b. */
    const next = new Map<string, Originated>();
    /** By b2b and dialogid. */
    const calls = new Map<string, Originated>();
    const forget = (b2b: string) => {
      next.delete(b2b);
      for (const name of calls.keys()) if (name.startsWith(`${b2b} `)) calls.delete(name);
    };
    const replied = (re: string | undefined, { result }: ReplyOf<'dialog.originate'>) => {
      for (const [name, { ask, takenMs, mode }] of calls) {
        if (ask !== re) continue;
        calls.delete(name);
        if (takenMs === undefined || mode === 0) return;
        check();
        const isGood = result === 'ok' || (mode > 1 && result === 'unknown');
        if (!isGood) fail(`X has answered the call ${name}, and the result for response_mode ${mode} is ${result}`);
      }
    };
    const listeners: ObservationListeners = {
      'envelope.delivered': {
        'dialog.originate': ({ envelope: { kind, id, to, body } }) => {
          if (kind === 'ask')
            next.set(to, { ask: id, mode: (body as BodyOf<'dialog.originate'>).request.responseMode });
        },
      },
      'envelope.sent': {
        'dialog.originate': ({ envelope: { kind, re, body } }) => {
          if (kind === 'reply') replied(re, body as ReplyOf<'dialog.originate'>);
        },
      },
      'entity.state': {
        dialog: ({ owner, key, before, state, atMs }) => {
          const name = `${owner} ${key}`;
          const begun = before === undefined ? next.get(owner) : undefined;
          if (begun !== undefined) {
            next.delete(owner);
            calls.set(name, begun);
          }
          const call = calls.get(name);
          if (call === undefined) return;
          if (before === 'reaching' && state === 'routing') call.takenMs = atMs;
        },
      },
    };
    const tick = (nowMs: number) => {
      for (const [name, { takenMs, mode }] of calls) {
        if (mode !== 1 || takenMs === undefined || nowMs - takenMs <= quickMs) continue;
        calls.delete(name);
        fail(
          `X has answered the call ${name}, and ${Math.round(nowMs - takenMs)} ms later the request is not answered`,
        );
      }
    };
    return { listeners: together(whenLost(map, forget, ['active']), listeners), tick };
  },
};
