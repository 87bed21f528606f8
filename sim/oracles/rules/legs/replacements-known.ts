/** What the platform asks a device to replace is a leg of that device. */
import { phonesOf } from '../../../outside/population.ts';
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';
import { byType, edgeEndpoints, setLast, together } from '../kit/shared.ts';
import { Undisturbed } from '../kit/undisturbed.ts';

const mostLegs = 3_000;

export const replacementsKnown: OracleMaker = {
  name: 'replacements-known',
  rule: 'An INVITE with Replaces that comes to a device names a leg that a device of its user has, or has had, and the tags of that, by whichever b2b instances the calls go; while nothing is broken.',
  exclusions: 'Phones that a scenario adds.',
  make: ({ map, check, fail }) => {
    const { noticedMs, quickMs } = boundsOf(map);
    const undisturbed = new Undisturbed();
    const edges = edgeEndpoints(map);
    /** The user of each device: all devices of a user are called. */
    const users = new Map(phonesOf(map).map(({ endpoint, domain, user }) => [endpoint, `${domain}/${user.login}`]));
    const devicesOf = (device: string) => [...users.keys()].filter((each) => users.get(each) === users.get(device));
    /** The tags of each leg, and when it began, by device and Call-Id. */
    const legs = new Map<string, { readonly tags: Set<string>; readonly beganMs: number }>();
    const seen = new Map<string, true>();
    /** Call-Ids of legs that have ended: the platform need not know any more what they were. */
    const ended = new Map<string, true>();
    /** When a device or a provider has redirected a call, which takes what it is to replace with it. */
    let redirectedMs = Number.NEGATIVE_INFINITY;
    return {
      listeners: together(undisturbed.listeners, {
        'outside.sent': byType(['BYE', 'INVITE'], ({ from, to, message, atMs }) => {
          if (message.method === 'BYE') setLast(ended, message.callid, true, mostLegs);
          if (message.method !== 'INVITE') return;
          const device = edges.has(from) ? to : from;
          if (message.kind === 'response' && message.contacts !== undefined) redirectedMs = atMs;
          const { callid } = message;
          const leg = legs.get(`${device} ${callid}`) ?? { tags: new Set<string>(), beganMs: atMs };
          for (const { tag } of [message.from, message.to]) if (tag !== undefined) leg.tags.add(tag);
          setLast(legs, `${device} ${callid}`, leg, mostLegs);
          if (message.kind !== 'request' || device !== to || !users.has(to)) return;
          const { replaces } = message;
          if (replaces === undefined || message.to.tag !== undefined || seen.has(callid)) return;
          setLast(seen, callid, true, mostLegs);
          const meant = devicesOf(to).flatMap((each) => legs.get(`${each} ${replaces.callid}`) ?? [])[0];
          const own = [...legs].filter(([name]) => name.endsWith(` ${replaces.callid}`));
          const beganMs = Math.min(atMs, ...own.map(([, each]) => each.beganMs));
          if (!undisturbed.isSince(beganMs - noticedMs, atMs)) return;
          if (meant === undefined && (atMs - redirectedMs <= quickMs || ended.has(replaces.callid))) return;
          // The first answer with a tag of the platform is still under way: a command has come at that moment.
          if (meant !== undefined && meant.tags.size < 2) return;
          check();
          const said = `${to} is to replace the leg ${replaces.callid} by ${callid}`;
          if (meant === undefined) return fail(`${said}, and its user has none of this Call-Id`);
          if (!meant.tags.has(replaces.toTag) || !meant.tags.has(replaces.fromTag))
            fail(`${said}, and that has other tags`);
        }),
      }),
    };
  },
};
