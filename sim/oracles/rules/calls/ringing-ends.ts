/** Nobody is called for ever. */
import { legDelaysMs } from '../../../../src/machines/leg.ts';
import type { BodyOf } from '../../../../src/model/protocol/catalogue.ts';
import { boundsOf } from '../../bounds.ts';
import type { Hears, OracleMaker } from '../../oracle.ts';

interface Ringing {
  readonly what: string;
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
  rule: 'A device that IVR calls rings no longer than the request says, and no leg waits for its answer longer than eleven minutes.',
  make: ({ map, calmMs, check, fail }) => {
    const { promptMs } = boundsOf(map);
    const longestMs = legDelaysMs.patience + legDelaysMs.cancel + promptMs;
    const ringing = new Map<string, Ringing>();
    /** How long X may ring, for the call that an ivr instance begins next. */
    const asked = new Map<string, number>();
    const stop = (name: string) => {
      if (ringing.delete(name)) check();
    };
    const hears: Hears = {
      'envelope.delivered': ({ envelope: { kind, to, body } }) => {
        if (kind === 'ask') asked.set(to, (body as BodyOf<'ivr.call'>).request.timeoutMs);
      },
      'entity.state': ({ owner, machine, key, state = '', atMs }) => {
        const name = `${machine} ${key} of ${owner}`;
        const isRinging = machine === 'leg' ? unanswered.has(state) : state === 'reaching';
        if (!isRinging) return stop(name);
        if (ringing.has(name)) return;
        const limitMs = machine === 'leg' ? longestMs : asked.get(owner);
        if (limitMs !== undefined) ringing.set(name, { what: name, atMs, untilMs: atMs + limitMs + promptMs });
      },
    };
    const tick = (nowMs: number) => {
      for (const [name, { what, atMs, untilMs }] of ringing) {
        if (nowMs <= untilMs || calmMs() < promptMs) continue;
        ringing.delete(name);
        fail(`${what} has rung for ${Math.round((nowMs - atMs) / 1_000)} s`);
      }
    };
    return { hears, tick, types: ['ivr.call', 'leg', 'ivr-call'] };
  },
};
