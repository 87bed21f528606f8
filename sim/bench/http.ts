/**
 * Requests to a front, against a bare `node:http` server that answers JSON of the same size. The servers run in a
 * process of their own, which reports its CPU time; this process is the load.
 */
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

export interface Served {
  readonly cluster: string;
  readonly bare: string;
  readonly token: string;
}

const requests = 6_000;
const connections = 16;
const rounds = 9;
/** Until then the runtime has compiled what requests execute: their cost falls to its last value in some forty thousand. */
const warmUpRounds = 8;

export async function httpRows(): Promise<BenchRow[]> {
  const child = forkServers();
  try {
    const served = await told<Served>(child);
    const path = '/rest/v1/master/logicalroles/esg/bannedaddrs';
    const rows: BenchRow[] = [];
    for (const { name, query, aim } of [
      { name: 'GET one filter, on the front’s own node', query: '?server=113', aim: 0.5 },
      { name: 'GET one filter, on another node', query: '?server=122', aim: 0.4 },
      { name: 'GET all filters (4 instances, 3 sites)', query: '', aim: undefined },
    ]) {
      rows.push(await row(child, served, { name, path: `${path}${query}`, aim }));
    }
    return rows;
  } finally {
    child.kill();
  }
}

/** The process of the servers; its first message is what it serves. */
export function forkServers(): ChildProcess {
  return fork(fileURLToPath(new URL('./http-servers.js', import.meta.url)));
}

interface Wanted {
  readonly name: string;
  readonly path: string;
  readonly aim: number | undefined;
}

/** Speed as a share of the floor's. */
async function row(child: ChildProcess, served: Served, { name, path, aim }: Wanted): Promise<BenchRow> {
  const { cluster, bare, token } = served;
  const own = { child, url: cluster, path, token };
  const costs = await requestCosts(own, { child, url: bare, path: '/', token }, { requests, rounds });
  const detail = `${costs.ownUs.toFixed(0)} against ${costs.otherUs.toFixed(0)} µs of CPU a request`;
  const result = { name, floor: 'bare node:http JSON', ratio: costs.ratio, detail };
  return aim === undefined
    ? { ...atMost(1, result), aim: 'reported, without an aim', isMet: true }
    : atLeast(aim, result);
}

/** A server in a process that answers each message with its CPU time, and what it is asked for. */
export interface LoadedServer extends Pick<LoadOptions, 'url' | 'path' | 'token'> {
  readonly child: ChildProcess;
}

/** Medians of the CPU time of a request in microseconds, and of the other's time over the own one. */
export async function requestCosts(
  own: LoadedServer,
  other: LoadedServer,
  { requests, rounds }: { readonly requests: number; readonly rounds: number },
): Promise<{ ratio: number; ownUs: number; otherUs: number }> {
  const costs: { ownUs: number; otherUs: number }[] = [];
  for (let round = -warmUpRounds; round < rounds; round += 1) {
    const ownUs = (await cpuFor(own, requests)) / requests;
    const otherUs = (await cpuFor(other, requests)) / requests;
    if (round >= 0) costs.push({ ownUs, otherUs });
  }
  return {
    ratio: median(costs.map(({ ownUs, otherUs }) => otherUs / ownUs)),
    ownUs: median(costs.map(({ ownUs }) => ownUs)),
    otherUs: median(costs.map(({ otherUs }) => otherUs)),
  };
}

/** Microseconds of CPU time that the server took. */
async function cpuFor({ child, url, path, token }: LoadedServer, requests: number): Promise<number> {
  const before = await cpuOf(child);
  await load({ url, path, token, requests, connections });
  return (await cpuOf(child)) - before;
}

function cpuOf(child: ChildProcess): Promise<number> {
  const answer = told<number>(child);
  child.send('cpu');
  return answer;
}

export function told<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) => reject(new Error(`the servers ended with ${code}`));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.off('exit', onExit);
      resolve(message as T);
    });
  });
}
