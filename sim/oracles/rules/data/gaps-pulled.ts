/** A consumer that notices a lost message of a stream asks its source at once. */
import { nodeOf } from '../../../../src/model/cluster/address.ts';
import type { BodyOf, ReplyOf } from '../../../../src/model/protocol/catalogue.ts';
import type { OracleMaker } from '../../oracle.ts';
import { Reachability } from '../../reachability.ts';
import { setLast, together } from '../kit/shared.ts';

const pulledMs = 5_000;
/** Consumers of streams, the last ones. */
const mostKept = 2_000;

interface Place {
  readonly epoch: number;
  readonly n: number;
}

export const gapsPulled: OracleMaker = {
  name: 'gaps-pulled',
  rule: 'An instance that receives an entry of a stream before an earlier one asks the source within five seconds of it, unless the missing one arrives: a callstore reads the stream of a b2b, conf, ivr or sr.',
  exclusions:
    'Gaps within five seconds of a question, whose answer may bring what is missing, and while instances ignore messages. Instances that end or change their status, nodes that are paused, and sources out of reach meanwhile.',
  make: ({ map, now, fired, check, fail }) => {
    const reachability = new Reachability(map);
    /** Since when the nodes of both see each other, and all the others that they see (ms). */
    const seenForMs = (pair: string) => {
      const [one, other] = pair.split(' ').map((address) => map.node(nodeOf(address)));
      if (one === undefined || other === undefined || !reachability.areTogether(one, other)) return 0;
      return Math.min(reachability.stableMs(one, now()), reachability.stableMs(other, now()));
    };
    /** The last entry that each consumer was sent, by `CONSUMER SOURCE`. */
    const places = new Map<string, Place>();
    /** Gaps that were noticed: since when, and which entries are missing. */
    const gaps = new Map<
      string,
      { readonly sinceMs: number; readonly missing: Set<number>; readonly unheard: number }
    >();
    const askedMs = new Map<string, number>();
    /** Instances that have crashed or stopped: what arrives for them is lost. */
    const down = new Set<string>();
    /** How often an instance has ignored a message: it does not know of the gap then. */
    const unheard = () => fired('stream.unheard');
    const hasJustAsked = (pair: string) => now() - (askedMs.get(pair) ?? Number.NEGATIVE_INFINITY) < pulledMs;
    const arrived = (pair: string, { epoch, n }: Place, last: number) => {
      const before = places.get(pair);
      const gap = gaps.get(pair);
      for (let each = n; each <= last; each += 1) gap?.missing.delete(each);
      if (gap?.missing.size === 0) gaps.delete(pair);
      if (before?.epoch === epoch && n > before.n + 1 && !gaps.has(pair) && !hasJustAsked(pair)) {
        const missing = new Set(Array.from({ length: n - before.n - 1 }, (_, index) => before.n + 1 + index));
        gaps.set(pair, { sinceMs: now(), missing, unheard: unheard() });
      }
      const furthest = before?.epoch === epoch ? Math.max(before.n, last) : last;
      setLast(places, pair, { epoch, n: furthest }, mostKept);
    };
    /** Its answer brings what is missing, or the next question does. */
    const asked = (pair: string) => {
      setLast(askedMs, pair, now(), mostKept);
      if (gaps.delete(pair)) check();
    };
    const forget = (isLost: (address: string) => boolean) => {
      for (const entries of [places, gaps])
        for (const key of [...entries.keys()]) if (key.split(' ').some(isLost)) entries.delete(key);
    };
    return {
      listeners: together(reachability.listeners, {
        'envelope.delivered': {
          'stream.read': ({ envelope: { kind, from, to, body } }) => {
            if (kind !== 'reply') return;
            const { epoch, last } = body as ReplyOf<'stream.read'>;
            const n = Math.max(last, places.get(`${to} ${from}`)?.n ?? 0);
            setLast(places, `${to} ${from}`, { epoch, n }, mostKept);
          },
          'stream.published': ({ envelope: { from, to, body } }) => {
            const { epoch, items } = body as BodyOf<'stream.published'>;
            const [first, last] = [items[0]?.n, items.at(-1)?.n];
            if (first === undefined || last === undefined || down.has(to)) return;
            arrived(`${to} ${from}`, { epoch, n: first }, last);
          },
        },
        'envelope.sent': {
          'stream.read': ({ envelope: { kind, from, to } }) => {
            if (kind === 'ask') asked(`${from} ${to}`);
          },
        },
        'instance.status': ({ instance, status }) => {
          forget((address) => address === instance);
          if (status === 'stopped') down.add(instance);
          else down.delete(instance);
        },
        'instance.crashed': ({ instance }) => {
          forget((address) => address === instance);
          down.add(instance);
        },
        'node.ended': ({ node }) => forget((address) => address.includes(`/${node}/`)),
      }),
      tick: (nowMs) => {
        for (const [pair, gap] of gaps) {
          const { sinceMs, missing } = gap;
          if (nowMs - sinceMs <= pulledMs) continue;
          gaps.delete(pair);
          if (gap.unheard !== unheard()) continue;
          if (seenForMs(pair) <= nowMs - sinceMs + pulledMs) continue;
          const [consumer, source] = pair.split(' ');
          fail(`${consumer} lacks entry ${[...missing][0]} of ${source}, and has not asked for it`);
        }
      },
    };
  },
};
