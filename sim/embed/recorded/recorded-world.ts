/**
 * A virtual world whose inputs are recorded. The record and the seed make the same world again: a snapshot is the record,
 * and a fork or a replay applies it to a new world.
 */

import { faultText, readValue } from '../../input/read-value.ts';
import { OracleRunner } from '../../oracles/oracle-runner.ts';
import type { LoadedTopology } from '../../topology/load-topology.ts';
import type { WorldTracing } from '../../tracing/world-tracing.ts';
import type { RunPosition } from '../../world/replay.ts';
import type { VirtualSocket } from '../../world/virtual/virtual-socket.ts';
import { VirtualWorld } from '../../world/virtual.ts';
import { type Input, type InputOf, inputSchema, type Recorded, type Snapshot } from './input.ts';
import { ObservationLog } from './observation-log.ts';
import { type OperatedCluster, Operator, type WorldOperations } from './operator.ts';

export interface RecordedWorldOptions {
  readonly loaded: LoadedTopology;
  readonly seed: number;
  /** Names of the oracles that observe the world; `all` of them. */
  readonly oracles: 'all' | readonly string[];
  /** Absent: nothing is traced. */
  readonly tracing?: WorldTracing | undefined;
  /** Called with the world before it starts. */
  readonly onWorld?: ((world: VirtualWorld) => void) | undefined;
}

/** The inputs of clients. Only a virtual world records them. */
interface ClientOperations {
  request(input: InputOf<'request'>): Promise<Response>;
  open(input: InputOf<'open'>): Promise<VirtualSocket | Response>;
  send(input: InputOf<'send'>): void;
  close(input: InputOf<'close'>): void;
}

type AllOperations = WorldOperations & ClientOperations;
type Outcome<D extends Input['do']> = ReturnType<AllOperations[D]>;

/** How long time moves at most for the answer to a message of a web socket: sites that are cut off are waited for. */
const answerMs = 10_000;

export class RecordedWorld implements OperatedCluster {
  readonly world: VirtualWorld;
  readonly operator: Operator;
  readonly watch: OracleRunner;
  readonly observations: ObservationLog;
  readonly #options: RecordedWorldOptions;
  readonly #record: Recorded[] = [];
  readonly #sockets = new Map<number, VirtualSocket>();
  readonly #clients: ClientOperations;
  #socketCount = 0;

  private constructor(options: RecordedWorldOptions) {
    const { map, webApps, metadataFiles } = options.loaded;
    this.#options = options;
    this.world = new VirtualWorld({ map, webApps, metadataFiles, seed: options.seed, tracing: options.tracing });
    options.onWorld?.(this.world);
    this.watch = new OracleRunner(this.world, options.oracles === 'all' ? {} : { only: options.oracles });
    this.observations = new ObservationLog(this.world);
    this.operator = new Operator(this.world);
    this.#clients = {
      request: (input) =>
        this.world.send(input.site, requestOf(input), { ...clientOf(input), sent: bodyOf(input)?.toString() }),
      open: (input) => this.#open(input),
      send: ({ socket, text }) => this.#sockets.get(socket)?.send(text),
      close: ({ socket }) => this.#sockets.get(socket)?.close(),
    };
  }

  /** Starts a world; with a snapshot, it continues from there. */
  static async start(options: RecordedWorldOptions, snapshot?: Snapshot): Promise<RecordedWorld> {
    const recorded = new RecordedWorld(options);
    const { world } = recorded;
    world.outside.stubs.repeat(snapshot?.stubs ?? []);
    await world.start();
    if (snapshot !== undefined) await recorded.#replay(snapshot);
    world.time.onRelease = () => recorded.#record.push(world.time.position);
    return recorded;
  }

  get position(): RunPosition {
    return this.world.time.position;
  }

  get snapshot(): Snapshot {
    const { decisions } = this.world.outside.stubs;
    return {
      format: 'strowger-snapshot-1',
      seed: this.#options.seed,
      ...this.position,
      inputs: [...this.#record],
      ...(decisions.length > 0 && { stubs: [...decisions] }),
    };
  }

  /** Applies an input between two events, and records it. Rejects if the input is invalid or refused. */
  async enter<D extends Input['do']>(input: InputOf<D>): Promise<Awaited<Outcome<D>>> {
    if (!((input as Input).do in this.#clients)) assertValid(input);
    return this.world.time.between(() => {
      this.#record.push({ ...this.position, input });
      return this.#apply<D>(input);
    });
  }

  /** Sends a request; time moves until it is answered, unless `drives` is false. Rejects with `FrontAway` if no front answers. */
  request(input: InputOf<'request'>, { drives = true }: { readonly drives?: boolean } = {}): Promise<Response> {
    const answer = this.enter<'request'>(input);
    return drives ? this.world.answered(input.site, answer) : answer;
  }

  /** Opens a web socket; time moves until the handshake is answered. */
  openSocket(input: InputOf<'open'>): Promise<VirtualSocket | Response> {
    return this.world.during(this.enter<'open'>(input));
  }

  /** Sends a text over a web socket; time moves until the platform sends one. */
  async sendText(input: InputOf<'send'>): Promise<void> {
    const socket = this.#sockets.get(input.socket);
    const before = socket?.received.length ?? 0;
    await this.enter<'send'>(input);
    const isAnswered = () => socket === undefined || socket.end !== undefined || socket.received.length > before;
    await this.world.runUntil(isAnswered, answerMs);
  }

  /** The number of the next web socket. */
  nextSocket(): number {
    this.#socketCount += 1;
    return this.#socketCount;
  }

  /** Ends the world. */
  async stop(): Promise<void> {
    this.world.time.onRelease = () => {};
    this.watch.stop();
    this.observations.stop();
    await this.world.discard();
  }

  #apply<D extends Input['do']>(input: InputOf<D>): Outcome<D> {
    const { do: name } = input as Input;
    if (!(name in this.#clients)) return this.operator.apply(input as never) as Outcome<D>;
    return (this.#clients[name as keyof ClientOperations] as (input: InputOf<D>) => Outcome<D>)(input);
  }

  async #replay({ inputs, events, atMs }: Snapshot): Promise<void> {
    const schedule = inputs.map(({ input, ...position }) => ({
      ...position,
      apply: input === undefined ? undefined : () => this.#again(input),
    }));
    await this.world.time.replay([...schedule, { events, atMs, apply: () => {} }]);
    this.#record.push(...inputs);
  }

  /** Repeats an input. One that was refused is refused again. */
  #again(input: Input): void {
    if ('socket' in input) this.#socketCount = Math.max(this.#socketCount, input.socket);
    const ignored = () => {};
    try {
      Promise.resolve(this.#apply(input)).then(ignored, ignored);
    } catch {
      ignored();
    }
  }

  async #open(input: InputOf<'open'>): Promise<VirtualSocket | Response> {
    const { site, target, headers } = input;
    const opened = await this.world.connect(site, { ...clientOf(input), target, headers: Object.fromEntries(headers) });
    if (!(opened instanceof Response)) this.#sockets.set(input.socket, opened);
    return opened;
  }
}

function assertValid(input: unknown): void {
  const read = readValue(inputSchema, input);
  if (!read.isValid) throw new TypeError(read.faults.map((each) => faultText(each, 'input')).join('; '));
}

function bodyOf({ body }: InputOf<'request'>): Buffer<ArrayBuffer> | undefined {
  return body === undefined ? undefined : Buffer.from(body, 'base64');
}

/** Where a client connects, and from where. */
function clientOf({ front, sender }: InputOf<'request' | 'open'>) {
  return { front, sender };
}

function requestOf(input: InputOf<'request'>): Request {
  const { site, method, target, headers } = input;
  const body = bodyOf(input);
  const content = body === undefined ? {} : { body };
  return new Request(`http://${site}${target}`, {
    method,
    headers: headers.map(([name, value]) => [name, value]),
    ...content,
  });
}
