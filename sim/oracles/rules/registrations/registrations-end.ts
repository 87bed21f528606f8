/** No registration outlasts its grant. */

import { keyOfBinding } from '../../../../src/model/binding.ts';
import { nodeOf } from '../../../../src/model/cluster/address.ts';
import { type BindingCopy, registrarMessages } from '../../../../src/model/protocol/messages/registrar.ts';
import { coverOf, type FaultPlace, membersOf } from '../../../faults/places.ts';
import { slewedSpeed } from '../../../faults/skewed-clock.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';

/** Rounding of the granted time. */
const earlyMs = 50;
/** Interval of the checks. */
const lookMs = 10_000;

export const registrationsEnd: OracleMaker = {
  name: 'registrations-end',
  rule: 'A registration ends when its granted time is over, in every copy: not later, and not earlier unless its device or an administrator ends it. A copy on a node whose clock was set, or that came from one, ends by that clock, which runs slower until it is right.',
  make: ({ map, areClocksRight, check, fail }) => {
    /** A copy may have been under way for this long. */
    const lateMs = registrarMessages['registrar.copied'].deadlineMs + boundsOf(map).promptMs;
    /** Until when a device is registered, by its last grant: by the right clock, and by one that runs slower. */
    const untilMs = new Map<string, number>();
    const slowUntilMs = new Map<string, number>();
    /** Whether the clock of an instance was set. */
    const skewed: ((address: string) => boolean)[] = [];
    /** Instances that may have copies from one whose clock was set. */
    const copiesOfSlow = new Set<string>();
    const isSlow = (address: string) => copiesOfSlow.has(address) || skewed.some((covers) => covers(address));
    const registered = new Map<string, Set<string>>();
    /** The same, by the last grant that reached the instance; an instance that misses a refresh ends it earlier. */
    const grantedMs = new Map<string, number>();
    /**
     * Requests for registrations that have no answer yet, by the id of the envelope. The time is that of the request: a busy instance
     * answers later than it grants.
     */
    const asked = new Map<string, { readonly key: string; readonly untilMs: number }>();
    /** When a paused node resumed; infinite while it is paused. */
    const resumedMs = new Map<string, number>();
    let lookedMs = 0;
    const listeners: ObservationListeners = {
      'envelope.delivered': {
        'registrar.bind': ({ envelope: { kind, id, body }, atMs }) => {
          if (kind !== 'ask') return;
          const { binding } = body as { binding: BindingCopy };
          const key = keyOfBinding(binding);
          const endMs = atMs + binding.leftMs;
          const slowMs = atMs + binding.leftMs / slewedSpeed;
          untilMs.set(key, Math.max(untilMs.get(key) ?? 0, endMs));
          slowUntilMs.set(key, Math.max(slowUntilMs.get(key) ?? 0, slowMs));
          asked.set(id, { key, untilMs: endMs });
        },
        'registrar.copied': ({ envelope: { from, to } }) => {
          if (isSlow(from)) copiesOfSlow.add(to);
        },
      },
      // An instance drops requests that come too late, and refuses the ones of an older REGISTER.
      'envelope.sent': {
        'registrar.bind': ({ envelope: { kind, from, re = '', body } }) => {
          const granted = asked.get(re);
          if (kind !== 'reply' || granted === undefined) return;
          asked.delete(re);
          if ((body as { result?: string }).result === 'bound')
            grantedMs.set(`${from} ${granted.key}`, granted.untilMs);
        },
      },
      'entity.state': {
        binding: ({ owner, key, state, before, atMs }) => {
          const leftMs = (grantedMs.get(`${owner} ${key}`) ?? atMs) - atMs;
          // What an instance was granted it loses when it stops; a copy from elsewhere may be older.
          if (state === undefined) grantedMs.delete(`${owner} ${key}`);
          if (areClocksRight() && state === 'expired' && before === 'registered' && leftMs > earlyMs)
            fail(`${owner} ended ${key} ${Math.round(leftMs)} ms before its granted time was over`);
          const keys = registered.get(owner) ?? new Set<string>();
          registered.set(owner, keys);
          if (state === 'registered') keys.add(key);
          else if (keys.delete(key)) check();
        },
      },
      'fault.inflicted': ({ verb, args, atMs }) => {
        if (verb === 'skew') {
          skewed.push(coverOf(membersOf(map, args[0] as FaultPlace)));
        }
        if (verb === 'pauseNode') resumedMs.set(String(args[0]), Number.POSITIVE_INFINITY);
        if (verb === 'resumeNode') resumedMs.set(String(args[0]), atMs);
      },
      'node.ended': ({ node }) => void resumedMs.delete(node),
    };
    const tick = (nowMs: number) => {
      if (nowMs - lookedMs < lookMs) return;
      lookedMs = nowMs;
      for (const [owner, keys] of registered) {
        const goesOnMs = resumedMs.get(nodeOf(owner)) ?? 0;
        const endsMs = isSlow(owner) ? slowUntilMs : untilMs;
        for (const key of keys) {
          if (nowMs <= Math.max(endsMs.get(key) ?? nowMs, goesOnMs) + lateMs) continue;
          keys.delete(key);
          fail(`${owner} has ${key} registered, though its time is over`);
        }
      }
    };
    return { listeners, tick };
  },
};
