/** The registrations that an sr gives to b2b instances are as they were made last, and are not over. */
import type { BodyOf, ReplyOf } from '../../../../src/model/protocol/catalogue.ts';
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';
import { setLast, together } from '../kit/shared.ts';
import { Undisturbed } from '../kit/undisturbed.ts';

/** Of devices, the last ones. */
const mostKept = 5_000;

interface Bound {
  readonly key: string;
  readonly path: string;
  readonly contact: string;
  readonly atMs: number;
}

export const registrationsFresh: OracleMaker = {
  name: 'registrations-fresh',
  rule: 'An sr gives a registered device with the gate and the contact of its last REGISTER, from two seconds after that on, and none whose time has been over for two seconds; while nothing is broken.',
  exclusions: 'Runs in which the clock of a node was wrong.',
  make: ({ map, now, fired, areClocksRight, check, fail }) => {
    const { quickMs, noticedMs, comparedMs } = boundsOf(map);
    const undisturbed = new Undisturbed();
    /** What each device was bound with last, by any sr instance. */
    const bound = new Map<string, Bound>();
    /** Open asks, by their ids. */
    const asked = new Map<string, Bound>();
    /** How often copies were withheld, and when that was noticed last. */
    const untold = { count: 0, atMs: Number.NEGATIVE_INFINITY };
    const areCopiesSent = () => {
      const count = fired('registrar.untold');
      if (count > untold.count) Object.assign(untold, { count, atMs: now() });
      return now() - untold.atMs > comparedMs;
    };
    return {
      listeners: together(undisturbed.listeners, {
        'envelope.sent': {
          'registrar.bind': ({ envelope: { id, kind, re = '', body }, atMs }) => {
            if (kind === 'ask') {
              const { domain, login, device, path, contact } = (body as BodyOf<'registrar.bind'>).binding;
              return setLast(asked, id, { key: `${domain}/${login}/${device}`, path, contact, atMs }, mostKept);
            }
            const bind = asked.get(re);
            asked.delete(re);
            // One without an answer may have been done.
            if (bind !== undefined && kind === 'reply' && (body as ReplyOf<'registrar.bind'>).result === 'bound')
              setLast(bound, bind.key, { ...bind, atMs }, mostKept);
          },
          'registrar.lookup': ({ envelope: { kind, from, body }, atMs }) => {
            if (kind !== 'reply' || !areClocksRight()) return;
            for (const { domain, login, device, ...one } of (body as ReplyOf<'registrar.lookup'>).bindings) {
              const key = `${domain}/${login}/${device}`;
              const known = bound.get(key);
              check();
              if (one.leftMs < -quickMs && undisturbed.isSince(atMs - quickMs, atMs))
                fail(`${from} gives ${key}, whose registration is over for ${Math.round(-one.leftMs)} ms`);
              const isOther = one.path !== known?.path || one.contact !== known.contact;
              const isJudged = known !== undefined && atMs - known.atMs > quickMs && isOther;
              if (!isJudged || !undisturbed.isSince(known.atMs - noticedMs, atMs)) continue;
              if (areCopiesSent() && ![...asked.values()].some((open) => open.key === key))
                fail(`${from} gives ${key} as ${one.contact} at ${one.path}: it is ${known.contact} at ${known.path}`);
            }
          },
        },
      }),
      tick: () => void areCopiesSent(),
    };
  },
};
