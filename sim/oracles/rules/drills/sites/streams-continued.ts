/**
 * The front of a client's event stream crashes while events come, then the callstore that keeps them: the client of this package continues
 * after the last one.
 */
import { type Client, createClient } from '../../../../../src/client/client.ts';
import type { ClientSocket } from '../../../../../src/client/client-socket.ts';
import type { EventStream } from '../../../../../src/client/event-stream.ts';
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import { boundsOf } from '../../../bounds.ts';
import { noSession, type OwnSession } from '../../../questions.ts';
import { isSame } from '../../use-cases/calls/call-judges.ts';
import { makeUser, register } from '../../use-cases/events/own-device.ts';
import { makeUser as makeAccount } from '../../use-cases/sessions/own-sessions.ts';
import { type Drill, drillOf } from '../kit/drill.ts';

const login = 'streams-continued';
const sender = '10.6.1.112';
const ip = '10.66.21.30';
/** Of the first registration, in seconds; each later one has a second more, by which its event is known. */
const firstSec = 600;
const mostCrashes = 2;

export const streamsContinued = drillOf({
  name: login,
  rule: 'When the front of a client crashes, its event stream reconnects, and has each event once, in order and without a gap, also those of the time without a front; a new stream with the cursor of the last one has the events that came after, also when the callstore crashes and another one stands by.',
  exclusions: 'Domains that no sg serves.',
  sender,
  play: async (drill) => {
    const account = await makeAccount(drill, login, { opts: { roles: ['admin'] } });
    const user = account && (await makeUser(drill, login, { phonenumber: login }));
    const session = account && (await drill.login(account, drill.here));
    if (user === undefined || session === undefined) return;
    let lastSec = firstSec - 1;
    const enter = async () => {
      lastSec += 1;
      const answer = await register(drill, user, { ip, expires: lastSec });
      return answer.status === 200;
    };
    drill.afterwards(() => register(drill, user, { ip, expires: 0 }));
    await follow(drill, { client: clientOf(drill, session), enter, keeps: user.gate.site });
  },
});

/** Resolves to whether the registration was accepted. */
type Enter = () => Promise<boolean>;

interface Followed {
  readonly client: Client;
  readonly enter: Enter;
  /** The site of the registrations, whose callstores keep their events. */
  readonly keeps: string;
}

async function follow(drill: Drill, { client, enter, keeps }: Followed): Promise<void> {
  const { here: site } = drill;
  const first = new Reader(drill, client.events(['registrarevents.*'], { objects: [login] }));
  if (!(await drill.holds(drill.quickMs, 'the stream has begun', () => first.isReady))) return;
  for (let crashes = 0; crashes < mostCrashes; crashes += 1) {
    if (!(await enter())) return;
    await first.has(firstSec, 2 * crashes + 1);
    for (const front of drill.activeOf('ws', site)) drill.crash(front);
    if (!(await enter())) return;
    const isBack = async () => (await drill.ask('/healthz', { site, session: noSession }))?.status === 200;
    await drill.holds(drill.noticedMs, `the front of ${site} is open`, isBack);
    await first.has(firstSec, 2 * crashes + 2);
  }
  const { cursor } = first;
  first.close();
  if (!(await enter())) return;
  const second = new Reader(
    drill,
    client.events(['registrarevents.*'], { objects: [login], ...(cursor !== undefined && { cursor }) }),
  );
  let count = 2;
  let before = await second.after(enter, firstSec + 2 * mostCrashes, count);
  // In this order: a callstore is elected again when its node starts again only while it is the first of its group.
  for (const lose of [restartKeepers, crashKeepers]) {
    const keepers = keepersOf(drill, keeps);
    if (before === undefined || keepers.length === 0) break;
    count += 1;
    if ((await second.after(enter, firstSec + 2 * mostCrashes, count)) === undefined) break;
    // Then only callstores have the last event.
    for (const site of drill.sites) for (const registrar of drill.activeOf('sr', site)) drill.crash(registrar);
    await drill.becomesWhole();
    await lose(drill, keepers);
    await drill.becomesWhole();
    const later = new Reader(drill, client.events(['registrarevents.*'], { objects: [login], cursor: before }));
    count += 1;
    before = await second.after(enter, firstSec + 2 * mostCrashes, count);
    await later.has(firstSec + 2 * mostCrashes + count - 2, 2);
    later.close();
  }
  second.close();
}

/** The active callstores of a site, if others have what they keep. */
function keepersOf(drill: Drill, site: string): readonly InstanceEntry[] {
  const { map, statusOf } = drill.context;
  const isKept = map.serving('callstore', site, drill.domain).some((each) => statusOf(each) === 'standby');
  return isKept ? drill.activeOf('callstore', site) : [];
}

async function crashKeepers(drill: Drill, keepers: readonly InstanceEntry[]): Promise<void> {
  for (const keeper of keepers) drill.crash(keeper);
}

/** Before others miss them. */
function restartKeepers(drill: Drill, keepers: readonly InstanceEntry[]): Promise<void> {
  return drill.without([...new Set(keepers.map(({ node }) => node))], async () => {});
}

/** What a stream has brought so far: the seconds of registrations, and gaps. */
class Reader {
  isReady = false;
  readonly #drill: Drill;
  readonly #stream: EventStream;
  readonly #got: (number | string)[] = [];

  constructor(drill: Drill, stream: EventStream) {
    this.#drill = drill;
    this.#stream = stream;
    drill.afterwards(async () => this.close());
    void stream.ready.then(() => {
      this.isReady = true;
    });
    void this.#read();
  }

  get cursor(): string | undefined {
    return this.#stream.cursor;
  }

  /** It brings so many events, from the registration of `fromSec` on, and nothing else. */
  async has(fromSec: number, count: number): Promise<void> {
    const { questions, map, check } = this.#drill.context;
    const expected = Array.from({ length: count }, (_, at) => fromSec + at);
    const wrong = await questions.eventually(boundsOf(map).subscriberCatchUpMs, async () =>
      isSame(this.#got, expected)
        ? []
        : [`expected ${expected.join()} in the stream, got ${this.#got.join() || 'none'}`],
    );
    check();
    this.#drill.report(...wrong);
  }

  /** The same after one more event; resolves to the cursor then, `undefined` if there is no such event. */
  async after(enter: Enter, fromSec: number, count: number): Promise<string | undefined> {
    if (!(await enter())) return undefined;
    await this.has(fromSec, count);
    return this.cursor;
  }

  close(): void {
    this.#stream.close();
  }

  async #read(): Promise<void> {
    try {
      for await (const item of this.#stream) this.#got.push(item.type === 'gap' ? 'gap' : secondsOf(item.data));
    } catch (error) {
      this.#got.push(String(error));
    }
  }
}

function secondsOf(data: object): number {
  return Number((data as { readonly expires?: unknown }).expires);
}

/** A client of the front of the drill's site. */
function clientOf({ context: { questions }, here }: Drill, session: OwnSession): Client {
  const send = async (target: unknown, { method = 'GET' }: RequestInit = {}) => {
    const { pathname, search } = new URL(String(target));
    const answer = await questions.askAs(session, here, { path: `${pathname}${search}`, method, sender });
    if (answer === undefined) throw new TypeError('fetch failed');
    return new Response(JSON.stringify(answer.body), { status: answer.status, headers: answer.headers });
  };
  return createClient({
    url: `http://${here}`,
    token: session.token,
    fetch: send as typeof fetch,
    openSocket: async (_url, token = '') => {
      const socket = new OpenedSocket();
      const opened = await questions.openSocket(here, { token, sender }, socket);
      if (typeof opened === 'number') throw new Error(`refused with ${opened}`);
      return socket.of(opened);
    },
    wait: (ms) => questions.wait(ms),
  });
}

type Listener = Parameters<ClientSocket['addEventListener']>[1];

/** A web socket that was opened, with the events of one of a browser. */
class OpenedSocket {
  readonly #listeners = new Map<string, Listener>();
  readonly #waiting: [type: string, event: object][] = [];

  of(socket: Pick<ClientSocket, 'send' | 'close'>): ClientSocket {
    return {
      send: (text) => socket.send(text),
      close: () => socket.close(),
      addEventListener: (type, listener) => {
        this.#listeners.set(type, listener);
        if (type === 'open') queueMicrotask(() => listener({}));
        for (const [of, event] of this.#waiting) if (of === type) listener(event);
      },
    };
  }

  message(data: string): void {
    this.#dispatch('message', { data });
  }

  end(): void {
    this.#dispatch('close', {});
  }

  #dispatch(type: string, event: object): void {
    const listener = this.#listeners.get(type);
    if (listener === undefined) this.#waiting.push([type, event]);
    else listener(event);
  }
}
