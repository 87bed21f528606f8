/** An address that fails to identify too often is banned by the front where it did. */
import { noSession } from '../../../questions.ts';
import { current } from '../kit/paths.ts';
import { expecting, type Item, itemsOf, type Judge, textOf, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { byToken, logIn, makeUser, type OwnUser, unauthorized, unusedAddress } from './own-sessions.ts';

const bans = '/rest/v1/master/logicalroles/ws/bannedaddrs';
const windowS = 180;
/** Twice this is longer than the window. */
const spreadMs = 100_000;

export const attemptsBanned = useCaseOf({
  name: 'attempts-banned',
  rule: 'In a quiescent cluster, the fifth wrong login or unknown session id of an address within three minutes bans it at the front where it failed, and at no other one: each further attempt there is refused with 429 and Retry-After, also with the right password; four failures, more of them over a longer time, malformed logins and requests without a session ban none. Each front shows the ban in the list of that instance until it is lifted; then five failures ban again. A site lifts the bans of its own instances only.',
  exclusions: 'Sites with several fronts: each counts for itself.',
  sender: '10.6.20.5',
  play: async (useCase) => {
    const { map } = useCase.context;
    const fronts = map.instancesOf('ws').filter(({ site }) => site === useCase.here);
    if (!map.topology.bans || fronts.length !== 1 || !useCase.areClocksRight) return;
    // Its administrator cannot log in: a client has changed the user.
    if ((await useCase.ask(bans, { domain: map.masterDomain })) === undefined) return;
    const user = await makeUser(useCase, 'attempts-banned');
    if (user !== undefined) await attempt(useCase, user, Number(fronts[0]?.srvidx));
  },
});

async function attempt(useCase: UseCase, user: OwnUser, srvidx: number): Promise<void> {
  const { here, there } = useCase;
  const [sender, careful] = [unusedAddress(useCase, 8), unusedAddress(useCase, 9)] as const;
  const login = (changed: Item = {}, site = here, from = sender) =>
    logIn(useCase, user, { site, sender: from, changed });
  const wrong = async (what: string, changed: Item, from = sender) =>
    useCase.expect(what, await login(changed, here, from), unauthorized);
  const unknownId = async (from = sender) => {
    const headers = { authorization: 'Bearer attempts-banned' };
    useCase.expect(
      'an unknown id',
      await useCase.ask(current, { session: noSession, headers, sender: from }),
      unauthorized,
    );
  };
  const opened = await login();
  useCase.expect('a login', opened, expecting(200));
  for (let n = 0; n < 2; n += 1) await wrong('a wrong password', { pwd: 'wrong' }, careful);
  for (let n = 0; n < 2; n += 1) await unknownId(careful);
  for (let n = 0; n < 5; n += 1) {
    const malformed = await login({ pwd: 5 }, here, careful);
    useCase.expect('a malformed login', malformed, expecting(400, { error_code: 1400 }));
    const signedOut = await useCase.ask(current, { session: noSession, sender: careful });
    useCase.expect('a request without a session', signedOut, unauthorized);
  }
  useCase.expect('a login after four failures', await login({}, here, careful), expecting(200));
  await wrong('a wrong password', { pwd: 'wrong' });
  await wrong('an unknown login', { login: 'attempts-unknown' });
  await unknownId();
  await wrong('an unknown domain', { domain: `unknown.${user.domain}` });
  await useCase.everywhere(bans, listedAt(sender, []), 0, { domain: useCase.context.map.masterDomain });
  await unknownId();
  useCase.expect('a login after five failures', await login(), banned);
  const headers = { authorization: 'Bearer attempts-banned' };
  useCase.expect('an unknown id after it', await useCase.ask(current, { session: noSession, headers, sender }), banned);
  const own = await useCase.ask(current, { session: noSession, headers: byToken(opened), sender });
  useCase.expect('a session that was opened before', own, expecting(200, { login: user.login }));
  if (there !== here) useCase.expect(`a login at ${there}`, await login({}, there), expecting(200));
  await useCase.context.questions.wait(5_000);
  useCase.expect('a login five seconds later', await login(), banned);
  await lift(useCase, { sender, careful, srvidx });
  useCase.expect('a login after the ban was lifted', await login(), expecting(200));
  for (let n = 0; n < 4; n += 1) await wrong('a wrong password after it', { pwd: 'wrong' });
  useCase.expect('a login after four more failures', await login(), expecting(200));
  await wrong('a fifth one', { pwd: 'wrong' });
  useCase.expect('a login after five more failures', await login(), banned);
  await useCase.ask(`${bans}/${sender}`, { domain: useCase.context.map.masterDomain, method: 'DELETE' });
  const [slow, paced] = [unusedAddress(useCase, 7), unusedAddress(useCase, 6)] as const;
  for (const [slowly, inPace] of [
    [2, 1],
    [2, 3],
    [1, 2],
  ] as const) {
    for (let n = 0; n < slowly; n += 1) await wrong('a wrong password now and then', { pwd: 'wrong' }, slow);
    for (let n = 0; n < inPace; n += 1) await wrong('a wrong password in pace', { pwd: 'wrong' }, paced);
    if (slowly > 1) await useCase.context.questions.wait(spreadMs);
  }
  useCase.expect('a login after three failures within three minutes', await login({}, here, slow), expecting(200));
  useCase.expect('a login after five of six failures within three minutes', await login({}, here, paced), banned);
  const domain = useCase.context.map.masterDomain;
  const ofSite = `${bans}/site/${paced}`;
  // A site lifts the bans of its own instances.
  if (there !== here) {
    const elsewhere = await useCase.ask(ofSite, { domain, site: there, method: 'DELETE' });
    useCase.expect(`DELETE ${ofSite} at ${there}`, elsewhere, expecting(204));
    useCase.expect('a login after another site lifted its bans', await login({}, here, paced), banned);
  }
  useCase.expect(`DELETE ${ofSite}`, await useCase.ask(ofSite, { domain, method: 'DELETE' }), expecting(204));
  useCase.expect('a login after its site lifted the ban', await login({}, here, paced), expecting(200));
}

interface Banned {
  readonly sender: string;
  readonly careful: string;
  readonly srvidx: number;
}

async function lift(useCase: UseCase, { sender, careful, srvidx }: Banned): Promise<void> {
  const { here, there } = useCase;
  const domain = useCase.context.map.masterDomain;
  const isShown = await useCase.everywhere(bans, listedAt(sender, [srvidx]), 0, { domain });
  await useCase.everywhere(bans, listedAt(careful, []), 0, { domain });
  if (!isShown) return;
  await useCase.everywhere(`${bans}/site`, listedAt(sender, [srvidx]), 0, { domain, sites: [here] });
  if (there !== here) await useCase.everywhere(`${bans}/site`, listedAt(sender, []), 0, { domain, sites: [there] });
  const other = await useCase.ask(`${bans}/${careful}`, { domain, site: there, method: 'DELETE' });
  useCase.expect('DELETE of an address that is not banned', other, expecting(204));
  await useCase.everywhere(bans, listedAt(sender, [srvidx]), 0, { domain });
  const end = await useCase.ask(`${bans}/${sender}`, { domain, site: there, method: 'DELETE' });
  useCase.expect(`DELETE of the ban at ${there}`, end, expecting(204));
  await useCase.everywhere(bans, listedAt(sender, []), 0, { domain });
}

const banned: Judge = (answer) => {
  const wrong = expecting(429, { error_code: 1429 })(answer);
  const seconds = Number(answer?.headers.get('retry-after'));
  return wrong ?? (seconds > 0 && seconds <= windowS ? undefined : `Retry-After: ${seconds}`);
};

/** These instances, and no others, show the ban, which ends when the address has been silent for three minutes. */
function listedAt(ip: string, instances: readonly number[]): Judge {
  return (answer) => {
    if (answer?.status !== 200) return textOf(answer);
    const rows = itemsOf(answer).flatMap(({ srvidx, banned: all = [] }) =>
      (all as readonly Item[])
        .filter((each) => each['ip'] === ip)
        .map((each) => ({ srvidx, expires: each['expires'] })),
    );
    const isInTime = rows.every(({ expires }) => Number(expires) > windowS - 10 && Number(expires) <= windowS);
    const isThere = rows.map(({ srvidx }) => srvidx).join() === instances.join();
    return isThere && isInTime
      ? undefined
      : `expected ${ip} at ${instances.join() || 'none'}, got ${JSON.stringify(rows)}`;
  };
}
