import type { Traffic, TrafficOptions } from '../../outside/call-load.ts';
import type { OutsideWorld } from '../../outside/outside.ts';
import type { WorkloadCalls, WorkloadLogins, WorkloadRequests } from '../language/workloads.ts';
import { byToken, type Desk, sessionsPath, tokenIn } from '../run/api-clients.ts';
import { Account, Beat, drawn, oneOf, type Part, type PartScene, tallyOf } from './tally.ts';

/** The calls of a workload: a load from phones and providers. */

/** Status of a call that its caller ends before the answer (RFC 3261, 15.1.2). */
const givenUp = '487';

/** Throws if the topology has no phones or providers for such calls. */
export function callsPart({ rate, holding, fixed = false, rooms, mix }: WorkloadCalls, outside: OutsideWorld): Part {
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
    account: () => {
      if (traffic === undefined) return [];
      const { started, answered, why } = traffic.counts;
      const reasons = new Map(Object.entries(why)).set(givenUp, givenUpBefore ?? givenUpSoFar());
      return [tallyOf({ name: 'calls', started, acknowledged: answered, why: reasons })];
    },
  };
}

/** The HTTP requests of a workload: idempotent reads, such as lists and look-ups. */

export interface RequestsScene extends PartScene {
  readonly desk: Desk;
  /** Sites with a front. */
  readonly fronts: readonly string[];
}

export function requestsPart(wanted: WorkloadRequests, scene: RequestsScene): Part {
  const { rate, through = scene.fronts, as, method, body } = wanted;
  const mix = Object.entries(wanted.mix ?? { [wanted.path ?? '/']: 1 });
  const accounts = new Map(mix.map(([path]) => [path, new Account(`${method} ${path}`)]));
  const begin = () => {
    const path = drawn(mix, scene.random) ?? '/';
    const site = oneOf(through, scene.random) ?? '';
    const account = accounts.get(path);
    if (account === undefined) return;
    account.started += 1;
    scene.desk.askOrNone({ through: site, as, method, path, body }).then(
      (answer) => account.settle(answer),
      () => account.settle(undefined),
    );
  };
  const beat = new Beat(rate, scene, begin);
  return {
    start: () => beat.start(),
    stop: () => beat.stop(),
    // Paths of a mix that were never drawn are left out.
    account: () => {
      const reports = [...accounts.values()].map((account) => account.report());
      const begun = reports.filter(({ started }) => started > 0);
      return begun.length > 0 ? begun : reports;
    },
  };
}

/** The logins of a workload: sessions that are opened, held for a while, and closed. */

export interface LoginsScene extends RequestsScene {
  /**
   * How many sessions the workload may hold for its user. With one more, the platform would end the one idle longest.
   */
  readonly mostOpen: number;
}

export function loginsPart(wanted: WorkloadLogins, scene: LoginsScene): Part {
  const { rate, through = scene.fronts, stay, domain, login, pwd } = wanted;
  const account = new Account('logins');
  const held = new Held(scene);
  const begin = async () => {
    const site = oneOf(through, scene.random) ?? '';
    account.started += 1;
    await held.makeRoom(site);
    const asked = { through: site, method: 'POST', path: sessionsPath, body: byToken({ domain, login, pwd }) };
    const answer = await scene.desk.askOrNone(asked);
    const token = answer && tokenIn(answer);
    account.settle(answer, token !== undefined);
    held.add(token, site, stay);
  };
  const beat = new Beat(rate, scene, () => void begin());
  return { start: () => beat.start(), stop: () => beat.stop(), account: () => [account.report()] };
}

/**
 * The open sessions. A request with an evicted session counts as a guess and leads to a ban, so the oldest is closed
 * before the limit is reached.
 */
class Held {
  readonly #scene: LoginsScene;
  /** Tokens, the oldest first. */
  readonly #open = new Set<string>();
  #coming = 0;

  constructor(scene: LoginsScene) {
    this.#scene = scene;
  }

  /**
   * Closes the oldest session if the next one would exceed the limit, at the site of the next login. Must be followed
   * by `add`, even after a failed login.
   */
  async makeRoom(site: string): Promise<void> {
    this.#coming += 1;
    const [oldest] = this.#open;
    if (oldest !== undefined && this.#open.size + this.#coming > this.#scene.mostOpen) await this.#close(oldest, site);
  }

  add(token: string | undefined, site: string, stayMs: number): void {
    this.#coming -= 1;
    if (token === undefined) return;
    this.#open.add(token);
    this.#scene.clock.setTimer(stayMs, () => void this.#close(token, site));
  }

  /** If no front answers, the session expires by itself. */
  async #close(token: string, through: string): Promise<void> {
    if (!this.#open.delete(token)) return;
    await this.#scene.desk.askOrNone({ through, method: 'DELETE', path: `${sessionsPath}/current` }, token);
  }
}
