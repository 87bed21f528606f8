/**
 * Records a run for its page: looks on at the world from before it starts, and makes the data of the page when it is over.
 * What the nodes say to watch each other is left out, and so is what goes beyond the limits; the page says how much that is.
 */
import type { Envelope } from '../../../src/model/envelope.ts';
import type { SipMessage } from '../../../src/model/sip/message.ts';
import { edgesOf } from '../../faults/outside-traffic.ts';
import type { Observation, ObservationKind } from '../../oracles/observation.ts';
import type { LoadedScenario } from '../../scenario/load.ts';
import type { RunReport } from '../../scenario/runner.ts';
import type { World } from '../../world/world.ts';
import { CallNames } from './call-names.ts';
import type { Message, Place, ReportData, StateChange } from './data.ts';
import { FaultBars, faultKinds } from './fault-bars.ts';
import { Names } from './names.ts';

/** How much goes into one page; beyond it the page would be slow. */
const most = { messages: 60_000, states: 60_000 };
const kinds: readonly ObservationKind[] = ['envelope.delivered', 'outside.sent', 'entity.state', ...faultKinds];
const noState = -1;

export class Recorder {
  readonly #world: World;
  readonly #stop: () => void;
  readonly #names = new Names();
  /** Address of an edge by its endpoint. */
  readonly #edges: ReadonlyMap<string, string>;
  readonly #places = new Map<string, { readonly index: number; readonly place: Place }>();
  readonly #callNames = new CallNames();
  readonly #messages: Message[] = [];
  readonly #states: StateChange[] = [];
  readonly #faults = new FaultBars();
  readonly #leftOut = { watching: 0, messages: 0, states: 0 };

  /** To be made before the world starts. */
  constructor(world: World) {
    this.#world = world;
    this.#edges = new Map(edgesOf(world.map).map((edge) => [world.map.endpointOf(edge), edge.address]));
    this.#stop = world.observe((observation) => this.#see(observation), { kinds });
  }

  /** What was seen, as the data of a page. `readyMs`: when the cluster was ready, by the world's clock. */
  finish(
    { scenario }: LoadedScenario,
    { report, readyMs, maker }: { report: RunReport; readyMs: number; maker: string },
  ): ReportData {
    this.#stop();
    const since = (atMs: number) => Math.round((atMs - readyMs) * 1_000) / 1_000;
    const places = this.#namedPlaces();
    return {
      scenario: scenario.name,
      why: scenario.why,
      mode: report.mode,
      seed: report.seed,
      verdict: report.verdict,
      maker,
      fromMs: Math.min(0, since(this.#messages[0]?.[0] ?? readyMs)),
      untilMs: Math.max(since(this.#messages.at(-1)?.[0] ?? readyMs), report.steps.at(-1)?.atMs ?? 0),
      steps: report.steps.map(({ number, what, atMs, isExpectation, failures }) => ({
        number,
        what,
        atMs,
        isExpectation,
        failures,
      })),
      faults: this.#faults.all(since),
      oracles: report.oracles.map((oracle) => ({
        ...oracle,
        failures: oracle.failures.map(({ atMs, what }) => ({ atMs: since(atMs), what })),
      })),
      names: this.#names.all,
      places,
      messages: this.#messages.map(([atMs, ...rest]) => [since(atMs), ...rest]),
      calls: this.#callNames.calls().map((call) => ({
        ...call,
        callids: call.callids.map((callid) => this.#names.of(callid)),
        fromMs: since(call.fromMs),
        untilMs: since(call.untilMs),
      })),
      states: this.#states.map(([atMs, ...rest]) => [since(atMs), ...rest]),
      leftOut: this.#leftOutTexts(),
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
      case 'fault.inflicted':
      case 'fault.mended':
      case 'instance.status':
      case 'node.started':
      case 'node.ended':
        return this.#faults.see(observation);
    }
  }

  #hear(atMs: number, { kind, type, from, to, body }: Envelope): void {
    if (type.startsWith('peer.')) {
      this.#leftOut.watching += 1;
      return;
    }
    if (type === 'sip') return this.#hearSip(atMs, from, to, body as SipMessage);
    const mark = { tell: '', ask: '?', reply: ' ✓', fault: ' ✗' }[kind];
    const what = this.#names.of(`${type}${mark}`);
    this.#push([atMs, this.#placeOf(from), this.#placeOf(to), what, this.#names.of(shortened(body)), noState]);
  }

  #hearSip(atMs: number, from: string, to: string, message: SipMessage): void {
    const what = message.kind === 'request' ? message.method : `${message.status} ${message.method}`;
    const more = `${message.from.uri} → ${message.to.uri}, Call-Id ${message.callid}, CSeq ${message.cseq}`;
    this.#callNames.hear(atMs, message);
    const names = [this.#names.of(what), this.#names.of(more), this.#names.of(message.callid)] as const;
    this.#push([atMs, this.#placeOf(from), this.#placeOf(to), ...names]);
  }

  #push(message: Message): void {
    if (this.#messages.length < most.messages) this.#messages.push(message);
    else this.#leftOut.messages += 1;
  }

  #note(
    atMs: number,
    { owner, machine, key, state }: { owner: string; machine: string; key: string; state: string | undefined },
  ) {
    if (this.#states.length >= most.states) {
      this.#leftOut.states += 1;
      return;
    }
    const names = [this.#names.of(machine), this.#names.of(key)] as const;
    this.#states.push([atMs, this.#placeOf(owner), ...names, state === undefined ? noState : this.#names.of(state)]);
  }

  /** An edge has an address inside and an endpoint outside: it is one place. */
  #placeOf(given: string): number {
    const name = this.#edges.get(given) ?? given;
    const known = this.#places.get(name);
    if (known !== undefined) return known.index;
    const index = this.#places.size;
    this.#places.set(name, { index, place: this.#describe(name) });
    return index;
  }

  #describe(name: string): Place {
    const { map } = this.#world;
    const instance = map.instances.get(name);
    if (instance !== undefined)
      return { name: instance.name, site: `${instance.site}/${instance.node}`, kind: 'instance' };
    const node = [...map.nodes.values()].find(({ address }) => address === name);
    if (node !== undefined) return { name: node.name, site: node.site, kind: 'node' };
    return { name, site: '', kind: 'outside' };
  }

  /** Endpoints outside by the names of those who are there, as far as they are known at the end. */
  #namedPlaces(): Place[] {
    const { outside } = this.#world;
    const names = new Map<string, string>();
    for (const { name, endpoint } of outside.phones()) names.set(endpoint, name);
    return [...this.#places.values()].map(({ place }) => {
      const name = names.get(place.name);
      return place.kind !== 'outside' || name === undefined ? place : { ...place, name, site: place.name };
    });
  }

  #leftOutTexts(): string[] {
    const { watching, messages, states } = this.#leftOut;
    const texts = [`${watching} pings, pongs and digests between nodes are left out.`];
    if (messages > 0) texts.push(`The first ${most.messages} messages are shown; ${messages} more are left out.`);
    if (states > 0) texts.push(`The first ${most.states} changes of states are shown; ${states} more are left out.`);
    return texts;
  }
}

const moreLetters = 300;

function shortened(body: unknown): string {
  const text = JSON.stringify(body) ?? '';
  return text.length > moreLetters ? `${text.slice(0, moreLetters)}…` : text;
}
