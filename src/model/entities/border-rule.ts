/** Rules of the border between the platform and outside; master domain only. (documented; `enabled` public; bounds chosen) */
import { isAddressMask, isPattern } from '../border-rules.ts';
import { limits } from '../limits.ts';
import { entity } from './entity.ts';
import { field, intbool, integer, oneOf, opts, text } from './field.ts';

const pattern = () => {
  const wanted = 'expected a text, or a regular expression between slashes';
  const { schema } = text({ most: limits.patternLetters });
  return field(
    schema.refine((value) => isPattern(value), wanted),
    { initial: '', does: 'Text, or a regular expression between slashes; empty: any' },
  );
};

export const borderRule = entity({
  kind: 'borderrule',
  noun: 'border rule',
  nouns: 'border rules',
  path: '/rest/v1/master/borderrules',
  domain: 'master',
  fields: {
    priority: integer({
      least: -1_000_000,
      most: 1_000_000,
      initial: 0,
      does: 'The lowest number that matches decides',
    }),
    site: text({ most: 32, initial: '*', does: 'Name of a site; empty or `*`: all' }),
    domain: pattern(),
    username: pattern(),
    useragent: pattern(),
    remoteipmask: field(
      text({ most: 32 }).schema.refine(
        (value) => isAddressMask(value),
        'expected an address, address/prefix or address+N',
      ),
      { initial: '', does: '`10.1.0.1`, `10.1.0.0/16` or `10.1.0.1+9` (a range of ten); empty: any' },
    ),
    action: oneOf(['allow', 'deny', 'drop']),
    enabled: intbool({ initial: 1 }),
    opts: opts(),
  },
  list: [
    'id',
    'priority',
    'site',
    'domain',
    'username',
    'useragent',
    'remoteipmask',
    'opts.title',
    'ext.lwt',
    'ext.ct',
  ],
  lookup: ['id'],
  unique: [],
  isEverywhere: true,
  operations: {
    create: 'documented',
    list: 'documented',
    get: 'documented',
    patch: 'documented',
    delete: 'documented',
    lookup: 'documented',
  },
});
