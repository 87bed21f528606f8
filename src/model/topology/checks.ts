/**
 * What must hold between the parts of a topology, beyond the schema: unique names, references that point somewhere,
 * the domain tree. The rules for redundancy groups are in `group-checks.ts`.
 */
import { coverOf, isWithin } from '../domain-tree.ts';
import { checkGroups } from './group-checks.ts';
import type { Problem, Topology } from './schema.ts';

/** All problems of a topology that its schema accepts, in document order of their kind; empty for a valid topology. */
export function checkTopology(topology: Topology): Problem[] {
  return [
    ...checkNames(topology),
    ...checkTimings(topology),
    ...checkSites(topology),
    ...checkMasterRoles(topology),
    ...checkGroups(topology),
    ...checkDomainTree(topology),
    ...topology.domains.flatMap((_, index) => checkDomain(topology, index)),
  ];
}

/** The site that administers the platform: the one of type `master` or `master_communication`. */
export function isMasterSite(site: { readonly type: string }): boolean {
  return site.type !== 'communication';
}

/** The master domain: the root of the domain tree. */
export function masterDomainOf(topology: Topology): string {
  const names = topology.domains.map((domain) => domain.name);
  return names.reduce((root, name) => (name.length < root.length ? name : root));
}

type Named = { readonly value: string | number; readonly path: Problem['path'] };

function duplicates(what: string, all: readonly Named[]): Problem[] {
  const seen = new Set<string | number>();
  return all.flatMap(({ value, path }) => {
    if (!seen.has(value)) {
      seen.add(value);
      return [];
    }
    return [{ path, message: `${what} ${JSON.stringify(value)} is taken; expected a unique one` }];
  });
}

function checkNames(topology: Topology): Problem[] {
  const nodes = topology.sites.flatMap((site, s) =>
    site.nodes.map((node, n) => ({ node, path: ['sites', s, 'nodes', n] as const })),
  );
  const instances = nodes.flatMap(({ node, path }) =>
    node.instances.map((instance, i) => ({ value: instance.srvidx, path: [...path, 'instances', i, 'srvidx'] })),
  );
  return [
    ...duplicates(
      'site name',
      topology.sites.map((site, s) => ({ value: site.name, path: ['sites', s, 'name'] })),
    ),
    ...duplicates(
      'node name',
      nodes.map(({ node, path }) => ({ value: node.name, path: [...path, 'name'] })),
    ),
    ...duplicates(
      'node ip',
      nodes.map(({ node, path }) => ({ value: node.ip, path: [...path, 'ip'] })),
    ),
    ...duplicates('srvidx', instances),
    ...(['link', 'http'] as const).flatMap((key) =>
      duplicates(
        `${key} address`,
        nodes.flatMap(({ node, path }) =>
          node[key] === undefined ? [] : [{ value: node[key], path: [...path, key] }],
        ),
      ),
    ),
    ...topology.sites.flatMap((site, s) =>
      duplicates(
        `group of site "${site.name}"`,
        site.groups.map(({ group }, g) => ({ value: group, path: ['sites', s, 'groups', g, 'group'] })),
      ),
    ),
    ...(['users', 'sipusers'] as const).flatMap((list) =>
      duplicates(
        `id of ${list === 'users' ? 'a user' : 'a SIP user'}`,
        topology.domains.flatMap((domain, d) =>
          domain[list].flatMap(({ id }, u) =>
            id === undefined ? [] : [{ value: id.toLowerCase(), path: ['domains', d, list, u, 'id'] }],
          ),
        ),
      ),
    ),
    ...duplicates(
      'domain name',
      topology.domains.map((domain, d) => ({ value: domain.name, path: ['domains', d, 'name'] })),
    ),
  ];
}

function checkTimings({ timings }: Topology): Problem[] {
  const problems: Problem[] = [];
  if (timings.pingPatienceMs > timings.pingIntervalMs) {
    problems.push({
      path: ['timings', 'pingPatienceMs'],
      message: `expected at most pingIntervalMs (${timings.pingIntervalMs}), got ${timings.pingPatienceMs}`,
    });
  }
  if (timings.reconnectMinMs > timings.reconnectMaxMs) {
    problems.push({
      path: ['timings', 'reconnectMinMs'],
      message: `expected at most reconnectMaxMs (${timings.reconnectMaxMs}), got ${timings.reconnectMinMs}`,
    });
  }
  return problems;
}

function checkSites(topology: Topology): Problem[] {
  const problems: Problem[] = [];
  const masters = topology.sites.filter(isMasterSite).length;
  if (masters !== 1) {
    problems.push({ path: ['sites'], message: `expected exactly one site of a master type, got ${masters}` });
  }
  const siteOfNode = new Map(topology.sites.flatMap((site) => site.nodes.map((node) => [node.name, site.name])));
  topology.sites.forEach((site, s) => {
    site.arbiters.forEach((arbiter, a) => {
      const home = siteOfNode.get(arbiter);
      if (home === undefined || home === site.name) {
        const message = `expected the name of a node at another site, got ${JSON.stringify(arbiter)}`;
        problems.push({ path: ['sites', s, 'arbiters', a], message });
      }
    });
    const gateways = site.nodes.some((node) => node.instances.some((instance) => instance.role === 'rpco'));
    if (!gateways && topology.sites.length > 1) {
      const message = `site "${site.name}" has no rpco instance: no message could enter or leave it`;
      problems.push({ path: ['sites', s, 'nodes'], message });
    }
  });
  return problems;
}

function checkMasterRoles(topology: Topology): Problem[] {
  const problems: Problem[] = [];
  let fronts = 0;
  topology.sites.forEach((site, s) => {
    site.nodes.forEach((node, n) => {
      node.instances.forEach((instance, i) => {
        const path = ['sites', s, 'nodes', n, 'instances', i, 'role'];
        if (instance.role === 'ws') fronts += 1;
        if (instance.role === 'mdc' && !isMasterSite(site)) {
          problems.push({ path, message: `mdc belongs to the master site only; at site "${site.name}" use sdc` });
        }
        if (instance.role === 'sdc' && isMasterSite(site)) {
          problems.push({ path, message: 'sdc belongs to the other sites; at the master site use mdc' });
        }
      });
      if (node.instances.filter((instance) => instance.role === 'ws').length > 1 && node.http !== undefined) {
        const message = `node "${node.name}" has one http address for several ws instances; expected one ws instance`;
        problems.push({ path: ['sites', s, 'nodes', n, 'http'], message });
      }
    });
  });
  if (fronts === 0) problems.push({ path: ['sites'], message: 'no ws instance anywhere: the interface needs one' });
  return problems;
}

function checkDomainTree(topology: Topology): Problem[] {
  const problems: Problem[] = [];
  const master = masterDomainOf(topology);
  const served = topology.sites.flatMap((site) => site.domains);
  topology.domains.forEach((domain, d) => {
    const path = ['domains', d, 'name'];
    if (!isWithin(domain.name, master)) {
      problems.push({ path, message: `expected a name that ends in ".${master}", got "${domain.name}"` });
    } else if (coverOf(domain.name, served) === undefined) {
      problems.push({ path, message: `no site serves domain "${domain.name}"; name it, or a parent, at a site` });
    }
  });
  topology.sites.forEach((site, s) => {
    site.domains.forEach((root, r) => {
      const path = ['sites', s, 'domains', r];
      if (!topology.domains.some((domain) => isWithin(domain.name, root))) {
        problems.push({ path, message: `no domain named "${root}" or below it is declared under "domains"` });
      } else if (root === master && !isMasterSite(site)) {
        problems.push({ path, message: `the master domain "${master}" is served at the master site only` });
      }
    });
    if (isMasterSite(site) && !site.domains.includes(master)) {
      const message = `the master site must serve the master domain "${master}"`;
      problems.push({ path: ['sites', s, 'domains'], message });
    }
  });
  return problems;
}

function checkDomain(topology: Topology, d: number): Problem[] {
  const domain = topology.domains[d];
  if (domain === undefined) return [];
  const list = (
    key: 'users' | 'sipusers' | 'providers' | 'features' | 'parkingfiles' | 'storagerules',
    field: string,
    values: (string | number)[],
  ) => values.map((value, i): Named => ({ value, path: ['domains', d, key, i, field] }));
  const logins = new Set(domain.users.map((user) => user.login));
  const problems = [
    ...duplicates(
      'login',
      list(
        'users',
        'login',
        domain.users.map((user) => user.login),
      ),
    ),
    ...duplicates(
      'login',
      list(
        'sipusers',
        'login',
        domain.sipusers.map((user) => user.login),
      ),
    ),
    ...duplicates(
      'phonenumber',
      list(
        'sipusers',
        'phonenumber',
        domain.sipusers.map((user) => user.phonenumber),
      ),
    ),
    ...duplicates(
      'provider code',
      list(
        'providers',
        'code',
        domain.providers.map((provider) => provider.code),
      ),
    ),
    ...duplicates(
      'parking file',
      list(
        'parkingfiles',
        'name',
        domain.parkingfiles.map((file) => file.name),
      ),
    ),
    ...duplicates(
      'storage rule',
      list(
        'storagerules',
        'id',
        domain.storagerules.map((rule) => rule.id.toLowerCase()),
      ),
    ),
    ...duplicates(
      'feature prefix',
      list(
        'features',
        'prefix',
        domain.features.map((feature) => feature.prefix),
      ),
    ),
  ];
  domain.sipusers.forEach((sipUser, u) => {
    if (sipUser.user === undefined || logins.has(sipUser.user)) return;
    const message = `no user with login "${sipUser.user}" in domain "${domain.name}"`;
    problems.push({ path: ['domains', d, 'sipusers', u, 'user'], message });
  });
  domain.providers.forEach((provider, p) => {
    const site = topology.sites.find((each) =>
      each.nodes.some((node) => node.instances.some((i) => i.role === 'esg' && i.srvidx === provider.esg)),
    );
    const path = ['domains', d, 'providers', p, 'esg'];
    if (site === undefined) {
      problems.push({ path, message: `expected the srvidx of an esg instance, got ${provider.esg}` });
    } else if (coverOf(domain.name, site.domains) === undefined) {
      problems.push({ path, message: `site "${site.name}" of this esg does not serve domain "${domain.name}"` });
    }
  });
  return problems;
}
