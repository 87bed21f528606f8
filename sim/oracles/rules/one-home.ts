/** Who calls a room meets those who are there. */
import type { BodyOf } from '../../../src/model/protocol/catalogue.ts';
import { boundsOf } from '../bounds.ts';
import type { Hears, OracleMaker } from '../oracle.ts';
import { LinksWhole } from './links-whole.ts';

interface Home {
  readonly room: string;
  readonly owner: string;
  readonly confid: string;
}

export const oneHome: OracleMaker = {
  name: 'one-home',
  rule: 'A room has one conference at a time, wherever its callers come in, unless it was opened on two sides of a cut.',
  make: ({ map, now, check, fail }) => {
    const { quickMs } = boundsOf(map);
    const links = new LinksWhole();
    /** Since when each instance serves. */
    const activeMs = new Map<string, number>();
    /** Whether two have known each other for long enough. */
    const knowEachOther = (...owners: readonly string[]) => {
      const sinceMs = Math.max(...owners.map((owner) => activeMs.get(owner) ?? now()));
      return links.forMs(now()) > quickMs && now() - sinceMs > quickMs;
    };
    /** By room, then by instance and conference. */
    const rooms = new Map<string, Map<string, Home>>();
    const byConference = new Map<string, Home>();
    const open = (home: Home) => {
      const homes = rooms.get(home.room) ?? new Map<string, Home>();
      rooms.set(home.room, homes);
      if (knowEachOther(home.owner)) check();
      for (const { owner, confid } of homes.values()) {
        if (!knowEachOther(owner, home.owner)) continue;
        fail(`room ${home.room} was opened at ${home.owner} while conference ${confid} of it is at ${owner}`);
      }
      homes.set(nameOf(home), home);
      byConference.set(nameOf(home), home);
    };
    const hears: Hears = {
      ...links.hears,
      'instance.status': ({ instance, status, atMs }) => {
        if (status === 'active') activeMs.set(instance, atMs);
        else activeMs.delete(instance);
      },
      'envelope.sent': ({ envelope: { from: owner, body } }) => {
        for (const { event } of (body as BodyOf<'stream.told'>).items) {
          const { room = '', confdomain = '', confid = '' } = event?.data ?? {};
          const home = { room: `${room}@${confdomain}`, owner, confid: String(confid) };
          if (event?.name === 'conf_start' && room !== '' && !byConference.has(nameOf(home))) open(home);
        }
      },
      'entity.state': ({ owner, key, state = 'over' }) => {
        if (!state.startsWith('ending') && !state.startsWith('over') && state !== 'stopped') return;
        const home = byConference.get(nameOf({ owner, confid: key }));
        if (home === undefined) return;
        byConference.delete(nameOf(home));
        rooms.get(home.room)?.delete(nameOf(home));
      },
    };
    return { hears, types: ['stream.told', 'conference'] };
  },
};

function nameOf({ owner, confid }: Pick<Home, 'owner' | 'confid'>): string {
  return `${owner} ${confid}`;
}
