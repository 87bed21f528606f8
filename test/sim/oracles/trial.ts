/** Runs an oracle alone: it sees what a test feeds it, and its questions are answered by the test. */
import type { Faults } from '../../../sim/faults/faults.ts';
import type { Observation, ObservationKind, ObservationKinds } from '../../../sim/observation/observation.ts';
import { Observers } from '../../../sim/observation/observers.ts';
import type { Oracle, OracleMaker, OracleVerdict } from '../../../sim/oracles/oracle.ts';
import { subscribe } from '../../../sim/oracles/oracle-runner.ts';
import { PublishedItems } from '../../../sim/oracles/published.ts';
import type { OracleRequest, QuestionAnswer, Questions } from '../../../sim/oracles/questions.ts';
import type { PhoneView } from '../../../sim/outside/endpoints/phone.ts';
import type { RecordsOnDisk } from '../../../sim/ports/store.ts';
import type { ClusterMap } from '../../../src/model/cluster/cluster-map.ts';
import type { Envelope } from '../../../src/model/cluster/envelope.ts';
import type { FaultPoint } from '../../../src/ports/instrumentation/fault-points.ts';
import type { Census } from '../../../src/ports/instrumentation/probe.ts';
import { defaultMap } from '../../kit/maps.ts';

export interface TrialOptions {
  readonly map?: ClusterMap;
  /** What fronts answer; default: no front is there. */
  readonly answer?: (asked: OracleRequest) => unknown;
  /** What each holds, as long as the test does not change it. */
  readonly holds?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly phones?: readonly PhoneView[];
  /** What the stores have on disk, by path. */
  readonly disk?: ReadonlyMap<string, RecordsOnDisk>;
  /** Called with each fault that a drill injects or ends. */
  readonly onFault?: (what: string) => void;
}

export class Trial {
  readonly map: ClusterMap;
  /** Changed by the test. */
  holds: Readonly<Record<string, Readonly<Record<string, number>>>>;
  isStable = true;
  /** How often something unlikely has happened. */
  fired: Partial<Record<FaultPoint, number>> = {};
  nowMs = 0;
  readonly #oracle: Oracle;
  readonly #observers = new Observers(() => this.nowMs);
  readonly #failures: string[] = [];
  /** When the failures were seen. */
  readonly failedMs: number[] = [];
  #checks = 0;
  #areClocksRight = true;
  #stableSinceMs = -3_600_000;
  #ids = 0;

  constructor(
    maker: OracleMaker,
    { map = defaultMap, answer, holds = {}, phones = [], disk = new Map(), onFault = () => {} }: TrialOptions = {},
  ) {
    this.map = map;
    this.holds = holds;
    this.#oracle = maker.make({
      map,
      now: () => this.nowMs,
      stableMs: () => (this.isStable ? this.nowMs - this.#stableSinceMs : 0),
      areClocksRight: () => this.#areClocksRight,
      fired: (point) => this.fired[point] ?? 0,
      census: () => this.#census(),
      onDisk: () => disk,
      phones: () => phones,
      providers: () => [],
      statusOf: () => 'active',
      faults: notedFaults(onFault),
      questions: this.#questions(answer ?? (() => undefined)),
      check: (times = 1) => {
        this.#checks += times;
      },
      fail: (what, atMs = this.nowMs) => {
        this.#failures.push(what);
        this.failedMs.push(atMs);
      },
    });
    const published = new PublishedItems();
    const observe = this.#observers.add.bind(this.#observers);
    observe<'envelope.sent'>(({ envelope, atMs }) => published.take(envelope, atMs), {
      kinds: ['envelope.sent'],
      types: ['stream.published'],
    });
    observe<'fault.inflicted'>(
      ({ verb }) => {
        if (verb === 'skew') this.#areClocksRight = false;
      },
      { kinds: ['fault.inflicted'] },
    );
    subscribe(this.#oracle, { observe, published }, (listener) => listener);
  }

  get verdict(): OracleVerdict['verdict'] {
    if (this.#failures.length > 0) return 'fail';
    return this.#checks > 0 ? 'pass' : 'unknown';
  }

  get failures(): readonly string[] {
    return this.#failures;
  }

  /** Something happens now, if the oracle hears of such things. */
  see<K extends ObservationKind>(kind: K, what: ObservationKinds[K]): this {
    this.#observers.deliver({ ...what, kind, atMs: this.nowMs } as Observation);
    return this;
  }

  /** An envelope is sent, and arrives at once. Answers its id. */
  send(envelope: Partial<Envelope> & Pick<Envelope, 'type' | 'body'>): string {
    this.#ids += 1;
    const whole = { id: `e${this.#ids}`, kind: 'tell', from: '', to: '', hops: 1, ...envelope } as Envelope;
    this.see('envelope.sent', { node: 'n1', envelope: whole });
    this.see('envelope.delivered', { node: 'n1', envelope: whole });
    return whole.id;
  }

  entity(owner: string, machine: string, key: string, state: string | undefined): this {
    return this.see('entity.state', { owner, machine, key, state });
  }

  /** The nodes of a site start, and see each other. */
  meet(site: string): this {
    const { nodes } = this.map.site(site);
    for (const { name } of nodes) this.see('node.started', { node: name });
    for (const one of nodes) for (const other of nodes) if (one !== other) this.peer(one.name, other.name, 'up');
    return this;
  }

  /** Two nodes of a site lose each other. */
  part(one: string, other: string): this {
    return this.peer(one, other, 'lost').peer(other, one, 'lost');
  }

  /** What a node thinks of another one. */
  peer(node: string, other: string, state: string): this {
    return this.entity(this.map.node(node).address, 'peer', other, state);
  }

  /** Lets time pass, and has the oracle look each second. */
  pass(ms: number): this {
    const untilMs = this.nowMs + ms;
    while (this.nowMs < untilMs) {
      this.nowMs = Math.min(this.nowMs + 1_000, untilMs);
      this.#oracle.tick?.(this.nowMs);
    }
    return this;
  }

  async quiesce(): Promise<this> {
    await this.#oracle.atQuiescence?.();
    return this;
  }

  #census(): Census[] {
    return Object.entries(this.holds).map(([of, counts]) => ({ of, counts: new Map(Object.entries(counts)) }));
  }

  #questions(answer: (asked: OracleRequest) => unknown): Questions {
    const ask = async (asked: OracleRequest): Promise<QuestionAnswer | undefined> => {
      const body = answer(asked);
      if (body === undefined) return undefined;
      const headers = new Headers();
      if (body instanceof Response) return { status: body.status, headers: body.headers, body: await body.text() };
      return body === gone ? { status: 404, headers, body: {} } : { status: 200, headers, body };
    };
    const eventually = async (withinMs: number, look: () => Promise<string[]> | string[]) => {
      const wrong = await look();
      if (wrong.length === 0) return wrong;
      this.pass(withinMs);
      return look();
    };
    const scripted: Pick<
      Questions,
      'sites' | 'domains' | 'ask' | 'askAs' | 'login' | 'eventually' | 'lasting' | 'wait'
    > = {
      sites: [...this.map.sites.keys()],
      domains: this.map.topology.domains.map(({ name }) => name),
      ask,
      askAs: ({ token }, site, rest) => ask({ site, domain: token, ...rest }),
      login: async () => ({ token: 'own' }),
      eventually,
      lasting: eventually,
      wait: async (ms) => void this.pass(ms),
    };
    return scripted as Questions;
  }
}

/** Faults that strike nothing, and are noted. */
function notedFaults(note: (what: string) => void): Faults {
  const noted =
    (verb: string) =>
    (...args: readonly unknown[]) =>
      note(`${verb} ${args.map((arg) => JSON.stringify(arg)).join(' ')}`);
  const lasting = (verb: string) => (on: unknown) => {
    noted(verb)(on);
    return () => note(`end ${verb}`);
  };
  const faults: Partial<Faults> = {
    cut: lasting('cut'),
    crashNode: noted('crashNode'),
    restartNode: async (name) => noted('restartNode')(name),
    crashInstance: noted('crashInstance'),
  };
  return faults as Faults;
}

/** The answer that there is no such item. */
export const gone = Symbol('gone');

/** A front that knows the session of the oracle; what else it answers, `front` says. */
export function signedIn(front: (asked: OracleRequest) => unknown): (asked: OracleRequest) => unknown {
  return (asked) => (asked.path === '/rest/v1/iam/sessions/current' ? {} : front(asked));
}
