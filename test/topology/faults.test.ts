/** Invalid topologies: each fault between the parts is found, with its place. The faults of the schema are elsewhere. */

import { YamlError } from '../../sim/input/yaml-error.ts';
import { loadTopology } from '../../sim/topology/load-topology.ts';
import { test } from '../kit/test.ts';
import { edited, type FaultyFile, writeFile } from './edits.ts';
import { smallYaml } from './small.ts';

const westSdc = 'sites[1].nodes[1].instances[2]';
const noSecondSdc: [string, string] = ['          - { role: sdc, srvidx: 33, group: 23, order: 2 }\n', ''];
const esgLeaves = [
  '45:68 domains[1].providers[0].esg: expected the srvidx of an esg instance, got 31',
  '46:66 domains[1].providers[1].esg: expected the srvidx of an esg instance, got 31',
];
/** A second domain at west, and groups by domain. */
const globex: FaultyFile['edits'] = [
  ['[acme.root.test]', '[acme.root.test, globex.root.test]'],
  ['  - name: acme.root.test\n', '  - name: globex.root.test\n  - name: acme.root.test\n'],
];
const groups = (...listed: string[]): [string, string] => [
  '    arbiters: [e1]\n',
  `    arbiters: [e1]\n    groups:\n${listed.map((each) => `      - ${each}\n`).join('')}`,
];

const names: readonly FaultyFile[] = [
  {
    title: 'two sites of one name',
    edits: [
      ['name: west', 'name: east'],
      ['    arbiters: [e1]\n', ''],
    ],
    faults: ['16:5 sites[1].name: site name "east" is taken; expected a unique one'],
  },
  {
    title: 'two nodes of one name, at different sites',
    edits: [
      ['name: w2', 'name: e1'],
      ['    arbiters: [e1]\n', ''],
    ],
    faults: ['26:9 sites[1].nodes[1].name: node name "e1" is taken; expected a unique one'],
  },
  {
    title: 'two nodes of one ip',
    edits: [['10.2.0.2', '10.1.0.1']],
    faults: ['28:9 sites[1].nodes[1].ip: node ip "10.1.0.1" is taken; expected a unique one'],
  },
  {
    title: 'two instances of one srvidx, in different roles',
    edits: [['srvidx: 22', 'srvidx: 11']],
    faults: ['25:27 sites[1].nodes[0].instances[1].srvidx: srvidx 11 is taken; expected a unique one'],
  },
  {
    title: 'two domains of one name',
    edits: [['  - name: acme.root.test\n', '  - name: acme.root.test\n  - name: acme.root.test\n']],
    faults: ['38:5 domains[2].name: domain name "acme.root.test" is taken; expected a unique one'],
  },
  {
    title: 'two users of one id, in different domains',
    edits: [
      ['{ login: admin,', '{ id: 0D4F1C9E-8A55-4C3F-9A6B-0A2F6D1E7B11, login: admin,'],
      ['{ login: user,', '{ id: 0d4f1c9e-8a55-4c3f-9a6b-0a2f6d1e7b11, login: user,'],
    ],
    faults: [
      '40:11 domains[1].users[1].id: id of a user "0d4f1c9e-8a55-4c3f-9a6b-0a2f6d1e7b11" is taken; expected a unique one',
    ],
  },
  {
    title: 'two users of one login in a domain',
    edits: [
      ['{ login: user,', '{ login: admin,'],
      [', user: user', ''],
    ],
    faults: ['40:11 domains[1].users[1].login: login "admin" is taken; expected a unique one'],
  },
  {
    title: 'two SIP users of one login',
    edits: [["login: '1002'", "login: '1001'"]],
    faults: ['43:11 domains[1].sipusers[1].login: login "1001" is taken; expected a unique one'],
  },
  {
    title: 'two SIP users of one phonenumber',
    edits: [["phonenumber: '1002'", "phonenumber: '1001'"]],
    faults: ['43:26 domains[1].sipusers[1].phonenumber: phonenumber "1001" is taken; expected a unique one'],
  },
  {
    title: 'two provider accounts of one code',
    edits: [['code: backup', 'code: telecom']],
    faults: ['46:11 domains[1].providers[1].code: provider code "telecom" is taken; expected a unique one'],
  },
  {
    title: 'two parking files of one name, and two storage rules of one id',
    edits: [
      [
        'type: conference }\n',
        'type: conference }\n    parkingfiles: [{ name: a.wav }, { name: a.wav }]\n    storagerules: [{ id: 11111111-1111-4111-8111-111111111111, keepSeconds: 1 }, { id: 11111111-1111-4111-8111-111111111111, keepSeconds: 2 }]\n',
      ],
    ],
    faults: [
      '49:39 domains[1].parkingfiles[1].name: parking file "a.wav" is taken; expected a unique one',
      '50:84 domains[1].storagerules[1].id: storage rule "11111111-1111-4111-8111-111111111111" is taken; expected a unique one',
    ],
  },
  {
    title: 'two feature codes of one prefix',
    edits: [['type: conference }\n', "type: conference }\n      - { prefix: '55', type: ivr }\n"]],
    faults: ['49:11 domains[1].features[1].prefix: feature prefix "55" is taken; expected a unique one'],
  },
];

const places: readonly FaultyFile[] = [
  {
    title: 'mdc away from the master site',
    edits: [noSecondSdc, ['role: sdc', 'role: mdc']],
    faults: ['26:15 sites[1].nodes[0].instances[2].role: mdc belongs to the master site only; at site "west" use sdc'],
  },
  {
    title: 'sdc at the master site',
    edits: [['role: mdc', 'role: sdc']],
    faults: ['15:15 sites[0].nodes[0].instances[3].role: sdc belongs to the other sites; at the master site use mdc'],
  },
  {
    title: 'no site of a master type',
    edits: [
      ['type: master_communication', 'type: communication'],
      ['role: mdc', 'role: sdc'],
    ],
    faults: [
      '4:1 sites: expected exactly one site of a master type, got 0',
      '7:15 sites[0].domains[0]: the master domain "root.test" is served at the master site only',
    ],
  },
  {
    title: 'two sites of a master type',
    edits: [['type: communication', 'type: master'], noSecondSdc, ['role: sdc', 'role: mdc']],
    faults: [
      '4:1 sites: expected exactly one site of a master type, got 2',
      '18:5 sites[1].domains: the master site must serve the master domain "root.test"',
    ],
  },
  {
    title: 'a site without a gateway',
    edits: [['          - { role: rpco, srvidx: 12, order: 1 }\n', '']],
    faults: ['8:5 sites[0].nodes: site "east" has no rpco instance: no message could enter or leave it'],
  },
  {
    title: 'no front anywhere',
    edits: [
      ['          - { role: ws, srvidx: 11 }\n', ''],
      ['          - { role: ws, srvidx: 21 }\n', ''],
    ],
    faults: ['4:1 sites: no ws instance anywhere: the interface needs one'],
  },
  {
    title: 'one address for two fronts',
    edits: [
      ['        ip: 10.1.0.1\n', '        ip: 10.1.0.1\n        http: 127.0.0.1:80\n'],
      ['role: esg', 'role: ws'],
    ],
    faults: [
      '11:9 sites[0].nodes[0].http: node "e1" has one http address for several ws instances; expected one ws instance',
    ],
  },
  {
    title: 'an arbiter that is no node',
    edits: [['[e1]', '[e1, e9]']],
    faults: ['19:20 sites[1].arbiters[1]: expected the name of a node at another site, got "e9"'],
  },
  {
    title: 'an arbiter at the site itself',
    edits: [['[e1]', '[w2]']],
    faults: ['19:16 sites[1].arbiters[0]: expected the name of a node at another site, got "w2"'],
  },
  {
    title: 'a ping patience over the interval',
    edits: [['pingIntervalMs: 1000', 'pingPatienceMs: 1001']],
    faults: ['3:3 timings.pingPatienceMs: expected at most pingIntervalMs (1000), got 1001'],
  },
  {
    title: 'a default that what was written does not allow is placed at the nearest thing written',
    edits: [['pingIntervalMs: 1000', 'pingIntervalMs: 999']],
    faults: ['2:1 timings.pingPatienceMs: expected at most pingIntervalMs (999), got 1000'],
  },
  {
    title: 'a first wait over the longest',
    edits: [['pingIntervalMs: 1000', 'reconnectMinMs: 9\n  reconnectMaxMs: 8']],
    faults: ['3:3 timings.reconnectMinMs: expected at most reconnectMaxMs (8), got 9'],
  },
];

const domains: readonly FaultyFile[] = [
  {
    title: 'a domain that no site serves',
    edits: [
      ['domains: [root.test]', 'domains: [zoo.root.test]'],
      ['  - name: acme', '  - name: zoo.root.test\n  - name: acme'],
    ],
    faults: [
      '7:5 sites[0].domains: the master site must serve the master domain "root.test"',
      '34:5 domains[0].name: no site serves domain "root.test"; name it, or a parent, at a site',
    ],
  },
  {
    title: 'a domain outside the tree',
    edits: [['  - name: acme', '  - name: root.elsewhere.test\n  - name: acme']],
    faults: ['37:5 domains[1].name: expected a name that ends in ".root.test", got "root.elsewhere.test"'],
  },
  {
    title: 'a domain whose name only looks like one of the tree',
    edits: [['  - name: acme', '  - name: notroot.test\n  - name: acme']],
    faults: ['37:5 domains[1].name: expected a name that ends in ".root.test", got "notroot.test"'],
  },
  {
    title: 'a site that serves an undeclared domain',
    edits: [['[acme.root.test]', '[acme.root.test, other.root.test]']],
    faults: ['18:31 sites[1].domains[1]: no domain named "other.root.test" or below it is declared under "domains"'],
  },
  {
    title: 'the master domain at another site',
    edits: [['[acme.root.test]', '[root.test]']],
    faults: ['18:15 sites[1].domains[0]: the master domain "root.test" is served at the master site only'],
  },
  {
    title: 'a provider account at an esg that is not there',
    edits: [['test, esg: 31 }', 'test, esg: 99 }']],
    faults: ['45:68 domains[1].providers[0].esg: expected the srvidx of an esg instance, got 99'],
  },
  {
    title: 'a provider account at an instance of another role',
    edits: [['test, esg: 31 }', 'test, esg: 32 }']],
    faults: ['45:68 domains[1].providers[0].esg: expected the srvidx of an esg instance, got 32'],
  },
  {
    title: 'a provider account at an esg of a site that does not serve the domain',
    edits: [
      ['[admin] }\n  -', '[admin] }\n    providers:\n      - { code: x, username: y, domain: z.test, esg: 31 }\n  -'],
    ],
    faults: ['38:49 domains[0].providers[0].esg: site "west" of this esg does not serve domain "root.test"'],
  },
  {
    title: 'a SIP user of an unknown user',
    edits: [['user: user }', 'user: unknown }']],
    faults: ['42:47 domains[1].sipusers[0].user: no user with login "unknown" in domain "acme.root.test"'],
  },
];

const redundancy: readonly FaultyFile[] = [
  {
    title: 'an active-passive instance without a group',
    edits: [['srvidx: 33, group: 23, order: 2', 'srvidx: 33, order: 2']],
    faults: [`32:13 ${westSdc}: sdc is active-passive; expected a group and an order`],
  },
  {
    title: 'an active-passive instance without an order',
    edits: [['srvidx: 33, group: 23, order: 2', 'srvidx: 33, group: 23']],
    faults: [`32:13 ${westSdc}: sdc is active-passive; expected a group and an order`],
  },
  {
    title: 'an order twice in a group',
    edits: [['group: 23, order: 2', 'group: 23, order: 1']],
    faults: [`32:49 ${westSdc}.order: order 1 is taken in group 23`],
  },
  {
    title: 'a group of two roles',
    edits: [['role: sdc, srvidx: 33', 'role: callstore, srvidx: 33']],
    faults: [`32:44 ${westSdc}.group: group 23 is one of sdc; expected one of callstore`],
  },
  {
    title: 'a group on an active-active role',
    edits: [['{ role: esg, srvidx: 31 }', '{ role: esg, srvidx: 31, group: 5 }']],
    faults: ['30:38 sites[1].nodes[1].instances[0].group: esg is active-active; expected no group'],
  },
  {
    title: 'a group without an instance',
    edits: [groups('{ group: 99, domains: [acme.root.test] }')],
    faults: ['21:11 sites[1].groups[0].group: no instance of site "west" is in group 99'],
  },
  {
    title: 'groups that leave a domain out',
    edits: [...globex, groups('{ group: 23, domains: [acme.root.test] }')],
    faults: ['20:5 sites[1].groups: no sdc group of site "west" covers domain "globex.root.test"'],
  },
  {
    title: 'two groups for all domains',
    edits: [['group: 23, order: 2', 'group: 24, order: 1']],
    faults: ['20:5 sites[1].nodes: the sdc groups 23 and 24 of site "west" both cover domain "acme.root.test"'],
  },
  {
    title: 'two groups for one of the domains',
    edits: [
      ...globex,
      ['group: 23, order: 2', 'group: 24, order: 1'],
      groups('{ group: 23, domains: [acme.root.test] }', '{ group: 24, domains: [globex.root.test, acme.root.test] }'),
    ],
    faults: ['20:5 sites[1].groups: the sdc groups 23 and 24 of site "west" both cover domain "acme.root.test"'],
  },
];

const several: readonly FaultyFile[] = [
  {
    title: 'faults of every kind, in the order of the lines',
    edits: [
      ['user: user }', 'user: unknown }'],
      ['pingIntervalMs: 1000', 'pingIntervalMs: 500'],
      ['srvidx: 31 }', 'srvidx: 13, group: 1 }'],
      ['[e1]', '[e9, e8]'],
    ],
    faults: [
      '2:1 timings.pingPatienceMs: expected at most pingIntervalMs (500), got 1000',
      '19:16 sites[1].arbiters[0]: expected the name of a node at another site, got "e9"',
      '19:20 sites[1].arbiters[1]: expected the name of a node at another site, got "e8"',
      '30:26 sites[1].nodes[1].instances[0].srvidx: srvidx 13 is taken; expected a unique one',
      '30:38 sites[1].nodes[1].instances[0].group: esg is active-active; expected no group',
      '42:47 domains[1].sipusers[0].user: no user with login "unknown" in domain "acme.root.test"',
      ...esgLeaves,
    ],
  },
];

for (const { title, edits, faults } of [...names, ...places, ...domains, ...redundancy, ...several]) {
  test(`found: ${title}`, (t) => {
    const file = writeFile(t, 'faulty.yaml', edited(smallYaml, edits));
    const error = t.throws(() => loadTopology(file), { instanceOf: YamlError });
    t.deepEqual(
      error.message.split('\n'),
      faults.map((fault) => `${file}:${fault}`),
    );
  });
}

for (const { title, edits } of [
  { title: 'the topology that the faulty ones are made of', edits: [] },
  {
    title: 'two groups that share the domains',
    edits: [
      ...globex,
      ['group: 23, order: 2', 'group: 24, order: 1'],
      groups('{ group: 23, domains: [acme.root.test] }', '{ group: 24, domains: [globex.root.test] }'),
    ],
  },
  {
    title: 'a provider account at the site that serves the whole tree',
    edits: [['test, esg: 31 }', 'test, esg: 13 }']],
  },
  {
    title: 'a single site without a gateway',
    edits: [
      [smallYaml.slice(smallYaml.indexOf('  - name: west'), smallYaml.indexOf('domains:\n  - name')), ''],
      ['          - { role: rpco, srvidx: 12, order: 1 }\n', ''],
      ['test, esg: 31 }', 'test, esg: 13 }'],
      ['test, esg: 31 }', 'test, esg: 13 }'],
    ],
  },
] satisfies { title: string; edits: FaultyFile['edits'] }[]) {
  test(`sound: ${title}`, (t) => {
    const file = writeFile(t, 'sound.yaml', edited(smallYaml, edits));
    t.notThrows(() => loadTopology(file));
  });
}
