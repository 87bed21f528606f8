/** A call rings somewhere until it is answered or over, and then its legs end. */

import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { byType, setLast, together } from '../kit/shared.ts';
import { Undisturbed } from '../kit/undisturbed.ts';

const calling: ReadonlySet<string> = new Set(['forking', 'reaching']);
/** A device is called, and may answer. */
const called: ReadonlySet<string> = new Set(['calling', 'proceeding', 'ringing', 'expiring']);
/** Neither ended nor ending. */
const going: ReadonlySet<string> = new Set([
  ...['calling', 'proceeding', 'ringing', 'incoming', 'alerting'],
  ...['confirmed', 'offering', 'reoffering', 'glare'],
]);
/** Of legs, the last ones. */
const mostLegs = 10_000;

export const callsProgress: OracleMaker = {
  name: 'calls-progress',
  rule: 'A call that is neither answered nor over calls a device, and five seconds after it is over each of its legs has ended or is ending; while nothing is broken.',
  make: ({ map, check, fail }) => {
    const { promptMs, noticedMs } = boundsOf(map);
    const undisturbed = new Undisturbed();
    /** The states of the dialogs, and of the legs, by b2b and key. */
    const dialogs = new Map<string, string>();
    /** Of the dialogs, the ones that wait for an answer or for the end of their legs. */
    const waiting = new Map<string, string>();
    const legs = new Map<string, string>();
    /** The dialog of each leg, by b2b and Call-Id, and the legs of each dialog. */
    const dialogOf = new Map<string, string>();
    const legsOf = new Map<string, readonly string[]>();
    /** Since when each dialog waits for nothing, or has a leg too many. */
    const wrongMs = new Map<string, number>();
    const forget = (name: string) => {
      for (const leg of legsOf.get(name) ?? []) if (dialogOf.get(leg) === name) dialogOf.delete(leg);
      for (const all of [dialogs, waiting, legsOf, wrongMs]) all.delete(name);
    };
    const listeners: ObservationListeners = {
      'entity.state': byType(['dialog', 'leg'], ({ owner, machine, key, state }) => {
        const name = `${owner} ${key}`;
        if (machine === 'leg') {
          if (state === undefined) legs.delete(name);
          else if (legs.has(name)) legs.set(name, state);
          else setLast(legs, name, state, mostLegs);
          return;
        }
        if (state === undefined) return forget(name);
        if (dialogs.get(name) !== state) wrongMs.delete(name);
        dialogs.set(name, state);
        if (calling.has(state) || isOver(state)) waiting.set(name, state);
        else waiting.delete(name);
      }),
      'published.dialog': ({ from, dialog }) => {
        const name = `${from} ${dialog.dialogid}`;
        if (!dialogs.has(name)) return;
        const own = dialog.legs.map(({ callid }) => `${from} ${callid}`);
        legsOf.set(name, own);
        for (const leg of own) if (dialogOf.get(leg) !== name) setLast(dialogOf, leg, name, mostLegs);
      },
    };
    /** What is wrong with a dialog, if anything. */
    const problemOf = (name: string, state: string): string | undefined => {
      const own = (legsOf.get(name) ?? []).filter((leg) => dialogOf.get(leg) === name);
      if (own.length === 0) return undefined;
      if (!isOver(state)) return own.some((leg) => called.has(legs.get(leg) ?? '')) ? undefined : 'calls no device';
      const left = own.find((leg) => going.has(legs.get(leg) ?? ''));
      return left === undefined ? undefined : `is over, and its leg ${left} is ${legs.get(left)}`;
    };
    const tick = (nowMs: number) => {
      check(dialogs.size);
      for (const [name, state] of waiting) {
        const problem = problemOf(name, state);
        if (problem === undefined) {
          wrongMs.delete(name);
          continue;
        }
        const sinceMs = wrongMs.get(name) ?? nowMs;
        wrongMs.set(name, sinceMs);
        if (nowMs - sinceMs <= promptMs || undisturbed.forMs(nowMs) <= noticedMs + nowMs - sinceMs) continue;
        wrongMs.set(name, Number.POSITIVE_INFINITY);
        fail(`the call ${name} ${problem}, for ${Math.round(nowMs - sinceMs)} ms`);
      }
    };
    return {
      listeners: together(undisturbed.listeners, listeners),
      tick,
    };
  },
};

function isOver(state: string): boolean {
  return state.startsWith('over') || state.startsWith('stopped');
}
