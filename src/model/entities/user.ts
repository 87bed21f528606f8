/** Users of a domain: who may log in, and what for. (documented; bounds of name, login, pwd and timezone public) */
import { z } from 'zod';
import { entity, type ItemOf } from './entity.ts';
import { field, flag, integer, opts, text, texts } from './field.ts';

const word = (does: string) => {
  const wanted = 'expected 1 to 100 letters A-Z a-z, digits or _ - . ~ !';
  return text({ least: 1, most: 100, like: /^[A-Za-z0-9_\-.~!]+$/, wanted, does });
};
const count = (does: string) => integer({ least: 0, most: 1_000_000, initial: 0, does });

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
      z.union([z.literal('default'), z.number().min(-12).max(12)], 'expected "default" or a number from -12 to 12'),
      { initial: 'default', does: 'Offset from UTC in hours; `default`: that of the domain' },
    ),
    opts: opts({
      roles: texts({
        initial: [],
        does: 'Access roles: `admin`, `user`, or any name that a role application asks for. A session keeps the roles that it began with',
      }),
      tags: texts({ initial: [], does: 'Tags of the user; the session shows them' }),
      allow_script_crud: flag({ initial: false, does: 'Whether the user may edit service scripts' }),
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
