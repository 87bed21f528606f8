/** Answers about the platform: sessions, domains, nodes, network filters, dashboards. (sources at their routes) */
import { z } from 'zod';
import type { CollectionShape } from '../collection/shape.ts';
import { accountSchema, bannedSchema } from '../protocol/messages/edge.ts';

export const sessionDataSchema = z.object({
  domain: z.string().describe('Domain to which the session is bound'),
  domain_is_master: z.boolean().describe('Whether that is the master domain'),
  domains: z
    .array(
      z.object({
        domain: z.string().describe('Name of the domain'),
        is_master: z.boolean().describe('Whether it is the master domain'),
      }),
    )
    .describe('Domains to which PATCH can bind the session without a new login'),
  login: z.string().describe('Login of the user'),
  name: z.string().describe('Display name of the user'),
  name_login: z.string().describe('Name and login in one text'),
  roles: z.array(z.string()).describe('Access roles of the user in this domain'),
  solution: z.string().describe('Solution type of the domain; selects the user-interface metadata'),
  tags: z.array(z.string()).describe('Tags of the user'),
  user_id: z.string().describe('Id of the user'),
  webapps: z
    .array(
      z.looseObject({
        name: z.string().describe('Name of the application'),
        description: z.string().optional().describe('What the application is for'),
        order: z.int().optional().describe('Position among the applications, ascending'),
        icon: z.string().optional().describe('URL of the icon'),
        roles: z.array(z.string()).describe('Access roles for which the application is open'),
        url: z.string().optional().describe('URL that starts the application'),
      }),
    )
    .describe('Web applications that the user may start; further fields come from the metadata of the application'),
});

export const domainSchema = z.object({
  id: z.string().describe('Id of the domain, for the paths of its users'),
  name: z.string().describe('Name of the domain, such as `acme.root.test`'),
  parent_id: z.string().describe('Id of the parent domain; empty for the master domain'),
  is_master: z.boolean().describe('Whether it is the master domain'),
  solution: z.string().describe('Solution type of the domain'),
  sites: z.array(z.string()).describe('Sites that serve the domain'),
});

const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export const logLevelSchema = z
  .enum(logLevels, `expected one of ${logLevels.join(', ')}`)
  .describe('Most detailed level of the lines that it logs; the log of its process may bound it further');

export const nodeSchema = z.object({
  name: z.string().describe('Name of the server or role node'),
  fullName: z.string().describe('Name and address, such as `ws1@10.1.0.11`'),
  ipAddress: z.string().describe('Address of the server'),
  site: z.string().describe('Site of the server'),
  server: z.string().describe('Server that runs it; for a server its own name'),
  isSystem: z.boolean().describe('Whether it is a supervisor'),
  type: z.enum(['supervisor', 'role']).describe('`supervisor`: a server; `role`: a role instance on a server'),
  dtStart: z.string().nullable().describe('Start time, ISO 8601 UTC; null while it is unreachable'),
  upTimeSec: z.number().nullable().describe('Seconds since `dtStart`; null while it is unreachable'),
  status: z
    .string()
    .describe(
      '`active`, `standby`, `starting`, `draining`, `stopped`; `unreachable`: the site that answers cannot reach it',
    ),
  maxLogLevel: logLevelSchema,
  roles: z.array(z.string()).describe('Role of the node; empty for a server'),
  srvIdx: z.int().nullable().describe('Number of the role instance, unique in the platform; null for a server'),
});

const instanceRow = {
  site: z.string().describe('Site of the role instance'),
  node: z.string().describe('Server of the role instance'),
  srvidx: z.int().describe('Number of the role instance, unique in the platform'),
  addr: z.string().describe('Address of the server'),
  online: z.boolean().describe('Whether the instance has answered'),
};
const { site, node, srvidx, addr } = instanceRow;
export const filterRowSchema = z.object({
  ...instanceRow,
  banned: z.array(bannedSchema).optional().describe('Banned addresses; only for online instances'),
});
export const resultRowSchema = z.object({
  ...instanceRow,
  result: z
    .boolean()
    .optional()
    .describe('Whether the address is banned, also when the instance restarts; only for online instances'),
});

const counts = {
  dlgcount: z.int().describe('Number of dialogs'),
  callcount: z.int().describe('Number of dialog legs'),
};
export const countsSchema = z.object(counts);
export const sitesSchema = z.object({
  ...counts,
  sites: z.array(z.object({ site, ...counts })).describe('Figures of each site in scope'),
});
const serverSchema = z.union([
  z.object({
    srvidx,
    node,
    online: z.literal(true).describe('Whether the instance has answered'),
    addr,
    ...counts,
    domains: z.array(z.string()).describe('Domains whose provider accounts the instance serves'),
    regs: z.array(accountSchema).optional().describe('Active provider accounts; only with `regs`'),
  }),
  z.object({ srvidx, node, online: z.literal(false).describe('Whether the instance has answered') }),
]);
export const infoSchema = z.object({
  ...counts,
  sites: z
    .array(z.object({ site, ...counts, servers: z.array(serverSchema).describe('esg instances of the site in scope') }))
    .describe('Sites in scope'),
});
export const dashboardsSchema = z.array(
  z.object({
    name: z.string().describe('Name of the dashboard'),
    _links: z
      .object({
        self: z
          .object({
            href: z.string().describe('Path of the dashboard'),
            params: z.array(z.string()).describe('Query parameters that it takes'),
          })
          .describe('The dashboard'),
      })
      .describe('Links'),
  }),
);

/** Whether a SIP user can be reached, as the interface shows it. (public) */
export const sipUserStateSchema = z.object({
  id: z.string().describe('Id of the SIP user'),
  username: z.string().describe('Login of the SIP user'),
  status: z.enum(['online', 'offline']).describe('`online`: at least one device is registered; `offline`: none is'),
});
export type SipUserState = z.infer<typeof sipUserStateSchema>;

/** Without an `order` a list is in the order of the domain's data. (chosen) */
export const sipUserStateShape: CollectionShape<SipUserState> = {
  item: sipUserStateSchema,
  fields: ['id', 'username', 'status'],
  defaultOrder: [],
  tieBreak: ['id'],
  isOrdered: true,
  isCountable: true,
};
