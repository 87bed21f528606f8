/** From the start of `strowger serve` to its ready line, against a bare `node:http` server from start to listening. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { compare } from './measure.ts';
import { atMost, type Row } from './table.ts';

const bareServer = "require('node:http').createServer().listen(0, '127.0.0.1', () => console.log('ready'))";
const main = fileURLToPath(new URL('../cli/main.js', import.meta.url));

export async function startRows(): Promise<Row[]> {
  const { aMs, bMs } = await compare(
    () => untilReady([main, 'serve', '--port', '0', '--quiet']),
    () => untilReady(['-e', bareServer]),
    5,
  );
  const detail = `${aMs.toFixed(0)} against ${bMs.toFixed(0)} ms`;
  return [atMost(1, { name: 'ready', floor: 'one second', ratio: aMs / 1_000, detail: `${detail} for a bare server` })];
}

function untilReady(args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    child.once('exit', () => reject(new Error('it ended before it was ready')));
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (!text.includes('ready')) return;
      child.removeAllListeners('exit');
      child.once('exit', () => resolve());
      child.kill('SIGKILL');
    });
  });
}
