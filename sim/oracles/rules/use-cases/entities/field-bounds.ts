/** The values that the fields of entities take and refuse, by the reference of entities. */

import { ivrScripts, sipUsers, svcScripts } from '../kit/paths.ts';
import type { Item } from '../kit/use-case.ts';

type FieldValue = readonly [field: string, value: unknown];

export interface BoundedKind {
  readonly path: string;
  /** What a create requires; it has no effect on calls. */
  readonly required: Item;
  /** By dotted name. */
  readonly refused: readonly FieldValue[];
  /** What a PATCH takes, one after the other. */
  readonly taken: readonly Item[];
  /** Default: true. */
  readonly isOfWorkingDomains?: boolean;
}

const chars = (count: number, char = 'x') => char.repeat(count);
const ofEach = (fields: readonly string[], ...values: readonly unknown[]): FieldValue[] =>
  fields.flatMap((field) => values.map((value) => [field, value] as const));
const titles = ofEach(['opts.title'], chars(1_001), 5);
const texts = (...fields: readonly string[]) => ofEach(fields, chars(1_001));
const codes = ofEach(['code'], '', 'a b', chars(101));
const listOfTexts = [[''], [chars(101)], 'admin', Array(101).fill('a')];
const longTitles = { title: chars(1_000), comment: chars(10_000, 'c') };
const timeouts = ofEach(['opts.recv_timeout'], 0, 3_601, 1.5, '10');

const start = { name: 'begin', type: 'start', next: 'end' };
const stop = { name: 'end', type: 'stop' };
const wrongComponents: FieldValue[] = ofEach(
  ['components'],
  'begin',
  [],
  [stop],
  [start],
  [start, stop, stop],
  [start, { ...stop, type: 'none' }],
  [start, { type: 'stop' }],
  [{ ...start, next: 'middle' }, { name: 'middle', type: 'assign', set: { a: '1 +' }, next: 'end' }, stop],
  [start, ...Array.from({ length: 500 }, (_, n) => ({ name: `end-${n}`, type: 'stop' })), stop],
);

/** `own`: a text that no other item has. `site`: one of the cluster. */
export function boundedKinds(domain: string, own: string, site: string): BoundedKind[] {
  return [
    {
      path: `/rest/v1/domain/domains/${domain}/users`,
      required: { name: 'Bounded', login: own, pwd: own },
      refused: [
        ...ofEach(['name'], '', chars(1_001)),
        ...ofEach(['login', 'pwd'], '', 'a b', 'ä', 'a@b', chars(101)),
        ...ofEach(['timezone'], 12.25, -12.25, '5', 'Default'),
        ...ofEach(['opts.roles', 'opts.tags'], ...listOfTexts),
        ...ofEach(['opts.chat_dlg_limit', 'opts.chat_dlg_mode', 'opts.chat_full_limit'], -1, 1_000_001, 0.5),
        ...ofEach(['opts.allow_script_crud'], 1, 'true'),
        ...ofEach(['opts.comment'], chars(10_001)),
        ...titles,
      ],
      taken: [
        { name: chars(1_000), timezone: 12, opts: { ...longTitles, roles: Array(100).fill('r'), chat_dlg_mode: 1 } },
        { timezone: -12, opts: { roles: [chars(100)], allow_script_crud: true, chat_full_limit: 1_000_000 } },
        { login: `${own}-.~!_Z`, timezone: 5.75, opts: { roles: [], allow_script_crud: false } },
      ],
    },
    {
      path: '/rest/v1/domain/roleapps',
      required: { folder: own },
      refused: [
        ...ofEach(['folder'], '', 'a/b', 'a b', '.', '..', chars(101)),
        ...ofEach(['roles'], ...listOfTexts),
        ...timeouts,
        ...texts('title', 'svcscriptcode'),
        ...ofEach(['archive'], {}, null),
      ],
      taken: [
        { folder: `${own}.Z_9`, title: chars(1_000), opts: { recv_timeout: 1 } },
        { roles: Array(100).fill(chars(100)), opts: { recv_timeout: 3_600 } },
      ],
    },
    {
      path: '/rest/v1/uc/chatcampaigns',
      required: { code: own },
      refused: [
        ...ofEach(['code'], '', chars(101)),
        ...ofEach(['projectid'], 'none', ''),
        ...texts('name', 'autobot', 'stopbot', 'gethistoryscr', 'searchhistoryscr', 'ctxmenuscr', 'defaulthuntuser'),
        ...titles,
      ],
      taken: [{ code: `${own} b`, queuebot: chars(1_000), defaulthuntuser: 'u', opts: longTitles }],
    },
    {
      path: '/rest/v1/uc/recordrules',
      required: { priority: 999_991, tonumber: own },
      refused: [
        ...ofEach(['priority'], 1_000_001, -1_000_001, 0.5, '1'),
        ...ofEach(['dir'], 'outer', 'INNER'),
        ...ofEach(['fromnumber', 'tonumber'], chars(129)),
        ...ofEach(['crossdomain'], chars(254)),
        ...ofEach(['rec'], 2, true, -1),
        ...ofEach(['storageruleid'], 'none'),
        ...ofEach(['schedule'], 'never', ''),
        ...ofEach(['periods'], [{}], 'work', [{ days: [1], from: '09:00', to: '24:01' }]),
      ],
      taken: [
        { priority: 1_000_000, dir: 'outgoing', fromnumber: chars(128, '1'), crossdomain: chars(253) },
        { priority: 999_991, dir: 'incoming', storageruleid: '0b0c0f3e-7d51-4c5b-9d8f-000000000001', crossdomain: '' },
      ],
    },
    {
      path: sipUsers,
      required: { login: own, pwd: 'bounded' },
      refused: [
        ...ofEach(['login'], '', 'a b', 'a@b', chars(101)),
        ...ofEach(['pwd'], chars(101), 5),
        ...ofEach(['phonenumber'], '1 2', '1@x', '<1>', chars(129)),
        ...ofEach(['reg'], 2, true),
        ...ofEach(['iduser'], 'none', ''),
        ...ofEach(['lic.devices'], -1, 1_001, 0.5),
        ...ofEach(['timezone'], '13', '12.5', 'x', 5),
        ...ofEach(['opts.calltimesec'], -1, 301),
        ...ofEach(['opts.dlgtimesec'], -1, 31_536_001),
        ...ofEach(['opts.trunks'], -2, 10_001),
        ...ofEach(['opts.maxexpires', 'opts.minexpires'], 0, 31_536_001),
        // The shortest time is 30 seconds, and the longest an hour.
        ['opts.minexpires', 3_601],
        ...ofEach(['opts.modextin', 'opts.modextout'], 'x', 'a/1', '1/2,3'),
        ...ofEach(['opts.agat_chassis_id', 'opts.agat_lm_id', 'opts.agat_port_id'], chars(101)),
      ],
      taken: [
        { lic: { devices: 0 }, timezone: '-11.5', opts: { calltimesec: 300, trunks: 10_000, maxexpires: 31_536_000 } },
        { lic: { devices: 1_000 }, opts: { minexpires: 31_536_000, calltimesec: 0, dlgtimesec: 31_536_000 } },
        { timezone: '12', opts: { minexpires: 1, maxexpires: 1, trunks: -1, modextin: '0X/+,*/#', agat_lm_id: '1' } },
        { pwd: '', iduser: '0b0c0f3e-7d51-4c5b-9d8f-000000000002', reg: 0, opts: { modextin: '', agat_lm_id: '' } },
      ],
    },
    {
      path: '/rest/v1/domain/integrationchannels',
      required: { code: own, token_local: `${own}-0123456789` },
      refused: [
        ...codes,
        ...ofEach(['type'], '', chars(101)),
        ...ofEach(['token_local'], chars(15), chars(1_001), `${chars(16)} `, `${chars(16)}ä`),
        ...texts('svcscriptcode'),
        ...timeouts,
      ],
      taken: [{ type: 'other', token_local: `${own}${chars(1_000 - own.length, '~')}`, opts: { recv_timeout: 3_600 } }],
    },
    {
      path: '/rest/v1/domain/contactgroups',
      required: { code: own },
      refused: [...codes, ...ofEach(['members'], ['1 2'], ['<1>'], [''], [chars(129)], Array(101).fill('1'), '1')],
      taken: [{ code: `${own}.b_C`, members: [chars(128, '1'), `1@${domain}`] }, { members: Array(100).fill('1') }],
    },
    {
      path: svcScripts,
      required: { code: own, components: [start, stop] },
      refused: [
        ...codes,
        ...texts('name'),
        ...titles,
        ...wrongComponents,
        [
          'components',
          [
            { ...start, next: 'reply' },
            { name: 'reply', type: 'answer' },
          ],
        ],
      ],
      taken: [
        { code: `${own}.b_C`, name: chars(1_000), opts: longTitles },
        {
          components: [
            { ...start, next: 'set' },
            { name: 'set', type: 'assign', set: { a: '1 + 1' }, next: 'end' },
            stop,
          ],
        },
      ],
    },
    {
      path: ivrScripts,
      required: { code: own, components: [start, stop] },
      refused: [...codes, ...ofEach(['number'], '1a', chars(101, '1'), 5), ...wrongComponents],
      taken: [
        { number: `7790501*#+${chars(89, '0')}` },
        { number: '', components: [{ ...start, next: 'reply' }, { name: 'reply', type: 'answer', next: 'end' }, stop] },
      ],
    },
    {
      path: '/rest/v1/master/borderrules',
      required: { action: 'allow', enabled: 0 },
      refused: [
        ...ofEach(['priority'], 1_000_001, -1_000_001, '1'),
        ...ofEach(['site'], 'nowhere', `${site},`, chars(33)),
        ...ofEach(['domain', 'username', 'useragent'], chars(501), '/(/', '/(?=a)/', String.raw`/(a)\1/`),
        ...ofEach(['remoteipmask'], '10.0.0', '10.0.0.256', '10.0.0.0/33', '10.0.0.0/', '10.0.0.1+', 'x'),
        ...ofEach(['action'], 'reject', ''),
        ...ofEach(['enabled'], 2, true),
      ],
      taken: [
        { priority: -1_000_000, site, domain: '/^a.*z$/', remoteipmask: '10.1.0.1+9', action: 'drop' },
        { priority: 1_000_000, site: '', domain: chars(500), remoteipmask: '10.1.0.1', action: 'deny' },
        { site: '*', remoteipmask: '10.1.0.0/32' },
      ],
      isOfWorkingDomains: false,
    },
  ];
}
