/**
 * Clients of the interface: each request is drawn from the declared operations, or is part of what a client does in
 * sequence. Their answers are judged by oracles. They change and remove only items that they made.
 */
import { passed } from '../../../../src/ports/clock.ts';
import type { RandomStream } from '../../../../src/ports/random.ts';
import type { AddedPhone } from '../../../outside/population.ts';
import type { UnknownDevice } from '../../../outside/unknown-devices.ts';
import type { ClientActivity, WorkloadClients } from '../../language/workloads.ts';
import { byToken, sessionsPath } from '../../run/api-clients.ts';
import type { Answer } from '../../run/expectations.ts';
import type { RequestsContext } from '../load-parts.ts';
import { drawn, OperationCounter, oneOf, PoissonTimer, type Tally, type WorkloadPart } from '../tally.ts';
import { type ClientOperation, clientOperations } from './client-operations.ts';
import { KnownItems } from './known-items.ts';
import { meetings, OwnSessions, ownSession } from './own-sessions.ts';
import { type InitialObjects, type MadeRequest, RequestMaker } from './request-maker.ts';
import { lookupKey, selection } from './selections.ts';
import { stories } from './stories/stories.ts';
import type { ConnectedDevice, StoryClient } from './stories/story.ts';
import type { Quality, Schema } from './values.ts';

/** A session of the scenario, and what its clients know. */
export interface ClientScope extends InitialObjects {
  readonly session: string;
  readonly isOfMasterDomain: boolean;
  readonly login: string;
  readonly pwd: string;
}

export interface ClientsContext extends RequestsContext {
  readonly scopes: readonly ClientScope[];
  /** A device that the platform does not know wants to register. */
  readonly registerUnknownDevice: (device: Omit<UnknownDevice, 'gate'>) => void;
  /** A device that the platform does not know calls in the name of a user. */
  readonly callAs: (device: Omit<UnknownDevice, 'gate'>, number: string) => void;
  /** A device registers from now on. `undefined`: there are enough, or no gate has its domain. */
  readonly connect: (device: AddedPhone) => ConnectedDevice | undefined;
}

interface Actor {
  readonly scope: ClientScope;
  readonly known: KnownItems;
  readonly maker: RequestMaker;
}

const usualMix: Readonly<Record<ClientActivity, number>> = {
  any: 50,
  shared: 23,
  lists: 10,
  session: 5,
  meeting: 3,
  file: 3,
  recordedCall: 8,
  conference: 3,
  bans: 3,
  matcher: 3,
  border: 9,
  device: 3,
  devices: 3,
  unknownCaller: 2,
};
/** Share of the requests of any kind that are for an item of another domain. */
const foreignShare = 0.06;
const qualities: readonly (readonly [Quality, number])[] = [
  ['valid', 70],
  ['boundary', 15],
  ['wrong', 15],
];
const foreignMethods = [
  ['GET', 60],
  ['DELETE', 20],
  ['PATCH', 20],
] as const;
/** How often a list is selected between two readings of the whole. */
const selections = 3;
const shared = ['uc/chatcampaigns', 'uc/recordrules', 'uc/sipusers', 'domain/roleapps'].map(
  (path) => `/rest/v1/${path}`,
);
const sipUsers = '/rest/v1/uc/sipusers';
const cleaningMs = 2_000;
const mostCleanings = 60;

export class ClientsPart implements WorkloadPart {
  readonly #wanted: WorkloadClients;
  readonly #context: ClientsContext;
  readonly #actors: readonly Actor[];
  readonly #counter = new OperationCounter('requests of clients');
  readonly #timer: PoissonTimer;
  readonly #sessions: OwnSessions;

  constructor(wanted: WorkloadClients, context: ClientsContext) {
    this.#wanted = wanted;
    this.#context = context;
    this.#actors = context.scopes.map((scope) => {
      const known = new KnownItems();
      return { scope, known, maker: new RequestMaker(context.random, known, scope) };
    });
    this.#timer = new PoissonTimer(wanted.rate, context, () => this.#begin());
    this.#sessions = new OwnSessions(context, () => this.#fronts);
  }

  start(): void {
    this.#timer.start();
  }

  /** Meetings would go on: the clients remove theirs. */
  stop(): void {
    this.#timer.stop();
    for (const actor of this.#actors) void this.#clean(actor);
  }

  tallies(): Tally[] {
    return [this.#counter.report()];
  }

  #begin(): void {
    const { random } = this.#context;
    const actor = oneOf(this.#actors, random);
    const activity = drawn(Object.entries(this.#wanted.mix ?? usualMix) as [ClientActivity, number][], random);
    if (actor !== undefined && activity !== undefined) this.#act(actor, activity);
  }

  #act(actor: Actor, activity: ClientActivity): void {
    if (activity === 'session') void this.#sessions.use(actor.scope);
    else if (activity === 'lists') void this.#compareLists(actor);
    else if (needsMasterDomain(activity) && actor.scope.isOfMasterDomain) void this.#runStory(actor, activity);
    else if (activity === 'any' || needsMasterDomain(activity) || actor.scope.isOfMasterDomain) this.#any(actor);
    else if (activity === 'shared') this.#share(actor);
    else void this.#runStory(actor, activity);
  }

  /** Any operation that the session may use, with any quality; sometimes on an item of another domain. */
  #any(actor: Actor): void {
    const { random } = this.#context;
    if (random.float() < foreignShare) return this.#requestForeignItem(actor);
    const operation = oneOf(usable(actor.scope), random);
    if (operation === undefined) return;
    void this.#send(actor, actor.maker.of(operation, drawn(qualities, random) ?? 'valid'));
  }

  /** An item that a client of another domain has made is not there for this one. */
  #requestForeignItem(actor: Actor): void {
    const { random } = this.#context;
    const others = this.#actors.filter(({ scope }) => scope.domain !== actor.scope.domain);
    const path = oneOf(shared, random) ?? '';
    const id = oneOf(others, random)?.known.one(`own ${path}`, random);
    if (id === undefined) return;
    const at = `${path}/${id}`;
    const method = drawn(foreignMethods, random) ?? 'GET';
    const body = method === 'PATCH' ? { body: patched(path, actor.maker, random) } : {};
    void this.#send(actor, { method, path: at, ...body });
  }

  /** Several clients make, change, read and remove the same few items at once, through different fronts. */
  #share(actor: Actor): void {
    const { random } = this.#context;
    const { known, maker } = actor;
    const path = oneOf(shared, random) ?? '';
    const id = known.one(`own ${path}`, random);
    const draw = random.float();
    // What the topology has made, calls need: clients change only what people read.
    const fixture = path === sipUsers && draw > 0.7 ? known.one(path, random) : undefined;
    if (fixture !== undefined && !known.all(`own ${path}`).includes(fixture)) {
      const body = { opts: { comment: maker.tag() } };
      return void this.#changeAndRead(
        actor,
        { method: 'PATCH', path: `${path}/${fixture}`, body },
        `${path}/${fixture}`,
      );
    }
    if (id === undefined || draw < 0.15) return this.#together(actor, 2, () => made(path, maker, random));
    const at = `${path}/${id}`;
    if (draw < 0.25) return void this.#send(actor, { method: 'DELETE', path: at });
    const change = (): MadeRequest => ({ method: 'PATCH', path: at, body: patched(path, maker, random) });
    if (draw < 0.45) return void this.#changeAndRead(actor, change(), at);
    const read = (): MadeRequest => ({ method: 'GET', path: random.float() < 0.7 ? at : path });
    this.#together(actor, random.integer(1, 4), () => (random.float() < 0.4 ? read() : change()));
  }

  /** A change is read through every front as soon as it is acknowledged. */
  async #changeAndRead(actor: Actor, change: MadeRequest, path: string): Promise<void> {
    const answer = await this.#send(actor, change);
    if (answer === undefined || answer.status >= 300) return;
    for (const front of this.#fronts) void this.#send(actor, { method: 'GET', path }, front);
  }

  #together(actor: Actor, count: number, draw: () => MadeRequest): void {
    for (let n = 0; n < count; n += 1) void this.#send(actor, draw());
  }

  /** The same list whole, selected in several ways, and whole again: an oracle compares them. */
  async #compareLists(actor: Actor): Promise<void> {
    const { random } = this.#context;
    const lists = usable(actor.scope).filter(
      ({ method, query }) => method === 'GET' && query.some(({ name }) => name === 'filter'),
    );
    const operation = oneOf(lists, random);
    if (operation === undefined) return;
    const { path } = actor.maker.of({ ...operation, query: [] }, 'valid');
    const through = oneOf(this.#fronts, random);
    const whole = await this.#send(actor, { method: 'GET', path }, through);
    const items = Array.isArray(whole?.body) ? (whole.body as Readonly<Record<string, unknown>>[]) : [];
    const isCountable = operation.query.some(({ name }) => name === 'countonly');
    for (let n = 0; n < selections; n += 1)
      await this.#send(actor, { method: 'GET', path: `${path}?${selection(items, isCountable, random)}` }, through);
    const isLookedUp = clientOperations().some((each) => each.method === 'LOOKUP' && each.path === operation.path);
    const key = isLookedUp ? lookupKey(items, random) : undefined;
    if (key !== undefined) await this.#send(actor, { method: 'LOOKUP', path, body: key }, through);
    await this.#send(actor, { method: 'GET', path }, through);
  }

  async #runStory(actor: Actor, activity: keyof typeof stories): Promise<void> {
    const { clock, random } = this.#context;
    const { known, maker, scope } = actor;
    const client: StoryClient = {
      random,
      known,
      numbers: scope.numbers,
      tag: () => maker.tag(),
      now: () => scope.now(),
      pause: (ms) => passed(clock, ms),
      send: (request) => this.#send(actor, request),
      logInWrongly: (ip) => this.#logInWrongly(scope, ip),
      registerUnknownDevice: (device) => this.#context.registerUnknownDevice(device),
      callAs: (username, number, ip) => this.#context.callAs({ ip, username, domain: scope.domain }, number),
      connect: (account) => this.#context.connect({ ...account, domain: scope.domain }),
    };
    await stories[activity](client);
  }

  #logInWrongly({ domain, login }: ClientScope, sender: string): Promise<Answer | undefined> {
    const body = byToken({ domain, login, pwd: 'wrong' });
    const [through = ''] = this.#fronts;
    return this.#context.apiClients.sendOrNone({ through, method: 'POST', path: sessionsPath, body, sender });
  }

  async #clean({ scope, known }: Actor): Promise<void> {
    const { apiClients, clock, random } = this.#context;
    for (let n = 0; n < mostCleanings && known.all(`own ${meetings}`).length > 0; n += 1) {
      for (const id of known.all(`own ${meetings}`)) {
        const through = oneOf(this.#fronts, random) ?? '';
        const gone = await apiClients.sendOrNone({
          through,
          as: scope.session,
          method: 'DELETE',
          path: `${meetings}/${id}`,
        });
        if (gone?.status === 204 || gone?.status === 404) known.forget(`own ${meetings}`, id);
      }
      await passed(clock, cleaningMs);
    }
  }

  async #send(
    { scope, known }: Actor,
    { method, path, ...more }: MadeRequest,
    at?: string,
  ): Promise<Answer | undefined> {
    const { apiClients, random } = this.#context;
    const through = at ?? oneOf(this.#fronts, random) ?? '';
    this.#counter.started += 1;
    const answer = await apiClients.sendOrNone({ through, as: scope.session, method, path, ...more });
    this.#counter.record(answer, answer !== undefined && answer.status < 500);
    if (answer !== undefined && answer.status < 300) known.note(method, path.replace(/\?.*/, ''), answer.body);
    return answer;
  }

  get #fronts(): readonly string[] {
    return this.#wanted.through ?? this.#context.fronts;
  }
}

/** What needs a session of the master domain. */
function needsMasterDomain(activity: ClientActivity): activity is 'bans' | 'matcher' | 'border' {
  return activity === 'bans' || activity === 'matcher' || activity === 'border';
}

/** Not the operations that end the session which the clients share, or that end what they cannot restart. */
function usable({ isOfMasterDomain }: ClientScope): ClientOperation[] {
  return clientOperations().filter(({ method, path, ...operation }) => {
    // Clients do these with sessions of their own.
    if (path === ownSession && method !== 'GET') return false;
    return (
      path !== sessionsPath && path !== '/ws' && (operation.isOpen || isOfMasterDomain || !operation.isOfMasterDomain)
    );
  });
}

/** A new item with few names, so that several want the same one. */
function made(path: string, maker: RequestMaker, random: RandomStream): MadeRequest {
  const operation = clientOperations().find((each) => each.method === 'POST' && each.path === path);
  if (operation === undefined) throw new Error(`no operation makes items of ${path}`);
  const { body } = maker.of(operation, random.float() < 0.9 ? 'valid' : 'boundary');
  return { method: 'POST', path, body };
}

/** Fields of items whose values several clients want. */
const wantedFields = ['code', 'login', 'phonenumber', 'folder'];

/** A change of one or two fields, with values that no other change has where the field takes them; or of a value that others want. */
function patched(path: string, maker: RequestMaker, random: RandomStream): unknown {
  const tag = { opts: { [random.float() < 0.5 ? 'comment' : 'title']: maker.tag() } };
  const draw = random.float();
  if (draw < 0.25) return tag;
  const operation = clientOperations().find(
    (each) => each.method === 'PATCH' && each.path.replace(/\/\{\w+\}$/, '') === path,
  );
  const fields = (operation?.body?.['properties'] ?? {}) as Readonly<Record<string, Schema>>;
  const name = oneOf(
    wantedFields.filter((each) => fields[each] !== undefined),
    random,
  );
  if (draw < 0.8 && name !== undefined) return { ...tag, [name]: maker.field(name, fields[name] ?? {}) };
  const valid = operation && maker.of(operation, 'valid').body;
  return { ...(valid as object), ...tag };
}
