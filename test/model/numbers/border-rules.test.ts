/** Target the border lets in. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { limits } from '../../../src/model/limits.ts';
import {
  BorderRules,
  type BorderVerdict,
  borderRuleSchema,
  crowdProblem,
  type IncomingRequest,
  isAddressMask,
  patternProblem,
  problemOfRule,
  type TopologyBorderRule,
} from '../../../src/model/numbers/border-rules.ts';
import { hostileExpression, hostileText } from '../../kit/data/expressions.ts';
import { holds, runs } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';
import { anyCharacter } from '../../kit/text.ts';

type Given = Partial<TopologyBorderRule> & { action: BorderVerdict };

function border(rules: readonly Given[], site = 'hq'): BorderRules {
  return new BorderRules(
    rules.map((rule, index) => borderRuleSchema.parse({ priority: index, ...rule })),
    site,
  );
}

/** Rules as a data folder may hold them, unchecked. */
function stored(rules: readonly Given[]): BorderRules {
  const least = { site: '*', domain: '', username: '', useragent: '', remoteipmask: '' };
  return new BorderRules(
    rules.map((rule, index) => ({ ...least, priority: index, ...rule })),
    'hq',
  );
}

const knock = (more: Partial<IncomingRequest> = {}): IncomingRequest => ({
  ip: '10.100.0.7',
  domain: 'acme.root.test',
  username: '1001',
  useragent: 'tabletop phone 2.1',
  ...more,
});

test('without rules every request is allowed, by either pass', (t) => {
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
  t.true(isDropped({ username: '/^10\\d\\d$/', useragent: '/tabletop/' }));
  t.false(isDropped({ username: '/^10\\d\\d$/', useragent: '/soft/' }));
  t.false(isDropped({ useragent: 'tabletop' }));
});

test('domains are compared without case, user names and user agents with it', (t) => {
  for (const domain of ['acme.root.test', 'Acme.Root.Test', '/^acme\\./', '/^ACME\\.[R]oot/']) {
    const rules = border([{ action: 'drop', domain }]);
    for (const named of ['acme.root.test', 'ACME.root.test']) {
      t.is(rules.verdictOn(knock({ domain: named })), 'drop', `${named} by ${domain}`);
    }
  }
  for (const rule of [{ username: 'Anna' }, { useragent: '/^TABLETOP/' }, { username: '/^Anna$/' }]) {
    t.is(border([{ action: 'drop', ...rule }]).verdictOn(knock({ username: 'anna' })), 'allow');
  }
});

test('what is no pattern and no mask is known as such', (t) => {
  for (const text of ['', 'acme', '/a+/', '/', '//', '(']) t.is(patternProblem(text), undefined, text);
  for (const text of ['/(/', '/[/', '/a**/', '/(?=a)/']) t.regex(patternProblem(text) ?? '', /^expected/, text);
  for (const mask of ['', '10.0.0.1', '10.0.0.1/8', '10.0.0.1+9']) t.true(isAddressMask(mask), mask);
  for (const mask of ['10.0.0', '10.0.0.256', '10.0.0.1/33', '10.0.0.1-2', '10.0.0.1/', 'host']) {
    t.false(isAddressMask(mask), mask);
  }
});

const undecided = '/^(?=10)/';

test('a deny or drop rule with an expression that does not compile refuses what its other fields match', (t) => {
  const rows: [
    rule: Partial<TopologyBorderRule>,
    refused: Partial<IncomingRequest>[],
    letIn: Partial<IncomingRequest>[],
  ][] = [
    [
      { domain: 'acme.root.test', username: undecided },
      [{}, { username: 'x' }, { ip: '10.9.9.9', useragent: '' }],
      [{ domain: 'globex.root.test' }, { domain: '' }],
    ],
    [{ useragent: undecided, remoteipmask: '10.100.0.0/16' }, [{}], [{ ip: '10.200.0.7' }]],
    // A domain that does not compile names no domain in particular: all are refused.
    [{ domain: undecided }, [{}, { domain: 'globex.root.test' }, { domain: '' }], []],
    [{ domain: undecided, username: '/^10/' }, [{}, { domain: 'x' }], [{ username: '2001' }]],
    [{ remoteipmask: 'not an address', username: '1001' }, [{}, { ip: 'x' }], [{ username: '1002' }]],
  ];
  for (const action of ['deny', 'drop'] as const) {
    for (const [rule, refused, letIn] of rows) {
      const rules = stored([{ ...rule, action }]);
      for (const more of refused) t.is(rules.verdictOn(knock(more)), action, JSON.stringify([rule, more]));
      for (const more of letIn) t.is(rules.verdictOn(knock(more)), 'allow', JSON.stringify([rule, more]));
    }
  }
});

test('an allow rule with an expression that does not compile matches nothing; an allow before a broken deny holds', (t) => {
  const denied = { priority: 9, action: 'deny' as const };
  t.is(stored([{ action: 'allow', username: undecided }, denied]).verdictOn(knock()), 'deny');
  t.is(stored([{ action: 'allow', domain: undecided }, denied]).verdictOn(knock()), 'deny');
  t.is(stored([{ action: 'allow', remoteipmask: 'x' }, denied]).verdictOn(knock()), 'deny');
  t.is(
    stored([
      { action: 'allow', username: '1001' },
      { ...denied, domain: undecided },
    ]).verdictOn(knock()),
    'allow',
  );
});

test('a text that is too long to be matched counts for deny and not for allow', (t) => {
  const long = knock({ useragent: 'x'.repeat(limits.matchedChars + 1) });
  t.is(stored([{ action: 'deny', useragent: '/scanner/' }]).verdictOn(long), 'deny');
  t.is(stored([{ action: 'allow', useragent: '/phone/' }, { action: 'drop' }]).verdictOn(long), 'drop');
});

test('a field that cannot be applied is named, with its rule and the reason', (t) => {
  const { problems } = stored([
    { action: 'deny', username: '/(a)\\1/' },
    { action: 'allow', domain: undecided, remoteipmask: '10' },
    { action: 'deny', useragent: '/fine/' },
  ]);
  t.deepEqual(
    problems.map(({ rule, field, problem }) => [rule.action, field, problem]),
    [
      ['deny', 'username', 'expected a regular expression without back-references ("\\\\1" at 4)'],
      ['allow', 'remoteipmask', 'expected an address, address/prefix or address+N'],
      ['allow', 'domain', 'expected a regular expression without look-ahead ("(?=" at 2)'],
    ],
  );
  t.is(problemOfRule({ domain: '', username: '', useragent: '/a/', remoteipmask: '' }), undefined);
  const two = problemOfRule({ domain: '', username: undecided, useragent: '/(/', remoteipmask: '' });
  t.regex(two ?? '', /^username: .*; useragent: /);
});

test('the steps of all rules together are bounded: more are refused, and stored ones past it fail closed', (t) => {
  const many = Array.from({ length: 8 }, (_, n) => ({ action: 'deny' as const, username: `/^${n}(a|b){80}$/` }));
  const rules = stored(many);
  t.true(rules.problems.length > 0 && rules.problems.length < 4);
  t.regex(rules.problems[0]?.problem ?? '', /at most 4000 steps in all border rules/);
  t.is(rules.verdictOn(knock()), 'deny');
  t.is(stored(many.slice(4)).verdictOn(knock()), 'allow');
  const rule = { domain: '', username: '/^(a|b){80}$/', useragent: '', enabled: 1 as const };
  t.is(crowdProblem(Array(5).fill(rule)), undefined);
  t.regex(crowdProblem(Array(8).fill(rule)) ?? '', /^expected regular expressions of at most 4000 steps/);
  t.is(crowdProblem(Array(9).fill({ ...rule, enabled: 0 })), undefined);
  const long = { ...rule, username: 'x'.repeat(500) };
  t.regex(crowdProblem(Array(263).fill(long)) ?? '', /^expected patterns of at most 131072 characters/);
  t.is(crowdProblem(Array(1_001).fill({ ...rule, username: '' })), 'expected at most 1000 border rules');
});

test('whatever expressions are stored, a border is made of them, and its verdict is that of a rule or none', async (t) => {
  const source = fc.oneof(hostileExpression, fc.string({ unit: anyCharacter, maxLength: 40 }));
  const pattern = fc.oneof(
    fc.constantFrom('', '1001', undecided),
    source.map((text) => `/${text}/`),
  );
  const action = fc.constantFrom<BorderVerdict>('allow', 'deny', 'drop');
  const rule = fc.record({ action, domain: pattern, username: pattern, useragent: pattern });
  await holds(
    t,
    fc.property(fc.array(rule, { maxLength: 8 }), hostileText, (rules, text) => {
      const made = stored(rules);
      const verdict = made.verdictOn(knock({ useragent: text, username: text }));
      assert.ok(verdict === 'allow' || rules.some((each) => each.action === verdict));
      for (const { rule: of, field } of made.problems) assert.notEqual(of[field], '');
    }),
    { numRuns: runs(25) },
  );
});

test('rules of addresses only give the same verdict in both passes, and rules that only allow refuse no request', async (t) => {
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
