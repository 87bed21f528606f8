/** The lists of bans show what was banned. */
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';
import { jsonIn } from '../kit/reading.ts';
import { together } from '../kit/shared.ts';
import { Undisturbed } from '../kit/undisturbed.ts';

const path = /^\/rest\/v1\/master\/logicalroles\/(sg|esg)\/bannedaddrs(?:\/[^/?]+)?(\?.*)?$/;

/** What an answer says of one instance. */
interface Row {
  readonly srvidx: number;
  readonly online: boolean;
  /** Of a request to ban. */
  readonly result?: boolean;
  readonly banned?: readonly { readonly ip: string; readonly expires: number }[];
}

interface Ban {
  readonly madeMs: number;
  readonly untilMs: number;
}

interface Asked {
  readonly method: string;
  readonly role: string;
  readonly atMs: number;
  readonly sent: unknown;
}

export const bansShown: OracleMaker = {
  name: 'bans-shown',
  rule: 'While nothing is broken an answer about the bans of sg or esg instances has a row for each of them, online; each takes a ban, and shows it until it ends or bans are lifted, with at most the seconds that are left.',
  exclusions: 'Bans of ws instances, which their failed logins prolong.',
  make: ({ map, now, check, fail }) => {
    const { noticedMs, quickMs } = boundsOf(map);
    const undisturbed = new Undisturbed();
    const asked = new Map<number, Asked>();
    /** When the last request to lift bans was answered. */
    let liftedMs = Number.NEGATIVE_INFINITY;
    /** By instance and address; those of the last request that named the address. */
    const bans = new Map<string, Ban>();
    const nameOf = (srvidx: number, ip: string) => `${srvidx} ${ip}`;
    /** Instances that drain or have stopped; their node may drain for long. */
    const leaving = new Set<string>();
    const isLeaving = (role: string, number: number) =>
      map.instancesOf(role as 'sg').some(({ srvidx, address }) => srvidx === number && leaving.has(address));
    const judgeRows = (said: string, rows: readonly Row[], role: string) => {
      const wanted = map.instancesOf(role as 'sg').map(({ srvidx }) => srvidx);
      const shown = rows.map(({ srvidx }) => srvidx);
      check();
      if (String(shown.toSorted()) !== String(wanted.toSorted()))
        fail(`${said} has rows for ${shown.join(', ')}; expected ${wanted.join(', ')}`);
      const away = rows.find(({ online, srvidx }) => !online && !isLeaving(role, srvidx));
      if (away !== undefined) fail(`${said} shows ${role}-${away.srvidx} as away`);
      const refusing = rows.find(({ result }) => result === false);
      if (refusing !== undefined) fail(`${said} says that ${role}-${refusing.srvidx} has not banned the address`);
    };
    const judgeBans = (said: string, rows: readonly Row[], askedMs: number) => {
      for (const { srvidx, banned = [] } of rows) {
        const shown = new Map(banned.map(({ ip, expires }) => [ip, expires]));
        for (const [name, { madeMs, untilMs }] of bans) {
          const [of, ip = ''] = name.split(' ');
          if (of !== String(srvidx) || madeMs >= askedMs || untilMs <= now() + quickMs) continue;
          if (!undisturbed.isSince(madeMs - noticedMs, now())) continue;
          check();
          if (!shown.has(ip)) fail(`${said} does not show the ban of ${ip} at ${srvidx}`);
          // Another client may have prolonged it, whose answer is not there yet.
          if ((shown.get(ip) ?? 0) * 1_000 < untilMs - now() - quickMs)
            fail(`${said} shows ${shown.get(ip)} s for ${ip} at ${srvidx}: the ban lasts ${untilMs - now()} ms more`);
        }
      }
    };
    return {
      listeners: together(undisturbed.listeners, {
        'instance.status': ({ instance, status }) => {
          if (status === 'draining' || status === 'stopped') leaving.add(instance);
          else leaving.delete(instance);
        },
        'request.received': ({ id, method, target, sent, atMs }) => {
          const [, role, selection] = path.exec(target) ?? [];
          // A selection of instances is judged only as a lifting of bans.
          if (role === undefined || (selection !== undefined && method !== 'DELETE')) return;
          asked.set(id, { method, role, atMs, sent: jsonIn(sent) });
          if (method === 'DELETE') bans.clear();
        },
        'request.answered': ({ id, site, method, target, status, body, missing }) => {
          const question = asked.get(id);
          asked.delete(id);
          if (question?.method === 'DELETE') liftedMs = now();
          const rows = status === 200 ? jsonIn(body) : undefined;
          if (question === undefined || !Array.isArray(rows)) return;
          // A lifting that was under way has met some of the instances.
          const isLifting = liftedMs >= question.atMs || [...asked.values()].some((each) => each.method === 'DELETE');
          const said = `the answer of ${site} to ${method} ${target}`;
          const isCalm = undisturbed.isSince(question.atMs - noticedMs, now());
          if (missing === undefined && isCalm) judgeRows(said, rows, question.role);
          const { ip, expires } = (question.sent ?? {}) as { readonly ip?: string; readonly expires?: number };
          if (method === 'GET') judgeBans(said, rows, question.atMs);
          else if (method === 'POST' && ip !== undefined && expires !== undefined && !isLifting)
            for (const { srvidx, result } of rows as Row[]) {
              const untilMs = question.atMs + expires * 1_000;
              const before = bans.get(nameOf(srvidx, ip))?.untilMs ?? 0;
              if (result === true) bans.set(nameOf(srvidx, ip), { madeMs: now(), untilMs: Math.max(before, untilMs) });
            }
        },
      }),
      tick: (nowMs) => {
        for (const [name, { untilMs }] of bans) if (untilMs < nowMs) bans.delete(name);
      },
    };
  },
};
