/** A front bans an address that guesses, for as long as it goes on. */
import { limits } from '../../../../src/model/limits.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { jsonIn } from '../kit/reading.ts';
import { setLast } from '../kit/shared.ts';

const sessions = '/rest/v1/iam/sessions';
const list = '/rest/v1/master/logicalroles/ws/bannedaddrs';
/** Addresses of clients that are watched. */
const mostKept = 1_000;

interface Row {
  readonly srvidx: number;
  readonly banned?: readonly { readonly ip: string; readonly expires: number }[];
}

export const bansLast: OracleMaker = {
  name: 'bans-last',
  rule: 'A front that has refused five wrong logins of an address within three minutes (401), or any request of it as that of a banned one (429), refuses its wrong logins as banned from then on, until three minutes have passed without an attempt, and shows the ban for as long in the list of bans.',
  exclusions: 'Fronts that have restarted since, or whose clock was set, and addresses after a lifting of bans.',
  make: ({ map, now, check, fail }) => {
    const { quickMs } = boundsOf(map);
    /** By front and address: when its ban was prolonged last. */
    const banned = new Map<string, number>();
    /** Wrong logins, by front and address. */
    const failures = new Map<string, readonly number[]>();
    const asked = new Map<number, number>();
    const numbers = new Map(map.instancesOf('ws').map(({ name, srvidx }) => [name, srvidx]));
    const forget = () => {
      banned.clear();
      failures.clear();
    };
    const left = (key: string, atMs: number) =>
      (banned.get(key) ?? Number.NEGATIVE_INFINITY) + limits.loginWindowMs - atMs;
    const refused = (key: string, beganMs: number, atMs: number) => {
      const recent = (failures.get(key) ?? []).filter((each) => atMs - each < limits.loginWindowMs - quickMs);
      const bannedMs = banned.get(key) ?? Number.POSITIVE_INFINITY;
      // Also of logins that came at once: what is decided after the ban is not said.
      const isLate = map.topology.bans && recent.length >= limits.loginFailures;
      check();
      if (bannedMs < beganMs && left(key, atMs) > quickMs)
        fail(`${key} is not banned any more ${Math.round(atMs - bannedMs)} ms after its last attempt`);
      else if (isLate) fail(`${key} has failed to log in ${recent.length} times, and is not banned`);
      setLast(failures, key, [...recent, atMs], mostKept);
    };
    const listeners: ObservationListeners = {
      'front.answered': ({ front, sender, method, path, status, tookMs, atMs }) => {
        if (status === 429) setLast(banned, `${front} ${sender}`, atMs, mostKept);
        else if (status === 401 && method === 'POST' && path === sessions)
          refused(`${front} ${sender}`, atMs - tookMs, atMs);
      },
      'request.received': ({ id, method, target, atMs }) => {
        if (!target.startsWith(list)) return;
        if (method === 'DELETE') forget();
        asked.set(id, atMs);
      },
      'request.answered': ({ id, site, method, target, status, body }) => {
        const askedMs = asked.get(id);
        asked.delete(id);
        if (askedMs === undefined) return;
        if (method === 'DELETE') return forget();
        const rows = status === 200 && target === list ? jsonIn(body) : undefined;
        if (!Array.isArray(rows)) return;
        for (const [key, atMs] of banned) {
          const [front = '', ip] = key.split(' ');
          const row = (rows as Row[]).find(({ srvidx }) => srvidx === numbers.get(front));
          const restMs = left(key, now()) - quickMs;
          if (row?.banned === undefined || restMs <= 0 || atMs >= askedMs) continue;
          const shown = row.banned.find((each) => each.ip === ip)?.expires;
          check();
          if ((shown ?? 0) * 1_000 < restMs)
            fail(`${site} shows ${shown ?? 'no'} seconds for the ban of ${ip} at ${front}, of ${restMs} ms at least`);
        }
      },
      'instance.status': ({ instance, status }) => {
        if (map.instances.get(instance)?.role === 'ws' && (status === 'starting' || status === 'stopped')) forget();
      },
      'instance.crashed': ({ instance }) => {
        if (map.instances.get(instance)?.role === 'ws') forget();
      },
      'node.ended': forget,
      'fault.inflicted': ({ verb }) => {
        if (verb === 'skew') forget();
      },
      'fault.mended': ({ verb }) => {
        if (verb === 'skew' || verb === 'mend') forget();
      },
    };
    return { listeners };
  },
};
