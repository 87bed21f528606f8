/** Sites that cannot reach each other directly do so by the master site. */
import { nodeOf } from '../../../../src/model/cluster/address.ts';
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';
import { Connectedness } from '../cluster/one-home.ts';
import { together } from '../kit/shared.ts';

export const sitesRouted: OracleMaker = {
  name: 'sites-routed',
  rule: 'While nothing is broken but the direct way between two sites that both reach the master site, an instance that serves is reached from every node: by the time that nodes take to notice that it is cut.',
  exclusions: 'Instances that have changed their status, or crashed, a moment before.',
  make: ({ map, check, fail }) => {
    const { noticedMs } = boundsOf(map);
    const master = map.masterSite.name;
    const isOfSites = (place: unknown) => typeof place === 'string' && map.sites.has(place) && place !== master;
    const links = new Connectedness((verb, [between]) => {
      const { from, to } = (between ?? {}) as { readonly from?: unknown; readonly to?: unknown };
      return verb === 'cut' && isOfSites(from) && isOfSites(to) && from !== to;
    });
    let changedMs = Number.NEGATIVE_INFINITY;
    const note = ({ atMs }: { readonly atMs: number }) => {
      changedMs = atMs;
    };
    return {
      listeners: together(links.listeners, {
        'instance.status': note,
        'instance.crashed': note,
        'ask.ended': ({ node, ask, fault, atMs }) => {
          if (links.around.size === 0 || nodeOf(ask.to) === node) return;
          if (Math.min(links.forMs(atMs), atMs - changedMs) < noticedMs) return;
          check();
          if (fault?.code === 'unreachable')
            fail(`${ask.owner} asks ${ask.to} for ${ask.type}: ${fault.message}, though the master site reaches both`);
        },
      }),
    };
  },
};
