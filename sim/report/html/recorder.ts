/**
 * Records a run for its page: observes the world from before its start, and makes the data of the page at the end.
 * Pings between nodes are left out, unless a fault names them, and so are rows beyond the limits; the page has a note
 * of both.
 */
import type { Envelope } from '../../../src/model/cluster/envelope.ts';
import type { BodyOf } from '../../../src/model/protocol/catalogue.ts';
import type { SipMessage } from '../../../src/model/sip/message.ts';
import { fits } from '../../faults/message-patterns.ts';
import { edgesOf } from '../../faults/traffic.ts';
import type { Observation, ObservationKind } from '../../observation/observation.ts';
import { EndpointNames } from '../../outside/endpoint-names.ts';
import type { LoadedScenario } from '../../scenario/load-scenario.ts';
import type { RunReport } from '../../scenario/run/runner.ts';
import type { World } from '../../world/world.ts';
import { accountName, reasonsText } from '../run-text.ts';
import { CallNames } from './call-names.ts';
import { FaultBars, faultKinds } from './fault-bars.ts';
import { Kept } from './kept.ts';
import type { ReportData, ReportPlace } from './page-data.ts';
import { stepFindings, toMicroseconds } from './summary.ts';

/** Chooses the pings that a page shows: the pings that a fault names, from its begin. */
export class Watched {
  readonly #patterns: string[] = [];
  #isNamed: (type: string) => boolean = () => false;

  /** A fault began. */
  see(args: readonly unknown[]): void {
    const named = args.flatMap(messagesIn);
    if (named.length === 0) return;
    this.#patterns.push(...named);
    this.#isNamed = fits(this.#patterns);
  }

  /** A note about the shown pings. */
  get note(): string {
    return this.has('peer.ping') || this.has('peer.pong') || this.has('peer.digest')
      ? '; pings that a fault names are shown from its begin, if they arrived'
      : '';
  }

  has(type: string): boolean {
    return this.#isNamed(type);
  }
}

function messagesIn(arg: unknown): string[] {
  if (typeof arg !== 'object' || arg === null || !('messages' in arg) || !Array.isArray(arg.messages)) return [];
  return arg.messages.map(String);
}

const kinds: readonly ObservationKind[] = [
  ...(['envelope.delivered', 'outside.sent', 'entity.state', 'instance.crashed'] as const),
  ...faultKinds,
];
const noState = -1;

/** What was run: the part of a scenario that its page has. */
interface PageSource {
  readonly scenario: Pick<LoadedScenario['scenario'], 'name' | 'why'>;
  readonly source: Pick<LoadedScenario['source'], 'file'>;
}

interface FinishedRun {
  readonly report: RunReport;
  /** When the cluster was ready, by the world's clock. */
  readonly readyMs: number;
  readonly maker: string;
  /** The command that repeats the run; default: `run` with its file and seed. */
  readonly again?: string;
}

export class Recorder {
  readonly #world: World;
  readonly #stop: () => void;
  readonly #kept = new Kept();
  /** Address of an edge by its endpoint. */
  readonly #edges: ReadonlyMap<string, string>;
  readonly #places = new Map<string, { readonly index: number; readonly place: ReportPlace }>();
  readonly #callNames = new CallNames();
  readonly #faults = new FaultBars();
  readonly #watched = new Watched();
  #pings = 0;

  /** Must be created before the world starts. */
  constructor(world: World) {
    this.#world = world;
    this.#edges = new Map(edgesOf(world.map).map((edge) => [world.map.endpointOf(edge), edge.address]));
    this.#stop = world.observe((observation) => this.#see(observation), { kinds });
  }

  /** A step ends: messages around it are kept with preference. Times may only rise. */
  step(atMs = this.#world.now()): void {
    this.#kept.moments.step(atMs);
  }

  /** The run has ended: later observations are not part of it. */
  end(): void {
    this.#stop();
  }

  /** The data of the page. */
  finish({ scenario, source }: PageSource, { report, readyMs, maker, again }: FinishedRun): ReportData {
    this.end();
    const since = (atMs: number) => toMicroseconds(atMs - readyMs);
    const { messages, states, names, gaps, stateGaps } = this.#kept.finish();
    const fromMs = this.#kept.firstMs ?? readyMs;
    const outside = new EndpointNames(this.#world);
    return {
      scenario: scenario.name,
      why: scenario.why,
      maker,
      again: again ?? commandOf(source.file, report),
      ...findingsOf(report),
      fromMs: since(Math.min(fromMs, readyMs)),
      untilMs: Math.max(since(messages.at(-1)?.[0] ?? readyMs), toMicroseconds(report.durationMs)),
      faults: this.#faults.all(since),
      calls: this.#callNames
        .calls((uri, role) => outside.ofUri(uri, role))
        .map((call) => ({
          ...call,
          callids: call.callids.map((callid) => names.of(callid)),
          fromMs: since(call.fromMs),
          untilMs: since(call.untilMs),
        })),
      places: this.#namedPlaces(outside),
      messages: messages.map(([atMs, ...rest]) => [since(atMs), ...rest]),
      said: this.#kept.said,
      gaps,
      states: states.map(([atMs, ...rest]) => [since(atMs), ...rest]),
      stateGaps,
      // The keys of some machines are endpoints.
      names: names.all.map((name) => (outside.of(name) === undefined ? name : outside.inText(name))),
      leftOut: [
        ...this.#kept.leftOut,
        ...this.#callNames.leftOut,
        `${this.#pings} pings, pongs and digests between nodes are left out${this.#watched.note}.`,
      ],
    };
  }

  #see(observation: Observation): void {
    const { atMs } = observation;
    switch (observation.kind) {
      case 'envelope.delivered':
        return this.#hear(atMs, observation.envelope);
      case 'outside.sent':
        return this.#hearSip(atMs, observation.from, observation.to, observation.message);
      case 'entity.state':
        return this.#note(atMs, observation);
      case 'instance.crashed':
        return this.#kept.moments.fault(atMs);
      case 'fault.inflicted':
        this.#kept.moments.fault(atMs);
        this.#watched.see(observation.args);
        return this.#faults.see(observation);
      case 'fault.mended':
        this.#kept.moments.fault(atMs);
        return this.#faults.see(observation);
      case 'instance.status':
      case 'node.started':
      case 'node.ended':
        return this.#faults.see(observation);
    }
  }

  #hear(atMs: number, { kind, type, from, to, body }: Envelope): void {
    if (type.startsWith('peer.') && !this.#watched.has(type)) {
      this.#pings += 1;
      return;
    }
    if (type === 'stream.published') this.#learn(body as BodyOf<'stream.published'>);
    if (type === 'sip') return this.#hearSip(atMs, from, to, body as SipMessage);
    const { names } = this.#kept;
    const mark = { tell: '', ask: '?', reply: ' ✓', fault: ' ✗' }[kind];
    const texts = [names.of(`${type}${mark}`), names.of(shortened(body)), noState] as const;
    this.#kept.say([atMs, this.#placeOf(from), this.#placeOf(to), ...texts]);
  }

  #learn({ items }: BodyOf<'stream.published'>): void {
    for (const { dialog } of items) {
      if (dialog !== undefined) this.#callNames.know(dialog.inviteid, dialog.dialogid);
    }
  }

  #hearSip(atMs: number, from: string, to: string, message: SipMessage): void {
    const { names } = this.#kept;
    const what = message.kind === 'request' ? message.method : `${message.status} ${message.method}`;
    this.#callNames.hear(atMs, message);
    const texts = [names.of(what), names.of(sipText(message)), names.of(message.callid)] as const;
    this.#kept.say([atMs, this.#placeOf(from), this.#placeOf(to), ...texts]);
  }

  #note(
    atMs: number,
    { owner, machine, key, state }: { owner: string; machine: string; key: string; state: string | undefined },
  ): void {
    const { names } = this.#kept;
    const told = state === undefined ? noState : names.of(state);
    this.#kept.change([atMs, this.#placeOf(owner), names.of(machine), names.of(key), told]);
  }

  /** An edge has an address inside and an endpoint outside, which are one place. */
  #placeOf(given: string): number {
    const name = this.#edges.get(given) ?? given;
    const known = this.#places.get(name);
    if (known !== undefined) return known.index;
    const index = this.#places.size;
    this.#places.set(name, { index, place: this.#describe(name) });
    return index;
  }

  #describe(name: string): ReportPlace {
    const { map } = this.#world;
    const instance = map.instances.get(name);
    if (instance !== undefined)
      return { name: instance.name, site: `${instance.site}/${instance.node}`, kind: 'instance' };
    const node = [...map.nodes.values()].find(({ address }) => address === name);
    if (node !== undefined) return { name: node.name, site: node.site, kind: 'node' };
    return { name, site: '', kind: 'outside' };
  }

  /** Endpoints outside by name, as known at the end. */
  #namedPlaces(names: EndpointNames): ReportPlace[] {
    return [...this.#places.values()].map(({ place }) => {
      const name = names.of(place.name);
      return place.kind !== 'outside' || name === undefined ? place : { ...place, name, site: place.name };
    });
  }
}

/** The command that repeats the run. */
function commandOf(file: string, { mode, seed }: RunReport): string {
  return `npx strowger run ${quoted(file)} --seed ${seed}${mode === 'virtual' ? '' : ` --mode ${mode}`}`;
}

/** A path as an argument of a shell. */
export function quoted(file: string): string {
  return /^[\w./-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`;
}

/** The results of the run, in milliseconds since the cluster was ready. */
function findingsOf(report: RunReport) {
  const { mode, seed, verdict, unproved, oracles, promises, workload } = report;
  const seen = (kind: 'sometimes' | 'eventually') =>
    report[kind].map(({ name, count, atMs }) => ({ kind, name, count, ...(atMs !== undefined && { atMs }) }));
  return {
    mode,
    seed,
    verdict,
    unproved,
    ...stepFindings(report),
    oracles,
    promises: promises.map(({ name, fault, promisedMs, measuredMs, verdict }) => ({
      name,
      fault,
      promisedMs,
      verdict,
      ...(measuredMs !== undefined && { measuredMs }),
    })),
    seen: [...seen('eventually'), ...seen('sometimes')],
    workload: workload.map(({ part, name, started, acknowledged, failed, open, reasons }) => ({
      name: accountName({ part, name }),
      started,
      acknowledged,
      failed,
      open,
      why: reasonsText(reasons),
    })),
  };
}

/** Search terms of a message: users, hosts, and references to other calls. */
function sipText(message: SipMessage): string {
  const { from, to, callid, cseq } = message;
  const lines = [`${from.uri} → ${to.uri}`, `Call-Id ${callid}, CSeq ${cseq}`];
  if (message.kind === 'response')
    lines.push(message.reason, ...(message.contacts ?? []).map((uri) => `Contact ${uri}`));
  else {
    const { uri, reason, referTo, replaces, sipfrag } = message;
    lines.push(`Request-URI ${uri}`);
    if (reason !== undefined) lines.push(`Reason ${reason}`);
    if (sipfrag !== undefined) lines.push(sipfrag);
    if (referTo !== undefined) lines.push(`Refer-To ${referTo.uri}`);
    if (replaces !== undefined) lines.push(`Replaces ${replaces.callid}`);
  }
  return lines.join('\n');
}

const moreChars = 500;

function shortened(body: unknown): string {
  const text = JSON.stringify(body) ?? '';
  return text.length > moreChars ? `${text.slice(0, moreChars)}…` : text;
}
