/** A phone: an endpoint that registers as a device of a SIP user and makes and takes calls as that user. */

import type { EntityHost } from '../../../src/actors/entity-host.ts';
import { credentialsFor, type Secret } from '../../../src/model/sip/digest.ts';
import type { Challenge, SipRequest } from '../../../src/model/sip/message.ts';
import { sipUri } from '../../../src/model/sip/uri.ts';
import { attended, type CallReaction, type InCallActions } from '../behaviour.ts';
import type { PhoneEntry } from '../population.ts';
import type { DeviceCommand, deviceMachine } from './device-machine.ts';
import type { CallView } from './endpoint-call.ts';
import type { EndpointOwner, OutsideEndpoint } from './outside-endpoint.ts';
import { type EndpointContext, newParty } from './parties.ts';
import type { Placing } from './party-machine.ts';

/** @internal */
export interface PhoneOptions extends EndpointContext {
  readonly entry: PhoneEntry;
  /** The registrations of all phones, by name. */
  readonly devices: EntityHost<typeof deviceMachine>;
  /** Called once, when the first attempt to register has ended. */
  readonly onSettled: () => void;
}

export interface PhoneView {
  readonly name: string;
  readonly endpoint: string;
  /** State of its registration: `off`, `registering`, `registered`, `resting`, `leaving`. */
  readonly state: string;
  readonly isRegistered: boolean;
  /** The sg through which it reaches the platform. */
  readonly gate: string | undefined;
  readonly isSilent: boolean;
  readonly calls: readonly CallView[];
}

const answerMs = 10_000;

/** @internal */
export class Phone implements EndpointOwner {
  readonly entry: PhoneEntry;
  readonly party: OutsideEndpoint;
  readonly #options: PhoneOptions;
  /** Of its registrations since it was switched on (RFC 3261, 10.2), with the number of the last one. */
  #registers = { callid: '', cseq: 0 };
  #round = 0;
  #challenge: Challenge | undefined;
  #isSettled = false;
  /** End of the last registration that was granted (ms since the epoch); its machine has no clock. */
  #boundUntilMs = 0;
  /** Incoming calls ring until a command decides. */
  isAttended = false;

  constructor(options: PhoneOptions) {
    const { entry } = options;
    this.#options = options;
    this.entry = entry;
    this.party = newParty(options, this, { endpoint: entry.endpoint, is: 'phone' });
    if (entry.gates.length > 0) options.devices.start(entry.name, { gates: entry.gates.length });
  }

  get isRegistered(): boolean {
    const { devices, clock } = this.#options;
    return devices.snapshot(this.entry.name)?.context.isBound === true && clock.now() < this.#boundUntilMs;
  }

  /** Switches it on, if it is off. */
  register(): void {
    if (this.#options.devices.snapshot(this.entry.name)?.value === 'off')
      this.#registers = { callid: Buffer.from(this.#options.ids.bytes(12)).toString('hex'), cseq: 0 };
    this.#options.devices.send(this.entry.name, { type: 'register.wanted' });
  }

  unregister(): void {
    this.#options.devices.send(this.entry.name, { type: 'unregister.wanted' });
  }

  view(): PhoneView {
    const { name, endpoint, gates } = this.entry;
    const device = this.#options.devices.snapshot(name);
    return {
      name,
      endpoint,
      state: String(device?.value ?? 'off'),
      isRegistered: this.isRegistered,
      gate: gates[device?.context.gate ?? 0]?.name,
      isSilent: this.party.isSilent,
      calls: this.party.calls(),
    };
  }

  /** Carries out a command of its registration. */
  obey(command: DeviceCommand): void {
    if (command.type === 'send.register') this.#register(command, command.seconds);
    if (command.type === 'send.unregister') this.#register(command, 0);
  }

  /** Calls a number of its domain, or `number@domain`. `undefined`: it is not registered. */
  placing(to: string): Placing | undefined {
    const { domain, user } = this.entry;
    const hop = this.#hop();
    if (hop === undefined) return undefined;
    const uri = uriOf(to, domain);
    const name = user.name === undefined ? {} : { name: user.name };
    return { uri, from: { uri: this.#uri, ...name }, to: { uri }, hop, secret: this.#secret };
  }

  placingTo(uri: string): Placing | undefined {
    return this.placing(uri);
  }

  /** Calls of any user with any contact. */
  reactionTo(): CallReaction {
    if (this.isAttended) return attended;
    const { domain, user } = this.entry;
    return this.#options.behaviours.reactionTo(domain, user.phonenumber, domain);
  }

  inCallActionsIn(): InCallActions {
    const { domain, user } = this.entry;
    return this.#options.behaviours.inCallActionsOf(domain, user.phonenumber);
  }

  take(request: SipRequest): void {
    const isDeactivated = request.method === 'NOTIFY' && request.event === 'reg';
    this.party.respond(request, isDeactivated || request.method === 'OPTIONS' ? 200 : 403);
    if (!isDeactivated) return;
    this.#options.devices.send(this.entry.name, { type: 'binding.lost', jitter: this.#options.jitter.float() });
  }

  /** Without any answer the phone checks its gate. */
  onFailed(status: number, hasRung: boolean): void {
    if (hasRung || (status !== 408 && status !== 503)) return;
    this.#options.devices.send(this.entry.name, { type: 'gate.doubted' });
  }

  get #uri(): string {
    return sipUri(this.entry.user.login, this.entry.domain);
  }

  get #secret(): Secret {
    return { username: this.entry.user.login, pwd: this.entry.pwd };
  }

  #hop(gate?: number): string | undefined {
    const { map, devices } = this.#options;
    const { gates, name } = this.entry;
    const instance = gates[gate ?? devices.snapshot(name)?.context.gate ?? 0];
    return instance === undefined ? undefined : map.endpointOf(instance);
  }

  #register({ gate, withCredentials }: { gate: number; withCredentials: boolean }, expires: number): void {
    const { devices, jitter, clock } = this.#options;
    const { name, domain, device } = this.entry;
    const hop = this.#hop(gate);
    if (hop === undefined) return;
    this.#round += 1;
    const round = this.#round;
    const uri = `sip:${domain}`;
    const who = { method: 'REGISTER', uri, from: { uri: this.#uri }, to: { uri: this.#uri } } as const;
    const credentials =
      withCredentials && this.#challenge !== undefined
        ? { credentials: credentialsFor(this.#secret, this.#challenge, { method: 'REGISTER', uri }) }
        : {};
    this.#registers.cseq += 1;
    const more = { ...this.#registers, expires, device, timeoutMs: answerMs, ...credentials };
    this.party.request({ ...who, ...more }, hop, ({ status, challenge, expires: granted }) => {
      if (round !== this.#round) return;
      this.#challenge = challenge ?? this.#challenge;
      const expiresSeconds = granted === undefined ? {} : { expiresSeconds: granted };
      devices.send(name, { type: 'response.received', status, ...expiresSeconds, jitter: jitter.float() });
      const after = devices.snapshot(name);
      if (after?.value === 'registered') this.#boundUntilMs = clock.now() + after.context.expiresMs;
      if (round === this.#round) this.#settle();
    });
  }

  /** The answer led to no further REGISTER. */
  #settle(): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#options.onSettled();
  }
}

function uriOf(to: string, domain: string): string {
  if (to.startsWith('sip:')) return to;
  const [number = '', host = domain] = to.split('@');
  return sipUri(number, host);
}
