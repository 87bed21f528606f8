/** A call reaches no device and no account twice. */
import type { OracleMaker } from '../../oracle.ts';
import { edgeEndpoints, setLast } from '../kit/shared.ts';

const mostCalls = 2_000;

export const targetsOnce: OracleMaker = {
  name: 'targets-once',
  rule: 'Until a call is answered it calls each device, and each account with each number, at most once, whatever its forks are answered and wherever they are redirected.',
  make: ({ map, check, fail }) => {
    const edges = edgeEndpoints(map);
    /** The Call-Ids of the INVITEs of a call, by target. */
    const calls = new Map<string, Map<string, string>>();
    /** The calls, by the Call-Id of each INVITE. */
    const ofLeg = new Map<string, string>();
    const called = (inviteid: string, target: string, callid: string) => {
      const targets = calls.get(inviteid) ?? new Map<string, string>();
      const before = targets.get(target);
      setLast(calls, inviteid, targets.set(target, callid), mostCalls);
      setLast(ofLeg, callid, inviteid, mostCalls);
      if (targets.size > 1) check();
      if (before !== undefined && before !== callid)
        fail(`call ${inviteid} calls ${target} twice, as ${before} and as ${callid}`);
    };
    return {
      listeners: {
        'outside.sent': {
          INVITE: ({ from, to, message }) => {
            const { callid } = message;
            if (message.kind === 'response') {
              // X of a call by command has answered: Y is called, which may be the same.
              if (message.status >= 200 && message.status < 300) calls.delete(ofLeg.get(callid) ?? '');
              return;
            }
            const { uri, inviteid } = message;
            // A party that is replaced, or referred, is called anew.
            if (!edges.has(from) || inviteid === undefined || message.to.tag !== undefined) return;
            if (message.replaces === undefined) called(inviteid, `${uri} at ${to} as ${message.from.uri}`, callid);
          },
        },
      },
    };
  },
};
