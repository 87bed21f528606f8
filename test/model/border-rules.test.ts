/** Whom the border lets in. */
import assert from 'node:assert/strict';
import test from 'ava';
import fc from 'fast-check';
import { BorderRules, type BorderVerdict, isAddressMask, isPattern, type Knock } from '../../src/model/border-rules.ts';
import { borderRuleSchema, type TopologyBorderRule } from '../../src/model/topology/schema.ts';
import { holds } from '../kit/property.ts';

type Given = Partial<TopologyBorderRule> & { action: BorderVerdict };

function border(rules: readonly Given[], site = 'hq'): BorderRules {
  return new BorderRules(
    rules.map((rule, index) => borderRuleSchema.parse({ priority: index, ...rule })),
    site,
  );
}

const knock = (more: Partial<Knock> = {}): Knock => ({
  ip: '10.100.0.7',
  domain: 'acme.root.test',
  username: '1001',
  useragent: 'desk phone 2.1',
  ...more,
});

test('without a rule everybody is let in, by either pass', (t) => {
  const rules = border([]);
  t.true(rules.isEmpty);
  t.is(rules.verdictOnAddress('10.0.0.1'), 'allow');
  t.is(rules.verdictOn(knock()), 'allow');
});

test('an address mask is an address, a prefix, or so many addresses more', (t) => {
  const rows: [mask: string, inside: readonly string[], outside: readonly string[]][] = [
    ['10.1.2.3', ['10.1.2.3'], ['10.1.2.2', '10.1.2.4']],
    ['10.1.2.3/32', ['10.1.2.3'], ['10.1.2.2', '10.1.2.4']],
    ['10.1.2.3/24', ['10.1.2.0', '10.1.2.255'], ['10.1.1.255', '10.1.3.0']],
    ['10.1.2.3/31', ['10.1.2.2', '10.1.2.3'], ['10.1.2.1', '10.1.2.4']],
    ['10.1.2.3/0', ['0.0.0.0', '255.255.255.255'], []],
    ['10.1.2.254+3', ['10.1.2.254', '10.1.3.1'], ['10.1.2.253', '10.1.3.2']],
    ['10.1.2.3+0', ['10.1.2.3'], ['10.1.2.4']],
  ];
  for (const [mask, inside, outside] of rows) {
    const rules = border([{ action: 'drop', remoteipmask: mask }]);
    for (const ip of inside) t.is(rules.verdictOnAddress(ip), 'drop', `${mask} has ${ip}`);
    for (const ip of [...outside, 'phone', '', '::1']) t.is(rules.verdictOnAddress(ip), 'allow', `${mask} has ${ip}`);
  }
});

test('the first pass knows only rules with nothing but an address mask, the second all', (t) => {
  const rules = border([
    { action: 'drop', remoteipmask: '10.100.0.0/16', username: '1001' },
    { action: 'deny', remoteipmask: '10.200.0.0/16' },
  ]);
  t.is(rules.verdictOnAddress('10.100.0.7'), 'allow');
  t.is(rules.verdictOn(knock()), 'drop');
  t.is(rules.verdictOn(knock({ username: '1002' })), 'allow');
  t.is(rules.verdictOnAddress('10.200.0.7'), 'deny');
  t.is(rules.verdictOn(knock({ ip: '10.200.0.7' })), 'deny');
});

test('the lowest priority number that matches decides, of equal ones the first', (t) => {
  const rules = border([
    { priority: 5, action: 'drop', domain: 'acme.root.test' },
    { priority: 1, action: 'allow', username: '1001' },
    { priority: 5, action: 'deny', domain: 'acme.root.test' },
  ]);
  t.is(rules.verdictOn(knock()), 'allow');
  t.is(rules.verdictOn(knock({ username: '1002' })), 'drop');
});

test('a rule for another site says nothing here', (t) => {
  for (const [site, verdict] of [
    ['*', 'drop'],
    ['', 'drop'],
    ['hq', 'drop'],
    ['north', 'allow'],
  ] as const) {
    t.is(border([{ action: 'drop', site, remoteipmask: '10.0.0.0/8' }]).verdictOnAddress('10.0.0.1'), verdict, site);
  }
});

test('a text matches the whole of it, a regular expression what it finds', (t) => {
  const isDropped = (rule: Partial<TopologyBorderRule>) =>
    border([{ action: 'drop', ...rule }]).verdictOn(knock()) === 'drop';
  t.true(isDropped({ domain: 'acme.root.test' }));
  t.false(isDropped({ domain: 'root.test' }));
  t.true(isDropped({ domain: '/\\.root\\.test$/' }));
  t.true(isDropped({ username: '/^10\\d\\d$/', useragent: '/desk/' }));
  t.false(isDropped({ username: '/^10\\d\\d$/', useragent: '/soft/' }));
  t.false(isDropped({ useragent: 'desk' }));
});

test('what is no pattern and no mask is known as such', (t) => {
  for (const text of ['', 'acme', '/a+/', '//', '(']) t.true(isPattern(text), text);
  for (const text of ['/(/', '/[/', '/a**/']) t.false(isPattern(text), text);
  for (const mask of ['', '10.0.0.1', '10.0.0.1/8', '10.0.0.1+9']) t.true(isAddressMask(mask), mask);
  for (const mask of ['10.0.0', '10.0.0.256', '10.0.0.1/33', '10.0.0.1-2', '10.0.0.1/', 'host']) {
    t.false(isAddressMask(mask), mask);
  }
});

test('where rules know only addresses both passes say the same, and where none refuses everybody is let in', async (t) => {
  const rule = fc.record({
    priority: fc.integer({ min: 0, max: 3 }),
    action: fc.constantFrom<BorderVerdict>('allow', 'deny', 'drop'),
    remoteipmask: fc.constantFrom('', '10.0.0.0/24', '10.0.0.7', '10.0.0.5+4'),
    username: fc.constantFrom('', '1001'),
  });
  await holds(
    t,
    fc.property(fc.array(rule, { maxLength: 6 }), fc.constantFrom('10.0.0.7', '10.0.0.1', '10.9.9.9'), (rules, ip) => {
      const first = border(rules).verdictOnAddress(ip);
      const second = border(rules).verdictOn(knock({ ip }));
      const onlyAddresses = rules.every((each) => each.username === '' && each.remoteipmask !== '');
      if (onlyAddresses) assert.equal(second, first);
      const refused = rules.some((each) => each.action !== 'allow');
      if (!refused) assert.deepEqual([first, second], ['allow', 'allow']);
    }),
  );
});
