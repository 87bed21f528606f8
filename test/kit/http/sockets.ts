/** A cluster of two sites with real fronts and callstores, whose b2b a test plays, and web sockets to its fronts. */
import { VirtualSocket } from '../../../sim/world/virtual/virtual-socket.ts';
import { roleToken, tokens } from '../../../src/tokens.ts';
import { acme, PlayedB2b } from '../calls/played-calls.ts';
import { type Credentials, FrontCluster } from '../front.ts';

const users = [
  { login: 'admin', pwd: 'admin', roles: ['admin'] },
  { login: 'user', pwd: 'user', roles: ['user'] },
  { login: 'guest', pwd: 'guest', roles: ['kiosk'] },
];

function site(name: string, digit: number, directory: 'mdc' | 'sdc', arbiters: readonly string[]) {
  const letter = name[0];
  const node = (n: number, instances: object[]) => ({
    name: `${letter}${n}`,
    ip: `10.${digit}.0.${n}`,
    instances: [
      { role: 'rpco', srvidx: 100 * digit + 10 * n, order: n },
      { role: 'b2b', srvidx: 100 * digit + 10 * n + 1 },
      { role: 'callstore', srvidx: 100 * digit + 10 * n + 2, group: digit, order: n },
      ...instances,
    ],
  });
  return {
    name,
    type: directory === 'mdc' ? 'master_communication' : 'communication',
    domains: directory === 'mdc' ? ['root.test'] : [acme],
    arbiters,
    nodes: [
      node(1, []),
      node(2, []),
      node(3, [
        { role: 'ws', srvidx: 100 * digit + 33 },
        { role: directory, srvidx: 100 * digit + 34, group: 10 + digit, order: 1 },
      ]),
    ],
  };
}

/** hq (h1 to h3) and north (n1 to n3): b2b 111, 121 …, callstores 112, 122, 132 of a group, the front on the third node. */
const topology = {
  name: 'sockets',
  sites: [site('hq', 1, 'mdc', ['n1']), site('north', 2, 'sdc', ['h1'])],
  domains: [
    { name: 'root.test', users },
    {
      name: acme,
      users,
      sipusers: [
        { login: '1001', phonenumber: '1001', user: 'user', phones: 0 },
        { login: '1002', phonenumber: '1002', phones: 0 },
        { login: '1003', phonenumber: '1003', phones: 0 },
        { login: '1004', phonenumber: '1004', phones: 0 },
      ],
    },
    { name: 'globex.root.test', users },
  ],
};

export const acmeAdmin: Credentials = { domain: acme, login: 'admin', pwd: 'admin' };
export const acmeUser: Credentials = { domain: acme, login: 'user', pwd: 'user' };

export interface Notification {
  readonly id: string;
  readonly qid?: unknown;
  readonly class: string;
  readonly event: string;
  readonly cursor: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export class SocketCluster {
  readonly fronts: FrontCluster;
  readonly #b2bs: Map<string, PlayedB2b>;

  private constructor(fronts: FrontCluster, b2bs: Map<string, PlayedB2b>) {
    this.fronts = fronts;
    this.#b2bs = b2bs;
  }

  /** `pingIntervalMs`: long where hours have to pass. */
  static async start({ pingIntervalMs = 1_000, keepJournal = false } = {}): Promise<SocketCluster> {
    const b2bs = new Map<string, PlayedB2b>();
    const fronts = await FrontCluster.start({
      topology: { ...topology, timings: { pingIntervalMs } },
      keepJournal,
      replaceRoles: (scope) =>
        scope.register(roleToken('b2b'), {
          useFactory: (inner) => {
            const b2b = new PlayedB2b(inner.resolve(tokens.scope));
            b2bs.set(b2b.scope.instance.name, b2b);
            return b2b.role;
          },
        }),
    });
    return new SocketCluster(fronts, b2bs);
  }

  get world() {
    return this.fronts.world;
  }

  wait(ms = 50): Promise<void> {
    return this.world.wait(ms);
  }

  b2b(name: string): PlayedB2b {
    const b2b = this.#b2bs.get(name);
    if (b2b === undefined) throw new Error(`${name} has not started`);
    return b2b;
  }

  /** Opens a socket with a token; default: the administrator's of acme, at north. */
  async open(who: Credentials | string = acmeAdmin, at = 'north'): Promise<VirtualSocket> {
    const token = typeof who === 'string' ? who : await this.fronts.token(who, at);
    const socket = await this.world.socket(at, { headers: { authorization: `Bearer ${token}` } });
    if (socket instanceof VirtualSocket) return socket;
    throw new Error(`${socket.status} ${await socket.text()}`);
  }

  /** The ids of the events that a b2b has published since its last start, in order. */
  eventsOf(name: string): unknown[] {
    return this.b2b(name).events.map(({ data }) => data['eventid']);
  }

  /** Sends a subscription, waits for its answer, and gives what that says. */
  async subscribe(socket: VirtualSocket, request: object = {}): Promise<Record<string, unknown>> {
    const before = socket.received.length;
    socket.send(['subscribe', { id: 'x', objects: 'any', events: ['callevents.*'], expires: 3_600, ...request }]);
    const isAnswered = () => socket.messages.slice(before).some((each) => (each as unknown[])[0] === 'subscribe');
    await this.world.runUntil(isAnswered, 10_000);
    const answer = socket.messages.slice(before).find((each) => (each as unknown[])[0] === 'subscribe');
    return (answer as [string, Record<string, unknown>])[1];
  }
}

/** The notifications that a socket got. */
export function notificationsOn(socket: VirtualSocket): Notification[] {
  return socket.messages.flatMap((each) => {
    const [command, body] = each as [string, Notification];
    return command === 'event' ? [body] : [];
  });
}

/** Notifications in short: the event and its call. */
export function shortOf(notifications: readonly Notification[]): string[] {
  return notifications.map(({ event, data }) => `${event} ${data['dialogid']}`);
}
