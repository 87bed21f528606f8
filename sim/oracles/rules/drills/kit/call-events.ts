/** Events of calls that a client receives over web sockets. */
import type { EventSocket } from '../../../../world/world.ts';
import type { OwnSession } from '../../../questions.ts';
import { current } from '../../use-cases/kit/paths.ts';
import type { Item, UseCase } from '../../use-cases/kit/use-case.ts';

export interface CallEvent {
  readonly name: string;
  readonly data: Item;
}

export class SubscribedEvents {
  readonly site: string;
  /** The platform says that events are lost. */
  hasGap = false;
  readonly #useCase: UseCase;
  readonly #session: OwnSession;
  readonly #events: CallEvent[] = [];
  readonly #openedMs: number;
  #start: unknown;
  #cursor: unknown;
  #socket: EventSocket | undefined;
  #isOver = false;

  private constructor(useCase: UseCase, site: string, session: OwnSession) {
    this.site = site;
    this.#useCase = useCase;
    this.#openedMs = useCase.context.now();
    this.#session = session;
  }

  /** Subscribes at the front of a site, until it is closed, or all is over; `undefined`: that is refused. */
  static async at(useCase: UseCase, site: string): Promise<SubscribedEvents | undefined> {
    const session = await useCase.login(undefined, site);
    if (session === undefined) return undefined;
    const events = new SubscribedEvents(useCase, site, session);
    useCase.afterwards(() => events.close());
    return (await events.resume()) ? events : undefined;
  }

  /** Whether it hears: the oldest of too many sessions of a user is closed, and its socket with it. */
  get isConnected(): boolean {
    return this.#socket !== undefined;
  }

  /** Whether its session is open: the oldest of too many is closed. */
  async hasSession(): Promise<boolean> {
    const answer = await this.#useCase.ask(current, { session: this.#session, site: this.site });
    return answer?.status !== 401;
  }

  /** The cursor from which on it has its events. */
  get start(): unknown {
    return this.#start;
  }

  /** The calls of which there are events, except calls that began before the subscription: the rest of a lost call may end late. */
  get inviteids(): string[] {
    const own = this.#events.filter(({ data }) => Date.parse(String(data['invitets'])) >= this.#openedMs);
    return [...new Set(own.map(({ data }) => String(data['inviteid'])))];
  }

  /** The first call of which a leg of side a has the Call-Id, if there is an event of it. */
  inviteidOf(acallid: unknown): string | undefined {
    const first = this.#events.find(({ data }) => data['acallid'] === acallid);
    return first && String(first.data['inviteid']);
  }

  /** The events of a call, in the order in which they came. */
  of(inviteid: string): readonly CallEvent[] {
    return this.#events.filter(({ data }) => data['inviteid'] === inviteid);
  }

  /** Connects again where the connection was lost, and goes on behind the last event. Returns whether it is subscribed. */
  async resume(): Promise<boolean> {
    if (this.#socket !== undefined) return true;
    const { questions } = this.#useCase.context;
    let isSubscribed = false;
    const message = (text: string) => {
      const [type, body] = JSON.parse(text) as [string, Item];
      const { cursor = this.#cursor, result, gap, event, data } = body;
      this.#cursor = cursor;
      this.#start ??= cursor;
      isSubscribed ||= type === 'subscribe' && result === 'ok';
      this.hasGap ||= type === 'gap' || gap === true;
      if (type === 'event') this.#events.push({ name: String(event), data: data as Item });
    };
    const end = () => {
      this.#socket = undefined;
    };
    const opened = await questions.openSocket(this.site, this.#session, { message, end });
    this.#socket = typeof opened === 'number' ? undefined : opened;
    const body = { id: 'drill', objects: 'any', events: ['callevents.*'], cursor: this.#cursor };
    this.#socket?.send(JSON.stringify(['subscribe', body]));
    await questions.eventually(this.#useCase.quickMs, () => (isSubscribed ? [] : ['not subscribed yet']));
    return isSubscribed;
  }

  async close(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#socket?.close();
    await this.#useCase.ask(current, {
      method: 'DELETE',
      site: this.site,
      session: this.#session,
    });
  }
}

/** Subscribes at each of the sites where that is possible. */
export async function eventsAt(useCase: UseCase, sites: readonly string[]): Promise<SubscribedEvents[]> {
  const opened = await Promise.all(sites.map((site) => SubscribedEvents.at(useCase, site)));
  return opened.filter((events) => events !== undefined);
}
