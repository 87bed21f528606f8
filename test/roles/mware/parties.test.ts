/** Which side of a call a command means. */

import type { DialogRecord, Participation } from '../../../src/model/protocol/messages/dialog.ts';
import { partiesText, sideOf, sideOfSame, uriAt } from '../../../src/roles/mware/call-commands.ts';
import { callOf, user } from '../../kit/calls/scripted-calls.ts';
import { test } from '../../kit/test.ts';

const outside: Participation = {
  side: 'a',
  kind: 'account',
  domain: 'acme.root.test',
  name: 'acme-telecom',
  number: '749512',
};
const conference: Participation = {
  side: 'b',
  kind: 'conference',
  domain: 'acme.root.test',
  name: '224-1',
  number: '5501',
};
const anna: Participation = { side: 'b', kind: 'sipuser', domain: 'acme.root.test', name: 'anna', number: '1002' };

function call(participations: Participation[], more: Partial<DialogRecord> = {}): DialogRecord {
  return callOf('1001', '1002', { participations, ...more });
}

const plain = callOf('1001', '1002');
const rows: [record: DialogRecord, by: string, side: 'a' | 'b' | undefined][] = [
  [plain, 'a', 'a'],
  [plain, 'b', 'b'],
  [plain, '<sip:1001@acme.root.test>', 'a'],
  [plain, 'sip:1002@acme.root.test', 'b'],
  [plain, '<sip:1001@ACME.root.test>', 'a'],
  [plain, '<sip:1003@acme.root.test>', undefined],
  [plain, '<sip:1001@globex.root.test>', undefined],
  [plain, '1001', undefined],
  [plain, 'A', undefined],
  [plain, '', undefined],
  [call([user('a', '1001'), anna]), '<sip:anna@acme.root.test>', 'b'],
  [call([user('a', '1001'), anna]), '<sip:1002@acme.root.test>', 'b'],
  // A party outside has no domain of its own here.
  [call([outside, anna]), '<sip:749512@sip.telecom.test>', 'a'],
  [call([user('a', '1001'), conference]), '<sip:5501@acme.root.test>', 'b'],
  // A party that calls itself is side a.
  [call([user('a', '1001'), user('b', '1001')]), '<sip:1001@acme.root.test>', 'a'],
  // Before it is known which parties take part, the legs decide.
  [call([], { legs: plain.legs }), '<sip:1002@acme.root.test>', 'b'],
  [call([user('a', '1001')], { legs: [] }), '<sip:1002@acme.root.test>', 'b'],
  [call([user('a', '1001')], { legs: [] }), '<sip:1002@Acme.Root.Test>', 'b'],
];

for (const [index, [record, by, side]] of rows.entries()) {
  const what = side === undefined ? 'no side' : `side ${side}`;
  test(`"${by}" means ${what} (row ${index + 1})`, (t) => {
    t.is(sideOf(record, by), side);
  });
}

test('a party goes by its number and its domain, without brackets', (t) => {
  t.is(uriAt(call([user('a', '1001'), anna]), 'b'), 'sip:1002@acme.root.test');
  t.is(uriAt(call([], { legs: plain.legs }), 'b'), 'sip:1002@acme.root.test');
  t.is(uriAt(call([{ ...outside, kind: 'outside', domain: '' }, anna]), 'a'), 'sip:1001@acme.root.test');
  t.is(partiesText(plain), '<sip:1001@acme.root.test>, <sip:1002@acme.root.test>');
});

test('the same party is found in another call, at whatever side', (t) => {
  const second = callOf('1003', '1001');
  t.is(sideOfSame(plain, 'a', second), 'b');
  t.is(sideOfSame(plain, 'b', second), undefined);
  t.is(sideOfSame(plain, 'a', plain), 'a');
  t.is(sideOfSame(call([]), 'a', second), undefined);
});

test('a SIP user is the same party in another call, whatever its login and number became, and the next one with them is not', (t) => {
  const renamed = { ...user('b', '1001'), name: 'anna', number: '1091' };
  t.is(sideOfSame(plain, 'a', callOf('1003', '1091', { participations: [user('a', '1003'), renamed] })), 'b');
  const next = { ...user('b', '1001'), id: 'id of the next one' };
  t.is(sideOfSame(plain, 'a', callOf('1003', '1001', { participations: [user('a', '1003'), next] })), undefined);
});
