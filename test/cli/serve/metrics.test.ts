/** Metrics and the access log of a served cluster, as its operator reads them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from '../../kit/test.ts';
import { readExposition } from '../../sim/metrics/exposition.ts';
import { makeFolder, writeFile } from '../../topology/edits.ts';
import { Running } from '../command.ts';
import { oneNode } from './served.ts';

test('serve has /metrics on its control port, and writes an access log without queries', async (t) => {
  const log = join(makeFolder(t), 'access.jsonl');
  const topology = writeFile(t, 'one.yaml', oneNode);
  const args = ['serve', '--topology', topology, '--port', '0', '--quiet', '--access-log', log];
  const running = new Running(t, args);
  const [, url = '', control = ''] = await running.says(/^ready east=(\S+) control=(\S+)/m);
  t.is((await fetch(`${url}/healthz?secret=1`)).status, 200);
  const { samples } = readExposition(await (await fetch(`${control}/metrics`)).text());
  t.is(samples.get('strowger_http_requests_total{site="east",operation="GET /healthz",status="200"}'), 1);
  t.is(samples.get('strowger_link_queued_frames{node="e1"}'), 0);
  t.is(await running.end('SIGTERM'), 0);
  const [line, ...more] = readFileSync(log, 'utf8').trimEnd().split('\n');
  t.deepEqual(more, []);
  const { tookMs, time, ...rest } = JSON.parse(line ?? '') as Record<string, unknown>;
  t.is(typeof tookMs, 'number');
  t.regex(String(time), /^\d{4}-.*Z$/);
  t.deepEqual(rest, {
    level: 30,
    ...{ site: 'east', front: 'ws-11', method: 'GET', path: '/healthz', status: 200, sender: '127.0.0.1' },
    msg: 'front.answered',
  });
});

test('a node has a control interface with its own metrics where --control is given', async (t) => {
  const topology = writeFile(t, 'one.yaml', oneNode.replace('ip: 10.1.0.1', 'ip: 10.1.0.1\n        link: 127.0.0.1:0'));
  const secret = { STROWGER_SECRET: 'what only the nodes know' };
  const running = new Running(t, ['node', 'e1', '--topology', topology, '--control', '0'], secret);
  const [, control = ''] = await running.says(/^running east\/e1 control=(\S+)$/m);
  const { samples } = readExposition(await (await fetch(`${control}/metrics`)).text());
  t.true(samples.has('strowger_node_up{site="east",node="e1"}'));
  t.is(await running.end('SIGTERM'), 0);
});
