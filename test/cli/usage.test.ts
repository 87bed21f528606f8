/** The command line: help, wrong usage, and files that are judged. */

import { existsSync, mkdirSync, realpathSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { printedDocuments } from '../../sim/docs/documents.ts';
import { httpLimitNames } from '../../src/model/limits.ts';
import { test } from '../kit/test.ts';
import { edited, makeFolder, writeFile } from '../topology/edits.ts';
import { smallYaml } from '../topology/small.ts';
import { Running, spawned } from './command.ts';
import { strowger } from './in-process.ts';

for (const command of [
  '',
  'serve',
  'run',
  'validate',
  'check',
  'node',
  'bench',
  'docs',
  'sweep',
  'replay',
  'shrink',
  'report',
  'export',
  'import',
]) {
  test(`${command || 'strowger'} --help says how it is used, and exits 0`, async (t) => {
    const { code, out, err } = await (command === '' ? spawned(t, '--help') : strowger(t, command, '--help'));
    t.is(code, 0);
    t.is(err, '');
    t.true(out.startsWith(`Usage: strowger ${command}`.trimEnd()), out);
    t.regex(out, /\n {2}-h, --help /);
  });
}

test('help COMMAND prints what COMMAND --help prints, and help the list of commands', async (t) => {
  const [help, named, list] = [
    await spawned(t, 'help', 'sweep'),
    await strowger(t, 'sweep', '--help'),
    await spawned(t, 'help'),
  ];
  t.deepEqual([help.code, help.out], [0, named.out]);
  t.regex(list.out, /\n {2}sweep /);
});

const wrong: readonly [what: string, args: readonly string[], line: string][] = [
  ['no command that there is', ['nope'], "strowger: unknown command 'nope'"],
  ['an unknown option', ['serve', '--nope'], "strowger: unknown option '--nope'"],
  [
    'an argument too many',
    ['serve', 'extra'],
    "strowger: too many arguments for 'serve'. Expected 0 arguments but got 1.",
  ],
  [
    'an unknown choice',
    ['run', '--mode', 'dream', 'x'],
    "strowger: option '--mode <mode>' argument 'dream' is invalid. Allowed choices are virtual, live, processes.",
  ],
  [
    'a malformed number',
    ['run', '--seed', '1e3', 'x'],
    'strowger: --seed: expected an integer from 0 to 2147483648, got "1e3"',
  ],
  [
    'a number out of bounds',
    ['serve', '--port', '65536'],
    'strowger: --port: expected an integer from 0 to 65535, got "65536"',
  ],
  [
    'seeds up to zero',
    ['run', '--seeds', '0', 'x'],
    'strowger: --seeds: expected a number from 1, or from..to such as 0..0, got "0"',
  ],
  [
    'a sweep of seeds downwards',
    ['sweep', '--seeds', '5..1', 'x'],
    'strowger: --seeds: expected a number from 1 to 10000000, or from..to with from <= to, such as 1..100, got "5..1"',
  ],
  [
    'a size with an exponent',
    ['topology', '--sites', '1e0'],
    'strowger: --sites: expected an integer from 1 to 60, got "1e0"',
  ],
  [
    'a duration with a fraction',
    ['script', 'run', '--duration', '1.5', 'x'],
    'strowger: --duration: expected an integer from 0 to 86400, got "1.5"',
  ],
  [
    'ports of sites beyond the last one',
    ['serve', '--port', '65535'],
    'strowger: the front of north gets port 65536: expected ports up to 65535; try --port 0',
  ],
  [
    'ports of nodes beyond the last one',
    ['up', '--port', '65534'],
    'strowger: the front of s1 gets port 65536: expected ports up to 65535; try --port 0',
  ],
  [
    'a limit that cannot be set',
    ['serve', '--limit', 'frameBytes=1'],
    `strowger: --limit: expected NAME=NUMBER with a name of ${httpLimitNames.join(', ')}, got "frameBytes=1"`,
  ],
  [
    'a limit of nothing',
    ['node', 'h1', '--limit', 'sockets=0'],
    'strowger: --limit sockets: expected an integer from 1 to 2147483647, got "0"',
  ],
  [
    'a control interface for other machines without a token',
    ['serve', '--control-host', '0.0.0.0'],
    'strowger: --control-host 0.0.0.0: expected a loopback address, since the control interface has no token; set STROWGER_CONTROL_TOKEN to at least 16 characters to open it to other machines',
  ],
  [
    'an origin with a path',
    ['serve', '--cors', 'https://App.example/'],
    'strowger: --cors: expected an origin such as https://app.example, got "https://App.example/"; did you mean https://app.example?',
  ],
  [
    'every origin',
    ['node', 'h1', '--cors', '*'],
    'strowger: --cors: expected an origin such as https://app.example, got "*"',
  ],
  [
    'a name with a port for the control interface',
    ['serve', '--control-allow-host', 'bench.test:8079'],
    'strowger: --control-allow-host: expected a host name or an address without a port, got "bench.test:8079"',
  ],
  [
    'a folder of samples that there is not',
    ['serve', '--samples', '/no/such/folder'],
    'strowger: --samples: expected an existing folder, got "/no/such/folder"',
  ],
  [
    'a folder of metadata that there is not',
    ['serve', '--metadata', '/no/such/folder'],
    'strowger: --metadata: expected an existing folder, got "/no/such/folder"',
  ],
  [
    'a node that there is not',
    ['node', 'x1'],
    'strowger: no node named "x1"; expected one of h1, h2, h3, n1, n2, s1, s2',
  ],
  [
    'a node without a secret',
    ['node', 'h1'],
    'strowger: no cluster secret: set STROWGER_SECRET, or "secret" in the topology, to at least 8 characters',
  ],
  [
    'a document that does not exist',
    ['docs', 'nope.md'],
    `strowger: no document "nope.md"; expected one of ${[...printedDocuments.keys()].join(', ')}`,
  ],
];
for (const [what, args, line] of wrong) {
  test(`${what} is refused with one line, and exits 64`, async (t) => {
    const { code, out, err } = await (args[0] === 'nope' ? spawned : strowger)(t, ...args);
    t.is(code, 64);
    t.is(out, '');
    t.is(err.split('\n')[0], line);
    const rest = err
      .split('\n')
      .slice(1)
      .filter((each) => each !== '' && !/^\(.*\)$/.test(each));
    t.deepEqual(rest, [], 'no more than a hint in brackets');
  });
}

test('a valid topology and a valid scenario are judged so, each in a line, and it exits 0', async (t) => {
  const topology = writeFile(t, 'small.yaml', smallYaml);
  const steps = 'name: short\nwhy: Says no more than it must say.\nsteps: [{ wait: 1s }, { wait: 1s }]\n';
  const scenario = writeFile(t, 'short.yaml', steps);
  const { code, out, err } = await strowger(t, 'validate', 'default', topology, scenario);
  t.is(code, 0);
  t.is(err, '');
  t.deepEqual(out.split('\n'), [
    'default: a valid topology: 3 sites, 7 nodes, 53 role instances, 3 domains',
    `${topology}: a valid topology: 2 sites, 3 nodes, 10 role instances, 2 domains`,
    `${scenario}: a valid scenario: 2 steps over topology "default"`,
    '',
  ]);
});

test('a border rule that cannot be applied is a fault of its file, although a cluster starts with it', async (t) => {
  const rules = ['{ priority: 1, action: deny, username: "/(?=a)/" }', '{ priority: 2, action: deny, domain: x }'];
  const file = writeFile(t, 'rules.yaml', `${smallYaml}\nborderrules: [${rules.join(', ')}]\n`);
  const { code, err } = await strowger(t, 'validate', file);
  t.is(code, 1);
  t.is(
    err,
    `strowger: ${file}: borderrules.0: username: expected a regular expression without look-ahead ("(?=" at 1)\n`,
  );
});

test('of several files each is judged, the faults of all come out, and it exits 1', async (t) => {
  const topology = writeFile(
    t,
    'faulty.yaml',
    edited(smallYaml, [
      ['[e1]', '[e9]'],
      ['srvidx: 31 }', 'srvidx: 11 }'],
    ]),
  );
  const scenario = writeFile(t, 'faulty.yaml', 'name: short\nwhy: Says less than it must say.\nsteps: []\n');
  const none = `${makeFolder(t)}/none.yaml`;
  const { code, out, err } = await strowger(t, 'validate', topology, none, 'default', scenario);
  t.is(code, 1);
  t.is(out, 'default: a valid topology: 3 sites, 7 nodes, 53 role instances, 3 domains\n');
  t.deepEqual(err.split('\n'), [
    `${topology}:19:16 sites[1].arbiters[0]: expected the name of a node at another site, got "e9"`,
    `${topology}:30:26 sites[1].nodes[1].instances[0].srvidx: srvidx 11 is taken; expected a unique one`,
    `${topology}:45:68 domains[1].providers[0].esg: expected the srvidx of an esg instance, got 31`,
    `${topology}:46:66 domains[1].providers[1].esg: expected the srvidx of an esg instance, got 31`,
    `strowger: ${none}: no such file`,
    `${scenario}:3:1 steps: expected a list of 1 to 1000, each item { at, when, every, times, until, note, fault, wait … }, got an empty list`,
    '',
  ]);
});

const scenarioText = 'name: short\nwhy: Says no more than it must say.\nsteps: [{ wait: 1s }]\n';
const scriptText = 'code: hello\ncomponents: []\n';
const sealed = (kind: string) => `{"format":"strowger-${kind}-1","version":"0.1.0","build":"0","seed":1}`;
const outcome = '{"scenario":"short","seed":1,"build":"0","source":"0","verdict":"pass","virtualMs":1}\n';
const others: readonly [args: readonly string[], text: string, message: string][] = [
  [['serve', '--port', '0', '--topology'], scenarioText, 'a topology, got a scenario, which `strowger run` takes'],
  [['up', '--port', '0', '--topology'], scriptText, 'a topology, got a script, which `strowger script check` takes'],
  [['serve', '--initial-data'], smallYaml, 'initial data, got a topology, which `strowger serve --topology` takes'],
  [['run'], smallYaml, 'a scenario, got a topology, which `strowger serve --topology` takes'],
  [['run'], sealed('artefact'), 'a scenario, got an artefact of a run, which `strowger replay` takes'],
  [['scenario', 'explain'], scriptText, 'a scenario, got a script, which `strowger script check` takes'],
  [['sweep'], sealed('recording'), 'a scenario, got the recording of a test, which `strowger replay` takes'],
  [
    ['validate'],
    sealed('artefact'),
    'a topology or a scenario, got an artefact of a run, which `strowger replay` takes',
  ],
  [['validate'], scriptText, 'a topology or a scenario, got a script, which `strowger script check` takes'],
  [['shrink'], sealed('recording'), 'an artefact of a run, got the recording of a test, which `strowger replay` takes'],
  [['shrink'], scenarioText, 'an artefact of a run, got a scenario, which `strowger run` takes'],
  [
    ['replay'],
    sealed('domain'),
    'an artefact of a run or the recording of a test, got the data of a domain, which `strowger import` takes',
  ],
  [
    ['import', '--data', '/no/such/folder'],
    scenarioText,
    'the data of a domain, got a scenario, which `strowger run` takes',
  ],
  [
    ['report', 'merge'],
    sealed('artefact'),
    'the outcomes of a sweep, got an artefact of a run, which `strowger replay` takes',
  ],
  [['replay'], outcome, 'an artefact of a run or the recording of a test, got the outcomes of a sweep, which'],
  [['script', 'check'], scenarioText, 'a script, got a scenario, which `strowger run` takes'],
  [
    ['script', 'run'],
    'script: x.yaml\ncases: []\n',
    'a script, got the tests of a script, which `strowger script test`',
  ],
  [['script', 'test'], scriptText, 'the tests of a script, got a script, which `strowger script check` takes'],
];
for (const [args, text, message] of others) {
  test(`${args.join(' ')} expects ${message.replace(/, which.*/, '')}: it says so in one line`, async (t) => {
    const file = writeFile(t, 'other.yaml', text);
    const { code, out, err } = await strowger(t, ...args, file);
    t.is(code, 1);
    t.is(out, '');
    t.true(err.startsWith(`strowger: ${file}: expected ${message}`), err);
    t.is(err.split('\n').length, 2);
  });
}

test('an unknown topology is named with the shipped ones, and the one that is most like it', async (t) => {
  const path = 'expected a path (./sngle.yaml), or a topology that ships (default, pair, single), got "sngle"';
  for (const command of ['serve', 'up', 'node', 'record']) {
    const more = command === 'node' ? ['h1'] : command === 'record' ? ['--to', 'http://127.0.0.1', '--out', 'x'] : [];
    const { code, out, err } = await strowger(t, command, '--topology', 'sngle', ...more);
    t.deepEqual([code, out], [1, '']);
    t.is(err, `strowger: ${path}; did you mean "single"?\n`);
  }
  const { err } = await strowger(t, 'validate', 'sngle');
  t.regex(
    err,
    /^strowger: expected a file, or a topology or scenario that ships \(single, .*; did you mean "single"\?\n$/,
  );
});

const outputs: readonly (readonly string[])[] = [
  ['run', 'x.yaml', '--artefacts'],
  ['sweep', 'x.yaml', '--out'],
  ['shrink', 'x.json', '--out'],
  ['docs', '--write'],
  ['serve', '--data'],
  ['up', '--data'],
  ['node', 'h1', '--data'],
  ['import', 'x.json', '--data'],
];
for (const args of outputs) {
  test(`${args.join(' ')} refuses a file in the place of its folder before anything is read`, async (t) => {
    const file = writeFile(t, 'there', '');
    for (const path of [file, `${file}/below/it`]) {
      const { code, out, err } = await strowger(t, ...args, path);
      t.deepEqual([code, out], [64, '']);
      t.is(err, `strowger: ${args.at(-1)}: expected a folder, ${file} is a file\n`);
    }
  });
}

test('sweep refuses a file in the place of its default folder before anything is run', async (t) => {
  const file = writeFile(t, 'sweep', '');
  const folder = dirname(file);
  const running = new Running(t, ['sweep', 'b2b-fails', '--seeds', '1'], {}, { folder });
  t.is(await running.ended, 64);
  t.is(running.out, '');
  t.is(running.err, `strowger: --out: expected a folder, ${join(realpathSync(folder), 'sweep')} is a file\n`);
});

test('sweep refuses a folder in the place of a file that it writes', async (t) => {
  const out = makeFolder(t);
  for (const [name, ...options] of [
    ['sweep.jsonl'],
    ['sweep-2-of-3.jsonl', '--shard', '2/3'],
    ['sweep-coverage.json'],
  ]) {
    const file = join(out, name ?? '');
    mkdirSync(file);
    const { code, err } = await strowger(t, 'sweep', 'b2b-fails', '--seeds', '1', '--out', out, ...options);
    t.deepEqual([code, err], [64, `strowger: --out: expected a file, ${file} is a folder\n`]);
    rmdirSync(file);
  }
});

const appended: readonly (readonly string[])[] = [
  ['serve', '--inspect'],
  ['serve', '--access-log'],
  ['node', 'h1', '--access-log'],
];
for (const args of appended) {
  test(`${args.join(' ')} refuses a folder, and a file in a missing folder, before anything starts`, async (t) => {
    const folder = makeFolder(t);
    const there = await strowger(t, ...args, folder);
    t.deepEqual(there, {
      code: 64,
      out: '',
      err: `strowger: ${args.at(-1)}: expected a file, ${folder} is a folder\n`,
    });
    const missing = join(folder, 'missing', 'log');
    const expected = `expected a file in an existing folder, got "${missing}"`;
    t.deepEqual(await strowger(t, ...args, missing), {
      code: 64,
      out: '',
      err: `strowger: ${args.at(-1)}: ${expected}\n`,
    });
  });
}

for (const option of ['--out', '--junit']) {
  test(`report merge ${option} refuses a folder in the place of its file before anything is read`, async (t) => {
    const folder = makeFolder(t);
    const { code, err } = await strowger(t, 'report', 'merge', 'x.jsonl', option, folder);
    t.is(code, 64);
    t.is(err, `strowger: ${option}: expected a file, ${folder} is a folder\n`);
  });
}

for (const args of [
  ['run'],
  ['sweep'],
  ['validate'],
  ['replay'],
  ['shrink'],
  ['script', 'check'],
  ['serve', '--topology'],
]) {
  test(`a folder in the place of a file is wrong usage: ${args.join(' ')}`, async (t) => {
    const folder = makeFolder(t);
    const { code, err } = await strowger(t, ...args, folder);
    t.is(code, 64);
    t.is(err, `strowger: ${folder}: expected a file, got a folder\n`);
  });
}

test('errors of the file system are sentences', async (t) => {
  const file = writeFile(t, 'there', '');
  const below = await strowger(t, 'run', `${file}/x.yaml`);
  t.is(below.err, `strowger: ${file}/x.yaml: no such file: a part of its path is a file\n`);
  if (existsSync('/proc/self')) {
    const made = await strowger(t, 'docs', '--write', '/proc/x');
    t.is(made.err, "strowger: /proc/x: can't be made: no such file or folder\n");
  }
});

test('with --debug a fault comes with its stack', async (t) => {
  const file = writeFile(t, 'faulty.yaml', 'name: Small\n');
  const { code, err } = await strowger(t, 'validate', '--debug', file);
  t.is(code, 1);
  t.regex(err, new RegExp(`${file}:1:1 name: expected .*\n`));
  t.regex(err, /\n {4}at .*yaml\.[jt]s/);
});

test('an invalid topology is reported before anything starts', async (t) => {
  const file = writeFile(t, 'faulty.yaml', edited(smallYaml, [['[e1]', '[e9]']]));
  const { code, out, err } = await strowger(t, 'serve', '--port', '0', '--topology', file);
  t.is(code, 1);
  t.is(out, '');
  t.is(err, `${file}:19:16 sites[1].arbiters[0]: expected the name of a node at another site, got "e9"\n`);
});
