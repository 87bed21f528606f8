/** Rules of the border between the platform and outside; master domain only. (documented; `enabled` public; bounds chosen) */

import { limits } from '../limits.ts';
import {
  type BorderRule,
  crowdProblem,
  isAddressMask,
  patternProblem,
  problemOfRule,
  wantedMask,
} from '../numbers/border-rules.ts';
import { publicSource } from '../provenance.ts';
import { entity } from './entity.ts';
import { field, intbool, integer, oneOf, opts, text } from './field.ts';

const pattern = (what: string) => {
  const forms = 'a text, or a regular expression between slashes, without look-around and back-references';
  const does = `${what}: ${forms}; empty: any`;
  const { schema } = text({ most: limits.patternChars, does });
  const checked = schema.superRefine((value, context) => {
    const message = patternProblem(value);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
  return field(checked, { initial: '', does });
};

const masks = 'Address of the sender: `10.1.0.1`, `10.1.0.0/16` or `10.1.0.1+9` (a range of ten addresses); empty: any';

const inForce = { initial: 1, does: '1: the rule is in force; 0: it is ignored' } as const;

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
      does: 'Of the rules that match the one with the lowest number decides',
    }),
    site: text({
      most: 32,
      initial: '*',
      does: 'Name of a site to which the rule is limited; empty or `*`: all sites',
    }),
    domain: pattern('Domain of From'),
    username: pattern('User part of From'),
    useragent: pattern('User-Agent'),
    remoteipmask: field(
      text({ most: 32, does: masks }).schema.refine((value) => isAddressMask(value), wantedMask),
      { initial: '', does: masks },
    ),
    action: oneOf(['allow', 'deny', 'drop'], {
      does: '`allow`: let the request in; `deny`: answer 403; `drop`: do not answer',
    }),
    enabled: field(intbool(inForce).schema.meta(publicSource), inForce),
    opts: opts(),
  },
  derived: {
    problem: {
      does: 'What of a rule of an earlier version cannot be applied; such a rule refuses what its other fields match, and never allows',
      of: (rule) => problemOfRule(rule as unknown as BorderRule),
    },
  },
  together: crowdProblem,
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
  sites: ['site'],
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
