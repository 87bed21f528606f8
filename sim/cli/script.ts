/** `strowger script`: checks the files of service scripts, and runs one in virtual time. */
import { Command } from 'commander';
import { z } from 'zod';
import { loadedSandbox, loadSandbox } from '../../src/adapters/quickjs-sandbox.ts';
import type { Component } from '../../src/model/script/component.ts';
import { componentsSchema, kindOf } from '../../src/model/script/script.ts';
import type { ScriptRunDetail } from '../../src/model/shapes/scripts.ts';
import { readYaml } from '../input/yaml.ts';
import { counted } from '../report/text.ts';
import { loadTopology, readText } from '../topology/load.ts';
import { VirtualWorld } from '../world/virtual.ts';
import { reportFailure, UsageError } from './process.ts';

const scriptSchema = z.strictObject({
  code: z.string().min(1).describe('Code of the script'),
  name: z.string().optional(),
  components: componentsSchema('svcscript'),
});
type ScriptFile = z.infer<typeof scriptSchema>;

export function scriptCommand(): Command {
  const check = new Command('check')
    .description('Check files of service scripts: components, branches, and the syntax of expressions.')
    .argument('<files...>', 'files of scripts, YAML or JSON')
    .action(checkFiles);
  const run = new Command('run')
    .description(
      'Run a service script in virtual time, at /exec of the default cluster. Prints its steps and the answer. HTTP requests of the script get the answers of --http, else no connection.',
    )
    .argument('<file>', 'file of the script; YAML or JSON')
    .argument('[nested...]', 'files of scripts that it runs')
    .option('--input <json>', 'body of the request, a JSON object', '{}')
    .option('--http <prefix=status:body...>', 'answer to HTTP requests whose address begins with the prefix', [])
    .option('--json', 'print the run as JSON')
    .action(runFile);
  return new Command('script').description('Check and run service scripts.').addCommand(check).addCommand(run);
}

async function checkFiles(files: string[], _options: object, command: Command): Promise<void> {
  const debug = command.optsWithGlobals<{ debug?: boolean }>().debug === true;
  await loadSandbox();
  for (const file of files) {
    try {
      const { components } = readScript(file);
      process.stdout.write(`${file}: a valid service script: ${counted(components.length, 'component')}\n`);
    } catch (error) {
      process.exitCode = reportFailure(error, { debug });
    }
  }
}

/** Reads a script. Throws for what is wrong in it, the syntax of its expressions included. */
function readScript(file: string): ScriptFile {
  const checks = ({ components }: ScriptFile) =>
    components.flatMap((component, index) =>
      codesOf(component).flatMap(({ path, code, isStatements }) => {
        const problem = syntaxProblem(code, isStatements);
        const where = `in component ${JSON.stringify(component.name)}`;
        return problem === undefined ? [] : [{ path: ['components', index, ...path], message: `${problem} ${where}` }];
      }),
    );
  return readYaml(file, readText(file), { schema: scriptSchema, checks });
}

interface Code {
  readonly path: readonly string[];
  readonly code: string;
  readonly isStatements: boolean;
}

function codesOf(component: Component): Code[] {
  return Object.entries(kindOf(component).fields).flatMap(([name, { holds }]): Code[] => {
    const given = component[name];
    if (given === undefined) return [];
    if (holds === 'expression') return [{ path: [name], code: String(given), isStatements: false }];
    if (holds === 'expressions') {
      const all = Object.entries(given as Record<string, string>);
      return all.map(([key, code]) => ({ path: [name, key], code, isStatements: false }));
    }
    return component.type === 'code' && name === 'code'
      ? [{ path: [name], code: String(given), isStatements: true }]
      : [];
  });
}

/** The syntax error of code, found without running it. */
function syntaxProblem(code: string, isStatements: boolean): string | undefined {
  const wrapped = isStatements ? `(function () {${code}\n})` : `(function () { return (${code}\n) })`;
  const result = loadedSandbox().evaluate({ code: wrapped, form: 'expression', variables: {}, params: [] });
  return result.ok ? undefined : result.problem;
}

interface RunOptions {
  readonly input: string;
  readonly http: readonly string[];
  readonly json?: boolean;
}

const site = 'north';
const bearer = 'the-token-of-this-run';

async function runFile(file: string, nested: string[], options: RunOptions): Promise<void> {
  await loadSandbox();
  const scripts = [file, ...nested].map(readScript);
  const world = new VirtualWorld({ ...loadTopology('default'), seed: 1 });
  await world.start();
  try {
    for (const given of options.http) answerHttp(world, given);
    const { answer, run } = await execute(world, scripts, options.input);
    process.stdout.write(options.json === true ? `${JSON.stringify({ answer, run }, null, 2)}\n` : textOf(answer, run));
    process.exitCode = run?.status === 'finished' ? 0 : 1;
  } finally {
    await world.stop();
  }
}

function answerHttp(world: VirtualWorld, given: string): void {
  const [, prefix, status, body = ''] = /^(https?:\/\/[^=]+)=(\d{3})(?::(.*))?$/s.exec(given) ?? [];
  if (prefix === undefined)
    throw new UsageError(`--http: expected PREFIX=STATUS:BODY, such as https://crm.test/=200:{}, got "${given}"`);
  const headers = { 'content-type': 'application/json' };
  world.http.handle(prefix, () => ({ status: Number(status), headers, body }));
}

interface Ended {
  readonly answer: { readonly status: number; readonly body: string };
  readonly run: ScriptRunDetail | undefined;
}

async function execute(world: VirtualWorld, scripts: readonly ScriptFile[], input: string): Promise<Ended> {
  const ask = async (method: string, path: string, token?: string, body?: string) => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
    const request = new Request(`http://${site}${path}`, { method, headers, ...(body !== undefined && { body }) });
    const response = await world.request(site, request);
    return { status: response.status, body: await response.text() };
  };
  const login = { domain: 'acme.root.test', login: 'admin', pwd: 'admin', session_type: 'token' };
  const { body: session } = await ask('POST', '/rest/v1/iam/sessions', undefined, JSON.stringify(login));
  const token = (JSON.parse(session) as { session_token: string }).session_token;
  const make = async (path: string, json: object) => {
    const { status, body } = await ask('POST', path, token, JSON.stringify(json));
    if (status !== 200) throw new Error(body);
  };
  for (const script of scripts) await make('/rest/v1/domain/svcscripts', script);
  const channel = { code: 'run', token_local: bearer, svcscriptcode: scripts[0]?.code, opts: { recv_timeout: 3_600 } };
  await make('/rest/v1/domain/integrationchannels', channel);
  const answer = await ask('POST', '/exec', bearer, input);
  const { body: list } = await ask('GET', '/rest/v1/journal/scripts?mask=id', token);
  const [last] = JSON.parse(list) as { id: string }[];
  if (last === undefined) return { answer, run: undefined };
  const { body: run } = await ask('GET', `/rest/v1/journal/scripts/${last.id}`, token);
  return { answer, run: JSON.parse(run) as ScriptRunDetail };
}

function textOf({ status, body }: Ended['answer'], run: Ended['run']): string {
  const beganMs = run?.startts ?? 0;
  const steps = (run?.steps ?? []).map(
    ({ at, component, type, note }) => `+${at - beganMs} ms ${component} (${type}): ${note}\n`,
  );
  const problem = run?.problem === undefined ? '' : `failed: ${run.problem}\n`;
  return `${steps.join('')}${problem}variables: ${JSON.stringify(run?.variables ?? {})}\n${status} ${body}\n`;
}
