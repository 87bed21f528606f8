/** What `serve` prints when it is ready: sites, nodes, accounts, and requests to try. */
import type { ClusterMap } from '../../../src/model/cluster/cluster-map.ts';

/** `urls`: the first front of each site. */
export function banner(map: ClusterMap, bySite: ReadonlyMap<string, string>): string {
  const urls = [...bySite].map(([site, url]) => ({ site, url }));
  const first = urls[0]?.url ?? '';
  const second = urls[1]?.url ?? first;
  const accounts = map.topology.domains.flatMap(({ name, users }) =>
    users.map(({ login, pwd, roles }) => `  ${name.padEnd(20)} ${login}/${pwd}`.padEnd(44) + roles.join(',')),
  );
  const sites = urls.map(({ site, url }) => {
    const nodes = map.site(site).nodes.map((node) => `${node.name} (${node.instances.length})`);
    return `  ${site.padEnd(10)} ${url.padEnd(26)} ${nodes.join(', ')}`;
  });
  const [{ name = '', users = [] } = {}] = map.topology.domains.filter((domain) => domain.name === map.masterDomain);
  const { login = '', pwd = '' } = users[0] ?? {};
  const victim = [...map.nodes.values()].find(
    (node) => node.instances.some((i) => i.role === 'esg') && node.site !== urls[0]?.site,
  );
  const credentials = JSON.stringify({ domain: name, login, pwd });
  return `Cluster "${map.topology.name}": sites, their fronts, their nodes (role instances)
${sites.join('\n')}

Accounts
${accounts.join('\n')}

Try
  curl -sc /tmp/jar ${first}/rest/v1/iam/sessions -d '${credentials}' -H 'content-type: application/json'
  curl -sb /tmp/jar ${first}/rest/v1/master/logicalroles/esg/bannedaddrs
  curl -sb /tmp/jar -X DELETE ${second}/rest/v1/master/nodes/${victim?.name ?? ''}   # kill a node, then ask again

`;
}
