/** A web socket of a use case: its subscriptions, and what it receives. */
import type { EventSocket, SocketOpener } from '../../../../world/world.ts';
import type { OwnSession } from '../../../questions.ts';
import { current } from './paths.ts';
import type { Item, UseCase } from './use-case.ts';

export interface ReceivedEvent {
  /** Class and name. */
  readonly name: string;
  readonly qid: unknown;
  readonly cursor: unknown;
  readonly data: Item;
}

interface Opening extends Pick<SocketOpener, 'target' | 'headers'> {
  /** Default: `here`. */
  readonly site?: string;
  /** Default: a new one of the administrator of `domain`, which is by default that of the use case. */
  readonly session?: OwnSession;
  readonly domain?: string;
}

/** How often it looks whether an answer has come. */
const pollMs = 100;
const logout = { path: current, method: 'DELETE' };

export class EventClient {
  readonly site: string;
  /** It has ended. */
  isOver = false;
  readonly #useCase: UseCase;
  readonly #answers: [command: string, body: Item][] = [];
  readonly #notices: [name: string, body: Item][] = [];
  readonly #events = new Map<unknown, ReceivedEvent[]>();
  #logout: (() => Promise<unknown>) | undefined;
  #socket: EventSocket | undefined;

  private constructor(useCase: UseCase, site: string) {
    this.#useCase = useCase;
    this.site = site;
  }

  /** It is closed afterwards. `undefined`: no session, or the socket is refused. */
  static async open(
    useCase: UseCase,
    { site = useCase.here, session, domain = useCase.domain, target, headers }: Opening = {},
  ): Promise<EventClient | undefined> {
    const { questions } = useCase.context;
    const used = session ?? (await questions.login(site, domain, undefined, useCase.sender));
    if (used === undefined) return undefined;
    const client = new EventClient(useCase, site);
    if (session === undefined)
      client.#logout = () => questions.askAs(used, site, { ...logout, sender: useCase.sender });
    const listener = {
      message: (text: string) => client.#receive(JSON.parse(text) as [string, Item]),
      end: () => {
        client.isOver = true;
      },
    };
    const { token } = used;
    const opened = await questions.openSocket(site, { token, sender: useCase.sender, target, headers }, listener);
    client.#socket = typeof opened === 'number' ? undefined : opened;
    useCase.afterwards(() => client.close());
    return client.#socket && client;
  }

  /** Sends a text, and returns the answer to it; `undefined` where none comes. */
  async send(
    text: string,
    withinMs = 2 * this.#useCase.quickMs,
  ): Promise<readonly [command: string, body: Item] | undefined> {
    const count = this.#answers.length;
    this.#socket?.send(text);
    await this.#until(() => this.#answers.length > count, withinMs);
    return this.#answers[count];
  }

  /** The answer to a command `subscribe`; empty where none comes. */
  async subscribe(body: Item, withinMs?: number): Promise<Item> {
    const [command, answer = {}] = (await this.send(JSON.stringify(['subscribe', body]), withinMs)) ?? [];
    return command === 'subscribe' ? answer : {};
  }

  /** What a subscription has received, in the order in which it came. */
  eventsOf(id: unknown): readonly ReceivedEvent[] {
    return this.#events.get(id) ?? [];
  }

  /** The answers so far, with their commands. */
  get answers(): readonly (readonly [command: string, body: Item])[] {
    return this.#answers;
  }

  /** What all subscriptions have received. */
  get received(): readonly ReceivedEvent[] {
    return [...this.#events.values()].flat();
  }

  /** `gap` and `expired`. */
  get notices(): readonly (readonly [name: string, body: Item])[] {
    return this.#notices;
  }

  /** Waits until it is so, or the time is over. Returns whether it is. */
  holds(condition: () => boolean, withinMs: number): Promise<boolean> {
    return this.#until(condition, withinMs);
  }

  async close(): Promise<void> {
    this.#socket?.close();
    this.#socket = undefined;
    await this.#logout?.();
    this.#logout = undefined;
  }

  #receive([name, body]: [string, Item]): void {
    if (name === 'event') {
      const { id, qid, cursor, data } = body;
      const events = this.#events.get(id) ?? [];
      this.#events.set(id, events);
      events.push({ name: `${String(body['class'])}.${String(body['event'])}`, qid, cursor, data: data as Item });
    } else if (name === 'subscribe' || name === 'error') this.#answers.push([name, body]);
    else this.#notices.push([name, body]);
  }

  async #until(condition: () => boolean, withinMs: number): Promise<boolean> {
    const { now, questions } = this.#useCase.context;
    const untilMs = now() + withinMs;
    while (!condition() && now() < untilMs) await questions.wait(pollMs);
    return condition();
  }
}
