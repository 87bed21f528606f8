/** No call rings for ever. */
import { legDelaysMs } from '../../../../src/machines/sip/leg.ts';
import type { BodyOf } from '../../../../src/model/protocol/catalogue.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { HeldBack } from '../held-back.ts';
import { together } from '../shared.ts';

interface Ringing {
  readonly atMs: number;
  readonly untilMs: number;
}

const unanswered: ReadonlySet<string> = new Set([
  'calling',
  'proceeding',
  'ringing',
  'incoming',
  'alerting',
  'expiring',
]);

export const ringingEnds: OracleMaker = {
  name: 'ringing-ends',
  rule: 'A callee of IVR rings no longer than the request allows, and no leg waits for its answer longer than a caller does (eleven minutes) and a CANCEL takes (32 s).',
  exclusions: 'Calls while a node is paused or traffic is held: the timers that end them wait.',
  make: ({ map, stableMs, check, fail }) => {
    const { promptMs } = boundsOf(map);
    const longestMs = legDelaysMs.patience + legDelaysMs.cancel;
    const held = new HeldBack();
    const ringing = new Map<string, Ringing>();
    /** The ring time that the next call of an ivr instance has. */
    const asked = new Map<string, number>();
    const stop = (name: string) => {
      if (ringing.delete(name)) check();
    };
    const listeners: ObservationListeners = {
      'envelope.delivered': ({ envelope: { kind, to, body } }) => {
        if (kind === 'ask') asked.set(to, (body as BodyOf<'ivr.call'>).request.timeoutMs);
      },
      'entity.state': ({ owner, machine, key, state = '', atMs }) => {
        const name = `${machine} ${key} of ${owner}`;
        const isRinging = machine === 'leg' ? unanswered.has(state) : state === 'reaching';
        if (!isRinging) return stop(name);
        if (ringing.has(name)) return;
        const limitMs = machine === 'leg' ? longestMs : asked.get(owner);
        if (limitMs !== undefined) ringing.set(name, { atMs, untilMs: atMs + limitMs + promptMs });
      },
    };
    const tick = (nowMs: number) => {
      for (const [name, { atMs, untilMs }] of ringing) {
        if (nowMs <= untilMs || stableMs() < promptMs || held.isHeld(nowMs)) continue;
        ringing.delete(name);
        fail(`${name} has rung for ${Math.round((nowMs - atMs) / 1_000)} s`);
      }
    };
    return { listeners: together(held.listeners, listeners), tick, types: ['ivr.call', 'leg', 'ivr-call'] };
  },
};
