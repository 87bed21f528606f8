/** SIP users: accounts as which phones register; not in the master domain. (documented; examples public, bounds chosen) */
import { limits } from '../limits.ts';
import { nilUuid } from '../uuid.ts';
import { entity, type ItemOf } from './entity.ts';
import { group, intbool, integer, list, opts, text, uuid } from './field.ts';

const seconds = (initial: number, does: string) => integer({ least: 0, most: 31_536_000, initial, does });
const code = () => text({ most: 100, initial: '' });

export const sipUser = entity({
  kind: 'sipuser',
  noun: 'SIP user',
  nouns: 'SIP users',
  path: '/rest/v1/uc/sipusers',
  domain: 'child',
  fields: {
    name: text({ initial: '' }),
    login: text({
      least: 1,
      most: 100,
      like: /^[A-Za-z0-9_\-.~!]+$/,
      wanted: 'expected 1 to 100 letters A-Z a-z, digits or _ - . ~ !',
    }),
    pwd: text({ most: 100, does: 'Shown to administrators only' }),
    phonenumber: text({
      most: limits.numberLetters,
      like: /^[^\s<>"@]*$/,
      wanted: `expected a number of at most ${limits.numberLetters} letters, without blanks and < > " @`,
      initial: '',
    }),
    reg: intbool({ initial: 1, does: '0: no device may register' }),
    devices: list({ initial: [] }),
    iduser: uuid({ initial: nilUuid, does: 'Id of the user bound to the account; all zeros: none' }),
    lic: group({ devices: integer({ least: 0, most: 1_000, initial: 2, does: 'How many devices may be registered' }) }),
    timezone: text({ most: 100, initial: 'default' }),
    opts: opts({
      calltimesec: integer({ least: 0, most: 300, initial: 30, does: 'How long it may ring; 0: no limit of its own' }),
      dlgtimesec: seconds(0, 'How long a call may last; 0: no limit'),
      trunks: integer({ least: -1, most: 10_000, initial: -1, does: 'Calls at once; -1: any number' }),
      maxexpires: integer({
        least: 1,
        most: 31_536_000,
        initial: 3_600,
        does: 'Longest life of a registration, seconds',
      }),
      minexpires: integer({
        least: 1,
        most: 31_536_000,
        initial: 30,
        does: 'Shortest life of a registration, seconds',
      }),
      modextin: code(),
      modextout: code(),
      agat_chassis_id: code(),
      agat_lm_id: code(),
      agat_port_id: code(),
    }),
  },
  list: [
    'id',
    'name',
    'login',
    'phonenumber',
    'reg',
    'iduser',
    'opts.modextin',
    'opts.modextout',
    'opts.trunks',
    'ext.lwt',
    'ext.ct',
  ],
  lookup: ['id', 'login', 'phonenumber'],
  unique: ['login', 'phonenumber'],
  indexed: ['iduser'],
  secrets: { pwd: 'administrators' },
  rule: ({ opts: { minexpires, maxexpires } }) =>
    minexpires > maxexpires
      ? `opts.minexpires: expected at most opts.maxexpires (${maxexpires}), got ${minexpires}`
      : undefined,
  operations: {
    create: 'documented',
    list: 'documented',
    get: 'documented',
    patch: 'documented',
    delete: 'public',
    lookup: 'public',
  },
});

export type SipUserItem = ItemOf<typeof sipUser>;
