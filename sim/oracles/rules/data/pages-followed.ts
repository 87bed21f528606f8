/** An instance that catches up reads page after page, to the end. */
import type { Envelope } from '../../../../src/model/cluster/envelope.ts';
import type { BodyOf, ReplyOf } from '../../../../src/model/protocol/catalogue.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { byType, setLast, together } from '../kit/shared.ts';
import { Undisturbed } from '../kit/undisturbed.ts';

/** By the type of an ask for a page: the type of the next one, and whether there is one. */
const pages: Readonly<Record<string, { readonly next: string; hasMore(body: unknown): boolean }>> = {
  'stream.read': {
    next: 'stream.read',
    hasMore: (body) => {
      const { items, last } = body as ReplyOf<'stream.read'>;
      return items.length > 0 && (items.at(-1)?.n ?? last) < last;
    },
  },
  'data.changes': { next: 'data.changes.rest', hasMore: (body) => 'rest' in (body as object) },
  'data.changes.rest': { next: 'data.changes.rest', hasMore: (body) => 'rest' in (body as object) },
  'session.changes': { next: 'session.changes', hasMore: (body) => (body as ReplyOf<'session.changes'>).more },
};

const mostStreams = 1_000;
const mostNumbers = 200;

/** A page after which there is another one. */
interface Page {
  readonly next: string;
  readonly reader: string;
  readonly source: string;
  readonly atMs: number;
}

export const pagesFollowed: OracleMaker = {
  name: 'pages-followed',
  rule: 'An instance that catches up with another one, and gets a page that is not the last, asks for the next one within five seconds, while nothing is broken.',
  make: ({ map, check, fail }) => {
    const { promptMs } = boundsOf(map);
    const undisturbed = new Undisturbed();
    /** By the next type, reader and source. */
    const open = new Map<string, Page>();
    /** The numbers of the items that were pushed last, by reader and source. */
    const pushed = new Map<string, readonly number[]>();
    /** Who sent the asks that are open. */
    const asked = new Map<string, string>();
    const forget = (instance: string) => {
      for (const [id, from] of asked) if (from === instance) asked.delete(id);
    };
    const keyOf = (next: string, reader: string, source: string) => `${next} ${reader} ${source}`;
    const listeners: ObservationListeners = {
      'envelope.delivered': byType([...Object.keys(pages), 'stream.published'], ({ envelope, atMs }) => {
        const { kind, type, from: source, to: reader, re, body } = envelope as Envelope;
        if (type === 'stream.published') {
          const key = `${reader} ${source}`;
          const numbers = [...(pushed.get(key) ?? []), ...(body as BodyOf<'stream.published'>).items.map(({ n }) => n)];
          return setLast(pushed, key, numbers.slice(-mostNumbers), mostStreams);
        }
        const page = kind === 'reply' ? pages[type] : undefined;
        const isAsked = asked.delete(re ?? '');
        if (page === undefined || !isAsked) return;
        // It has begun again, and has the end now.
        if (!page.hasMore(body)) return void open.delete(keyOf(page.next, reader, source));
        // What was pushed meanwhile may be the rest.
        if (type === 'stream.read' && isPushed(body as ReplyOf<'stream.read'>, pushed.get(`${reader} ${source}`)))
          return;
        open.set(keyOf(page.next, reader, source), { next: page.next, reader, source, atMs });
      }),
      'envelope.sent': byType(Object.keys(pages), ({ envelope: { id, kind, type, from, to } }) => {
        if (kind !== 'ask') return;
        setLast(asked, id, from, mostNumbers);
        if (open.delete(keyOf(type, from, to))) check();
      }),
      // An instance that has started anew takes no answer to what was asked before.
      'instance.crashed': ({ instance }) => forget(instance),
      'node.ended': ({ node }) => {
        for (const { address } of map.node(node).instances) forget(address);
      },
    };
    const tick = (nowMs: number) => {
      for (const [key, { next, reader, source, atMs }] of open) {
        const sinceMs = nowMs - atMs;
        if (sinceMs <= promptMs) continue;
        open.delete(key);
        if (undisturbed.forMs(nowMs) > sinceMs)
          fail(
            `${reader} has not asked ${source} for the next page (${next}) ${Math.floor(sinceMs)} ms after the last one`,
          );
      }
    };
    return { listeners: together(undisturbed.listeners, listeners), tick };
  },
};

/** Whether all items behind a page were pushed. */
function isPushed({ items, last }: ReplyOf<'stream.read'>, numbers: readonly number[] = []): boolean {
  const end = items.at(-1)?.n ?? last;
  return new Set(numbers.filter((n) => n > end && n <= last)).size === last - end;
}
