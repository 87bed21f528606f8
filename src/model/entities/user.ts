/** Entities of users and SIP users. */
import { z } from 'zod';
import { limits } from '../limits.ts';
import { modifierChars, modifierPattern, modifierWanted } from '../numbers/number-modifier.ts';
import { zoneHours, zonePattern, zoneWanted } from '../time.ts';
import { nilUuid } from '../uuid.ts';
import { entity, type ItemOf } from './entity.ts';
import { field, flag, group, intbool, integer, list, opts, stored, text, texts, uuid } from './field.ts';

const word = (does: string) => {
  const wanted = 'expected 1 to 100 characters A-Z a-z, digits or _ - . ~ !';
  return text({ least: 1, most: 100, like: /^[A-Za-z0-9_\-.~!]+$/, wanted, does });
};
const count = (does: string) =>
  stored('chats are not simulated', integer({ least: 0, most: 1_000_000, initial: 0, does }));

/** Users of a domain: who may log in, and what for. (documented; bounds of name, login, pwd and timezone public) */
export const user = entity({
  kind: 'user',
  noun: 'user',
  nouns: 'users',
  path: '/rest/v1/domain/domains/:domain_id/users',
  domain: 'any',
  fields: {
    name: text({ least: 1, most: 1_000, does: 'Name to show' }),
    login: word('Login, unique in the domain'),
    pwd: word('Password, stored as a hash; `*` in PATCH leaves it as it is'),
    timezone: field(
      z.union(
        [z.literal('default'), z.number().min(-zoneHours).max(zoneHours)],
        'expected "default" or a number from -12 to 12',
      ),
      {
        initial: 'default',
        does: 'Offset from UTC in hours, that of SIP users bound to the user which have none of their own; `default`: that of the domain',
      },
    ),
    opts: opts({
      roles: texts({
        initial: [],
        does: 'Access roles: `admin`, `user`, or any name that a role application asks for. A session keeps the roles that it began with',
      }),
      tags: texts({ initial: [], does: 'Tags of the user; the session shows them' }),
      allow_script_crud: flag({
        initial: false,
        does: 'Whether service scripts may change and remove the user by the component Operation',
      }),
      chat_dlg_limit: count('Chat conversations that the user may have at a time'),
      chat_dlg_mode: count('Mode in which chat conversations are assigned to the user'),
      chat_full_limit: count('Chat conversations that the user may have in all'),
    }),
  },
  list: ['id', 'name', 'login', 'timezone', 'opts.roles', 'ext.lwt', 'ext.ct'],
  lookup: ['id', 'login'],
  unique: ['login'],
  secrets: { pwd: 'masked' },
  operations: {
    create: 'documented',
    list: 'documented',
    get: 'documented',
    patch: 'documented',
    delete: 'documented',
    lookup: 'documented',
  },
});

export type UserItem = ItemOf<typeof user>;

const seconds = (initial: number, does: string) => integer({ least: 0, most: 31_536_000, initial, does });
const code = (does: string) => text({ most: 100, initial: '', does });
const modifier = (does: string) =>
  text({
    ...{ most: modifierChars, like: modifierPattern, wanted: modifierWanted, initial: '' },
    does: `${does}: rules \`prefix/replacement\`, separated by commas, of which the first with a prefix of the number applies; \`X\` stands for a digit; empty: none (chosen)`,
  });

/** SIP users: accounts as which phones register; not in the master domain. (documented; examples public, bounds chosen) */
export const sipUser = entity({
  kind: 'sipuser',
  noun: 'SIP user',
  nouns: 'SIP users',
  path: '/rest/v1/uc/sipusers',
  domain: 'child',
  fields: {
    name: text({ initial: '', does: 'Name to show; called phones see it as the name of the caller' }),
    login: text({
      least: 1,
      most: 100,
      like: /^[A-Za-z0-9_\-.~!]+$/,
      wanted: 'expected 1 to 100 characters A-Z a-z, digits or _ - . ~ !',
      does: 'Name under which devices register: `sip:<login>@<domain>`; unique in the domain',
    }),
    pwd: text({ most: 100, does: 'Password of the devices; shown to administrators only' }),
    phonenumber: text({
      most: limits.numberChars,
      like: /^[^\s<>"@]*$/,
      wanted: `expected a number of at most ${limits.numberChars} characters, without blanks and < > " @`,
      initial: '',
      does: 'Number at which the user is called; unique in the domain; empty: none',
    }),
    reg: intbool({ initial: 1, does: '1: devices may register; 0: none may' }),
    devices: list({
      initial: [],
      does: 'Devices that are registered now: `device`, `contact`, `useragent` where it is known, `expires` in seconds, `site` of the gate; what a client sends is ignored; absent where no sr is in reach',
    }),
    iduser: uuid({
      initial: nilUuid,
      does: 'Id of the user who is bound to the account and sees its calls as own calls; all zeros: none',
    }),
    lic: group('License', {
      devices: integer({ least: 0, most: 1_000, initial: 2, does: 'How many devices may be registered at a time' }),
    }),
    timezone: text({
      most: 100,
      like: zonePattern,
      wanted: zoneWanted,
      initial: 'default',
      does: 'Offset from UTC in hours, as a text: the time zone of the working hours of record rules for calls of the SIP user; `default`: that of the user who is bound to the account, else that of the domain',
    }),
    opts: opts({
      calltimesec: integer({
        least: 0,
        most: limits.longestRingMs / 1_000,
        initial: 30,
        does: 'Seconds that a device of the user may ring; 0: no limit of its own',
      }),
      dlgtimesec: seconds(0, 'Seconds that a call of the user may last, as set when it is answered; 0: no limit'),
      trunks: integer({
        least: -1,
        most: 10_000,
        initial: -1,
        does: 'Calls that the user may have at a time; -1: any number',
      }),
      maxexpires: integer({
        least: 1,
        most: 31_536_000,
        initial: 3_600,
        does: 'Longest time of a registration, seconds',
      }),
      minexpires: integer({
        least: 1,
        most: 31_536_000,
        initial: 30,
        does: 'Shortest time of a registration, seconds',
      }),
      modextin: modifier('Modifier of the number of a caller from a provider, as devices of the SIP user see it'),
      modextout: modifier('Modifier of a number that the SIP user dials, as a provider gets it'),
      agat_chassis_id: code(
        'Chassis of the analog gateway; empty: none. A SIP user with chassis, module and port is an analog line: one device, one call at a time',
      ),
      agat_lm_id: code('Line module of the analog gateway; empty: none'),
      agat_port_id: code('Port of the line module; empty: none'),
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
  live: ['devices'],
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
