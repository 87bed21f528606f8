/** A NATS server with JetStream for one test, where the machine has one; STROWGER_NATS=required makes its absence a failure. */
import { spawn, spawnSync } from 'node:child_process';
import type { ExecutionContext } from 'ava';
import { poll } from '../cli/command.ts';
import { makeFolder } from '../topology/edits.ts';
import { freePorts } from './free-ports.ts';

/** Debian puts it where only the administrator's PATH leads. */
const env = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` };
const hasServer = spawnSync('nats-server', ['--version'], { env }).status === 0;
const isRequired = process.env['STROWGER_NATS'] === 'required';

/** The URL of a server that ends with the test. Undefined, with a note, where there is none and none is required. */
export async function startNats(t: ExecutionContext): Promise<string | undefined> {
  if (!hasServer && !isRequired) {
    t.log(
      'skipped: no nats-server on this machine (apt-get install nats-server); STROWGER_NATS=required makes this a failure',
    );
    t.pass();
    return undefined;
  }
  const [port] = await freePorts(1);
  const args = ['-js', '-sd', makeFolder(t), '-a', '127.0.0.1', '-p', String(port)];
  const server = spawn('nats-server', args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise((resolve) => server.once('close', resolve));
  t.teardown(async () => {
    server.kill('SIGKILL');
    await ended;
  });
  let said = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await poll(`nats-server is ready: ${said}`, async () => (said.includes('Server is ready') ? true : undefined));
  return `nats://127.0.0.1:${port}`;
}
