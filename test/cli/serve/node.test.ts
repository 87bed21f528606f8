/** `strowger node`: a cluster of processes, one of which is killed and comes back. */
import type { ExecutionContext } from 'ava';
import { freePorts } from '../../kit/free-ports.ts';
import { test } from '../../kit/test.ts';
import { edited, writeFile } from '../../topology/edits.ts';
import { smallYaml } from '../../topology/small.ts';
import { loginAt, poll, Running, takenPort } from '../command.ts';
import { strowgerIn } from '../in-process.ts';

const secret = 'what only the nodes know';
const bans = '/rest/v1/master/logicalroles/esg/bannedaddrs';
/** How often the test checks that a node with a wrong secret has not joined: for several times as long as a node takes to join. */
const checks = 15;

interface Cluster {
  readonly file: string;
  readonly east: string;
  readonly west: string;
}

/** The small topology as three processes: fast pings, and ports of their own. */
async function makeCluster(t: ExecutionContext): Promise<Cluster> {
  const [link1, link2, link3, east, west] = await freePorts(5);
  const timings = ['pingIntervalMs: 200', 'pingPatienceMs: 200', 'edgeWaitMs: 500', 'reconnectMaxMs: 200'];
  const addresses = (link: number | undefined, http?: number) =>
    `        link: 127.0.0.1:${link}\n${http === undefined ? '' : `        http: 127.0.0.1:${http}\n`}`;
  const text = edited(smallYaml, [
    ['pingIntervalMs: 1000', timings.join('\n  ')],
    ['        ip: 10.1.0.1\n', `        ip: 10.1.0.1\n${addresses(link1, east)}`],
    ['        ip: 10.2.0.1\n', `        ip: 10.2.0.1\n${addresses(link2, west)}`],
    ['        ip: 10.2.0.2\n', `        ip: 10.2.0.2\n${addresses(link3)}`],
  ]);
  return {
    file: writeFile(t, 'small.yaml', text),
    east: `http://127.0.0.1:${east}`,
    west: `http://127.0.0.1:${west}`,
  };
}

function start(t: ExecutionContext, { file }: Cluster, name: string, itsSecret = secret): Running {
  return new Running(t, ['node', name, '--topology', file], { STROWGER_SECRET: itsSecret });
}

type Ask = Awaited<ReturnType<typeof loginAt>>;

/** Logs in as soon as the front accepts logins. */
async function login(url: string): Promise<Ask> {
  return poll(`a login at ${url}`, () => loginAt(url).catch(() => undefined));
}

/** What a front says of the external gates: `east true, west false`. */
async function gates(ask: Ask): Promise<string> {
  const answer = (await (await ask(bans)).json()) as { site: string; online: boolean }[];
  return answer.map(({ site, online }) => `${site} ${online}`).join(', ');
}

function until(ask: Ask, wanted: string): Promise<string> {
  return poll(wanted, async () => {
    const now = await gates(ask);
    return now === wanted ? now : undefined;
  });
}

test('nodes find each other, detect a killed one, refuse one with a wrong secret, and accept the killed one after its restart', async (t) => {
  const cluster = await makeCluster(t);
  const nodes = ['e1', 'w1', 'w2'].map((name) => start(t, cluster, name));
  const sites = ['east', 'west', 'west'];
  for (const [index, node] of nodes.entries()) {
    const [, address] = await node.says(/^running (\S+)\n$/);
    t.true(address?.startsWith(`${sites[index]}/`));
  }
  const [east, west] = [await login(cluster.east), await login(cluster.west)];
  const untilBoth = (wanted: string) => Promise.all([until(east, wanted), until(west, wanted)]);
  await untilBoth('east true, west true');

  t.is(await nodes[2]?.end('SIGKILL'), 'SIGKILL');
  await untilBoth('east true, west false');

  const intruder = start(t, cluster, 'w2', `${secret}!`);
  await intruder.says(/^running/);
  for (let check = 0; check < checks; check++) {
    t.is(await gates(west), 'east true, west false');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  t.is(await intruder.end('SIGINT'), 0);

  const again = start(t, cluster, 'w2');
  await untilBoth('east true, west true');
  for (const node of [nodes[0], nodes[1], again]) t.is(await node?.end('SIGINT'), 0);
});

test('a node whose link address is in use reports it in one line, and exits 1', async (t) => {
  const port = await takenPort(t);
  const file = writeFile(
    t,
    'small.yaml',
    edited(smallYaml, [['        ip: 10.2.0.2\n', `        ip: 10.2.0.2\n        link: 127.0.0.1:${port}\n`]]),
  );
  const running = new Running(t, ['node', 'w2', '--topology', file], { STROWGER_SECRET: secret });
  t.is(await running.ended, 1);
  t.is(running.out, '');
  t.is(
    running.err,
    `strowger: the link of w2 can't listen on 127.0.0.1:${port}: the address is taken; change "link" of the node in the topology\n`,
  );
});

test('a node without a link address reports it in one line, and exits 1', async (t) => {
  const file = writeFile(t, 'small.yaml', smallYaml);
  const args = ['node', 'w2', '--topology', file, '--log', 'silent'];
  const { code, err } = await strowgerIn({ STROWGER_SECRET: secret }, ...args);
  t.is(code, 1);
  t.is(err, 'strowger: node "w2" needs a "link" address in the topology to run by itself\n');
});

test('the control interface of a node drives its own instances, and neither resets it nor starts worlds', async (t) => {
  const node = new Running(t, ['node', 'e1', '--control', '0', '--topology', (await makeCluster(t)).file], {
    STROWGER_SECRET: secret,
  });
  const [, control = ''] = await node.says(/^running east\/e1 control=(\S+)\n$/);
  const ask = async (path: string, json: object) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${control}/strowger/v1${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(json),
    });
    return { status: answer.status, text: await answer.text() };
  };
  t.deepEqual(await ask('/faults', { crash: 'esg-13' }), { status: 200, text: '{"id":"f1","active":false}' });
  t.is((await ask('/waits', { for: { status: 'active', at: 'esg-13' }, within: '30s' })).status, 200);
  t.regex((await ask('/reset', {})).text, /e1 is one node of a cluster: it is not reset alone/);
  t.regex((await ask('/worlds', {})).text, /a process of one node starts no other worlds/);
  t.is(await node.end('SIGINT'), 0);
});
