/** A registered account stays so while its provider answers. */

import { targetOfVerb } from '../../../faults/verbs.ts';
import { accountsOf } from '../../../outside/population.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { edgeEndpoints, setLast } from '../kit/shared.ts';

/** An answer may come so late, and rounds begin half a minute after each other: three in a row have failed after as many. */
const [answerMs, longestMs] = [4_000, 90_000];
/** Faults of the provider itself, which loses nothing that it has sent. */
const ofProviders: ReadonlySet<string> = new Set(['silence', 'flapOutside', 'revive', 'refuseRegister']);
const mostAsked = 500;

export const accountsKept: OracleMaker = {
  name: 'accounts-kept',
  rule: 'An esg gives up the registration of an account, without a REGISTER that failed, only after three checks of its connection (OPTIONS) in a row have failed at the address that it uses: not within 90 seconds of an answer.',
  exclusions: 'Answers that may have been lost or late, and runs in which the clock of a node was wrong.',
  make: ({ map, areClocksRight, check, fail }) => {
    const edges = edgeEndpoints(map);
    const gates = new Map<string, string>(map.instancesOf('esg').map((gate) => [gate.address, map.endpointOf(gate)]));
    const names = new Map(
      accountsOf(map).map(({ key, provider: { username, domain } }) => [key, `sip:${username}@${domain}`] as const),
    );
    /** When an account was asked for, by Call-Id; and when it was answered last, by its name and the endpoint of the esg. */
    const asked = new Map<string, number>();
    /** The address that it was asked at last, by its name and the endpoint of the esg. */
    const usedAddresses = new Map<string, string>();
    const answered = new Map<string, number>();
    /** Faults that lose or delay what is sent outside, and paused nodes. */
    const open = new Set<number | string>();
    const listeners: ObservationListeners = {
      'outside.sent': {
        OPTIONS: ({ from: sender, to, message, atMs }) => {
          const { callid, kind, from } = message;
          if (kind === 'request' && edges.has(to)) return;
          if (kind === 'request') {
            const checked = `${from.uri} ${sender}`;
            if (usedAddresses.get(checked) !== to) answered.delete(checked);
            usedAddresses.set(checked, to);
            setLast(asked, callid, atMs, mostAsked);
            return;
          }
          const askedMs = asked.get(callid);
          asked.delete(callid);
          if (askedMs === undefined || atMs - askedMs > answerMs || open.size > 0) return;
          answered.set(`${from.uri} ${to}`, atMs);
        },
      },
      'entity.state': {
        // The first check of an account that was taken over is made at once.
        ping: ({ owner, key, before }) => {
          if (before === undefined) answered.delete(`${names.get(key)} ${gates.get(owner)}`);
        },
        registration: ({ owner, key, state, before, atMs }) => {
          if (before !== 'registered' || (state !== 'retry' && state !== 'wait_result')) return;
          const answeredMs = answered.get(`${names.get(key)} ${gates.get(owner)}`);
          if (answeredMs === undefined || !areClocksRight()) return;
          check();
          if (state === 'retry' && atMs - answeredMs < longestMs)
            fail(
              `${owner} gives account ${key} up ${Math.round(atMs - answeredMs)} ms after its provider has answered`,
            );
        },
      },
      'fault.inflicted': ({ fault, verb, args: [node] }) => {
        if (verb === 'pauseNode') open.add(String(node));
        if (verb === 'resumeNode') open.delete(String(node));
        if (['outside', 'all'].includes(targetOfVerb(verb).on) && !ofProviders.has(verb)) open.add(fault);
      },
      'fault.mended': ({ fault, verb }) => {
        open.delete(fault);
        if (verb === 'mend') for (const each of open) if (typeof each === 'number') open.delete(each);
      },
      'node.ended': ({ node }) => void open.delete(node),
    };
    return { listeners };
  },
};
