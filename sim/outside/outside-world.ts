/**
 * The world outside the cluster: the network to its edges, and the phones and providers of the topology. It runs by
 * itself; the control interface and scenario steps use its verbs. A name means a phone (`acme.root.test/1001`, its
 * second device `acme.root.test/1001/2`, or an endpoint; a user's name means all devices) or a provider
 * (`sip.telecom.test`, an endpoint, or the key of an account).
 */

import { Counters } from '../../src/actors/counters.ts';
import { ScopedClock } from '../../src/actors/scoped-clock.ts';
import type { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import type { SipResponse } from '../../src/model/sip/message.ts';
import type { Behaviour } from '../../src/model/topology/schema.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { ClientRequest, HttpClient } from '../../src/ports/http-client.ts';
import type { Census, Probe } from '../../src/ports/instrumentation/probe.ts';
import type { Log } from '../../src/ports/log.ts';
import type { Random } from '../../src/ports/random.ts';
import { NotInTopology } from '../faults/places.ts';
import { Behaviours, type NumberOverride } from './behaviour.ts';
import { Traffic, type TrafficOptions } from './call-load.ts';
import type { CallView } from './endpoints/endpoint-call.ts';
import type { OutsideEndpoint } from './endpoints/outside-endpoint.ts';
import type { EndpointContext } from './endpoints/parties.ts';
import type { Placing } from './endpoints/party-machine.ts';
import { Phone, type PhoneView } from './endpoints/phone.ts';
import type { ProviderView } from './endpoints/provider.ts';
import { Endpoints } from './endpoints.ts';
import { Deliveries } from './http/deliveries.ts';
import { HttpStub } from './http/http-stub.ts';
import { type OutsideMessage, OutsideNetwork } from './network.ts';
import type { AddedPhone } from './population.ts';
import { Presences } from './presence.ts';
import type { ReceivedEffect } from './received-effect.ts';
import { SimulatedSms } from './sms.ts';
import { makeTopologyCalls } from './topology-calls.ts';
import { type Registration, type UnknownDevice, UnknownDevices } from './unknown-devices.ts';

export interface OutsideWorldOptions {
  readonly map: ClusterMap;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Only the endpoints behind gates of these nodes; other processes run the others. */
  readonly nodes?: readonly string[] | undefined;
  /** False: no endpoints, but the network. Default true. */
  readonly isInhabited?: boolean | undefined;
  /** Called with every message when it is sent. */
  readonly onMessage?: (sent: OutsideMessage) => void;
  /** The probe. */
  readonly probe?: Probe;
  /** Sends HTTP requests of scripts that no stub answers. Absent: they are refused. */
  readonly transport?: HttpClient;
  /** Called with every HTTP request of a script when it is sent. */
  readonly onHttp?: (request: ClientRequest) => void;
  /** Called with every effect of a script that another system receives. */
  readonly onEffect?: (effect: ReceivedEffect) => void;
}

/** Options of a call. */
export interface CallOutOptions extends Pick<Placing, 'hangupMs' | 'patienceMs' | 'onProgress'> {
  /** Number from which a provider calls. */
  readonly as?: string | undefined;
}

/** An outgoing call: the endpoint of its caller, and its Call-Id. */
export interface PlacedCall {
  readonly endpoint: string;
  readonly callid: string;
}

/** How long `start` waits for the first answers, and the interval at which phones begin to register. */
const [patienceMs, pacingMs] = [2_000, 2];
const usualCaller = '4930100200';
/** An endpoint cannot place a call now. */
export class NoRoute extends Error {}

export class OutsideWorld {
  readonly network: OutsideNetwork;
  readonly counters: Counters;
  /** The gateway for short messages of scripts. */
  readonly sms: SimulatedSms;
  /** Stubs of the other systems to which scripts send HTTP requests, and these requests. */
  readonly stubs: HttpStub;
  readonly deliveries: Deliveries;
  readonly #endpoints: Endpoints;
  readonly #presences: Presences;
  readonly #unknownDevices: UnknownDevices;
  readonly #context: EndpointContext;
  readonly #clock: ScopedClock;
  readonly #random: Random;
  readonly #traffics = new Set<Traffic>();
  /** Whether this process has all phones and providers. */
  readonly #hasAllNodes: boolean;
  #onSettled: () => void = () => {};

  constructor(options: OutsideWorldOptions) {
    const { map, clock, random, log, nodes, isInhabited = true } = options;
    const { onMessage, probe, transport, onHttp, onEffect } = options;
    this.counters = new Counters({ probe });
    this.#clock = new ScopedClock(clock);
    this.#random = random;
    this.#hasAllNodes = isInhabited && nodes === undefined;
    this.sms = new SimulatedSms(clock, onEffect);
    this.stubs = new HttpStub({ clock: this.#clock, transport, onRequest: onHttp });
    this.deliveries = new Deliveries({
      clock: this.#clock,
      random: random.stream('faults'),
      transport: this.stubs,
      onReceived: onEffect,
    });
    const tap = onMessage === undefined ? {} : { onMessage };
    this.network = new OutsideNetwork({ clock: this.#clock, random: random.stream('network'), ...tap });
    this.#context = {
      map,
      clock: this.#clock,
      outside: this.network,
      ids: random.stream('ids'),
      jitter: random.stream('jitter'),
      counters: this.counters,
      behaviours: new Behaviours(map.topology.domains),
      onCrash: (error) => {
        this.counters.add('outside.bug');
        log.write('error', 'outside.bug', { stack: String(error instanceof Error ? error.stack : error) });
      },
    };
    this.#endpoints = new Endpoints({
      context: this.#context,
      isHere: (node) => isInhabited && (nodes === undefined || nodes.includes(node)),
      onSettled: () => this.#look(),
    });
    this.#presences = new Presences(this.#context);
    this.#unknownDevices = new UnknownDevices(this.#context);
  }

  /** Registers all phones, then makes the calls of the topology. Rejects if one of these is not answered. */
  async start(): Promise<void> {
    await this.#register();
    if (this.#hasAllNodes)
      await makeTopologyCalls(this.#context.map.topology.calls, {
        clock: this.#clock,
        place: (from, to, options) => this.call(from, to, options),
      });
  }

  /** Resolves when each phone and account has its first final answer, or after a limit. */
  #register(): Promise<void> {
    this.#endpoints.phones.forEach((phone, n) => {
      this.#clock.setTimer(n * pacingMs, () => phone.register());
    });
    if (this.#endpoints.unsettled.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const patience = this.#clock.setTimer(patienceMs, resolve);
      this.#onSettled = () => {
        patience.cancel();
        resolve();
      };
    });
  }

  /** Endpoints still answer and end calls, but no load starts any. */
  stopLoad(): void {
    for (const traffic of this.#traffics) traffic.stop();
  }

  /** Ends everything at once, timers included. */
  stop(): void {
    this.stopLoad();
    this.#presences.stop();
    this.#endpoints.stop();
    this.#unknownDevices.stop();
    this.network.stop();
    this.#clock.end();
    this.#onSettled();
  }

  /** Calls in progress, as the endpoints see them. */
  get calls(): number {
    return this.#sum((party) => party.size);
  }

  /** Size of all state of calls and requests at the endpoints. */
  get entries(): number {
    return this.#sum((party) => party.entries);
  }

  /** Present counts of their resources. */
  census(): Census {
    const counts = this.counters.gauges();
    counts.set('calls', this.calls);
    counts.set('timers', this.#clock.pending);
    return { of: 'outside', counts };
  }

  /** Creates a load of calls. */
  traffic(options: TrafficOptions): Traffic {
    const { map, behaviours } = this.#context;
    const endpoints = this.#endpoints;
    const random = this.#random.stream('phones');
    const traffic = new Traffic(options, { map, behaviours, endpoints, clock: this.#clock, random });
    this.#traffics.add(traffic);
    return traffic;
  }

  /** Ends a load: no more calls begin, and open ones are hung up at their time. */
  endTraffic(traffic: Traffic): void {
    traffic.stop();
    this.#traffics.delete(traffic);
  }

  /** The phones, or those of a name. */
  phones(name?: string): PhoneView[] {
    const { phones } = this.#endpoints;
    return (name === undefined ? phones : this.#endpoints.phonesNamed(name)).map((phone) => phone.view());
  }

  /** The providers, or those of a name. */
  providers(name?: string): ProviderView[] {
    const { providers } = this.#endpoints;
    return (name === undefined ? providers : this.#endpoints.providersNamed(name)).map((provider) => provider.view());
  }

  /** Numbers with a behaviour set by `behave`. */
  get overrides(): readonly NumberOverride[] {
    return this.#context.behaviours.overrides;
  }

  /** Sets the behaviour of a number of a domain; without one, removes it. */
  behave(domain: string, number: string, behaviour: Behaviour | undefined): void {
    const { map, behaviours } = this.#context;
    if (!map.domains.has(domain)) {
      throw new NotInTopology(`no domain named "${domain}"; expected one of ${[...map.domains.keys()].join(', ')}`);
    }
    behaviours.set(domain, number, behaviour);
  }

  /** Silences a phone or provider: it receives and sends nothing. */
  silence(name: string): void {
    for (const one of this.#endpoints.named(name)) this.#presences.tell(one, { type: 'silence' });
  }

  /** Revives a phone or provider. A phone then registers at once, and a provider accepts every REGISTER again. */
  revive(name: string): void {
    for (const one of this.#endpoints.named(name)) this.#presences.tell(one, { type: 'revive' });
    for (const provider of this.#endpoints.providersNamed(name)) provider.refusal = undefined;
  }

  /** Silences and revives in turn at an interval, until `silence` or `revive`. */
  flap(name: string, everyMs: number): void {
    for (const one of this.#endpoints.named(name)) this.#presences.tell(one, { type: 'flap', everyMs });
  }

  /** Makes a provider refuse every REGISTER until it is revived. */
  refuseRegister(name: string, status = 503): void {
    const providers = this.#endpoints.providersNamed(name);
    if (providers.length === 0) throw new NotInTopology(`no provider is named "${name}"`);
    for (const provider of providers) provider.refusal = status;
  }

  /** Adds a phone, which registers at once. Returns its name. Throws if no sg serves its domain. */
  addPhone(added: AddedPhone): string {
    const phone = this.#endpoints.add(added);
    phone.register();
    return phone.entry.name;
  }

  /** A device that the platform does not know wants to register, without credentials. */
  registerUnknown(device: UnknownDevice): void {
    this.#unknownDevices.register(device);
  }

  /** A device with credentials registers, or leaves. Returns the answer: 408 if there is none. */
  registerAs(registration: Registration): Promise<SipResponse> {
    return this.#unknownDevices.registerAs(registration);
  }

  /** The calls of a device that has registered so. */
  callsAt(ip: string): readonly CallView[] {
    return this.#unknownDevices.callsAt(ip);
  }

  /** A device that the platform does not know calls a number in the name of a user, without credentials. */
  callUnknown(device: UnknownDevice, number: string): void {
    this.#unknownDevices.call(device, number);
  }

  register(name: string): void {
    for (const one of this.#endpoints.named(name)) if (one instanceof Phone) one.register();
  }

  unregister(name: string): void {
    for (const one of this.#endpoints.named(name)) if (one instanceof Phone) one.unregister();
  }

  /**
   * Makes a call to a number, or `number@domain`. Of several phones of a user the first registered one calls, of
   * several addresses of a provider one that is not silent. A provider calls through the account of its name, or of
   * the domain in `to`, else through the first that is registered.
   */
  call(from: string, to: string, options: CallOutOptions = {}): PlacedCall {
    const { as = usualCaller, hangupMs, patienceMs, onProgress } = options;
    const able = this.#endpoints.named(from).map((one) => {
      const placing = one instanceof Phone ? one.placing(to) : one.placingBy(from, to, as);
      return { one, placing, isLast: one instanceof Phone ? !one.isRegistered : one.party.isSilent };
    });
    for (const { one, placing } of able.toSorted((a, b) => Number(a.isLast) - Number(b.isLast))) {
      if (placing === undefined) continue;
      return { endpoint: one.entry.endpoint, callid: one.party.call({ ...placing, hangupMs, patienceMs, onProgress }) };
    }
    throw new NoRoute(`${from} cannot call: it is not registered and has no route to the platform`);
  }

  /** Ends a call, or all calls of a name. */
  hangUp(whose: string | PlacedCall): void {
    this.#want(whose, 'end.wanted');
  }

  /** Answers ringing calls, or resumes held ones. Returns whether there was one. */
  talk(whose: string | PlacedCall): boolean {
    return this.#want(whose, 'talk.wanted');
  }

  /** Puts answered calls on hold. Returns whether there was one. */
  hold(whose: string | PlacedCall): boolean {
    return this.#want(whose, 'hold.wanted');
  }

  /** Makes the calls of a phone ring until a command decides, or lets it behave by its number again. */
  attend(name: string, on: boolean): void {
    for (const one of this.#endpoints.named(name)) if (one instanceof Phone) one.isAttended = on;
  }

  /** Refuses calls that have no final answer yet. Returns whether there was one. */
  reject(whose: string | PlacedCall, status: number): boolean {
    let isOne = false;
    for (const [party, callid] of this.#callsOf(whose)) isOne = party.reject(callid, status) || isOne;
    return isOne;
  }

  /** Presses digits in a call, or in all calls of a name. Returns whether one was answered. */
  press(whose: string | PlacedCall, digits: string): boolean {
    let isOne = false;
    for (const [party, callid] of this.#callsOf(whose)) isOne = party.press(callid, digits) || isOne;
    return isOne;
  }

  /**
   * Refers the other side of an answered call to a URI; `replacing`: Call-Id of another call of the endpoint, which that one is to replace.
   * Returns false if there is no such call.
   */
  transfer({ endpoint, callid }: PlacedCall, uri: string, replacing?: string): boolean {
    return this.#endpoints.named(endpoint).some(({ party }) => party.transfer(callid, uri, replacing));
  }

  #want(whose: string | PlacedCall, wanted: Parameters<OutsideEndpoint['want']>[1]): boolean {
    let isOne = false;
    for (const [party, callid] of this.#callsOf(whose)) isOne = party.want(callid, wanted) || isOne;
    return isOne;
  }

  #callsOf(whose: string | PlacedCall): [OutsideEndpoint, string][] {
    const name = typeof whose === 'string' ? whose : whose.endpoint;
    return this.#endpoints.named(name).flatMap(({ party }) => {
      const callids = typeof whose === 'string' ? party.calls().map(({ callid }) => callid) : [whose.callid];
      return callids.map((callid): [OutsideEndpoint, string] => [party, callid]);
    });
  }

  #look(): void {
    if (this.#endpoints.unsettled.size === 0) this.#onSettled();
  }

  #sum(figure: (party: OutsideEndpoint) => number): number {
    return this.#endpoints.all.reduce((sum, { party }) => sum + figure(party), 0);
  }
}
