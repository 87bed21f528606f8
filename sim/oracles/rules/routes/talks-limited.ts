/** A call lasts as long as its users may talk, and no longer. */
import type { DialogRecord } from '../../../../src/model/protocol/messages/dialog.ts';
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';
import { DialPlan } from '../kit/dial-plan.ts';
import { setLast, together } from '../kit/shared.ts';
import { Undisturbed } from '../kit/undisturbed.ts';

interface Talk {
  /** The parties of both sides; of side b, none before it is known. */
  readonly parties: Map<string, string>;
  /** When it was published as connected. */
  sinceMs: number | undefined;
  /** Whether a transfer, a redirection or a replacement has changed a party. */
  isMoved: boolean;
}

const mostTalks = 2_000;
/** A call that ends at its limit says so. */
const limited = { type: 'timeout', reason: 'time limit' } as const;

export const talksLimited: OracleMaker = {
  name: 'talks-limited',
  rule: 'A connected call ends at the latest two seconds after the shortest of the limits of its SIP users (opts.dlgtimesec), and does not end by a limit before that; while nothing is broken.',
  exclusions: 'Calls with another party than at first. Runs in which a client changes a SIP user of the topology.',
  make: ({ map, check, fail }) => {
    const { quickMs } = boundsOf(map);
    const undisturbed = new Undisturbed();
    const plan = new DialPlan(map);
    const limits = new Map<string, number>(
      map.topology.domains.flatMap(({ name, sipusers }) =>
        sipusers.map(({ login, dlgtimesec }) => [`sipuser ${name} ${login}`, dlgtimesec * 1_000] as const),
      ),
    );
    const areLimited = [...limits.values()].some((limitMs) => limitMs > 0);
    const talks = new Map<string, Talk>();
    const limitOf = ({ parties }: Talk): number => {
      const own = [...parties.values()].map((party) => limits.get(party) ?? 0).filter((each) => each > 0);
      return Math.min(...own);
    };
    const isJudged = ({ sinceMs, isMoved }: Talk, atMs: number) =>
      sinceMs !== undefined && !isMoved && plan.isAsAtFirst && undisturbed.isSince(sinceMs - quickMs, atMs);
    const note = ({ dialogid, status, participations }: DialogRecord, atMs: number) => {
      const talk = talks.get(dialogid) ?? { parties: new Map(), sinceMs: undefined, isMoved: false };
      setLast(talks, dialogid, talk, mostTalks);
      for (const { side, kind, domain, name } of participations) {
        const party = `${kind} ${domain} ${name}`;
        if ((talk.parties.get(side) ?? party) !== party) talk.isMoved = true;
        talk.parties.set(side, party);
      }
      if (status === 'dialog') talk.sinceMs ??= atMs;
    };
    return {
      listeners: together(undisturbed.listeners, plan.listeners, {
        'published.dialog': ({ from, dialog, atMs }) => {
          if (areLimited && map.instances.get(from)?.role === 'b2b') note(dialog, atMs);
        },
        'published.gone': ({ gone }) => void talks.delete(gone),
        'published.event': {
          callevents: ({ event: { name, data }, atMs }) => {
            const dialogid = String(data['dialogid']);
            if (name !== 'dlg_end') return;
            const talk = talks.get(dialogid);
            talks.delete(dialogid);
            if (data['type'] !== limited.type || data['reason'] !== limited.reason) return;
            if (!areLimited && plan.isAsAtFirst) return fail(`${dialogid} has ended by a limit, which no SIP user has`);
            if (talk === undefined || !isJudged(talk, atMs)) return;
            check();
            const [tookMs, limitMs] = [atMs - (talk.sinceMs ?? atMs), limitOf(talk)];
            if (tookMs + quickMs < limitMs)
              fail(`${dialogid} has ended by its limit after ${tookMs} ms; expected ${limitMs} ms`);
          },
        },
      }),
      tick: (nowMs) => {
        for (const [dialogid, talk] of talks) {
          const lastMs = (talk.sinceMs ?? nowMs) + limitOf(talk) + quickMs;
          if (nowMs <= lastMs) continue;
          talks.delete(dialogid);
          if (isJudged(talk, nowMs)) fail(`${dialogid} goes on ${nowMs - lastMs + quickMs} ms after its limit`);
        }
      },
    };
  },
};
