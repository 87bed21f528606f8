/** A service script that takes each branch of its components, and notes what it was given. */
import type { Item } from '../kit/use-case.ts';

export const branchedCode = 'scripts-branched';
export const innerCode = `${branchedCode}-inner`;
export const deepCode = `${branchedCode}-deep`;

/** A branch that must not be taken. */
const wrong = { name: 'wrong', type: 'assign', set: { response_content: "'wrong'" } };
const succeeding = (next: string) => ({ next, failed: 'wrong', indefinite: 'wrong' });
const failing = (failed: string) => ({ next: 'wrong', failed, indefinite: 'wrong' });

function operation(name: string, done: string, params: Item, branches: Item): Item {
  return { name, type: 'operation', operation: done, params, result: name.replaceAll('-', '_'), ...branches };
}

const group = "'contactgroup'";
const hired =
  "{ name: 'Branched', login: startparam(4).login, pwd: startparam(4).login, opts: { allow_script_crud: true } }";
/** Signed by HS256 with the key `key`, for the audiences `one` and `two`. */
const token =
  'eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJpc3N1ZXIiLCJhdWQiOlsib25lIiwidHdvIl19.sZFgd8PxT4-GigxBqea5PnS9q2uCJY0PiGbo-8QbLY0';
const proofs = `[[{ aud: 'one' }, true], [{ aud: 'two' }, true], [{ aud: 'on' }, false], [{ iss: 'one' }, false], [{ alg: 'HS512' }, false], [{}, true]]
  .every(([wanted, is]) => jwtverify('${token}', 'key', wanted).valid === is) && !jwtverify('${token}', 'another', {}).valid`;
/** With `startparam(4)`: `{code, login, closed}`: of the group, of a user, and the id of one that scripts may not change. */
export const branchedComponents: readonly Item[] = [
  { name: 'begin', type: 'start', next: 'set' },
  { name: 'set', type: 'assign', set: { a: '1', b: 'a + 1', gone: 'undefined' }, next: 'run' },
  {
    name: 'run',
    type: 'code',
    code: 'c = b * 2; list = []; for (let n = 0; n < c; n += 1) list.push(n)',
    next: 'proves',
  },
  { name: 'proves', type: 'branch', condition: proofs, yes: 'asks', no: 'wrong' },
  { name: 'asks', type: 'branch', condition: 'c === 4 && gone === null', yes: 'denies', no: 'wrong' },
  { name: 'denies', type: 'branch', condition: "''", yes: 'wrong', no: 'nested' },
  {
    ...{ name: 'nested', type: 'script', code: `'${branchedCode}' + '-inner'`, result: 'inner', next: 'lost' },
    params: { a: 'c', more: '{ list }' },
    missing: 'wrong',
  },
  { name: 'lost', type: 'script', code: `'${branchedCode}-none'`, missing: 'line', next: 'wrong', result: 'none' },
  { name: 'line', type: 'log', text: "'line ' + c", next: 'object' },
  { name: 'object', type: 'log', text: '({ c, list })', next: 'refused' },
  { name: 'refused', type: 'http', url: "'https://nowhere.test/'", result: 'refused', ...failing('scheme') },
  { name: 'scheme', type: 'http', url: "'ftp://nowhere.test/'", result: 'scheme', ...failing('texts') },
  { name: 'texts', type: 'sms', to: '49', text: "'x'", result: 'texts', ...failing('make') },
  operation(
    'make',
    'entity.create',
    { kind: group, values: "{ code: startparam(4).code, members: ['1'] }" },
    succeeding('twice'),
  ),
  operation('twice', 'entity.create', { kind: group, values: '{ code: startparam(4).code }' }, failing('odd')),
  operation('odd', 'entity.create', { kind: "'none'", values: '{}' }, failing('find')),
  operation('find', 'entity.lookup', { kind: group, key: 'startparam(4).code' }, succeeding('change')),
  operation(
    'change',
    'entity.patch',
    { kind: group, id: 'make.id', values: "{ members: ['2', '3'] }" },
    succeeding('all'),
  ),
  operation(
    'all',
    'entity.list',
    { kind: group, filter: '{ code: startparam(4).code }', limit: '1' },
    succeeding('nothing'),
  ),
  operation('nothing', 'entity.list', { kind: group, limit: '0' }, succeeding('many')),
  operation('many', 'entity.list', { kind: group, limit: '101' }, failing('one')),
  operation('one', 'entity.get', { kind: group, id: 'make.id' }, succeeding('remove')),
  operation('remove', 'entity.delete', { kind: group, id: 'make.id' }, succeeding('again')),
  operation('again', 'entity.get', { kind: group, id: 'make.id' }, failing('hire')),
  operation('hire', 'entity.create', { kind: "'user'", values: hired }, succeeding('open')),
  operation(
    'open',
    'entity.patch',
    { kind: "'user'", id: 'hire.id', values: "{ name: 'Changed' }" },
    succeeding('fire'),
  ),
  operation('fire', 'entity.delete', { kind: "'user'", id: 'hire.id' }, succeeding('closed')),
  operation(
    'closed',
    'entity.patch',
    { kind: "'user'", id: 'startparam(4).closed', values: "{ name: 'Changed' }" },
    failing('drop'),
  ),
  operation('drop', 'entity.delete', { kind: "'user'", id: 'startparam(4).closed' }, failing('session')),
  operation('session', 'session.create', { domain: "'x'", login: "'y'" }, failing('ban')),
  operation('ban', 'webban.add', { address: "'192.0.2.99'" }, failing('calls')),
  operation('calls', 'call.list', { filter: "{ dialogid: 'none' }" }, succeeding('call')),
  operation('call', 'call.get', { callid: "'none'" }, failing('target')),
  operation('target', 'call.delete', {}, failing('rooms')),
  operation('rooms', 'conference.list', { filter: "{ confid: 'none' }" }, succeeding('room')),
  operation('room', 'conference.get', { confid: "'none'" }, failing('pause')),
  { name: 'pause', type: 'wait', seconds: '0.5', next: 'answer' },
  { name: 'answer', type: 'assign', set: { response_content: contentOf() }, next: 'end' },
  { name: 'end', type: 'stop' },
  wrong,
];

function contentOf(): string {
  const entities =
    'made: make, find, changed: change, all, nothing, one, removed: remove, hire, open, fire, calls, rooms';
  const failures = 'refused, scheme, texts, twice, odd, many, again, closed, drop, session, ban, call, target, room';
  return `({ a, b, c, list, inner, ${entities}, problems: { ${failures} } })`;
}

export const innerComponents: readonly Item[] = [
  { name: 'begin', type: 'start', next: 'see' },
  {
    name: 'see',
    type: 'assign',
    next: 'end',
    set: { seen: '[a, more.list, typeof b, startparam(4).code]', a: '100' },
  },
  { name: 'end', type: 'stop' },
];

/** It runs itself until that is refused. */
export const deepComponents: readonly Item[] = [
  { name: 'begin', type: 'start', next: 'self' },
  { name: 'self', type: 'script', code: `'${deepCode}'` },
];

/** One of several ends, by `startparam(4).how`. */
export function endingComponents(): Item[] {
  const ends: Readonly<Record<string, Item>> = {
    text: {
      set: {
        response_code: "'201'",
        response_headers: '\'{"X-Text": "of JSON", "content-type": "text/plain"}\'',
        response_content: "'ä'",
      },
    },
    list: {
      set: {
        response_headers: "[{ name: 'X-One', value: 1 }, { name: 'x-one', value: 'two' }]",
        response_content: '[1]',
      },
    },
    empty: { set: { response_code: '204', response_content: "'never sent'" } },
    low: { set: { response_code: '99' } },
    high: { set: { response_code: '600' } },
    own: { set: { response_headers: "({ 'Set-Cookie': 'a=b' })" } },
    odd: { set: { response_headers: '7' } },
    query: {
      set: { response_content: 'JSON.stringify([startparam(2), startparam(3), startparam(4), startparam(8)])' },
    },
    global: { set: { response_content: "[setglobal('branched', 7), getglobal('branched')]" } },
    throws: { type: 'code', code: "throw new Error('on purpose')" },
    endless: { type: 'code', code: 'for (;;) {}' },
    waits: { type: 'wait', seconds: '-1' },
    fails: { type: 'http', url: "'https://nowhere.test/'" },
    lacks: { type: 'script', code: `'${branchedCode}-none'` },
    deep: { type: 'script', code: `'${deepCode}'` },
  };
  const names = Object.keys(ends);
  return [
    { name: 'begin', type: 'start', next: `is-${names[0]}` },
    ...names.flatMap((name, index) => [
      {
        ...{ name: `is-${name}`, type: 'branch', yes: name },
        condition: `startparam(4).how === '${name}' || startparam(8).how === '${name}'`,
        ...(names[index + 1] !== undefined && { no: `is-${names[index + 1]}` }),
      },
      { name, type: 'assign', ...ends[name] },
    ]),
  ];
}
