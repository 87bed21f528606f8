/** Rules that say which calls of a domain are recorded; not in the master domain. (documented; bounds chosen) */
import { limits } from '../limits.ts';
import { directions, periodsSchema } from '../recording/recording.ts';
import { nilUuid } from '../uuid.ts';
import { entity } from './entity.ts';
import { field, intbool, integer, oneOf, opts, text, uuid } from './field.ts';

const number = (whose: string) => {
  const does = `${whose}; \`*\` stands for any characters; empty: any number`;
  return text({ most: limits.numberChars, initial: '', does });
};

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
      does: `Of the rules that match the one with the lowest number decides; only the ${limits.recordRules} lowest rules of a domain count`,
    }),
    dir: oneOf(['', ...directions], {
      initial: '',
      does: 'Direction of the call: `incoming` from a provider or another domain; `outgoing` to one of them; `inner` within the domain; empty: any',
    }),
    fromnumber: number('Number of the caller'),
    tonumber: number('Number of the callee'),
    crossdomain: text({
      most: 253,
      initial: '',
      does: 'Other domain of the call, `*` for any characters; empty: only calls without another domain; `*`: all calls',
    }),
    rec: intbool({
      initial: 0,
      does: '1: record the call; 0: do not. A call of two domains is recorded if the rules of either say so. A change applies to later calls',
    }),
    storageruleid: uuid({
      initial: nilUuid,
      does: 'Storage rule of the domain (`storagerules` of the topology): so long after its end a recording has a file; another id, or all zeros: until it is deleted. A change applies to later calls (chosen)',
    }),
    schedule: oneOf(['all', 'work'], { initial: 'all', does: '`all`: at any time; `work`: only within `periods`' }),
    periods: field(periodsSchema, {
      initial: [],
      does: 'Working hours, in the time zone of the SIP user of the domain that calls, else of the one that is called, else of the domain; empty: Monday to Friday, 09:00 to 18:00',
    }),
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
