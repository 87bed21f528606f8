/** Counters equal what they count. */

import type { ReplyOf } from '../../../../src/model/protocol/catalogue.ts';
import type { ProviderAccount } from '../../../../src/model/protocol/messages/edge.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';

const path = '/rest/v1/master/logicalroles/esg/dashboards/info?regs';

interface Tree {
  readonly sites: readonly { readonly servers: readonly Row[] }[];
}

interface Row {
  readonly node: string;
  readonly srvidx: number;
  readonly online: boolean;
  readonly dlgcount?: number;
  readonly callcount?: number;
  readonly regs?: readonly ProviderAccount[];
}

export const figuresTrue: OracleMaker = {
  name: 'figures-true',
  rule: 'The counters of the edges are never negative and count no more dialogs than legs; in a quiescent cluster no call and no trunk is in use.',
  make: ({ map, questions, stableMs, check, fail }) => {
    const listeners: ObservationListeners = {
      'envelope.sent': {
        'edge.figures': ({ envelope: { kind, from, body } }) => {
          if (kind !== 'reply') return;
          const { dlgcount, callcount, regs } = body as ReplyOf<'edge.figures'>;
          const least = Math.min(dlgcount, callcount, ...regs.map(({ onlinetrunkcount }) => onlinetrunkcount));
          check();
          if (least < 0) fail(`${from} counts ${least}`);
          if (dlgcount > callcount) fail(`${from} counts ${dlgcount} dialogs with ${callcount} legs`);
        },
      },
    };
    const atQuiescence = async () => {
      if (stableMs() === 0) return;
      const look = async () => {
        const [site = ''] = questions.sites;
        const answer = await questions.ask({ site, domain: map.masterDomain, path });
        return answer?.status === 200
          ? (answer.body as Tree).sites.flatMap(({ servers }) => servers.flatMap(inUse))
          : [];
      };
      const wrong = await questions.eventually(boundsOf(map).orphanedCallMs, look);
      if (stableMs() === 0) return;
      check();
      for (const what of wrong) fail(`quiescent: ${what}`);
    };
    return { listeners, atQuiescence };
  },
};

function inUse({ node, srvidx, dlgcount = 0, callcount = 0, regs = [] }: Row): string[] {
  const name = `esg-${srvidx} on ${node}`;
  const wrong = regs
    .filter(({ onlinetrunkcount }) => onlinetrunkcount !== 0)
    .map(({ code, d, onlinetrunkcount }) => `${name} has ${onlinetrunkcount} trunks of ${d}/${code} in use`);
  return dlgcount === 0 && callcount === 0
    ? wrong
    : [`${name} counts ${dlgcount} dialogs, ${callcount} legs`, ...wrong];
}
