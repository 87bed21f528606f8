/** The HTTP client of a served cluster against a server on a free port. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';
import { fetchClient } from '../../../src/adapters/fetch-client.ts';
import { test } from '../../kit/test.ts';

const about = { key: 'k', domain: 'd', run: 'r', script: 's', component: 'c' };
const delivery = { ...about, isRepeatable: true, signature: () => ({}) };

interface Received {
  readonly body: string;
  readonly isWhole: boolean;
}

/** A server; resolves `next` when a request has arrived or broken. */
async function receiver(t: ExecutionContext): Promise<{ url: string; next: () => Promise<Received> }> {
  let note: (received: Received) => void = () => {};
  const server = createServer(async (request, response) => {
    let body = '';
    try {
      for await (const part of request) body += String(part);
      note({ body, isWhole: true });
      response.end('{"ok":true}');
    } catch {
      note({ body, isWhole: false });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const next = () =>
    new Promise<Received>((resolve) => {
      note = resolve;
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, next };
}

const request = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '0123456789', timeoutMs: 10_000 };

test('a request arrives whole, and its answer is returned', async (t) => {
  const { url, next } = await receiver(t);
  const received = next();
  t.like(await fetchClient.send({ ...request, url }, delivery), { ok: true, status: 200, body: '{"ok":true}' });
  t.deepEqual(await received, { body: '0123456789', isWhole: true });
});

test('half a body arrives, then the connection breaks; it is unknown whether the request arrived', async (t) => {
  const { url, next } = await receiver(t);
  const received = next();
  t.like(await fetchClient.send({ ...request, url, isHalf: true }, delivery), { ok: false, isDefinite: false });
  t.deepEqual(await received, { body: '01234', isWhole: false });
});

test('a request to a port without a server has certainly not arrived', async (t) => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  for (const closed of [port, 1]) {
    const url = `http://127.0.0.1:${closed}/`;
    t.like(await fetchClient.send({ ...request, url }, delivery), { ok: false, isDefinite: true });
  }
});
