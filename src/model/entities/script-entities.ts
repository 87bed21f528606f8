/** Scripts of a domain, and what starts and reaches them: integration channels, contact groups. (chosen; the names public) */

import { limits } from '../limits.ts';
import { type ScriptKind, scriptCodePattern } from '../script/component.ts';
import { componentsSchema } from '../script/script.ts';
import { entity, type ItemOf } from './entity.ts';
import { type Fields, field, forPeople, integer, numbers, opts, stored, text } from './field.ts';

const sixOperations = {
  create: 'chosen',
  list: 'chosen',
  get: 'chosen',
  patch: 'chosen',
  delete: 'chosen',
  lookup: 'chosen',
} as const;

function code(of: string) {
  const wanted = `expected a code of 1 to ${limits.nameChars} letters, digits or _ . -`;
  const does = `Code of the ${of}, unique in the domain`;
  return text({ least: 1, most: limits.nameChars, like: scriptCodePattern, wanted, does });
}

function scriptEntity<F extends Fields>(
  kind: ScriptKind,
  { noun, path, more }: { noun: string; path: string; more: F },
) {
  return entity({
    kind,
    noun,
    nouns: `${noun}s`,
    path,
    domain: 'any',
    fields: {
      code: code('script'),
      name: stored(forPeople, text({ initial: '', does: 'Name of the script' })),
      ...more,
      components: field(componentsSchema(kind), {
        does: `Components of the script, at most ${limits.scriptBytes} bytes of JSON; see scripts.md. The syntax of the first ${limits.scriptParsedChars} characters of code is checked`,
      }),
      opts: opts(),
    },
    list: ['id', 'code', 'name', 'opts.title', 'ext.lwt', 'ext.ct'],
    lookup: ['id', 'code'],
    unique: ['code', ...Object.keys(more)],
    operations: sixOperations,
  });
}

export const serviceScript = scriptEntity('svcscript', {
  noun: 'service script',
  path: '/rest/v1/domain/svcscripts',
  more: {},
});
export const ivrScript = scriptEntity('ivrscript', {
  noun: 'IVR script',
  path: '/rest/v1/domain/ivrscripts',
  more: {
    number: text({
      most: limits.nameChars,
      like: /^[0-9*#+]*$/,
      wanted: 'expected digits, * # or +',
      initial: '',
      does: 'Number that leads to the script, unique in the domain; empty: none. A phone number of a SIP user comes first',
    }),
  },
});

/** The way in for an external system: its token is the authorization of `/exec`. */
export const integrationChannel = entity({
  kind: 'integrationchannel',
  noun: 'integration channel',
  nouns: 'integration channels',
  path: '/rest/v1/domain/integrationchannels',
  domain: 'any',
  fields: {
    code: code('channel'),
    type: text({
      least: 1,
      most: limits.nameChars,
      initial: 'public',
      does: '`public`, or a type with a section in `webservices.json` of the metadata folder, which sets the maximum wait',
    }),
    token_local: text({
      least: 16,
      most: limits.textChars,
      like: /^[\x21-\x7e]{16,1000}$/,
      wanted: 'expected a token of 16 to 1000 visible ASCII characters',
      does: 'Token that the external system sends as `Authorization: Bearer <token_local>`; unique in the domain',
    }),
    svcscriptcode: text({ initial: '', does: 'Code of the service script of the channel; empty: none' }),
    opts: opts({
      recv_timeout: integer({
        least: 1,
        most: 3_600,
        initial: 10,
        does: 'Seconds that a request may wait for the service script; for the type `public`',
      }),
    }),
  },
  list: ['id', 'code', 'type', 'svcscriptcode', 'opts.title', 'ext.lwt', 'ext.ct'],
  lookup: ['id', 'code'],
  unique: ['code', 'token_local'],
  // A request to /exec names no domain: each front finds the channel among those of all domains.
  isEverywhere: true,
  secrets: { token_local: 'administrators' },
  operations: sixOperations,
});

/** A group of numbers, which a participant of a selector meeting names as `group#CODE`. */
export const contactGroup = entity({
  kind: 'contactgroup',
  noun: 'contact group',
  nouns: 'contact groups',
  path: '/rest/v1/domain/contactgroups',
  domain: 'any',
  fields: {
    code: code('group'),
    name: stored(forPeople, text({ initial: '', does: 'Name of the group' })),
    members: numbers({ initial: [], does: 'Numbers of its members, `number` or `number@domain`' }),
    opts: opts(),
  },
  list: ['id', 'code', 'name', 'members', 'opts.title', 'ext.lwt', 'ext.ct'],
  lookup: ['id', 'code'],
  unique: ['code'],
  operations: sixOperations,
});

export type IntegrationChannelItem = ItemOf<typeof integrationChannel>;
export type ContactGroupItem = ItemOf<typeof contactGroup>;
