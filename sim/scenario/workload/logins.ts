/** Logins as a part of a workload: sessions that are opened, held for a while, and closed. */
import { byToken, sessionsPath, tokenIn } from '../desk.ts';
import type { WorkloadLogins } from '../workload-schema.ts';
import { Beat, oneOf, type Part } from './part.ts';
import type { RequestsScene } from './requests.ts';
import { Account } from './tally.ts';

export interface LoginsScene extends RequestsScene {
  /** How many sessions its user may have beside those of the scenario: one more, and the platform ends the one idle longest. */
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
    const answer = await scene.desk.askOrNone(asked).catch(() => undefined);
    const token = answer && tokenIn(answer);
    account.settle(answer, token !== undefined);
    held.add(token, site, stay);
  };
  const beat = new Beat(rate, scene, () => void begin());
  return { start: () => beat.start(), stop: () => beat.stop(), account: () => [account.report()] };
}

/**
 * The sessions that are open. Whoever uses one that has given way to others is taken for somebody who guesses, and banned: so the
 * oldest is closed before there are too many.
 */
class Held {
  readonly #scene: LoginsScene;
  /** Tokens, the oldest first. */
  readonly #open = new Set<string>();
  #coming = 0;

  constructor(scene: LoginsScene) {
    this.#scene = scene;
  }

  /** For one more at a site, which knows at once what is closed there. It is to be added even if nothing came of it. */
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

  /** Where nobody answers any more the session ends by itself. */
  async #close(token: string, through: string): Promise<void> {
    if (!this.#open.delete(token)) return;
    await this.#scene.desk
      .askOrNone({ through, method: 'DELETE', path: `${sessionsPath}/current` }, token)
      .catch(() => {});
  }
}
