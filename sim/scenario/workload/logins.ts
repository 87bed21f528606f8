/** Logins as a part of a workload: sessions that are opened, held for a while, and closed. */
import { byToken, type Desk, sessionsPath, tokenIn } from '../desk.ts';
import type { WorkloadLogins } from '../workload-schema.ts';
import { Beat, oneOf, type Part } from './part.ts';
import type { RequestsScene } from './requests.ts';
import { Account } from './tally.ts';

export function loginsPart(wanted: WorkloadLogins, scene: RequestsScene): Part {
  const { rate, through = scene.fronts, stay, domain, login, pwd } = wanted;
  const account = new Account('logins');
  const begin = () => {
    const site = oneOf(through, scene.random) ?? '';
    account.started += 1;
    scene.desk
      .askOrNone({ through: site, method: 'POST', path: sessionsPath, body: byToken({ domain, login, pwd }) })
      .then(
        (answer) => {
          const token = answer && tokenIn(answer);
          account.settle(answer, token !== undefined);
          if (token !== undefined) scene.clock.setTimer(stay, () => void close(scene.desk, site, token));
        },
        () => account.settle(undefined),
      );
  };
  const beat = new Beat(rate, scene, begin);
  return { start: () => beat.start(), stop: () => beat.stop(), account: () => [account.report()] };
}

/** Where nobody answers any more the session ends by itself. */
async function close(desk: Desk, through: string, token: string): Promise<void> {
  await desk.askOrNone({ through, method: 'DELETE', path: `${sessionsPath}/current` }, token).catch(() => {});
}
