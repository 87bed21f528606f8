/** The kinds of entities that clients create: what one is like, by the reference of entities. */

import { sipUsers } from '../kit/paths.ts';
import type { Item } from '../kit/use-case.ts';

const nilId = '00000000-0000-0000-0000-000000000000';
const titled = { title: '', comment: '' };
/** So far in the future, or so late in the order, that nothing follows from it. */
const last = 999_990;

export interface EntityKind {
  readonly path: string;
  /** Its fields when only what is required was given, without `id` and `ext`. */
  readonly whole: Item;
  /** What is given. */
  readonly given: readonly string[];
  /** What is sent otherwise than it is shown. */
  readonly secret?: Item;
  /** Objects are merged, arrays replaced. */
  readonly patch: Item;
  readonly unique?: readonly string[];
  /** Default: the unique fields; `undefined` where there is no LOOKUP. */
  readonly lookup?: readonly string[] | null;
  /** In lists, besides `id` and `ext`. */
  readonly listed: readonly string[];
  readonly omittedOnChange?: readonly string[];
  /** Default: true. */
  readonly isOfWorkingDomains?: boolean;
}

const bots = ['autobot', 'queuebot', 'dialogbot', 'inactivebot', 'rotationbot', 'finalbot', 'stopbot'];
const campaign = [...bots, 'gethistoryscr', 'searchhistoryscr', 'ctxmenuscr', 'defaulthuntuser'];
const script = {
  given: ['code', 'components'],
  patch: { name: 'Another', opts: { comment: 'c' } },
  listed: ['code', 'name', 'opts.title'],
};
const components = [{ type: 'start', name: 'start' }];

/** The kinds, with values that no other client uses. */
export function entityKinds(domain: string, id: string): EntityKind[] {
  const code = `kept-${id.slice(-12)}`;
  const number = `*${id.replace(/\D/g, '')}`;
  return [
    {
      path: `/rest/v1/domain/domains/${domain}/users`,
      given: ['name', 'login', 'pwd'],
      secret: { pwd: 'kept-secret' },
      whole: {
        name: 'Kept',
        login: code,
        pwd: '*',
        timezone: 'default',
        opts: {
          ...titled,
          roles: [],
          tags: [],
          allow_script_crud: false,
          chat_dlg_limit: 0,
          chat_dlg_mode: 0,
          chat_full_limit: 0,
        },
      },
      patch: { timezone: -3.5, opts: { tags: ['b', 'a'], roles: ['kept'], chat_dlg_limit: 1_000_000, title: 'T' } },
      unique: ['login'],
      listed: ['name', 'login', 'timezone', 'opts.roles'],
    },
    {
      path: '/rest/v1/domain/roleapps',
      given: ['folder'],
      whole: {
        title: '',
        folder: code,
        roles: [],
        svcscriptcode: '',
        opts: { ...titled, recv_timeout: 10 },
        archive: { _links: { self: { href: `/rest/v1/domain/roleapps/${id}/attachment` } } },
      },
      patch: { title: 'Another', roles: ['z', 'y'], opts: { recv_timeout: 3600 } },
      unique: ['folder'],
      lookup: [],
      listed: ['title', 'folder', 'archive', 'roles', 'svcscriptcode'],
    },
    {
      path: '/rest/v1/uc/chatcampaigns',
      given: ['code'],
      whole: {
        code,
        name: '',
        projectid: nilId,
        opts: titled,
        ...Object.fromEntries(campaign.map((name) => [name, ''])),
      },
      patch: { projectid: id, stopbot: 's', ctxmenuscr: 'c', opts: { title: 'T' } },
      unique: ['code'],
      listed: ['code', 'name', 'projectid', ...campaign, 'opts.title'],
    },
    {
      path: '/rest/v1/uc/recordrules',
      given: ['priority'],
      whole: {
        priority: last,
        dir: '',
        fromnumber: '',
        tonumber: '',
        crossdomain: '',
        rec: 0,
        storageruleid: nilId,
        schedule: 'all',
        periods: [],
        opts: titled,
      },
      patch: {
        dir: 'inner',
        tonumber: code,
        periods: [{ days: [1, 5], from: '10:00', to: '11:30' }],
        schedule: 'work',
      },
      listed: [
        ...['priority', 'dir', 'fromnumber', 'tonumber', 'crossdomain', 'rec', 'storageruleid', 'schedule'],
        'opts.title',
      ],
    },
    {
      path: sipUsers,
      given: ['login', 'pwd', 'phonenumber'],
      whole: {
        name: '',
        login: code,
        pwd: 'kept',
        phonenumber: number,
        reg: 1,
        devices: [],
        iduser: nilId,
        lic: { devices: 2 },
        timezone: 'default',
        opts: {
          ...titled,
          calltimesec: 30,
          dlgtimesec: 0,
          trunks: -1,
          maxexpires: 3600,
          minexpires: 30,
          modextin: '',
          modextout: '',
          agat_chassis_id: '',
          agat_lm_id: '',
          agat_port_id: '',
        },
      },
      patch: { reg: 0, lic: { devices: 1000 }, timezone: '+12', opts: { trunks: 0, modextout: '9/', maxexpires: 31 } },
      unique: ['login', 'phonenumber'],
      listed: ['name', 'login', 'phonenumber', 'reg', 'iduser', 'opts.modextin', 'opts.modextout', 'opts.trunks'],
    },
    {
      path: '/rest/v1/domain/svcscripts',
      ...script,
      whole: { code, name: '', components, opts: titled },
      unique: ['code'],
    },
    {
      path: '/rest/v1/domain/ivrscripts',
      ...script,
      given: [...script.given, 'number'],
      whole: { code, name: '', number, components, opts: titled },
      unique: ['code', 'number'],
      lookup: ['code'],
    },
    {
      path: '/rest/v1/domain/integrationchannels',
      given: ['code', 'token_local'],
      whole: {
        code,
        type: 'public',
        token_local: `${code}-token`,
        svcscriptcode: '',
        opts: { ...titled, recv_timeout: 10 },
      },
      patch: { svcscriptcode: 'none', opts: { recv_timeout: 1, title: 'T' } },
      unique: ['code', 'token_local'],
      lookup: ['code'],
      listed: ['code', 'type', 'svcscriptcode', 'opts.title'],
    },
    {
      path: '/rest/v1/domain/contactgroups',
      given: ['code', 'members'],
      whole: { code, name: '', members: ['1', '2'], opts: titled },
      patch: { members: ['3'], opts: { comment: 'c' } },
      unique: ['code'],
      listed: ['code', 'name', 'members', 'opts.title'],
    },
    {
      path: '/rest/v1/uc/selectors',
      given: ['timestartutc', 'topology_mode'],
      ...meeting,
      lookup: null,
      listed: Object.keys(meeting.whole),
    },
    {
      path: '/rest/v1/master/borderrules',
      given: ['priority', 'action', 'enabled'],
      whole: {
        priority: last,
        site: '*',
        domain: '',
        username: '',
        useragent: '',
        remoteipmask: '',
        action: 'allow',
        enabled: 0,
        opts: titled,
      },
      patch: { priority: last + 1, remoteipmask: '10.9.0.0/16', action: 'deny', opts: { comment: 'c' } },
      listed: ['priority', 'site', 'domain', 'username', 'useragent', 'remoteipmask', 'opts.title'],
      isOfWorkingDomains: false,
    },
  ];
}

const meeting = {
  whole: {
    state: 'waiting',
    displayname: '',
    enabled: true,
    timestartutc: '2099-01-01T00:00:00.000Z',
    calldurationsec: 0,
    calltimeout: 35,
    topology_mode: 'direct',
    mediafile: '',
    default_mic: true,
    default_spk: true,
    default_recall: false,
    comment: '',
  },
  patch: { displayname: 'Another', default_mic: false, calldurationsec: 9800 },
};

/** A participant of a meeting with `default_mic` false. */
export const participantKind = (meetingId: string): EntityKind => ({
  path: `/rest/v1/uc/selectors/${meetingId}/participants`,
  given: ['number', 'topology_type'],
  whole: {
    name: '',
    number: '*404',
    state: 'waiting',
    hold: false,
    is_hand_raised: false,
    mic: false,
    spk: true,
    recall: false,
    video_out: false,
    video_cell: 0,
    topology_type: 'listener',
  },
  patch: { spk: false, video_cell: 1000, topology_type: 'assistant' },
  lookup: null,
  listed: [
    ...['hold', 'is_hand_raised', 'mic', 'name', 'number', 'recall', 'spk', 'state', 'topology_type', 'video_out'],
    'video_cell',
  ],
  omittedOnChange: ['state', 'hold', 'is_hand_raised'],
});

/** Objects are merged, arrays replaced. */
export function merged(item: Item, patch: Item): Item {
  const isObject = (value: unknown): value is Item =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const entries = Object.entries(patch).map(([name, value]) => {
    const old = item[name];
    return [name, isObject(value) && isObject(old) ? merged(old, value) : value] as const;
  });
  return { ...item, ...Object.fromEntries(entries) };
}

/** The fields, of which some are nested once. */
export function masked(item: Item, names: readonly string[]): Item {
  const part: Record<string, unknown> = {};
  for (const name of names) {
    const [outer = '', inner] = name.split('.');
    if (inner === undefined) part[outer] = item[outer];
    else part[outer] = { ...(part[outer] as Item | undefined), [inner]: (item[outer] as Item)[inner] };
  }
  return part;
}
