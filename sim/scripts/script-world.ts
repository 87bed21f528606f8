/** A virtual cluster in which a script runs: at /exec, or for a call to the number of an IVR script. */
import { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import type { ScriptKind } from '../../src/model/script/component.ts';
import type { ScriptRunDetail } from '../../src/model/shapes/script-shapes.ts';
import type { StubAnswer } from '../outside/http/stub-answer.ts';
import { type LoadedTopology, loadTopology } from '../topology/load-topology.ts';
import { VirtualWorld } from '../world/virtual.ts';
import type { ScriptDebugger } from './script-debugger.ts';
import type { ScriptFile } from './script-file.ts';

/** What starts the script, and the world around it. */
interface ScriptInput {
  /** Body of the request to a service script. */
  readonly input?: unknown;
  /** The number that calls an IVR script, and the digits that it presses, each so long after the answer. */
  readonly from?: string;
  readonly presses?: readonly { readonly afterMs: number; readonly digits: string }[];
  /** Answers to HTTP requests, by the beginning of the address. */
  readonly http?: Readonly<Record<string, StubAnswer>>;
  /** Stops the run at its breakpoints. */
  readonly debug?: ScriptDebugger | undefined;
  /** Seconds that the run may take (`script_duration_sec` of its domain). Default: that of the domain. */
  readonly durationSec?: number;
}

/** A request that the script has sent. */
interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly body?: string;
}

export interface ScriptOutcome {
  /** The answer of /exec; absent for a call. */
  readonly answer: { readonly status: number; readonly body: string } | undefined;
  /** The run with its steps; undefined if none began. */
  readonly run: ScriptRunDetail | undefined;
  readonly requests: readonly SentRequest[];
}

const site = 'north';
const domain = 'acme.root.test';
const bearer = 'the-token-of-this-run';
const scriptPaths: Readonly<Record<ScriptKind, string>> = {
  svcscript: '/rest/v1/domain/svcscripts',
  ivrscript: '/rest/v1/domain/ivrscripts',
};
/** Longest run: a day, the most that a domain can allow, and a minute. */
const longestMs = 86_460_000;
/** How long a request about the run may take. */
const requestMs = 240_000;

/** Runs the first script; it may run the others. */
export async function runScript(scripts: readonly ScriptFile[], given: ScriptInput): Promise<ScriptOutcome> {
  const isCall = scripts[0]?.kind === 'ivrscript';
  const world = new VirtualWorld({ ...topologyOf(given), seed: 1, outside: isCall, breakpoints: given.debug });
  await world.start();
  try {
    const requests: SentRequest[] = [];
    for (const [prefix, answer] of Object.entries(given.http ?? {})) {
      world.outside.stubs.handle(prefix, ({ method, url, body }) => {
        requests.push({ method, url, ...(body !== undefined && { body }) });
        return answer;
      });
    }
    const client = await ScriptClient.open(world, given.debug);
    for (const { kind, item } of scripts) await client.make(scriptPaths[kind], item);
    const [first] = scripts;
    const answer = isCall ? undefined : await client.execute(first?.item.code ?? '', given.input ?? {});
    if (isCall) await callScript(world, client, { code: first?.item.code ?? '', ...given });
    return { answer, run: await client.lastRun(), requests };
  } finally {
    await world.stop();
  }
}

/** The default topology, with the limit of the run. */
function topologyOf({ durationSec }: ScriptInput): LoadedTopology {
  const loaded = loadTopology('default');
  if (durationSec === undefined) return loaded;
  const { topology } = loaded.map;
  const domains = topology.domains.map((each) =>
    each.name === domain ? { ...each, opts: { ...each.opts, script_duration_sec: durationSec } } : each,
  );
  return { ...loaded, map: new ClusterMap({ ...topology, domains }) };
}

async function callScript(
  world: VirtualWorld,
  client: ScriptClient,
  { code, from = '1001', presses }: ScriptInput & { readonly code: string },
): Promise<void> {
  if (presses !== undefined) world.outside.behave(domain, from, { presses: [...presses] });
  // The phones register.
  await world.wait(10_000);
  world.outside.call(`${domain}/${from}`, `ivr-${code}`);
  const untilMs = world.now() + longestMs;
  let run: ScriptRunDetail | undefined;
  while (world.now() < untilMs && (run === undefined || run.status === 'running')) {
    await client.drive(() => false, 1_000);
    run = await client.lastRun();
  }
}

/** An administrator of the domain. */
class ScriptClient {
  readonly #world: VirtualWorld;
  readonly #debug: ScriptDebugger | undefined;
  #token = '';

  private constructor(world: VirtualWorld, debug: ScriptDebugger | undefined) {
    this.#world = world;
    this.#debug = debug;
  }

  /** Lets time pass until it is done, at most for so long. Time stands while the run is stopped. */
  async drive(isDone: () => boolean, mostMs: number): Promise<void> {
    const untilMs = this.#world.now() + mostMs;
    for (;;) {
      const isStopped = () => this.#debug?.isStopped === true;
      await this.#world.runUntil(() => isDone() || isStopped(), untilMs - this.#world.now());
      if (!isStopped()) return;
      await this.#debug?.talk();
    }
  }

  static async open(world: VirtualWorld, debug: ScriptDebugger | undefined): Promise<ScriptClient> {
    const client = new ScriptClient(world, debug);
    await client.#logIn();
    return client;
  }

  async make(path: string, item: object): Promise<void> {
    const { status, body } = await this.#ask('POST', path, JSON.stringify(item));
    if (status !== 200) throw new Error(body);
  }

  async execute(svcscriptcode: string, input: unknown): Promise<{ status: number; body: string }> {
    const opts = { recv_timeout: 3_600 };
    await this.make('/rest/v1/domain/integrationchannels', { code: 'run', token_local: bearer, svcscriptcode, opts });
    const answer = await this.#ask('POST', '/exec', JSON.stringify(input), bearer, longestMs);
    // The wait of the request may be over before the run.
    const untilMs = this.#world.now() + longestMs;
    while (answer.status === 504 && this.#world.now() < untilMs && (await this.lastRun())?.status === 'running')
      await this.drive(() => false, 60_000);
    return answer;
  }

  async lastRun(): Promise<ScriptRunDetail | undefined> {
    const listed = await this.#ask('GET', '/rest/v1/journal/scripts?mask=id');
    if (listed.status === 401) {
      // The session has ended during a long run.
      await this.#logIn();
      return this.lastRun();
    }
    const [last] = JSON.parse(listed.body) as { id: string }[];
    if (last === undefined) return undefined;
    return JSON.parse((await this.#ask('GET', `/rest/v1/journal/scripts/${last.id}`)).body) as ScriptRunDetail;
  }

  async #logIn(): Promise<void> {
    const login = { domain, login: 'admin', pwd: 'admin', session_type: 'token' };
    const { body } = await this.#ask('POST', '/rest/v1/iam/sessions', JSON.stringify(login), '');
    this.#token = (JSON.parse(body) as { session_token: string }).session_token;
  }

  async #ask(method: string, path: string, body?: string, token = this.#token, mostMs = requestMs) {
    const headers = { 'content-type': 'application/json', ...(token !== '' && { authorization: `Bearer ${token}` }) };
    const request = new Request(`http://${site}${path}`, { method, headers, ...(body !== undefined && { body }) });
    const sent = this.#world.send(site, request);
    let isAnswered = false;
    const settle = () => {
      isAnswered = true;
      this.#world.time.wake();
    };
    sent.then(settle, settle);
    await this.drive(() => isAnswered, mostMs);
    if (!isAnswered) throw new Error(`${method} ${path}: no answer within ${mostMs / 1_000} s`);
    const response = await sent;
    return { status: response.status, body: await response.text() };
  }
}
