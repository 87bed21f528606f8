import { type ChildProcess, fork } from 'node:child_process';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { atLeast, atMost, type BenchRow, median } from './measure.ts';

/** A load of GET requests over raw sockets, one at a time on each connection: the load must cost less than what it measures. */

export interface LoadOptions {
  readonly url: string;
  readonly path: string;
  readonly token: string;
  readonly requests: number;
  readonly connections: number;
}

/** Resolves when all requests were answered with 200; rejects at the first other answer. */
export async function load({ url, path, token, requests, connections }: LoadOptions): Promise<void> {
  const { hostname, port, host } = new URL(url);
  const request = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  let left = requests;
  const drive = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      let text = '';
      const next = () => {
        if (left === 0) {
          socket.end();
          return resolve();
        }
        left -= 1;
        return void socket.write(request);
      };
      socket.setEncoding('latin1').setNoDelay(true);
      socket.once('connect', next);
      socket.once('error', reject);
      socket.on('data', (chunk: string) => {
        text += chunk;
        if (!isWhole(text)) return;
        if (!text.startsWith('HTTP/1.1 200')) return reject(new Error(`${path}: ${text.slice(0, 200)}`));
        text = '';
        next();
      });
    });
  await Promise.all(Array.from({ length: connections }, drive));
}

function isWhole(text: string): boolean {
  const head = text.indexOf('\r\n\r\n');
  if (head < 0) return false;
  const length = /content-length: (\d+)/i.exec(text);
  return length === null ? text.endsWith('0\r\n\r\n') : text.length >= head + 4 + Number(length[1]);
}

/**
 * Requests to a front, against a bare `node:http` server that answers JSON of the same size. The servers run in a
 * process of their own, which reports its CPU time; this process is the load.
 */

export interface Served {
  readonly cluster: string;
  readonly bare: string;
  readonly token: string;
}

const requests = 6_000;
const connections = 16;
const rounds = 9;

export async function httpRows(): Promise<BenchRow[]> {
  const child = fork(fileURLToPath(new URL('./http-servers.js', import.meta.url)));
  try {
    const served = await told<Served>(child);
    const path = '/rest/v1/master/logicalroles/esg/bannedaddrs';
    const rows: BenchRow[] = [];
    for (const { name, query, aim } of [
      { name: 'GET one filter, on the front’s own node', query: '?server=113', aim: 0.5 },
      { name: 'GET one filter, on another node', query: '?server=122', aim: 0.5 },
      { name: 'GET all filters (4 instances, 3 sites)', query: '', aim: undefined },
    ]) {
      rows.push(await row(child, served, { name, path: `${path}${query}`, aim }));
    }
    return rows;
  } finally {
    child.kill();
  }
}

interface Wanted {
  readonly name: string;
  readonly path: string;
  readonly aim: number | undefined;
}

/** Speed as a share of the floor's, by the CPU time that the server takes for a request. */
async function row(child: ChildProcess, served: Served, { name, path, aim }: Wanted): Promise<BenchRow> {
  const ratios: number[] = [];
  const costs: { own: number; bare: number }[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const own = await cpuFor(child, () =>
      load({ url: served.cluster, path, token: served.token, requests, connections }),
    );
    const bare = await cpuFor(child, () =>
      load({ url: served.bare, path: '/', token: served.token, requests, connections }),
    );
    if (round === 0) continue;
    ratios.push(bare / own);
    costs.push({ own, bare });
  }
  const own = median(costs.map((cost) => cost.own)) / requests;
  const bare = median(costs.map((cost) => cost.bare)) / requests;
  const detail = `${own.toFixed(0)} against ${bare.toFixed(0)} µs of CPU a request`;
  const result = { name, floor: 'bare node:http JSON', ratio: median(ratios), detail };
  return aim === undefined
    ? { ...atMost(1, result), aim: 'reported, without an aim', isMet: true }
    : atLeast(aim, result);
}

/** Microseconds of CPU time that the servers took for `work`. */
async function cpuFor(child: ChildProcess, work: () => Promise<void>): Promise<number> {
  const before = await cpuOf(child);
  await work();
  return (await cpuOf(child)) - before;
}

function cpuOf(child: ChildProcess): Promise<number> {
  const answer = told<number>(child);
  child.send('cpu');
  return answer;
}

function told<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) => reject(new Error(`the servers ended with ${code}`));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.off('exit', onExit);
      resolve(message as T);
    });
  });
}
