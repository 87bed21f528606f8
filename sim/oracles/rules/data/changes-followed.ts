/** An mdc waits no longer for its copies than they need. */
import { limits } from '../../../../src/model/limits.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { byType, together } from '../kit/shared.ts';
import { Undisturbed } from '../kit/undisturbed.ts';

const changes: ReadonlySet<string> = new Set(['data.create', 'data.patch', 'data.delete']);
/** On a link that is not slower the answer of a copy takes no longer than this share of the time that an mdc waits. */
const promptShare = 1 / 5;

interface Change {
  readonly mdc: string;
  readonly type: string;
  readonly atMs: number;
  /** Copies have heard late of a change that was published meanwhile. */
  isSlow: boolean;
}

export const changesFollowed: OracleMaker = {
  name: 'changes-followed',
  rule: `A change of domain data is acknowledged when the active copies in reach have it: an mdc waits the ${limits.dataFollowMs} ms for the copies to the end only if one of them is not there, while nothing is broken.`,
  exclusions: `Changes while a message to a copy takes longer than ${limits.dataFollowMs * promptShare} ms.`,
  make: ({ map, fired, check, fail }) => {
    const { copiedMs, noticedMs } = boundsOf(map);
    const undisturbed = new Undisturbed();
    /** By the id of the request. */
    const open = new Map<string, Change>();
    /** Messages about changes that are under way, by id. */
    const published = new Map<string, { readonly mdc: string; readonly atMs: number }>();
    const isLate = ({ mdc, atMs }: { mdc: string; atMs: number }, of: string, nowMs: number) =>
      mdc === of && nowMs - atMs > limits.dataFollowMs * promptShare;
    /** How often a copy has not heard of a change, and when that was noticed last: it has a gap until it pulls. */
    const unheard = { count: 0, atMs: Number.NEGATIVE_INFINITY };
    const look = (nowMs: number) => {
      const count = fired('data.unheard');
      if (count > unheard.count) Object.assign(unheard, { count, atMs: nowMs });
    };
    const judge = ({ mdc, type, atMs, isSlow }: Change, nowMs: number) => {
      look(nowMs);
      if (isSlow || [...published.values()].some((each) => isLate(each, mdc, nowMs))) return;
      const calmMs = Math.min(undisturbed.forMs(nowMs), nowMs - unheard.atMs);
      if (calmMs < nowMs - atMs + Math.max(copiedMs, noticedMs)) return;
      check();
      const tookMs = Math.round(nowMs - atMs);
      if (tookMs >= limits.dataFollowMs) fail(`${mdc} answers ${type} after ${tookMs} ms, and no copy was slow`);
    };
    const listeners: ObservationListeners = {
      'envelope.sent': byType([...changes, 'data.changed'], ({ envelope: { id, kind, type, from, re }, atMs }) => {
        if (type === 'data.changed') published.set(id, { mdc: from, atMs });
        const change = kind === 'reply' && re !== undefined ? open.get(re) : undefined;
        if (change === undefined || change.mdc !== from) return;
        open.delete(re ?? '');
        judge(change, atMs);
      }),
      'envelope.delivered': byType([...changes, 'data.changed'], ({ envelope: { id, kind, type, from, to }, atMs }) => {
        if (kind === 'ask' && changes.has(type)) open.set(id, { mdc: to, type, atMs, isSlow: false });
        const sent = published.get(id);
        published.delete(id);
        if (sent === undefined || !isLate(sent, from, atMs)) return;
        for (const change of open.values()) if (change.mdc === from) change.isSlow = true;
      }),
    };
    const tick = (nowMs: number) => {
      look(nowMs);
      // What was not answered, and what never arrived.
      for (const [id, { atMs }] of open) if (nowMs - atMs > copiedMs) open.delete(id);
      for (const [id, { atMs }] of published) if (nowMs - atMs > copiedMs) published.delete(id);
    };
    return {
      listeners: together(undisturbed.listeners, listeners),
      tick,
    };
  },
};
