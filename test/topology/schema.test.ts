/** Topologies that can't be read: what the schema refuses, what is no YAML, and files that are not there. */

import { YamlError } from '../../sim/input/yaml-error.ts';
import { loadTopology } from '../../sim/topology/load-topology.ts';
import { test } from '../kit/test.ts';
import { edited, type FaultyFile, makeFolder, writeFile } from './edits.ts';
import { smallYaml } from './small.ts';

const roleWords = 'ws, esg, sg, b2b, conf, ivr, mware, callstore, sr, mdc, sdc, rpco';
const letters = 'expected lower-case letters, digits and "-", starting with a letter, at most 32';
const inNode = (line: string): [string, string] => ['        ip: 10.1.0.1\n', `        ip: 10.1.0.1\n${line}\n`];
const inDomain = (lines: string): [string, string] => ['    features:\n', `${lines}\n    features:\n`];

const schema: readonly FaultyFile[] = [
  {
    title: 'an unknown role',
    edits: [['role: esg', 'role: sbc']],
    faults: [`14:15 sites[0].nodes[0].instances[2].role: expected one of ${roleWords}, got "sbc"; did you mean "sdc"?`],
  },
  {
    title: 'an unknown type of site',
    edits: [['type: communication', 'type: slave']],
    faults: ['17:5 sites[1].type: expected one of master, communication, master_communication, got "slave"'],
  },
  {
    title: 'a text for a number',
    edits: [['srvidx: 13', "srvidx: '13'"]],
    faults: [
      '14:26 sites[0].nodes[0].instances[2].srvidx: expected a whole number from 1 to 65535 (Number of the instance, unique in the cluster), got "13"; take its quotes away',
    ],
  },
  {
    title: 'a number for a text',
    edits: [["phonenumber: '1002'", 'phonenumber: 1002']],
    faults: ['43:26 domains[1].sipusers[1].phonenumber: expected a text, got 1002; put it in quotes'],
  },
  {
    title: 'a fraction for a whole number',
    edits: [['srvidx: 13', 'srvidx: 1.5']],
    faults: [
      '14:26 sites[0].nodes[0].instances[2].srvidx: expected a whole number from 1 to 65535 (Number of the instance, unique in the cluster), got 1.5',
    ],
  },
  {
    title: 'a number under its bound',
    edits: [['srvidx: 13', 'srvidx: 0']],
    faults: [
      '14:26 sites[0].nodes[0].instances[2].srvidx: expected a whole number from 1 to 65535 (Number of the instance, unique in the cluster), got 0',
    ],
  },
  {
    title: 'a number over its bound',
    edits: [['srvidx: 13', 'srvidx: 65536']],
    faults: [
      '14:26 sites[0].nodes[0].instances[2].srvidx: expected a whole number from 1 to 65535 (Number of the instance, unique in the cluster), got 65536',
    ],
  },
  {
    title: 'a text for a truth value',
    edits: [inDomain("    numbers:\n      '1001': { silent: 'yes' }")],
    faults: ['48:17 domains[1].numbers.1001.silent: expected true or false (It never reacts), got "yes"'],
  },
  {
    title: 'one value for a list',
    edits: [['domains: [root.test]', 'domains: root.test']],
    faults: [
      '7:5 sites[0].domains: expected a list of at least 1, each item a domain name in lower case, such as acme.root.test (Domains served here, each with its subtree), got "root.test"',
    ],
  },
  {
    title: 'an object for a list',
    edits: [['domains: [root.test]', 'domains: { root.test: true }']],
    faults: [
      '7:5 sites[0].domains: expected a list of at least 1, each item a domain name in lower case, such as acme.root.test (Domains served here, each with its subtree), got an object',
    ],
  },
  {
    title: 'an empty list where one is needed',
    edits: [['domains: [root.test]', 'domains: []']],
    faults: [
      '7:5 sites[0].domains: expected a list of at least 1, each item a domain name in lower case, such as acme.root.test (Domains served here, each with its subtree), got an empty list',
    ],
  },
  {
    title: 'nothing behind a name',
    edits: [['ip: 10.1.0.1', 'ip:']],
    faults: ['10:9 sites[0].nodes[0].ip: expected an IPv4 address, such as 10.1.0.11, got nothing'],
  },
  {
    title: 'an address out of range',
    edits: [['ip: 10.1.0.1', 'ip: 10.1.0.256']],
    faults: ['10:9 sites[0].nodes[0].ip: expected an IPv4 address, such as 10.1.0.11, got "10.1.0.256"'],
  },
  {
    title: 'a name with capitals',
    edits: [['name: e1', 'name: E1']],
    faults: [`9:9 sites[0].nodes[0].name: ${letters}, got "E1"`],
  },
  {
    title: 'a domain with capitals',
    edits: [['[acme.root.test]', '[Acme.root.test]']],
    faults: [
      '18:15 sites[1].domains[0]: expected a domain name in lower case, such as acme.root.test, got "Acme.root.test"',
    ],
  },
  {
    title: 'a login with a space',
    edits: [['login: user,', 'login: a user,']],
    faults: [
      '40:11 domains[1].users[1].login: expected 1 to 100 characters A-Z a-z, digits or _ - . ~ !, got "a user"',
    ],
  },
  {
    title: 'an id of the wrong form',
    edits: [['login: user, pwd: user', 'login: user, pwd: user, id: 17']],
    faults: ['40:35 domains[1].users[1].id: expected a UUID, got 17'],
  },
  {
    title: 'an id that is no UUID',
    edits: [['login: user, pwd: user', 'login: user, pwd: user, id: seventeen']],
    faults: ['40:35 domains[1].users[1].id: expected a UUID, got "seventeen"'],
  },
  {
    title: 'a secret that is too short',
    edits: [['name: small', 'name: small\nsecret: short']],
    faults: ['2:1 secret: expected a text of at least 8 characters (Cluster secret), got "short"'],
  },
  {
    title: 'a link address without a port',
    edits: [inNode('        link: 127.0.0.1')],
    faults: ['11:9 sites[0].nodes[0].link: expected host:port, such as 127.0.0.1:7101, got "127.0.0.1"'],
  },
  {
    title: 'an http address with a port that there is not',
    edits: [inNode('        http: 127.0.0.1:65536')],
    faults: ['11:9 sites[0].nodes[0].http: expected a port up to 65535, got "127.0.0.1:65536"'],
  },
  {
    title: 'unknown fields, each by itself',
    edits: [inNode('        colour: red\n        size: { w: 1 }')],
    faults: [
      '11:9 sites[0].nodes[0].colour: no such field here, expected one of name, ip, link, http, instances',
      '12:9 sites[0].nodes[0].size: no such field here, expected one of name, ip, link, http, instances',
    ],
  },
  {
    title: 'an unknown field among others of its line',
    edits: [['{ role: ws, srvidx: 11 }', '{ role: ws, index: 1, srvidx: 11 }']],
    faults: [
      '12:25 sites[0].nodes[0].instances[0].index: no such field here, expected one of role, srvidx, addr, group, order',
    ],
  },
  {
    title: 'a misspelt field is missing, and unknown',
    edits: [['sites:', 'places:']],
    faults: [
      '1:1 sites: expected a list of at least 1, each item { name, type, domains, arbiters, groups, nodes }, got nothing',
      '4:1 places: no such field here, expected one of name, format, title, metadata, secret, timings, sites, domains, borderrules, bans, calls, matcher',
    ],
  },
  {
    title: 'a field that is missing',
    edits: [['        ip: 10.2.0.2\n', '']],
    faults: ['27:9 sites[1].nodes[1].ip: expected an IPv4 address, such as 10.1.0.11, got nothing'],
  },
  {
    title: 'faults of the schema, in the order of the lines',
    edits: [
      ['test, esg: 31 }', 'test, esg: x }'],
      ['name: small', 'name: Small'],
      ['role: esg', 'role: sbc'],
      ['role: rpco, srvidx: 12', 'srvidx: 12'],
    ],
    faults: [
      `1:1 name: ${letters}, got "Small"`,
      `13:13 sites[0].nodes[0].instances[1].role: expected one of ${roleWords}, got nothing`,
      `14:15 sites[0].nodes[0].instances[2].role: expected one of ${roleWords}, got "sbc"; did you mean "sdc"?`,
      '45:68 domains[1].providers[0].esg: expected a whole number (srvidx of the esg instance that holds the account), got "x"',
    ],
  },
];

const childUsers = `    users:
      - { login: admin, pwd: admin, roles: [admin] }
      - { login: user, pwd: user }
`;

const aliases: readonly FaultyFile[] = [
  {
    title: 'a fault in what an alias stands for, at every place where it stands',
    edits: [
      ['[root.test]', '&roots [Root.test]'],
      ['[acme.root.test]', '*roots'],
    ],
    faults: [
      '7:22 sites[0].domains[0]: expected a domain name in lower case, such as acme.root.test, got "Root.test"',
      '18:5 sites[1].domains[0]: expected a domain name in lower case, such as acme.root.test, got "Root.test"',
    ],
  },
  {
    title: 'a fault between parts of what an alias stands for',
    edits: [
      [childUsers, '    users: *users\n'],
      ['    users:\n', '    users: &users\n      - { login: admin, pwd: admin }\n'],
      [', user: user', ''],
    ],
    faults: [
      '37:11 domains[0].users[1].login: login "admin" is taken; expected a unique one',
      '39:5 domains[1].users[1].login: login "admin" is taken; expected a unique one',
    ],
  },
  {
    title: 'a fault in what is merged in, where it is merged',
    edits: [
      ['{ code: telecom', '&telecom { code: telecom'],
      ['{ code: backup, username: acme, domain: sip.backup.test, esg: 31 }', '{ <<: *telecom }'],
    ],
    faults: ['46:9 domains[1].providers[1].code: provider code "telecom" is taken; expected a unique one'],
  },
  {
    title: 'an alias of nothing',
    edits: [
      ['[acme.root.test]', '*nowhere'],
      ['[e1]', '[*unknown]'],
    ],
    faults: [
      `18:14 no anchor "nowhere" before this alias (as a text it needs quotes: '*nowhere')`,
      `19:16 no anchor "unknown" before this alias (as a text it needs quotes: '*unknown')`,
    ],
  },
  {
    title: 'an alias before its anchor',
    edits: [
      ['[root.test]', '*roots'],
      ['[acme.root.test]', '&roots [acme.root.test]'],
    ],
    faults: [`7:14 no anchor "roots" before this alias (as a text it needs quotes: '*roots')`],
  },
];

const syntax: readonly FaultyFile[] = [
  { title: 'a name twice', edits: [['sites:', 'name: again\nsites:']], faults: ['4:1 Map keys must be unique'] },
  {
    title: 'a star without quotes',
    edits: [['[acme.root.test]', '*']],
    faults: [`18:14 Alias cannot be an empty string (as a text it needs quotes: '*')`],
  },
  {
    title: 'an ampersand without quotes',
    edits: [['[acme.root.test]', '&']],
    faults: [`18:14 Anchor cannot be an empty string (as a text it needs quotes: '&')`],
  },
  {
    title: 'a text that begins with an at sign, without quotes',
    edits: [['[acme.root.test]', '@acme']],
    faults: ['18:14 Plain value cannot start with reserved character @ (a text that begins with it needs quotes)'],
  },
  {
    title: 'a quote that does not end',
    edits: [['name: small', 'name: "small']],
    faults: ['49:1 Missing closing "quote'],
  },
  {
    title: 'a tab where an indentation should be, without the faults that follow from it',
    edits: [["      - { prefix: '55'", "\t- { prefix: '55'"]],
    faults: ['48:1 Tabs are not allowed as indentation (YAML is indented with spaces)'],
  },
  {
    title: 'a bracket that does not end, without the faults that follow from it',
    edits: [['order: 1 }\n  - name: west', 'order: 1\n  - name: west']],
    faults: [
      '16:3 Flow map in block collection must be sufficiently indented and end with a } (is this line, or the one before it, indented as it should be?)',
    ],
  },
  {
    title: 'a second document',
    edits: [['sites:', '---\nsites:']],
    faults: ['4:1 Source contains multiple documents'],
  },
  {
    title: 'several faults, in the order of the lines',
    edits: [
      ['features:', 'name: again\n    features:'],
      ['sites:', 'name: again\nsites:'],
    ],
    faults: ['4:1 Map keys must be unique', '48:5 Map keys must be unique'],
  },
];

for (const { title, edits, faults } of [...schema, ...aliases, ...syntax]) {
  test(`refused: ${title}`, (t) => {
    const file = writeFile(t, 'faulty.yaml', edited(smallYaml, edits));
    const error = t.throws(() => loadTopology(file), { instanceOf: YamlError });
    t.deepEqual(
      error.message.split('\n'),
      faults.map((fault) => `${file}:${fault}`),
    );
  });
}

const whole =
  '1:1 expected { name, format, title, metadata, secret, timings, sites, domains … } (Sites, nodes, role instances and domains of a simulated cluster)';
const bomb = ['a: &a [x, x, x, x, x, x, x, x, x, x]', ...'bcde'.split('').map(power)].join('\n');
function power(name: string): string {
  const before = String.fromCharCode(name.charCodeAt(0) - 1);
  return `${name}: &${name} [${Array.from({ length: 10 }, () => `*${before}`).join(', ')}]`;
}

const wide = `a: &a [${'x, '.repeat(1_000)}]\nb: [${'*a, '.repeat(200)}]\n`;

for (const [title, text, fault] of [
  ['an empty file', '', `${whole}, got nothing`],
  ['a file of comments', '# nothing\n', `${whole}, got nothing`],
  ['a list', '- name: small\n', `${whole}, got a list of 1`],
  ['a word', 'small\n', `${whole}, got "small"`],
  ['aliases that grow beyond all bounds', bomb, '5:36 expected aliases that stand for at most 100000 values in all'],
  ['few aliases of a large value', wide, '2:401 expected aliases that stand for at most 100000 values in all'],
  [
    'an alias within its own anchor',
    'a: &a [*a]\n',
    '1:8 expected aliases that stand for at most 100000 values in all',
  ],
] as const) {
  test(`refused: ${title}`, (t) => {
    const file = writeFile(t, 'faulty.yaml', text);
    const error = t.throws(() => loadTopology(file), { instanceOf: YamlError });
    t.is(error.message, `${file}:${fault}`);
  });
}

test('refused: a file that is not there, or a name that does not ship', (t) => {
  const file = `${makeFolder(t)}/none.yaml`;
  t.throws(() => loadTopology(file), { message: `${file}: no such file` });
  t.throws(() => loadTopology('none'), {
    message: 'expected a path (./none.yaml), or a topology that ships (default, pair, single), got "none"',
  });
});

test('refused: a folder', (t) => {
  const folder = makeFolder(t);
  t.throws(() => loadTopology(folder), { message: new RegExp(`^${folder}: expected a file, got a folder$`) });
});

test('read: line ends and a mark of the byte order as other systems write them', (t) => {
  const file = writeFile(t, 'sound.yaml', `\ufeff${smallYaml.replaceAll('\n', '\r\n')}`);
  t.is(loadTopology(file).map.instances.size, 10);
});

test('a fault has the right place in a file with other line ends, and after characters of several bytes', (t) => {
  const odd = edited(smallYaml, [
    ['name: small', 'name: small # 🂡 ü'],
    ['{ role: esg, srvidx: 13 }', '{ role: esg, addr: "🂡", srvidx: 13 }'],
  ]);
  const file = writeFile(t, 'faulty.yaml', odd.replaceAll('\n', '\r\n'));
  const error = t.throws(() => loadTopology(file), { instanceOf: YamlError });
  t.deepEqual(error.faults, [
    {
      line: 14,
      column: 26,
      message: 'sites[0].nodes[0].instances[2].addr: expected an IPv4 address, such as 10.1.0.11, got "🂡"',
    },
  ]);
});

const deep: readonly (readonly [what: string, text: string, at: string])[] = [
  ['brackets', `name: ${'['.repeat(100_000)}`, '1:506'],
  ['braces and keys', `name: x\nsites: ${'{a: '.repeat(20_000)}`, '2:2004'],
  ['lists in one line', `sites: \n  ${'- '.repeat(30_000)}`, '2:1003'],
];

for (const [what, text, at] of deep) {
  test(`refused: ${what} that nest without end`, (t) => {
    const error = t.throws(() => loadTopology(writeFile(t, 'deep.yaml', text)), { instanceOf: YamlError });
    t.regex(error.message, new RegExp(`deep.yaml:${at} expected values that are nested at most 500 deep$`));
  });
}

test('read: brackets in texts, and many lines of lists', (t) => {
  const text = `name: "${'['.repeat(1_000)}"\nmany: {${'a: 1, '.repeat(1_000)}}\nsites:\n${'  - - {}\n'.repeat(1_000)}`;
  const error = t.throws(() => loadTopology(writeFile(t, 'texts.yaml', text)), { instanceOf: YamlError });
  t.notRegex(error.message, /nested/);
});
