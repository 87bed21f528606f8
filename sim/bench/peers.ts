/**
 * Prism, a mock server, over the OpenAPI document of the product, beside the product: CPU time for the same requests. npm installs it in a
 * temporary folder, which is removed afterwards: it is no dependency.
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { forkServers, type LoadedServer, requestCosts, type Served, told } from './http.ts';
import { atLeast, type BenchRow, tableText } from './measure.ts';

/** The last version that runs on Node 20. */
const prism = '@stoplight/prism-cli@5.14.2';
const patienceMs = 60_000;
/** Least number of requests for the CPU time of one of Prism. (chosen) */
const least = 5;
const requests = 2_000;
const rounds = 5;

const filters = '/rest/v1/master/logicalroles/esg/bannedaddrs';
const questions = [
  { name: 'GET one filter', path: `${filters}?server=113` },
  { name: 'GET all filters (4 instances, 3 sites)', path: filters },
  { name: 'GET nodes', path: '/rest/v1/master/nodes' },
] as const;

/** Measures the product against Prism with `document`, in OpenAPI 3.1, and prints the table. */
export async function runPeers(document: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'strowger-peers-'));
  const children: ChildProcess[] = [];
  try {
    process.stderr.write(`installing ${prism} …\n`);
    // Its packages' scripts report the installation to their makers.
    const install = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent', '--prefix', folder, prism];
    execFileSync('npm', install, { stdio: ['ignore', 'ignore', 'inherit'] });
    const own = forkServers();
    children.push(own);
    const { cluster, token } = await told<Served>(own);
    const port = await freePort();
    const peer = forkPrism(folder, document, port);
    children.push(peer);
    const url = `http://127.0.0.1:${port}`;
    await untilAnswered(peer, url + filters, token);
    const rows: BenchRow[] = [];
    for (const { name, path } of questions) {
      process.stderr.write(`measuring ${name} …\n`);
      rows.push(await row(name, { child: own, url: cluster, path, token }, { child: peer, url, path, token }));
    }
    process.stdout.write(`${tableText(rows)}\n`);
  } finally {
    for (const child of children) child.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function row(name: string, own: LoadedServer, peer: LoadedServer): Promise<BenchRow> {
  const { ratio, ownUs, otherUs } = await requestCosts(own, peer, { requests, rounds });
  const detail = `${ownUs.toFixed(0)} against ${otherUs.toFixed(0)} µs of CPU a request`;
  return atLeast(least, { name, floor: 'Prism over the same document', ratio, detail });
}

/** Loaded into Prism: it answers each message with its CPU time, and ends with its parent, like the servers of the HTTP bench. */
const hook = [
  'process.on("message",()=>{const{user,system}=process.cpuUsage();process.send(user+system)})',
  'process.on("disconnect",()=>process.exit())',
].join(';');

function forkPrism(folder: string, document: string, port: number): ChildProcess {
  const file = join(folder, 'openapi.json');
  writeFileSync(file, document);
  const options = ['--host', '127.0.0.1', '--port', String(port), '--verboseLevel', 'silent'];
  return fork(
    join(folder, 'node_modules/@stoplight/prism-cli/dist/index.js'),
    ['mock', ...options, '--multiprocess', 'false', file],
    { execArgv: ['--import', `data:text/javascript,${encodeURIComponent(hook)}`], stdio: 'ignore' },
  );
}

async function untilAnswered(child: ChildProcess, url: string, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  for (const endMs = Date.now() + patienceMs; Date.now() < endMs; await setTimeout(100)) {
    if (child.exitCode !== null) throw new Error(`Prism ended with ${child.exitCode}`);
    // It does not listen yet.
    const response = await fetch(url, { headers }).catch(() => undefined);
    if (response?.ok) return void (await response.text());
  }
  throw new Error(`Prism did not answer in ${patienceMs / 1_000} s`);
}

/** Prism takes no port 0. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
