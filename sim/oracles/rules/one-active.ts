/** In each group one serves. */
import type { ClusterMap, InstanceEntry } from '../../../src/model/cluster-map.ts';
import { roles } from '../../../src/model/roles.ts';
import { boundsOf } from '../bounds.ts';
import { BrokenSites } from '../broken-sites.ts';
import type { OracleMaker } from '../oracle.ts';
import { Sight } from '../sight.ts';
import { together } from '../together.ts';
import { type Group, Rights } from './rights.ts';
import { Words } from './words.ts';

export const oneActive: OracleMaker = {
  name: 'one-active',
  rule: 'Of an active-passive group never two serve for longer than it takes to notice, and at rest exactly one does. Where its site is torn, whoever serves sees more than half of the site, or half with the word of an arbiter; two serve only if nobody sees both; no arbiter gives its word to two halves; and in a part with more than half one does.',
  silence:
    'Two that serve on two halves with the words of two arbiters that do not hear each other: arbiters at several sites may lawfully both give theirs, for nobody could tell (`arbiters` in a topology says so). Nodes of which one sees the other and not the other way round, a paused one, or any within 11 seconds of a change in what they see: these may not know yet. What two may spoil meanwhile is the matter of copies-agree, lwt-forward, writes-stay and one-record-a-call, when they see each other again.',
  make: ({ map, calmMs, check, fail }) => {
    const { noticedMs } = boundsOf(map);
    const [sight, words, broken] = [new Sight(map), new Words(), new BrokenSites(map)];
    const rights = new Rights({ map, sight, words, noticedMs });
    const groups = groupsOf(map);
    const tick = (nowMs: number) => {
      const isCalm = calmMs() > noticedMs;
      for (const group of groups) {
        const { name, site, members } = group;
        const serving = members.filter((each) => sight.statusOf(each) === 'active');
        const wrongs = rights.wrongsIn(group, nowMs);
        if (isCalm || wrongs !== undefined) check();
        for (const wrong of wrongs ?? []) fail(wrong);
        if (isCalm && serving.length === 0) fail(`nobody of ${name} serves`);
        const lasting = serving.filter((each) => sight.standsMs(each, nowMs) > noticedMs);
        if (lasting.length < 2 || broken.wholeMs(site, nowMs) <= noticedMs) continue;
        fail(`${lasting.map((each) => each.name).join(' and ')} of ${name} serve at once`);
      }
    };
    return { hears: together(sight.hears, words.hears, broken.hears), types: ['peer', 'quorum.claim'], tick };
  },
};

function groupsOf(map: ClusterMap): Group[] {
  const groups = new Map<string, InstanceEntry[]>();
  for (const instance of map.instances.values()) {
    if (roles[instance.role].redundancy !== 'active-passive') continue;
    const name = `${instance.role} group ${instance.group ?? 0} of ${instance.site}`;
    groups.set(name, [...(groups.get(name) ?? []), instance]);
  }
  return [...groups].map(([name, members]) => ({ name, site: members[0]?.site ?? '', members }));
}
