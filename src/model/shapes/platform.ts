/** Answers about the platform: sessions, domains, nodes, network filters, dashboards. (sources at their routes) */
import { z } from 'zod';
import { accountSchema, bannedSchema } from '../protocol/edge.ts';

export const sessionDataSchema = z.object({
  domain: z.string(),
  domain_is_master: z.boolean(),
  domains: z.array(z.object({ domain: z.string(), is_master: z.boolean() })),
  login: z.string(),
  name: z.string(),
  name_login: z.string(),
  roles: z.array(z.string()),
  solution: z.string(),
  tags: z.array(z.string()),
  user_id: z.string(),
  webapps: z.array(
    z.looseObject({
      name: z.string(),
      description: z.string().optional(),
      order: z.int().optional(),
      icon: z.string().optional(),
      roles: z.array(z.string()),
      url: z.string().optional(),
    }),
  ),
});

export const domainSchema = z.object({
  id: z.string(),
  name: z.string(),
  parent_id: z.string(),
  is_master: z.boolean(),
  solution: z.string(),
  sites: z.array(z.string()),
});

export const nodeSchema = z.object({
  name: z.string(),
  fullName: z.string(),
  ipAddress: z.string(),
  site: z.string(),
  server: z.string(),
  isSystem: z.boolean(),
  type: z.enum(['supervisor', 'role']),
  dtStart: z.string().nullable().describe('ISO 8601; null while it is out of reach'),
  upTimeSec: z.number().nullable(),
  status: z.string(),
  maxLogLevel: z.string(),
  roles: z.array(z.string()),
  srvIdx: z.int().nullable(),
});

const instanceRow = {
  site: z.string(),
  node: z.string(),
  srvidx: z.int(),
  addr: z.string(),
  online: z.boolean(),
};
export const filterRowSchema = z.object({ ...instanceRow, banned: z.array(bannedSchema).optional() });
export const resultRowSchema = z.object({ ...instanceRow, result: z.boolean().optional() });

const counts = { dlgcount: z.int(), callcount: z.int() };
export const countsSchema = z.object(counts);
export const sitesSchema = z.object({ ...counts, sites: z.array(z.object({ site: z.string(), ...counts })) });
const serverSchema = z.union([
  z.object({
    srvidx: z.int(),
    node: z.string(),
    online: z.literal(true),
    addr: z.string(),
    ...counts,
    domains: z.array(z.string()),
    regs: z.array(accountSchema).optional(),
  }),
  z.object({ srvidx: z.int(), node: z.string(), online: z.literal(false) }),
]);
export const infoSchema = z.object({
  ...counts,
  sites: z.array(z.object({ site: z.string(), ...counts, servers: z.array(serverSchema) })),
});
export const dashboardsSchema = z.array(
  z.object({
    name: z.string(),
    _links: z.object({ self: z.object({ href: z.string(), params: z.array(z.string()) }) }),
  }),
);
