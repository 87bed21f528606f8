/** The functional roles of the platform (public): what each does, how it is made redundant, where it may be. */

export const roleNames = [
  'ws',
  'esg',
  'sg',
  'b2b',
  'conf',
  'ivr',
  'mware',
  'callstore',
  'sr',
  'mdc',
  'sdc',
  'rpco',
] as const;

export type RoleName = (typeof roleNames)[number];

export type Redundancy = 'active-active' | 'active-passive';

/** Edge roles keep a network filter each; the management interface speaks to them directly. */
export type EdgeRole = 'esg' | 'sg' | 'ws';

export interface RoleDeclaration {
  /** One sentence for documents. */
  readonly does: string;
  /** `active-passive`: of a group one instance serves, the others wait. Source: public. */
  readonly redundancy: Redundancy;
  /** Where instances may be. Source: public. */
  readonly sites: 'any' | 'master' | 'working';
}

export const roles: Readonly<Record<RoleName, RoleDeclaration>> = {
  ws: { does: 'HTTP front of a site: sessions, tokens, the interface', redundancy: 'active-active', sites: 'any' },
  esg: {
    does: 'external SIP gate; each provider account is pinned to one',
    redundancy: 'active-active',
    sites: 'any',
  },
  sg: { does: 'internal SIP gate between SIP users and b2b', redundancy: 'active-active', sites: 'any' },
  b2b: { does: 'dialogs, routing, forking, call events', redundancy: 'active-active', sites: 'any' },
  conf: { does: 'conferences', redundancy: 'active-active', sites: 'any' },
  ivr: { does: 'IVR scripts; starts calls from inside', redundancy: 'active-active', sites: 'any' },
  mware: { does: 'call and conference commands, audio matcher', redundancy: 'active-passive', sites: 'any' },
  callstore: { does: 'live calls and call records', redundancy: 'active-passive', sites: 'any' },
  sr: { does: 'registrations of devices', redundancy: 'active-passive', sites: 'any' },
  mdc: { does: 'domain data, at the master site', redundancy: 'active-passive', sites: 'master' },
  sdc: { does: 'domain data, at every other site', redundancy: 'active-passive', sites: 'working' },
  rpco: { does: 'gateway of a site: messages between sites', redundancy: 'active-active', sites: 'any' },
};
