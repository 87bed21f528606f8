/** Each command of a web socket is answered, in its order, as its subscriptions are. */
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';
import { jsonIn } from '../kit/reading.ts';
import { together } from '../kit/shared.ts';
import { Undisturbed } from '../kit/undisturbed.ts';

type Body = Readonly<Record<string, unknown>>;

interface Held {
  qid: unknown;
  expiresMs: number;
}

interface Command {
  readonly name: unknown;
  readonly body: Body | undefined;
  readonly atMs: number;
}

interface Socket {
  /** Open subscriptions, by id. */
  readonly held: Map<string, Held>;
  /** Commands without an answer. */
  readonly open: Command[];
}

/** What a front says where a user, or all users, have too many subscriptions, or names in these. */
const isOfLimits = /expected at most \d+ (subscriptions of a user|in subscriptions)/;
/** So many subscriptions of at most a hundred names are fewer than any limit, those of lost sockets included. */
const fewSubscriptions = 100;
/** A front knows by then that a socket is lost. */
const lostMs = 120_000;
const defaultSeconds = 3_600;
const mostSeconds = 86_400;

export const subscriptionsAnswered: OracleMaker = {
  name: 'subscriptions-answered',
  rule: 'Each command of a web socket is answered in its order, with its id and qid: with ok and its time, with 1404 if it removes a subscription that is not there, with 1400 if it cannot be read or a new one lacks objects or events. No subscription is refused for a limit of its user or its front while few are open. Events come for open subscriptions only, with their qid. A subscription expires at its time; while nothing is broken.',
  make: ({ map, now, check, fail }) => {
    const { promptMs, quickMs } = boundsOf(map);
    const undisturbed = new Undisturbed();
    const sockets = new Map<number, Socket>();
    const socketOf = (id: number) => {
      const socket: Socket = sockets.get(id) ?? { held: new Map(), open: [] };
      sockets.set(id, socket);
      return socket;
    };
    /** When sockets have ended, and with how many subscriptions: a front may not know of it yet. */
    const ended: { readonly atMs: number; readonly count: number }[] = [];
    const isFew = (atMs: number) => {
      while (ended[0] !== undefined && atMs - ended[0].atMs > lostMs) ended.shift();
      const lost = ended.reduce((sum, { count }) => sum + count, 0);
      const open = [...sockets.values()].reduce((sum, { held }) => sum + held.size + 1, 0);
      return lost + open <= fewSubscriptions;
    };
    const answered = (socket: Socket, name: string, body: Body, atMs: number) => {
      const command = socket.open.shift();
      // The URL of the socket has asked for it.
      if (command === undefined) return hold(socket, { name, body: {}, atMs }, body, atMs);
      check();
      const wrong = wrongAnswer(socket, command, { name, body }, isFew(atMs));
      if (wrong !== undefined)
        fail(
          `${JSON.stringify([command.name, command.body ?? null])} was answered ${JSON.stringify([name, body]).slice(0, 300)}: ${wrong}`,
        );
      hold(socket, command, body, atMs);
    };
    const said = (socket: Socket, text: string, atMs: number) => {
      const [name, body] = (jsonIn(text) ?? []) as [string, Body];
      if (name === 'subscribe' || name === 'error') return answered(socket, name, body, atMs);
      const id = String(body['id']);
      const held = socket.held.get(id);
      if (name === 'expired') {
        check();
        socket.held.delete(id);
        if (held === undefined) return fail(`${id} has expired, and was not open`);
        const offMs = atMs - held.expiresMs;
        if (undisturbed.forMs(atMs) > quickMs && Math.abs(offMs) > quickMs)
          fail(`${id} has expired ${offMs} ms after its time`);
      }
      if (name !== 'event') return;
      if (held === undefined) return fail(`${id} is sent an event, and is not open`);
      if (held.qid !== (body['qid'] ?? undefined)) fail(`${id} is sent an event with the qid ${String(body['qid'])}`);
    };
    const tick = (nowMs: number) => {
      const isLate = (sinceMs: number) =>
        nowMs - sinceMs > promptMs && undisturbed.forMs(nowMs) > nowMs - sinceMs + promptMs;
      for (const { held, open } of sockets.values()) {
        const [first] = open;
        if (first !== undefined && isLate(first.atMs)) {
          open.shift();
          fail(`${JSON.stringify([first.name, first.body ?? null])} was not answered for ${nowMs - first.atMs} ms`);
        }
        for (const [id, { expiresMs }] of held)
          if (isLate(expiresMs) && held.delete(id)) fail(`${id} has not expired for ${nowMs - expiresMs} ms`);
      }
    };
    return {
      listeners: together(undisturbed.listeners, {
        'socket.message': ({ socket: id, direction, text, atMs }) => {
          const socket = socketOf(id);
          if (direction === 'out') return said(socket, text, atMs);
          const message = jsonIn(text);
          const [name, body] = Array.isArray(message) ? (message as [unknown, Body | undefined]) : [];
          socket.open.push({ name, body, atMs });
        },
        'socket.ended': ({ socket, atMs }) => {
          ended.push({ atMs, count: (sockets.get(socket)?.held.size ?? 0) + 1 });
          sockets.delete(socket);
        },
      }),
      tick: () => tick(now()),
    };
  },
};

interface SocketAnswer {
  readonly name: string;
  readonly body: Body;
}

function wrongAnswer(
  { held }: Socket,
  command: Command,
  { name, body }: SocketAnswer,
  isFew: boolean,
): string | undefined {
  const { id, qid, result, error_code: code } = body as Readonly<Record<string, unknown>>;
  const wanted = command.name === 'subscribe' ? command.body : undefined;
  if (wanted === undefined) return name === 'error' && code === 1400 ? undefined : 'expected the error 1400';
  if (name !== 'subscribe') return 'expected an answer of subscribe';
  if (wanted['id'] !== undefined && id !== wanted['id']) return `expected the id ${String(wanted['id'])}`;
  const known = held.get(String(wanted['id']));
  const isRenewed = known !== undefined && wanted['expires'] !== 0 && result === 'ok';
  const ownQid = wanted['qid'] ?? (isRenewed ? known.qid : undefined);
  if (isQid(ownQid) && (qid ?? undefined) !== (ownQid ?? undefined)) return `expected the qid ${String(ownQid)}`;
  const expected = refusalOf(wanted, known);
  if (expected !== undefined) return code === expected && result === 'error' ? undefined : `expected ${expected}`;
  const { expires = defaultSeconds } = wanted;
  if (result === 'ok')
    return body['expires'] === expires ? undefined : `expected that it expires after ${String(expires)} s`;
  if (isOfLimits.test(String(body['error_message']))) return isFew ? 'expected room for it' : undefined;
  // Another site may be out of reach, or a cursor of no use.
  const isKnown = typeof code === 'number' && code !== 1404 && (code !== 1400 || wanted['cursor'] !== undefined);
  return isKnown && known === undefined ? undefined : 'expected ok';
}

/** The code with which a command is refused, whatever else is there. */
function refusalOf(
  { expires = defaultSeconds, objects, events, id, qid, ...more }: Body,
  known: Held | undefined,
): number | undefined {
  const isTime = Number.isInteger(expires) && Number(expires) >= 0 && Number(expires) <= mostSeconds;
  if (!isTime || !areNames(objects, 'any') || !areNames(events) || Object.keys(more).some((name) => !fields.has(name)))
    return 1400;
  if (id === '' || !isQid(qid) || (events as string[] | undefined)?.length === 0) return 1400;
  if ((events as string[] | undefined)?.some((event) => !knownEvent.test(event))) return 1400;
  if (known !== undefined) return undefined;
  if (expires === 0) return 1404;
  return objects === undefined || events === undefined ? 1400 : undefined;
}

/** What else a request may have. */
const fields: ReadonlySet<string> = new Set(['cursor', 'exargs', 'classpath']);
const knownEvent = /^(call|ccs|ivr|conf|selector|registrar|model)events\.(\*|[a-z_]+)$/;
const mostNames = 100;

/** Absent, the word, or a list of names. */
function areNames(value: unknown, word?: string): boolean {
  if (value === undefined || value === word) return true;
  return Array.isArray(value) && value.length <= mostNames && value.every((each) => typeof each === 'string');
}

function isQid(qid: unknown): boolean {
  return qid === undefined || qid === null || typeof qid === 'number' || typeof qid === 'string';
}

function hold({ held }: Socket, { body: wanted }: Command, { id, qid, result, expires }: Body, atMs: number): void {
  if (result !== 'ok' || wanted === undefined || typeof id !== 'string') return;
  if (expires === 0) return void held.delete(id);
  held.set(id, { qid: qid ?? undefined, expiresMs: atMs + Number(expires) * 1_000 });
}
