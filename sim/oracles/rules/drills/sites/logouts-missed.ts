/**
 * Fronts miss a login, and the one that knows the session is silent; then they miss a logout, and one of them restarts, and hears of
 * the session and of its end at the same time.
 */
import type { OwnSession } from '../../../questions.ts';
import { noSession } from '../../../questions.ts';
import { current } from '../../use-cases/kit/paths.ts';
import { expecting, textOf } from '../../use-cases/kit/use-case.ts';
import { logIn, makeUser, type OwnUser, unusedAddress } from '../../use-cases/sessions/own-sessions.ts';
import { type Drill, drillOf } from '../kit/drill.ts';

const login = 'logouts-missed';
const messages = ['session.changed', 'session.changes', 'session.closed'];
const asked = 6;
/** More than get an address banned. */
const attempts = 6;

export const logoutsMissed = drillOf({
  name: login,
  rule: 'When the fronts of other sites have missed a logout, and one of them restarts, it refuses the session as soon as it reaches the front that knows, though another one has it still; soon all refuse it. When they have missed a login, and the front that knows is silent, requests with the session do not get their address banned, though other fronts say that they do not know it; it is one at each front afterwards.',
  exclusions: 'Clusters with fewer than three sites that have one front.',
  sender: '10.6.1.113',
  play: async (drill) => {
    const single = drill.sites.filter((site) => drill.activeOf('ws', site).length === 1);
    const [knows, restarts, ...others] = drill.turned(single);
    const account = others.length === 0 ? undefined : await makeUser(drill, login);
    if (knows === undefined || restarts === undefined || account === undefined) return;
    await silence(drill, account, { knows, asks: restarts });
    const session = await drill.login(account, others[0]);
    if (session === undefined) return;
    for (const site of single) {
      const known = await drill.ask(current, { session, site });
      drill.expect(`a session at ${site}`, known, expecting(200));
    }
    await drill.duringAll(
      drill.sites.filter((site) => site !== knows),
      (faults, to) => faults.lose({ from: '*', to, messages }, 1),
      async () => {
        const closed = await drill.ask(current, { session, site: knows, method: 'DELETE' });
        drill.expect(`a logout at ${knows}`, closed, expecting(204));
        for (const front of drill.activeOf('ws', restarts)) drill.crash(front);
        await refuse(drill, restarts, session);
      },
    );
    await drill.everywhere(current, expecting(401), drill.noticedMs, { session, sender: unusedAddress(drill, 200) });
  },
});

async function refuse(drill: Drill, site: string, session: OwnSession): Promise<void> {
  const isBack = async () => (await drill.ask('/healthz', { site, session: noSession }))?.status === 200;
  if (!(await drill.holds(drill.noticedMs, `the front of ${site} is open`, isBack))) return;
  // It reaches the other fronts again.
  await drill.context.questions.wait(drill.noticedMs);
  for (let at = 0; at < asked; at += 1) {
    // A session that does not exist counts as a failure of its address.
    const answer = await drill.ask(current, { session, site, sender: unusedAddress(drill, at) });
    drill.expect(`a session that was logged out at another front, at ${site}`, answer, expecting(401));
    await drill.context.questions.wait(drill.quickMs);
  }
}

interface Silence {
  /** The site where the session is opened. */
  readonly knows: string;
  /** The site where it is used. */
  readonly asks: string;
}

/** Only one front knows a session, and says nothing. */
async function silence(drill: Drill, account: OwnUser, { knows, asks }: Silence): Promise<void> {
  const sender = unusedAddress(drill, 201);
  let opened: OwnSession | undefined;
  await drill.duringAll(
    drill.activeOf('ws', knows),
    (faults, { name }) => faults.hold({ from: name, oneWay: true, messages: ['session.changed', 'session.find'] }),
    async () => {
      opened = await drill.login(account, knows);
      const session = opened;
      if (session === undefined) return;
      // Each waits for the front that is silent.
      const use = (at: number) =>
        at % 2 === 0
          ? drill.ask(current, { session, site: asks, sender })
          : drill.ask('/exec', { session, site: asks, sender, method: 'POST', body: {} });
      await Promise.all(Array.from({ length: attempts }, (_, at) => use(at)));
      const what = `while the front of ${knows}, which alone knows a session, is silent`;
      for (const at of [0, 1])
        drill.expect(`the session at ${asks} ${what}`, await use(at), (answer) =>
          answer?.status === 429 ? `expected no ban, got ${textOf(answer)}` : undefined,
        );
      const login = await logIn(drill, account, { site: asks, sender });
      drill.expect(`a login at ${asks} from the same address ${what}`, login, expecting(200));
    },
  );
  if (opened === undefined) return;
  await drill.everywhere(current, expecting(200), drill.noticedMs, { session: opened, sender });
  await drill.ask(current, { session: opened, method: 'DELETE' });
}
