/** `node dist/test/documents/run.js FILE…`: runs the sessions of documents, each in a scratch folder against a cluster of its own. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { blocksOf, expectationsOf, missingIn, scriptOf } from './sessions.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** `strowger` in place of `npx strowger` and of its path; `serve` starts a cluster on free ports, again on the same data, and it ends with the session; `serve up --quiet`: of processes. */
const preamble = `
set -euo pipefail
mkdir bin
printf '#!/bin/sh\\nexec node "%s" "$@"\\n' '${join(root, 'dist/cli/main.js')}' >bin/strowger
chmod +x bin/strowger
PATH=$PWD/bin:$PATH
server=
stop() { [ -z "$server" ] || { kill "$server"; wait "$server" || true; }; }
trap 'stop; kill $(jobs -p) 2>/dev/null || true' EXIT
serve() {
  stop
  strowger \${*:-serve} --port 0 --data data >serve.out &
  server=$!
  for _ in $(seq 600); do grep -qs '^ready' serve.out && break; sleep 0.1; done
  grep -qs '^ready' serve.out || { echo 'the cluster is not ready after 60 s'; cat serve.out; return 1; }
  front() { sed -n "s/^ready.* \\\\{0,1\\\\}$1=\\\\([^ ]*\\\\).*/\\\\1/p" serve.out; }
  hq=$(front hq) north=$(front north) south=$(front south) control=$(front control)
}
`;

/** The addresses of the documents are those of the cluster that was started. */
function placed(script: string): string {
  const names = { 8080: 'hq', 8081: 'north', 8082: 'south', 8079: 'control' };
  const commands = script.replaceAll(/(npx |node_modules\/\.bin\/)strowger/g, 'strowger');
  return Object.entries(names).reduce(
    (text, [port, name]) => text.replaceAll(`http://127.0.0.1:${port}`, `$${name}`),
    commands,
  );
}

async function run(file: string): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'strowger-session-'));
  try {
    symlinkSync(join(root, 'scenarios'), join(folder, 'scenarios'));
    install(folder);
    const blocks = blocksOf(readFileSync(file, 'utf8'));
    writeFileSync(join(folder, 'session.sh'), preamble + placed(scriptOf(blocks)));
    const code = await bash(folder);
    const outputOf = (line: number) => readFileSync(join(folder, `out.${line}`), 'utf8');
    if (code !== 0) {
      const last = blocks.filter(({ kind }) => kind.startsWith('sh')).findLast(({ line }) => has(folder, line));
      console.log(`${file}: exit code ${code}\n${last === undefined ? '' : outputOf(last.line)}`);
      return false;
    }
    const wrong = expectationsOf(blocks).flatMap(({ line, expected }) => {
      const missing = missingIn(outputOf(line), expected);
      return missing === undefined ? [] : [`${file}:${line}: expected the line "${missing}" in\n${outputOf(line)}`];
    });
    console.log(wrong.length === 0 ? `${file}: ${blocks.length} blocks, as written` : wrong.join('\n'));
    return wrong.length === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A project that has installed the package, and AVA. */
function install(folder: string): void {
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  symlinkSync(root, join(modules, 'strowger'));
  for (const name of ['ava', '.bin']) symlinkSync(join(root, 'node_modules', name), join(modules, name));
}

function has(folder: string, line: number): boolean {
  try {
    readFileSync(join(folder, `out.${line}`));
    return true;
  } catch {
    return false;
  }
}

function bash(cwd: string): Promise<number> {
  const child = spawn('bash', ['session.sh'], { cwd, stdio: 'inherit' });
  return new Promise((done) => child.on('exit', (code) => done(code ?? 1)));
}

let isGood = true;
for (const file of process.argv.slice(2)) isGood = (await run(resolve(file))) && isGood;
process.exitCode = isGood ? 0 : 1;
