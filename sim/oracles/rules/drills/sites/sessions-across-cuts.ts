/** Sessions that end, move or begin on one side of a cut, and what the other side knows of that then. */
import { noSession, type OwnSession } from '../../../questions.ts';
import { current, nodes, sessions } from '../../use-cases/kit/paths.ts';
import { expecting, type Item, itemsOf, type Judge, textOf } from '../../use-cases/kit/use-case.ts';
import { acrossCut, areClocksRight, type Cut, type CutSide, cutOf, without } from '../kit/cut.ts';
import { type Drill, drillOf } from '../kit/drill.ts';

const filter = '/rest/v1/master/logicalroles/ws/bannedaddrs';
const kept = { login: 'sessions-across-cuts', pwd: 'sessions-across-cuts-1' };
const removed = { login: 'sessions-across-cuts-removed', pwd: kept.pwd };
const changed = { login: 'sessions-across-cuts-changed', pwd: kept.pwd };
const admin = { login: 'sessions-across-cuts-admin', pwd: kept.pwd };
const another = `${kept.pwd}-other`;
/** Sessions of a user: one more closes the one that is idle longest. (public) */
const most = 10;
/** Addresses whose attempts fail, each fewer than five times at a front; and one that gets banned. */
const wrong = ['10.6.1.22', '10.6.1.23', '10.6.1.24'] as const;
const suspect = '10.6.1.29';
const failuresOfBan = 5;

export const sessionsAcrossCuts = drillOf({
  name: 'sessions-across-cuts',
  rule: 'When a site is cut off, the sessions that were open are valid on both sides, and one that ends on one side, by a logout, an eleventh login, the end of its user or another password, is over there at once and everywhere after the cut, for good; one that begins meanwhile is valid on its side, and everywhere after; of two switches of the domain the later one counts; an address that is banned on one side is not on the other.',
  exclusions: 'Clusters of one site; logins on sides that do not serve the domain.',
  sender: '10.6.1.21',
  play: async (drill) => {
    const cut = await cutOf(drill);
    if (cut === undefined) return;
    const { masterDomain } = drill.context.map;
    const users = await make(drill);
    if (users.size === 4) await play(drill, cut, users);
    for (const path of users.values()) await drill.ask(path, { method: 'DELETE', domain: domainOf(drill, path) });
    await drill.ask(`${filter}/${suspect}`, { method: 'DELETE', domain: masterDomain });
  },
});

type Users = ReadonlyMap<string, string>;

const pathOf = (domain: string) => `/rest/v1/domain/domains/${domain}/users`;
const domainOf = ({ domain, context: { map } }: Drill, path: string) =>
  path.startsWith(pathOf(domain)) ? domain : map.masterDomain;

/** The paths of the users, by login. Of a disk that is full there are fewer. */
async function make(drill: Drill): Promise<Users> {
  const made = new Map<string, string>();
  for (const user of [kept, removed, changed, admin]) {
    const domain = user === admin ? drill.context.map.masterDomain : drill.domain;
    const roles = [user === admin ? 'admin' : 'user'];
    const body = { name: 'Sessions Across Cuts', ...user, opts: { roles } };
    const answer = await drill.ask(pathOf(domain), { method: 'POST', body, domain });
    if (answer?.status === 200) made.set(user.login, `${pathOf(domain)}/${String((answer.body as Item)['id'])}`);
  }
  await drill.copied();
  return made;
}

type Account = typeof kept;

/** Sessions that are over on one side, and valid on the other. */
interface Over {
  readonly session: OwnSession;
  readonly what: string;
  readonly side: CutSide;
}

async function play(drill: Drill, cut: Cut, users: Users): Promise<void> {
  const { sides, master, other } = cut;
  const { masterDomain } = drill.context.map;
  const open = async (user: Account, site: string, domain = drill.domain) => {
    const opened = await drill.ask(sessions, loginOf(user, site, domain));
    const token = (opened?.body as Item | undefined)?.['session_token'];
    drill.expect(`a login of ${user.login} at ${site}`, opened, expecting(200));
    return { token: String(token) };
  };
  const own: OwnSession[] = [];
  for (let at = 0; at < most; at += 1) {
    // By one clock.
    own.push(await open(kept, drill.here));
    if (at < 2) await drill.context.questions.wait(drill.quickMs);
  }
  const ofRemoved = await open(removed, drill.there);
  const ofChanged = await open(changed, drill.there);
  const ofAdmin = await open(admin, drill.here, masterDomain);
  const over: Over[] = [];
  const fresh: OwnSession[] = [];
  const areRight = await areClocksRight(drill);
  const isLater = drill.drawn % 2;
  const [earlier, later] = [sides[isLater], sides[1 - isLater]] as [CutSide, CutSide];
  await drill.context.questions.wait(drill.quickMs);
  await acrossCut(drill, cut, async () => {
    const valid: readonly (readonly [OwnSession, Account])[] = [
      [own[most - 1] as OwnSession, kept],
      [ofRemoved, removed],
      [ofChanged, changed],
      [ofAdmin, admin],
    ];
    for (const [session, { login }] of valid) await everyFront(drill, expecting(200, { login }), session);
    await begins(drill, cut, { own, over, fresh, open });
    for (const [at, side] of sides.entries()) {
      const session = own[2 + at] as OwnSession;
      const [front = drill.here] = side.fronts;
      drill.expect(
        `a logout at ${front}`,
        await drill.ask(current, { session, site: front, method: 'DELETE' }),
        expecting(204),
      );
      over.push({ session, what: `a session that was closed at ${front}`, side });
    }
    await ends(drill, cut, { users, over, fresh, open, ofRemoved, ofChanged });
    await isOverOn(drill, over, wrong[0]);
    for (const { session, side } of over) {
      const still = sides.find((each) => each !== side) as CutSide;
      const isOpened = [...own, ofRemoved, ofChanged].includes(session);
      const isOverThere = over.some((each) => each.session === session && each.side === still);
      if (isOpened && !isOverThere) await still.everywhere(current, () => expecting(200), 0, { session });
    }
    if (areRight) {
      for (const [side, to] of [
        [earlier, drill.domain],
        [later, drill.domain],
        [later, masterDomain],
      ] as const)
        await switches(drill, side, ofAdmin, to);
      await earlier.everywhere(current, () => expecting(200, { domain: drill.domain }), 0, { session: ofAdmin });
    }
    await bans(drill, cut, own[most - 1] as OwnSession);
  });
  await isOverOn(
    drill,
    over.map((each) => ({ ...each, side: cut.inside })),
    wrong[1],
  );
  await isOverOn(
    drill,
    over.map((each) => ({ ...each, side: cut.outside })),
    wrong[1],
  );
  for (const session of [...fresh, ...own.slice(4)]) await everyFront(drill, expecting(200), session, drill.quickMs);
  await everyFront(drill, expecting(200, { domain: masterDomain, domain_is_master: true }), ofAdmin, drill.quickMs);
  await everyFront(drill, expecting(200), ofAdmin, 0, nodes);
  if (master.fronts.length + other.fronts.length > 0) await agree(drill, cut);
}

function loginOf(user: Account, site: string, domain: string) {
  const body = { domain, ...user, session_type: 'token' };
  return { site, session: noSession, method: 'POST', body } as const;
}

async function everyFront(
  drill: Drill,
  judge: Judge,
  session: OwnSession,
  withinMs = 0,
  path = current,
): Promise<void> {
  await drill.everywhere(path, judge, withinMs, { session });
}

interface Known {
  readonly over: Over[];
  readonly fresh: OwnSession[];
  open(user: Account, site: string, domain?: string): Promise<OwnSession>;
}

/** On each side a login opens a session, and closes the one that has been idle longest there. */
async function begins(drill: Drill, { sides }: Cut, { own, over, fresh, open }: Known & { own: OwnSession[] }) {
  for (const [at, side] of sides.entries()) {
    const front = side.fronts.find((site) => side.reads(site));
    const away = side.fronts.find((site) => !side.reads(site));
    if (away !== undefined)
      drill.expect(`a login at ${away}`, await drill.ask(sessions, loginOf(kept, away, drill.domain)), without('mdc'));
    if (front === undefined) continue;
    // On the second side the first one is in use, by a clock that may be behind.
    if (at === 1) await drill.ask(current, { session: own[0] as OwnSession, site: front });
    fresh.push(await open(kept, front));
    const next =
      at === 1 && (await drill.ask(current, { session: own[1] as OwnSession, site: front, sender: wrong[2] }));
    const session = own[next !== false && next?.status === 401 ? 1 : 0] as OwnSession;
    over.push({ session, what: `a session idle longest at ${front}`, side });
    const opened = fresh.at(-1) as OwnSession;
    await side.everywhere(current, () => expecting(200, { login: kept.login }), drill.quickMs, { session: opened });
    const [there] = (sides[1 - at] as CutSide).fronts;
    const unknown = await drill.ask(current, { session: opened, site: there ?? drill.here, sender: wrong[2] });
    drill.expect(`a session of the other side at ${there}`, unknown, expecting(401));
  }
}

interface Ending extends Known {
  readonly users: Users;
  readonly ofRemoved: OwnSession;
  readonly ofChanged: OwnSession;
}

/** The side with the master site removes a user and changes the password of another one; the other side does not know. */
async function ends(drill: Drill, { master, other }: Cut, { users, over, fresh, open, ...of }: Ending): Promise<void> {
  const [site = drill.here] = master.fronts;
  const remove = await drill.ask(users.get(removed.login) ?? '', { site, method: 'DELETE' });
  drill.expect('DELETE of a user', remove, expecting(204));
  const body = { pwd: another };
  const change = await drill.ask(users.get(changed.login) ?? '', { site, method: 'PATCH', body });
  drill.expect('PATCH of a password', change, expecting(200, { pwd: '*', login: changed.login }));
  await drill.context.questions.wait(drill.quickMs);
  over.push({ session: of.ofRemoved, what: 'a session of a user who was removed', side: master });
  over.push({ session: of.ofChanged, what: 'a session of a user with another password now', side: master });
  fresh.push(await open({ ...changed, pwd: another }, site));
  for (const user of [removed, changed]) {
    const attempt = await drill.ask(sessions, { ...loginOf(user, site, drill.domain), sender: wrong[2] });
    drill.expect(`a login of ${user.login} at ${site}`, attempt, expecting(401));
  }
  const copied = other.fronts.find((each) => other.reads(each));
  if (copied === undefined) return;
  for (const user of [removed, changed]) {
    const session = await open(user, copied);
    over.push({ session, what: `a session of ${user.login} that was opened at ${copied} meanwhile`, side: master });
  }
}

/** Each front of the side refuses them, once: a session that does not exist counts as a failure. */
async function isOverOn(drill: Drill, over: readonly Over[], sender: string): Promise<void> {
  for (const [at, { session, what, side }] of over.entries())
    for (const site of side.fronts) {
      const request = { session, site, sender: at < 4 ? sender : `${sender}${Math.floor(at / 4)}` };
      drill.expect(`${what}, at ${site}`, await drill.ask(current, request), expecting(401));
    }
}

async function switches(drill: Drill, side: CutSide, session: OwnSession, domain: string): Promise<void> {
  const [site = drill.here] = side.fronts;
  const switched = await drill.ask(current, { session, site, method: 'PATCH', body: { domain } });
  drill.expect(`a switch to ${domain} at ${site}`, switched, expecting(204));
  const isMaster = domain === drill.context.map.masterDomain;
  await side.everywhere(current, () => expecting(200, { domain, domain_is_master: isMaster }), drill.quickMs, {
    session,
  });
}

/** An address with too many failures is banned where it failed. */
async function bans(drill: Drill, { inside, outside }: Cut, session: OwnSession): Promise<void> {
  const { map } = drill.context;
  const [here = drill.here] = inside.fronts;
  const there = outside.fronts.find((site) => outside.reads(site));
  if (!map.topology.bans) return;
  const attempt = { site: here, sender: suspect, session: { token: 'of-no-session' } };
  for (let at = 0; at < failuresOfBan; at += 1)
    drill.expect('a session that does not exist', await drill.ask(current, attempt), expecting(401));
  const banned: Judge = (answer) => {
    const again = Number(answer?.headers.get('retry-after'));
    return answer?.status === 429 && again >= 1 ? undefined : `expected 429, got ${textOf(answer)}, again ${again}`;
  };
  drill.expect(`a banned address at ${here}`, await drill.ask(current, attempt), banned);
  const login = (site: string) => drill.ask(sessions, { ...loginOf(kept, site, drill.domain), sender: suspect });
  drill.expect(`a login of a banned address at ${here}`, await login(here), banned);
  const known = await drill.ask(current, { session, site: here, sender: suspect });
  drill.expect('a session that is known, of a banned address', known, expecting(200));
  // The other side lifts its own bans only.
  const lift = { domain: map.masterDomain, method: 'DELETE', site: outside.fronts[0] ?? drill.there };
  drill.expect('DELETE of the ban on the other side', await drill.ask(`${filter}/${suspect}`, lift), expecting(204));
  drill.expect(`a banned address at ${here}, still`, await drill.ask(current, attempt), banned);
  if (there === undefined) return;
  const elsewhere = await drill.ask(current, { session, site: there, sender: suspect });
  drill.expect(`that address at ${there}`, elsewhere, expecting(200));
  const unknown = await drill.ask(current, { ...attempt, site: there });
  drill.expect(`a session that does not exist at ${there}`, unknown, expecting(401));
}

/** The ban is listed where it was made, until it is lifted. */
async function agree(drill: Drill, { inside }: Cut): Promise<void> {
  const { map } = drill.context;
  if (!map.topology.bans) return;
  const asked = { domain: map.masterDomain };
  const listed = (answer: Parameters<Judge>[0]) =>
    itemsOf(answer).filter(({ banned = [] }) => (banned as Item[]).some(({ ip }) => ip === suspect));
  const bannedThere: Judge = (answer) => {
    const rows = listed(answer);
    const isRight = rows.length === 1 && rows.every(({ site }) => inside.fronts.includes(String(site)));
    return isRight ? undefined : `expected ${suspect} at one instance of ${inside.sites.join()}, got ${textOf(answer)}`;
  };
  await drill.everywhere(filter, bannedThere, 0, asked);
  const lifted = await drill.ask(`${filter}/${suspect}`, { ...asked, site: drill.there, method: 'DELETE' });
  drill.expect('DELETE of the ban', lifted, expecting(204));
  await drill.everywhere(
    filter,
    (answer) => (listed(answer).length === 0 ? undefined : `${suspect} is still banned`),
    drill.quickMs,
    asked,
  );
  const attempt = { site: inside.fronts[0] ?? drill.here, sender: suspect, session: { token: 'of-no-session' } };
  drill.expect('an address that is not banned any more', await drill.ask(current, attempt), expecting(401));
}
