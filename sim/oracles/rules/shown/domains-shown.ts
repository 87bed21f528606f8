/** The interface shows the domains as the topology has them. */
import { coverOf } from '../../../../src/model/domain-tree.ts';
import type { OracleMaker } from '../../oracle.ts';
import { jsonIn } from '../kit/reading.ts';

const domains = /^\/rest\/v1\/domain\/domains(\/[^/?]+)?(\?|$)/;

type Row = Readonly<Record<string, unknown>>;

export const domainsShown: OracleMaker = {
  name: 'domains-shown',
  rule: 'A domain is shown with its name, its parent, the sites that serve it, and whether it is the master domain, as the topology says.',
  make: ({ map, check, fail }) => {
    const names = [...map.domains.keys()];
    /** The id of each domain, as it was shown first. */
    const ids = new Map<string, unknown>();
    const expectedOf = (name: string): Row => {
      const parent = coverOf(
        name,
        names.filter((each) => each !== name),
      );
      const sites = [...map.sites.values()].filter((site) => coverOf(name, site.domains) !== undefined);
      return {
        is_master: name === map.masterDomain,
        sites: sites.map((site) => site.name),
        ...(parent !== undefined && ids.has(parent) && { parent_id: ids.get(parent) }),
      };
    };
    const judge = (site: string, row: Row) => {
      const { name, id } = row;
      if (typeof name !== 'string') return;
      check();
      if (!map.domains.has(name)) return fail(`${site} shows the domain ${name}, which is not in the topology`);
      if (id !== undefined && (ids.get(name) ?? id) !== id) fail(`${site} shows ${name} with the id ${id}`);
      if (id !== undefined) ids.set(name, id);
      for (const [field, value] of Object.entries(expectedOf(name)))
        if (field in row && JSON.stringify(row[field]) !== JSON.stringify(value))
          fail(`${site} shows ${name} with ${field} ${JSON.stringify(row[field])}: it is ${JSON.stringify(value)}`);
    };
    return {
      listeners: {
        'request.answered': ({ site, method, target, status, body }) => {
          if (method !== 'GET' || status !== 200 || !domains.test(target)) return;
          const shown = jsonIn(body);
          for (const row of Array.isArray(shown) ? shown : [shown]) judge(site, (row ?? {}) as Row);
        },
      },
    };
  },
};
