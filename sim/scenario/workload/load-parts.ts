/** The workload of a scenario from phones and HTTP clients: calls, requests, logins. */
import type { Traffic, TrafficOptions } from '../../outside/call-load.ts';
import type { OutsideWorld } from '../../outside/outside-world.ts';
import type { WorkloadCalls, WorkloadLogins, WorkloadRequests } from '../language/workloads.ts';
import { byToken, sessionsPath, tokenIn } from '../run/api-clients.ts';
import type { ApiSender } from './returning-clients.ts';
import { drawn, OperationCounter, oneOf, type PartContext, PoissonTimer, tallyOf, type WorkloadPart } from './tally.ts';

/** Status of a call that its caller ends before the answer (RFC 3261, 15.1.2). */
const givenUp = '487';

/** The calls of a workload. Throws if the topology has no phones or providers for such calls. */
export function callsPart(
  { rate, holding, fixed = false, rooms, mix }: WorkloadCalls,
  outside: OutsideWorld,
): WorkloadPart {
  const options: TrafficOptions = {
    rate,
    ...(holding !== undefined && { holdingMs: holding }),
    ...(fixed && { holding: 'fixed' }),
    ...(rooms !== undefined && { rooms }),
    ...(mix !== undefined && { mix }),
  };
  const traffic: Traffic | undefined = rate === 0 ? undefined : outside.traffic(options);
  const givenUpSoFar = () => traffic?.counts.why[givenUp] ?? 0;
  let givenUpBefore: number | undefined;
  return {
    start: () => traffic?.start(),
    stop: () => traffic?.stop(),
    hangUp: () => {
      givenUpBefore ??= givenUpSoFar();
    },
    tallies: () => {
      if (traffic === undefined) return [];
      const { started, answered, why } = traffic.counts;
      const reasons = new Map(Object.entries(why)).set(givenUp, givenUpBefore ?? givenUpSoFar());
      return [tallyOf({ name: 'calls', started, acknowledged: answered, why: reasons })];
    },
  };
}

export interface RequestsContext extends PartContext {
  readonly apiClients: ApiSender;
  /** Sites with a front. */
  readonly fronts: readonly string[];
}

/** The HTTP requests of a workload: idempotent reads, such as lists and look-ups. */
export function requestsPart(wanted: WorkloadRequests, context: RequestsContext): WorkloadPart {
  const { rate, through = context.fronts, as, method, body } = wanted;
  const mix = Object.entries(wanted.mix ?? { [wanted.path ?? '/']: 1 });
  const counters = new Map(mix.map(([path]) => [path, new OperationCounter(`${method} ${path}`)]));
  const begin = () => {
    const path = drawn(mix, context.random) ?? '/';
    const site = oneOf(through, context.random) ?? '';
    const counter = counters.get(path);
    if (counter === undefined) return;
    counter.started += 1;
    context.apiClients.sendOrNone({ through: site, as, method, path, body }).then(
      (answer) => counter.record(answer),
      () => counter.record(undefined),
    );
  };
  const timer = new PoissonTimer(rate, context, begin);
  return {
    start: () => timer.start(),
    stop: () => timer.stop(),
    // Paths of a mix that were never drawn are left out.
    tallies: () => {
      const reports = [...counters.values()].map((counter) => counter.report());
      const started = reports.filter(({ started }) => started > 0);
      return started.length > 0 ? started : reports;
    },
  };
}

export interface LoginsContext extends RequestsContext {
  /**
   * How many sessions the workload may hold for its user. With one more, the platform would end the one idle longest.
   */
  readonly maxOpen: number;
}

/** The logins of a workload: sessions that are opened, held for a while, and closed. */
export function loginsPart(wanted: WorkloadLogins, context: LoginsContext): WorkloadPart {
  const { rate, through = context.fronts, stay, domain, login, pwd } = wanted;
  const counter = new OperationCounter('logins');
  const held = new OpenSessions(context);
  const begin = async () => {
    const site = oneOf(through, context.random) ?? '';
    counter.started += 1;
    await held.makeRoom(site);
    const request = { through: site, method: 'POST', path: sessionsPath, body: byToken({ domain, login, pwd }) };
    const answer = await context.apiClients.sendOrNone(request);
    const token = answer && tokenIn(answer);
    counter.record(answer, token !== undefined);
    held.add(token, site, stay);
  };
  const timer = new PoissonTimer(rate, context, () => void begin());
  return { start: () => timer.start(), stop: () => timer.stop(), tallies: () => [counter.report()] };
}

/**
 * The open sessions. A request with an evicted session counts as a guess and leads to a ban, so the oldest is closed
 * before the limit is reached.
 */
class OpenSessions {
  readonly #context: LoginsContext;
  /** Tokens, the oldest first. */
  readonly #open = new Set<string>();
  #pending = 0;

  constructor(context: LoginsContext) {
    this.#context = context;
  }

  /**
   * Closes the oldest session if the next one would exceed the limit, at the site of the next login. Must be followed
   * by `add`, even after a failed login.
   */
  async makeRoom(site: string): Promise<void> {
    this.#pending += 1;
    const [oldest] = this.#open;
    if (oldest !== undefined && this.#open.size + this.#pending > this.#context.maxOpen)
      await this.#close(oldest, site);
  }

  add(token: string | undefined, site: string, stayMs: number): void {
    this.#pending -= 1;
    if (token === undefined) return;
    this.#open.add(token);
    this.#context.clock.setTimer(stayMs, () => void this.#close(token, site));
  }

  /** If no front answers, the session expires by itself. */
  async #close(token: string, through: string): Promise<void> {
    if (!this.#open.delete(token)) return;
    await this.#context.apiClients.sendOrNone({ through, method: 'DELETE', path: `${sessionsPath}/current` }, token);
  }
}
