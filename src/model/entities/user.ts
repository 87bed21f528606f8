/** Users of a domain: who may log in, and what for. (documented; bounds of name, login, pwd and timezone public) */
import { z } from 'zod';
import { entity, type ItemOf } from './entity.ts';
import { field, flag, integer, opts, text, texts } from './field.ts';

const word = () => {
  const wanted = 'expected 1 to 100 letters A-Z a-z, digits or _ - . ~ !';
  return text({ least: 1, most: 100, like: /^[A-Za-z0-9_\-.~!]+$/, wanted });
};
const count = () => integer({ least: 0, most: 1_000_000, initial: 0 });

export const user = entity({
  kind: 'user',
  noun: 'user',
  nouns: 'users',
  path: '/rest/v1/domain/domains/:domain_id/users',
  domain: 'any',
  fields: {
    name: text({ least: 1, most: 1_000 }),
    login: word(),
    pwd: word(),
    timezone: field(
      z.union([z.literal('default'), z.number().min(-12).max(12)], 'expected "default" or a number from -12 to 12'),
      { initial: 'default', does: 'Offset in hours' },
    ),
    opts: opts({
      roles: texts({ initial: [], does: 'Access roles; a session keeps those that it began with' }),
      tags: texts({ initial: [] }),
      allow_script_crud: flag({ initial: false }),
      chat_dlg_limit: count(),
      chat_dlg_mode: count(),
      chat_full_limit: count(),
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
