/**
 * A process that prints the hash of the trace of some runs with everything in them that a runtime could do in its own way:
 * bodies, forms, uploads and downloads, archives, malformed input, sessions, calls. All versions of Node print the same.
 *
 * It fails where something in these runs waits for the runtime without being pending work: virtual time would move on meanwhile.
 * With the name of a run it prints the trace itself, to be compared.
 */
import { createHook } from 'node:async_hooks';
import { WalkedInterface } from '../../sim/docs/examples/walked-interface.ts';
import { PendingWork } from '../../sim/world/virtual/pending-work.ts';
import type { VirtualWorld } from '../../sim/world/virtual.ts';
import { loadSandbox } from '../../src/adapters/quickjs-sandbox.ts';
import { acmeAdmin, admin, FrontCluster, sessions } from './front.ts';
import { bytesOf, FileClient, formOf } from './http/files.ts';

/** Takes no turn of the event loop: it is made of microtasks, or done when the call returns. */
const immediate = new Set(['PROMISE', 'TickObject', 'Microtask', 'STREAM_END_OF_STREAM']);
const synchronous = /time-driver|Sync \(|randomInt/;
/** The runtime reads ahead in the files of a form; what it has read waits there for the next read, which is pending work. */
const readAhead = /node:internal\/blob/;
const uncounted = new Set<string>();
let busy = 0;

/** Counts the pending work that is under way, of all worlds. */
const { doFirst } = PendingWork.prototype;
PendingWork.prototype.doFirst = async function (this: PendingWork) {
  busy += 1;
  try {
    await doFirst.call(this);
  } finally {
    busy -= 1;
  }
};

const hook = createHook({
  init: (_id, type) => {
    if (busy > 0 || immediate.has(type)) return;
    const stack = new Error(type).stack ?? '';
    if (!synchronous.test(stack) && !readAhead.test(stack)) uncounted.add(stack);
  },
});

async function walked(): Promise<VirtualWorld> {
  const walk = new WalkedInterface({ keepJournal: true });
  await walk.start();
  await walk.fill();
  return walk.world;
}

/** Requests with bodies and without, at once, at every site, while a site is cut off and mended. */
async function storm(): Promise<VirtualWorld> {
  const cluster = await FrontCluster.start({ keepJournal: true });
  const { world } = cluster;
  const client = await FileClient.open(cluster, acmeAdmin);
  const sites = ['hq', 'north', 'south'];
  const round = async (at: string, number: number) => {
    await Promise.all([
      client.ask(`PUT ./${at}.wav`, { at, body: bytesOf(120_000 + number) as never }),
      client.ask('POST .', { at, body: formOf([`${at}-1.wav`, bytesOf(90_000)], [`${at}-2.wav`, 'short']) }),
      client.ask(`GET ./${at}.wav`, { at }),
      client.ask('GET .', { at }),
      cluster.ask(`POST ${sessions}`, { at, json: admin }),
      cluster.ask('GET /healthz', { at }),
    ]);
    await world.wait(10 * number);
  };
  const rounds = async (at: string) => {
    for (let number = 1; number <= 8; number += 1) await round(at, number);
  };
  const all = Promise.all(sites.map(rounds));
  await world.wait(100);
  world.faults.cut({ from: 'north' });
  await world.wait(3_000);
  world.faults.mend();
  await all;
  return world;
}

const malformed = [
  '{"a":1,}',
  '{"a" 1}',
  'hello',
  '{"domain":',
  '[1,2',
  '"\u0001"',
  '{}{}',
  '',
  "{'a':1}",
  '01',
  '"\\x"',
];
const queries = [
  'filter=[',
  'filter={"a" 1}',
  'order=hello',
  'mask=%',
  'limit=-',
  'filter=["~",["property","name"],"("]',
];

/** Refusals: what they say must not be the runtime's own words. */
async function refusals(): Promise<VirtualWorld> {
  const cluster = await FrontCluster.start({ keepJournal: true });
  const token = await cluster.token();
  const json = { 'content-type': 'application/json' };
  const form = { 'content-type': 'multipart/form-data; boundary=x' };
  for (const raw of malformed) {
    await cluster.ask(`POST ${sessions}`, { raw, headers: json });
    await cluster.ask('POST /rest/v1/fs/targets/parking', { token, raw, headers: form });
  }
  for (const query of queries) await cluster.ask(`GET /rest/v1/master/nodes?${query}`, { token });
  return cluster.world;
}

const runs = { walked, storm, refusals };

const { stdout, stderr } = process;
const [only] = process.argv.slice(2);
let text = '';
// Loading the sandbox takes turns of the event loop, once in a process; in a world it is pending work.
await loadSandbox();
hook.enable();
for (const [name, run] of Object.entries(runs)) {
  if (only !== undefined && only !== name) continue;
  const { journal } = await run();
  text += only === undefined ? `${name} ${journal.count} lines ${journal.hash()}\n` : journal.lines.join('');
}
hook.disable();
stdout.write(text);
if (uncounted.size > 0) {
  stderr.write(`these wait for the runtime and are no pending work:\n${[...uncounted].join('\n\n')}\n`);
  process.exitCode = 1;
}
