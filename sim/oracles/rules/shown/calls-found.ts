/** A callstore finds a live call by each of its keys. */
import type { BodyOf, ReplyOf } from '../../../../src/model/protocol/catalogue.ts';
import type { DialogRecord } from '../../../../src/model/protocol/messages/dialog.ts';
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';
import { setLast, together } from '../kit/shared.ts';
import { Undisturbed } from '../kit/undisturbed.ts';

type Find = BodyOf<'callstore.find'>;

interface Live {
  readonly site: string;
  readonly record: DialogRecord;
  /** When it was published first, and in this form. */
  readonly sinceMs: number;
  readonly atMs: number;
}

/** Of calls and asks, the last ones. */
const mostKept = 2_000;

export const callsFound: OracleMaker = {
  name: 'calls-found',
  rule: 'A callstore that is asked for live calls by a number, a login, a confid, an inviteid or a Call-Id returns each call of its site that has it, from two seconds after that was published on; while nothing is broken.',
  make: ({ map, now, fired, check, fail }) => {
    const { quickMs, streamCatchUpMs } = boundsOf(map);
    const undisturbed = new Undisturbed();
    const calls = new Map<string, Live>();
    const asked = new Map<string, { readonly find: Find; readonly atMs: number }>();
    /** How often messages of streams were withheld, and when that was noticed last. */
    const withheld = { count: 0, atMs: Number.NEGATIVE_INFINITY };
    const look = () => {
      const count = fired('stream.unheard');
      if (count > withheld.count) Object.assign(withheld, { count, atMs: now() });
    };
    const judge = (from: string, reply: ReplyOf<'callstore.find'>, { find, atMs }: { find: Find; atMs: number }) => {
      look();
      if (reply.rest !== undefined || find.own !== undefined || now() - withheld.atMs <= streamCatchUpMs) return;
      const site = map.instances.get(from)?.site;
      const found = new Set(reply.records.map(({ dialogid }) => dialogid));
      for (const [dialogid, live] of calls) {
        if (live.site !== site || atMs - live.atMs <= quickMs || !isWanted(live.record, find)) continue;
        if (!undisturbed.isSince(live.sinceMs - quickMs, now())) continue;
        check();
        if (!found.has(dialogid))
          fail(`${from} does not find ${dialogid} by ${find.key} ${find.values.join(', ')}, which it has`);
      }
    };
    return {
      listeners: together(undisturbed.listeners, {
        'published.dialog': ({ from, dialog, atMs }) => {
          const source = map.instances.get(from);
          if (source?.role !== 'b2b') return;
          const { sinceMs = atMs } = calls.get(dialog.dialogid) ?? {};
          setLast(calls, dialog.dialogid, { site: source.site, record: dialog, sinceMs, atMs }, mostKept);
        },
        'published.gone': ({ gone }) => void calls.delete(gone),
        'instance.status': ({ instance, status }) => {
          if (map.instances.get(instance)?.role === 'b2b' && status === 'starting') calls.clear();
        },
        'node.ended': () => calls.clear(),
        'envelope.delivered': {
          'callstore.find': ({ envelope: { id, kind, body }, atMs }) => {
            if (kind === 'ask') setLast(asked, id, { find: body as Find, atMs }, mostKept);
          },
        },
        'envelope.sent': {
          'callstore.find': ({ envelope: { kind, from, re = '', body } }) => {
            const ask = kind === 'reply' ? asked.get(re) : undefined;
            if (ask !== undefined) judge(from, body as ReplyOf<'callstore.find'>, ask);
            asked.delete(re);
          },
        },
      }),
      tick: look,
    };
  },
};

function isWanted({ inviteid, legs, domains, participations }: DialogRecord, { domain, key, values }: Find): boolean {
  const own = participations.filter((party) => party.domain === domain);
  const has = (value: string) => values.includes(value);
  if (!domains.includes(domain)) return false;
  switch (key) {
    case 'inviteid':
      return has(inviteid);
    case 'callid':
      return legs.some(({ callid }) => has(callid));
    case 'number':
      return own.some(({ number }) => number !== '' && has(number));
    case 'login':
      return own.some(({ kind, name }) => kind === 'sipuser' && has(name));
    case 'confid':
      return own.some(({ kind, name }) => kind === 'conference' && name !== '' && has(name));
    default:
      return false;
  }
}
