/** A phone or a provider in a test: its state, its calls, and what it does. */

import type { CallView } from '../../outside/endpoints/endpoint-call.ts';
import type { PhoneView } from '../../outside/endpoints/phone.ts';
import type { ProviderView } from '../../outside/endpoints/provider.ts';
import type { PlacedCall } from '../../outside/outside-world.ts';
import type { RecordedWorld } from '../recorded/recorded-world.ts';
import type { ClusterClock } from './cluster-clock.ts';
import { NotSeen, type WaitOptions, withinMs } from './waiting.ts';

export interface CallOptions {
  /** Number from which a provider calls. */
  readonly as?: string;
  /** Time from the answer to the hangup; default: never. */
  readonly hangupMs?: number;
}

/** Handles the incoming calls of a phone. */
export type CallHandler = (call: PartyCall) => void | Promise<void>;

type Present = () => RecordedWorld;

/** A call at a phone or a provider. */
export class PartyCall {
  readonly #present: Present;
  readonly #call: PlacedCall;

  /** @internal */
  constructor(present: Present, call: PlacedCall) {
    this.#present = present;
    this.#call = call;
  }

  get callid(): string {
    return this.#call.callid;
  }

  /** The call as its endpoint sees it; `undefined` when it is over. */
  get view(): CallView | undefined {
    const { endpoint, callid } = this.#call;
    const { outside } = this.#present().world;
    const views = [...outside.phones(), ...outside.providers()].filter((each) => each.endpoint === endpoint);
    return views.flatMap(({ calls }) => calls).find((call) => call.callid === callid);
  }

  /** Answers the call, or resumes it if it is on hold. Throws if it is over, or not answered yet by the other side. */
  async answer(): Promise<void> {
    const isTaken = await this.#present().enter<'talk'>({ do: 'talk', whose: this.#call });
    if (!isTaken) throw this.#refusal('answered');
  }

  /** Refuses the call with a SIP status. Throws if it is not ringing. */
  async reject(status = 486): Promise<void> {
    const isRejected = await this.#present().enter<'reject'>({ do: 'reject', whose: this.#call, status });
    if (!isRejected) throw this.#refusal('rejected');
  }

  /** Throws if the call is not answered. */
  async hold(): Promise<void> {
    const isTaken = await this.#present().enter<'hold'>({ do: 'hold', whose: this.#call });
    if (!isTaken) throw this.#refusal('held');
  }

  /** No effect if the call is over. */
  async hangUp(): Promise<void> {
    await this.#present().enter<'hangUp'>({ do: 'hangUp', whose: this.#call });
  }

  /** Refers the other side to a URI, such as `sip:1003@acme.root.test`. Throws if the call is not answered. */
  async transfer(to: string): Promise<void> {
    const isSent = await this.#present().enter<'transfer'>({ do: 'transfer', call: this.#call, to });
    if (!isSent) throw this.#refusal('transferred');
  }

  #refusal(verb: string): Error {
    return new Error(`call ${this.callid} cannot be ${verb}: it is ${this.view?.state ?? 'over'}`);
  }
}

/** What a phone and a provider have in common. */
abstract class ClusterParty {
  readonly name: string;
  /** @internal */
  protected readonly present: Present;

  /** @internal */
  constructor(present: Present, name: string) {
    this.present = present;
    this.name = name;
  }

  /** Its calls in progress. */
  get calls(): readonly PartyCall[] {
    return this.views.flatMap(({ endpoint, calls }) =>
      calls.map(({ callid }) => new PartyCall(this.present, { endpoint, callid })),
    );
  }

  /** Makes a call to a number, or `number@domain`. */
  async call(to: string, options: CallOptions = {}): Promise<PartyCall> {
    return new PartyCall(
      this.present,
      await this.present().enter<'call'>({ do: 'call', from: this.name, to, ...options }),
    );
  }

  /** Presses digits in all its answered calls. Throws if it has none. */
  async press(digits: string): Promise<void> {
    const isPressed = await this.present().enter<'press'>({ do: 'press', name: this.name, digits });
    if (!isPressed) throw new Error(`${this.name} has no answered call in which to press ${digits}`);
  }

  /** Ends all its calls. */
  async hangUp(): Promise<void> {
    await this.present().enter<'hangUp'>({ do: 'hangUp', whose: this.name });
  }

  protected abstract get views(): readonly { readonly endpoint: string; readonly calls: readonly CallView[] }[];
}

export class ClusterPhone extends ClusterParty {
  readonly #seen = new Set<string>();
  readonly #clock: ClusterClock;

  /** @internal */
  constructor(present: Present, name: string, clock: ClusterClock) {
    super(present, name);
    this.#clock = clock;
  }

  get isRegistered(): boolean {
    return this.views.some((phone) => phone.isRegistered);
  }

  /** The devices of this name. */
  get views(): readonly PhoneView[] {
    return this.present().world.outside.phones(this.name);
  }

  async register(): Promise<void> {
    await this.present().enter<'register'>({ do: 'register', name: this.name });
  }

  async unregister(): Promise<void> {
    await this.present().enter<'unregister'>({ do: 'unregister', name: this.name });
  }

  /**
   * Rings, from now on, until a call is answered, rejected or hung up by the test (`attend`), or behaves by its number
   * again.
   */
  async attend(on = true): Promise<void> {
    await this.present().enter<'attend'>({ do: 'attend', name: this.name, on });
  }

  /**
   * Calls `handler` for each call that rings at this phone. What the handler does is recorded: a fork or a replay does
   * not call it. Returns the function that removes it.
   */
  async onCall(handler: CallHandler): Promise<() => Promise<void>> {
    if (typeof handler !== 'function') throw new TypeError(`onCall: expected a function, got ${handler}`);
    await this.attend();
    const { world } = this.present();
    const endpoints = this.views.map(({ endpoint }) => endpoint);
    const stop = world.observe(
      ({ owner, key: callid, state }) => {
        if (state !== 'ringing' || !endpoints.includes(owner)) return;
        world.time.soon(() => void handler(new PartyCall(this.present, { endpoint: owner, callid })));
      },
      { kinds: ['entity.state'], types: ['party'] },
    );
    return async () => {
      stop();
      await this.attend(false);
    };
  }

  /** Attends the phone, and lets time pass until a call rings that this method has not returned yet. */
  async nextCall(options: Pick<WaitOptions, 'within'> = {}): Promise<PartyCall> {
    await this.attend();
    const fresh = () => this.calls.find(({ callid, view }) => view?.state === 'ringing' && !this.#seen.has(callid));
    const rings = this.#clock.until(() => fresh() !== undefined, options);
    const call = await rings.then(fresh, (error) => {
      if (!(error instanceof NotSeen)) throw error;
    });
    if (call === undefined) throw new NotSeen(`no call rings at ${this.name} within ${withinMs(options)} ms`);
    this.#seen.add(call.callid);
    return call;
  }
}

export class ClusterProvider extends ClusterParty {
  get views(): readonly ProviderView[] {
    return this.present().world.outside.providers(this.name);
  }

  /** The accounts at this provider, each with whether it is registered. */
  get accounts(): ProviderView['accounts'] {
    return this.views.flatMap(({ accounts }) => accounts);
  }
}
