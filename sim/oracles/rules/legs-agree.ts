/** Both ends of a leg know of each other. */
import { boundsOf } from '../bounds.ts';
import type { Hears, OracleMaker } from '../oracle.ts';

/** What an end of a leg is up to: it is being set up, both talk, or it is being ended. */
type Phase = 'early' | 'talking' | 'ending';

interface End {
  phase: Phase;
  sinceMs: number;
}

interface Leg {
  readonly ends: Map<string, End>;
  /** When one end began to end it, or was gone. */
  endedMs: number | undefined;
  /** Whether the world was calm then, and since. */
  isCalm: boolean;
}

const talking: ReadonlySet<string> = new Set(['confirmed', 'offering', 'reoffering', 'glare']);
const early: ReadonlySet<string> = new Set(['calling', 'proceeding', 'ringing', 'incoming', 'alerting', 'answering']);

export const legsAgree: OracleMaker = {
  name: 'legs-agree',
  rule: 'When one end of a leg ends it, the other one does so within two seconds, or, where somebody was lost without a word, when the session timer is over.',
  make: ({ map, calmMs, check, fail, now }) => {
    const { quickMs, letGoMs } = boundsOf(map);
    const legs = new Map<string, Leg>();
    /** Legs that are over at one end only. */
    const halves = new Map<string, Leg>();
    const hears: Hears = {
      'entity.state': ({ owner, key, state, atMs }) => {
        const leg = legs.get(key) ?? { ends: new Map<string, End>(), endedMs: undefined, isCalm: true };
        const isOver = state === undefined || state === 'ended';
        if (isOver) leg.ends.delete(owner);
        else leg.ends.set(owner, { phase: phaseOf(state), sinceMs: atMs });
        if (leg.ends.size === 0) {
          if (leg.endedMs !== undefined) check();
          legs.delete(key);
          halves.delete(key);
          return;
        }
        legs.set(key, leg);
        if (leg.endedMs !== undefined || !(isOver || phaseOf(state) === 'ending')) return;
        leg.endedMs = atMs;
        halves.set(key, leg);
      },
    };
    const tick = (nowMs: number) => {
      const calm = halves.size === 0 ? 0 : calmMs();
      for (const [callid, leg] of halves) {
        const { ends, endedMs = nowMs } = leg;
        const open = [...ends].filter(([, { phase }]) => phase !== 'ending');
        if (open.length === 0) continue;
        const sinceMs = nowMs - endedMs;
        if (calm < sinceMs) leg.isCalm = false;
        const limitMs = leg.isCalm ? quickMs : letGoMs;
        if (Math.min(sinceMs, calm) <= limitMs) continue;
        halves.delete(callid);
        const who = open.map(([owner, { phase }]) => `${owner} (${phase})`).join(', ');
        fail(`leg ${callid} has ended at one side, and ${Math.round((now() - endedMs) / 1_000)} s later not at ${who}`);
      }
    };
    return { hears, tick, types: ['leg'] };
  },
};

function phaseOf(state: string): Phase {
  if (talking.has(state)) return 'talking';
  return early.has(state) ? 'early' : 'ending';
}
