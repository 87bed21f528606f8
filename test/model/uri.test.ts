/** SIP URIs of any users: what is written is read again, and nothing throws. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { hostOf, sipUri, userOf } from '../../src/model/sip/uri.ts';
import { holds } from '../kit/property.ts';
import { test } from '../kit/test.ts';
import { anyCharacter } from '../kit/text.ts';

test('any well-formed user comes back from its URI, and half a surrogate pair is replaced', async (t) => {
  await holds(
    t,
    fc.property(fc.string({ unit: anyCharacter, minLength: 1 }), (user) => {
      assert.equal(userOf(sipUri(user, 'acme.root.test')), user);
    }),
  );
  t.is(userOf(sipUri('a\ud800', 'acme.root.test')), 'a\ufffd');
});

test('a host has no case, a user has', (t) => {
  t.is(hostOf('<sip:Anna@ACME.Root.test:5061>'), 'acme.root.test:5061');
  t.is(userOf('<sip:Anna@ACME.Root.test:5061>'), 'Anna');
});
