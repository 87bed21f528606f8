/** Subscribers of events over web sockets: each follows its events through any front, and continues after a lost connection with its cursor. */
import { eventCatalogue, eventClasses } from '../../../src/model/events/event-catalogue.ts';
import type { RandomStream } from '../../../src/ports/random.ts';
import type { EventSocket, World } from '../../world/world.ts';
import type { WorkloadSubscribers } from '../language/workloads.ts';
import { byToken, sessionsPath, tokenIn } from '../run/api-clients.ts';
import type { RequestsContext } from './load-parts.ts';
import { drawn, OperationCounter, oneOf, PoissonTimer, type Tally, type WorkloadPart } from './tally.ts';

/** A session of the scenario: each subscriber has a session of its own of the same user. */
export interface SubscriberLogin {
  readonly domain: string;
  readonly login: string;
  readonly pwd: string;
  /** Numbers of the SIP users of its domain. */
  readonly numbers: readonly string[];
}

export interface SubscribersContext extends RequestsContext {
  readonly openSocket: World['openSocket'];
  readonly logins: readonly SubscriberLogin[];
}

const retryMs = 700;
const expiresSeconds = [2, 10, 3_600] as const;
/** As many names as a subscription may have, and so many messages that they exceed what a user may have. */
const manyNames = Array.from({ length: 100 }, (_, n) => `name-${n}`);
const [rounds, roundMessages, roundMs] = [7, 40, 500];

export class SubscribersPart implements WorkloadPart {
  readonly #context: SubscribersContext;
  readonly #subscribers: readonly Subscriber[];
  readonly #counter = new OperationCounter('subscriptions');
  readonly #timer: PoissonTimer;

  constructor({ count, rate }: WorkloadSubscribers, context: SubscribersContext) {
    this.#context = context;
    this.#subscribers = Array.from({ length: count }, (_, n) => new Subscriber(n + 1, context, this.#counter));
    this.#timer = new PoissonTimer(rate, context, () => this.#disturb());
  }

  start(): void {
    for (const subscriber of this.#subscribers) subscriber.start();
    this.#timer.start();
  }

  /** The subscribers go on: what is published until the end of the run is theirs. */
  stop(): void {
    this.#timer.stop();
  }

  tallies(): Tally[] {
    return [this.#counter.report()];
  }

  #disturb(): void {
    const { random } = this.#context;
    const subscriber = oneOf(this.#subscribers, random);
    const act = drawn(disturbances, random);
    if (act !== undefined) subscriber?.[act]();
  }
}

const disturbances = [
  ['leave', 40],
  ['renew', 30],
  ['askOther', 30],
] as const;

/** What it reads of a message. */
interface Said {
  readonly id?: string;
  readonly cursor?: string;
  readonly result?: string;
}

class Subscriber {
  readonly #id: string;
  readonly #context: SubscribersContext;
  readonly #counter: OperationCounter;
  readonly #login: SubscriberLogin | undefined;
  readonly #events: readonly string[];
  readonly #objects: 'any' | readonly string[];
  /** Its own, so that a ban of others is none of it. */
  readonly #sender: string;
  #token: string | undefined;
  #cursor: string | undefined;
  #socket: EventSocket | undefined;

  constructor(number: number, context: SubscribersContext, counter: OperationCounter) {
    this.#context = context;
    this.#counter = counter;
    this.#id = `subscriber-${number}`;
    this.#sender = `10.7.0.${number}`;
    this.#login = oneOf(context.logins, context.random);
    this.#events = drawEvents(context);
    this.#objects = drawObjects(this.#login?.numbers ?? [], context.random);
  }

  start(): void {
    void this.#connect();
  }

  /** Closes the socket, and connects again. */
  leave(): void {
    this.#socket?.close();
  }

  renew(): void {
    const expires = oneOf(expiresSeconds, this.#context.random);
    this.#ask({ id: this.#id, expires });
  }

  /** What is not about its subscription: another one beside it, or what cannot be done or read. */
  askOther(): void {
    const { random } = this.#context;
    const other = { id: `${this.#id}-b`, qid: random.integer(1, 9) };
    const commands: readonly unknown[] = [
      [
        'subscribe',
        { ...other, objects: 'any', events: ['callevents.dlg_start'], expires: oneOf(expiresSeconds, random) },
      ],
      ['subscribe', { ...other, expires: 2 }],
      ['subscribe', { ...other, expires: 0 }],
      ['subscribe', { ...other, expires: -1 }],
      ['subscribe', { qid: 'q', objects: this.#objects, events: this.#events, expires: 2 }],
      ['subscribe', { id: `${this.#id}-c`, objects: 'any' }],
      ['unsubscribe', { id: this.#id }],
    ];
    const drawn = random.integer(0, commands.length);
    if (drawn < commands.length) this.#send(commands[drawn]);
    else this.#askOften(random.float() < 1 / 2, rounds);
  }

  /** A large subscription is renewed, or made and removed, so often that its user has no more if any of it stays counted. */
  #askOften(isRenewed: boolean, roundsLeft: number): void {
    const id = `${this.#id}-d`;
    for (let n = 0; n < roundMessages / 2; n += 1) {
      const large = ['subscribe', { id, objects: manyNames, events: ['callevents.dlg_start'], expires: 10 }];
      this.#send(large);
      this.#send(isRenewed ? large : ['subscribe', { id, expires: 0 }]);
    }
    if (roundsLeft > 1) this.#context.clock.setTimer(roundMs, () => this.#askOften(isRenewed, roundsLeft - 1));
  }

  async #connect(): Promise<void> {
    const { openSocket, fronts, random } = this.#context;
    const site = oneOf(fronts, random) ?? '';
    this.#token ??= await this.#logIn(site);
    const [token, sender] = [this.#token, this.#sender];
    if (token === undefined) return this.#again();
    const listener = { message: (text: string) => this.#receive(text), end: () => this.#again() };
    const opened = await openSocket(site, { token, sender }, listener);
    if (typeof opened === 'number') {
      this.#counter.started += 1;
      this.#counter.record({ status: opened });
      // The session may be unknown there.
      if (opened === 401) this.#token = undefined;
      return this.#again();
    }
    this.#socket = opened;
    this.#subscribe();
  }

  #again(): void {
    this.#socket = undefined;
    this.#context.clock.setTimer(retryMs, () => void this.#connect());
  }

  async #logIn(through: string): Promise<string | undefined> {
    if (this.#login === undefined) return undefined;
    const { domain, login, pwd } = this.#login;
    const body = byToken({ domain, login, pwd });
    const request = { through, method: 'POST', path: sessionsPath, body, sender: this.#sender };
    const answer = await this.#context.apiClients.sendOrNone(request);
    return answer && tokenIn(answer);
  }

  #subscribe(): void {
    const expires = oneOf(expiresSeconds, this.#context.random);
    const wanted = { id: this.#id, objects: this.#objects, events: this.#events, expires };
    const cursor = this.#cursor === undefined ? {} : { cursor: this.#cursor };
    this.#ask({ ...wanted, ...cursor });
  }

  #ask(subscription: object): void {
    if (this.#socket !== undefined) this.#counter.started += 1;
    this.#send(['subscribe', subscription]);
  }

  #send(message: unknown): void {
    this.#socket?.send(JSON.stringify(message));
  }

  #receive(text: string): void {
    const [name, { id, cursor, result }] = JSON.parse(text) as [string, Said];
    if (id !== this.#id) return;
    this.#cursor = cursor ?? this.#cursor;
    if (name === 'expired') this.#subscribe();
    if (name !== 'subscribe') return;
    if (result === 'ok') this.#counter.acknowledged += 1;
    else this.#socket?.close();
  }
}

/** All events in one of two subscriptions, else those about some numbers of the domain. */
function drawObjects(numbers: readonly string[], random: RandomStream): 'any' | readonly string[] {
  const some = random.float() < 1 / 2 ? [] : numbers.filter(() => random.float() < 1 / 2);
  return some.length === 0 ? 'any' : some;
}

const selectedEvents = [
  ['all', 60],
  ['class', 20],
  ['named', 20],
] as const;

/** All events of some classes, all events of all classes, or some events. */
function drawEvents({ random }: SubscribersContext): string[] {
  const kind = drawn(selectedEvents, random);
  if (kind === 'all') return eventClasses.map((each) => `${each}.*`);
  const chosen = oneOf(eventClasses, random) ?? 'callevents';
  return kind === 'class' ? [`${chosen}.*`] : Object.keys(eventCatalogue[chosen]).map((name) => `${chosen}.${name}`);
}
