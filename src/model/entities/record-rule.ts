/** Rules that say which calls of a domain are recorded; not in the master domain. (documented; bounds chosen) */
import { limits } from '../limits.ts';
import { nilUuid } from '../uuid.ts';
import { entity } from './entity.ts';
import { intbool, integer, list, oneOf, opts, text, uuid } from './field.ts';

const number = () => text({ most: limits.numberLetters, initial: '', does: 'Empty: any' });

export const recordRule = entity({
  kind: 'recordrule',
  noun: 'record rule',
  nouns: 'record rules',
  path: '/rest/v1/uc/recordrules',
  domain: 'child',
  fields: {
    priority: integer({
      least: -1_000_000,
      most: 1_000_000,
      initial: 0,
      does: 'The lowest number that matches decides',
    }),
    dir: oneOf(['', 'incoming', 'inner', 'outgoing'], { initial: '', does: 'Direction; empty: any' }),
    fromnumber: number(),
    tonumber: number(),
    crossdomain: text({ most: 253, initial: '', does: 'Other domain of the call; empty: none, `*`: any' }),
    rec: intbool({ initial: 0, does: 'Whether it is recorded' }),
    storageruleid: uuid({ initial: nilUuid }),
    schedule: text({ most: 100, initial: 'all', does: 'When it holds: `all`, `work` …' }),
    periods: list({ initial: [] }),
    opts: opts(),
  },
  list: [
    'id',
    'priority',
    'dir',
    'fromnumber',
    'tonumber',
    'crossdomain',
    'rec',
    'storageruleid',
    'schedule',
    'opts.title',
    'ext.lwt',
    'ext.ct',
  ],
  names: { storageid: 'storageruleid' },
  lookup: ['id'],
  unique: [],
  operations: {
    create: 'documented',
    list: 'documented',
    get: 'documented',
    patch: 'documented',
    delete: 'public',
    lookup: 'documented',
  },
});
