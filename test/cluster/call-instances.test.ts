/** Which instances are asked for a call between parties of several domains. */
import { activeForCall } from '../../src/cluster/role.ts';
import { mapWith } from '../kit/calls/edges.ts';
import { defaultMap } from '../kit/maps.ts';
import { test } from '../kit/test.ts';

const [acme, globex] = ['acme.root.test', 'globex.root.test'];
const sites = defaultMap.topology.sites.map((site) => (site.name === 'hq' ? site : { ...site, domains: [globex] }));
const map = mapWith({ sites });
const instance = map.instance('south/s1/mware-315');

/** For the domains of a call, asked for at south: the sites of the instances, in their order. */
const rows: readonly (readonly [domains: string[], sites: string[]])[] = [
  [[globex], ['south', 'hq', 'north']],
  [
    [globex, 'unknown.test'],
    ['south', 'hq', 'north'],
  ],
  [[globex, acme], ['hq']],
  [[acme, globex], ['hq']],
  [[acme], ['hq']],
];

for (const [domains, expected] of rows)
  test(`a call of ${domains.join(' with ')} is served by b2b instances at ${expected.join(', ')}`, (t) => {
    const view = { statusOf: () => 'active' } as never;
    const found = activeForCall({ map, view, instance }, 'b2b', domains);
    t.deepEqual([...new Set(found.map(({ site }) => site))], expected);
  });

test('where no instance serves all domains, those of the first one serve the call', (t) => {
  const view = { statusOf: ({ site }: { site: string }) => (site === 'hq' ? undefined : 'active') } as never;
  const found = activeForCall({ map, view, instance }, 'b2b', [globex, acme]);
  t.deepEqual([...new Set(found.map(({ site }) => site))], ['south', 'north']);
});
