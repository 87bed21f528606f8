/** A client of a web socket: the answers to its commands, and the events of each subscription. */
import type { EventSocket } from '../../../../world/world.ts';
import type { OwnSession } from '../../../questions.ts';
import type { Item, UseCase } from '../kit/use-case.ts';

export interface HeardEvent {
  readonly qid: unknown;
  readonly name: string;
  readonly data: Item;
}

export class EventClient {
  readonly site: string;
  /** All messages but events, in their order. */
  readonly answers: (readonly [type: string, body: Item])[] = [];
  readonly #events = new Map<string, HeardEvent[]>();
  readonly #useCase: UseCase;
  #socket: EventSocket | undefined;

  private constructor(useCase: UseCase, site: string) {
    this.#useCase = useCase;
    this.site = site;
  }

  /** `undefined`: it is refused. */
  static async at(useCase: UseCase, site: string, session: OwnSession): Promise<EventClient | undefined> {
    const client = new EventClient(useCase, site);
    const message = (text: string) => client.#take(JSON.parse(text) as readonly [string, Item]);
    const listener = { message, end: () => {} };
    client.#socket = await useCase.context.questions.openSocket(session, site, listener, useCase.sender);
    return client.#socket === undefined ? undefined : client;
  }

  /** Those of a subscription, in the order in which they came. */
  eventsOf(id: string): readonly HeardEvent[] {
    return this.#events.get(id) ?? [];
  }

  /** The next answer; `undefined`: none comes in time. */
  async send(text: string): Promise<readonly [type: string, body: Item] | undefined> {
    const { questions } = this.#useCase.context;
    const place = this.answers.length;
    this.#socket?.send(text);
    await questions.eventually(this.#useCase.quickMs, () => (this.answers.length > place ? [] : ['no answer']));
    return this.answers[place];
  }

  subscribe(body: Item): Promise<readonly [type: string, body: Item] | undefined> {
    return this.send(JSON.stringify(['subscribe', body]));
  }

  close(): void {
    this.#socket?.close();
  }

  #take([type, body]: readonly [string, Item]): void {
    if (type !== 'event') return void this.answers.push([type, body]);
    const { id, qid, class: ofClass, event, data } = body;
    const events = this.#events.get(String(id)) ?? [];
    this.#events.set(String(id), [...events, { qid, name: `${ofClass}.${event}`, data: data as Item }]);
  }
}
