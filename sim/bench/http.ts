/**
 * Requests to a front, against a bare `node:http` server that answers JSON of the same size. The servers run in a process
 * of their own, which tells what CPU time they took; this process is the load.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { load } from './load.ts';
import { median } from './measure.ts';
import { atLeast, atMost, type Row } from './table.ts';

export interface Served {
  readonly cluster: string;
  readonly bare: string;
  readonly token: string;
}

const requests = 6_000;
const connections = 16;
const rounds = 9;

export async function httpRows(): Promise<Row[]> {
  const child = fork(fileURLToPath(new URL('./http-servers.js', import.meta.url)));
  try {
    const served = await told<Served>(child);
    const path = '/rest/v1/master/logicalroles/esg/bannedaddrs';
    const rows: Row[] = [];
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
async function row(child: ChildProcess, served: Served, { name, path, aim }: Wanted): Promise<Row> {
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
  return aim === undefined ? { ...atMost(1, result), aim: 'told, no aim', isMet: true } : atLeast(aim, result);
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
    child.once('message', (message) => resolve(message as T));
    child.once('exit', (code) => reject(new Error(`the servers ended with ${code}`)));
  });
}
