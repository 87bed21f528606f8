/** Logins by the token of another system, which a script of the master domain verifies. */
import { createHmac } from 'node:crypto';
import { noSession } from '../../../questions.ts';
import { exactly, longTextOf } from '../calls/call-judges.ts';
import { current, sessions, svcScripts } from '../kit/paths.ts';
import { expecting, type Item, type UseCase, useCaseOf } from '../kit/use-case.ts';
import {
  byToken,
  cookieIn,
  makeUser,
  type OwnUser,
  tokenOf,
  unauthorized,
  unusedAddress,
  wrongCookie,
} from '../sessions/own-sessions.ts';

const [secret, issuer, audience] = ['a secret of tokens-accepted', 'tokens-accepted', 'platform'];
const options = `{ alg: 'HS256', iss: '${issuer}', aud: '${audience}' }`;
/** A token is signed (RFC 7519), or a domain and a login; the script fails for one of three words. */
const components = [
  { name: 'begin', type: 'start', next: 'verify' },
  {
    name: 'verify',
    type: 'assign',
    set: { checked: `jwtverify(startparam(1).external_token, '${secret}', ${options})` },
    next: 'is-signed',
  },
  { name: 'is-signed', type: 'branch', condition: 'checked.valid', yes: 'signed', no: 'read' },
  { name: 'signed', type: 'assign', set: { domain: 'checked.claims.domain', login: 'checked.claims.sub' } },
  { name: 'read', type: 'assign', set: { parts: "startparam(1).external_token.split(' ')" }, next: 'is-good' },
  { name: 'is-good', type: 'branch', condition: 'parts.length < 3', yes: 'say', no: 'fail' },
  { name: 'say', type: 'assign', set: { domain: 'parts[0]', login: 'parts[1]' } },
  { name: 'fail', type: 'assign', set: { domain: 'parts[0]', login: 'parts[1]' }, next: 'broken' },
  { name: 'broken', type: 'assign', set: { failed: 'none.such' } },
];
const failures = 5;

export const tokensAccepted = useCaseOf({
  name: 'tokens-accepted',
  rule: 'In a quiescent cluster a login with an external token opens a session of the user that the script of the master domain names, by token or by cookie, and ignores the credentials beside it; a token of no user, of no domain or for which the script fails opens none, as one that is signed by another secret or algorithm, for another time, issuer or audience, counts as a wrong login, and five of these ban the address; a malformed one counts as none. Without a script no token is known.',
  exclusions: 'Runs whose master domain names no such script.',
  sender: '10.6.21.19',
  isOfMaster: true,
  play: async (useCase) => {
    const { map } = useCase.context;
    const code = map.domains.get(useCase.domain)?.opts.iam_token_svcscript_code ?? '';
    const { otherDomain } = useCase;
    if (code === '') {
      const sender = unusedAddress(useCase, 1);
      useCase.expect('a login by a token without a script', await log(useCase, 'x', { sender }), unauthorized);
    }
    if (code === '' || otherDomain === undefined) return;
    if ((await useCase.make(svcScripts, { code, components })) === undefined) return;
    const user = await makeUser(useCase.elsewhere(otherDomain), 'tokens-accepted');
    if (user === undefined) return;
    await useCase.copied();
    if (!(await accept(useCase, user))) return;
    if (useCase.areClocksRight) await verify(useCase, user);
    await refuse(useCase, user);
  },
});

function log(useCase: UseCase, token: unknown, { site = useCase.here, sender = useCase.sender, ...more }: Item = {}) {
  const body = { external_token: token, ...more };
  return useCase.ask(sessions, {
    method: 'POST',
    session: noSession,
    site: String(site),
    sender: String(sender),
    body,
  });
}

/** Returns whether a script could be run. */
async function accept(useCase: UseCase, { domain, login, id }: OwnUser): Promise<boolean> {
  const shown = expecting(200, { domain, login, user_id: id, roles: ['user'] });
  for (const site of new Set([useCase.here, useCase.there])) {
    const opened = await log(useCase, `${domain} ${login}`, { site, session_type: 'token', pwd: 'wrong' });
    // Its mware is out of reach, or a limit has refused the run.
    if (opened?.status === 503) return false;
    const isOpen = useCase.expect(`a login by a token at ${site}`, opened, (answer) =>
      exactly(200, { session_token: tokenOf(answer) })(answer),
    );
    if (!isOpen) return false;
    const headers = byToken(opened);
    await useCase.everywhere(current, shown, useCase.quickMs, { session: noSession, headers });
    await useCase.ask(current, { session: noSession, headers, method: 'DELETE' });
  }
  const set = await log(useCase, `${domain} ${login}`, { domain: 'none', login: 5, pwd: 'wrong' });
  if (set?.status === 503) return false;
  useCase.expect('a login by a token that sets a cookie', set, (answer) =>
    answer?.status === 204 ? wrongCookie(answer, undefined) : longTextOf(answer),
  );
  const headers = { cookie: `RSession=${cookieIn(set)}` };
  await useCase.everywhere(current, shown, useCase.quickMs, { session: noSession, headers });
  await useCase.ask(current, { session: noSession, headers, method: 'DELETE' });
  return true;
}

interface Signed {
  readonly alg?: string;
  readonly key?: string;
}

/** A signed token; of other algorithms than HS256 and HS512 without a signature. */
function signed(claims: Item, { alg = 'HS256', key = secret }: Signed = {}): string {
  const [head, body] = [{ alg, typ: 'JWT' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const digest = { HS256: 'sha256', HS512: 'sha512' }[alg];
  const text = `${head}.${body}`;
  return `${text}.${digest === undefined ? '' : createHmac(digest, key).update(text).digest('base64url')}`;
}

/** The script verifies the signature, the algorithm, the times, the issuer and the audience. */
async function verify(useCase: UseCase, { domain, login }: OwnUser): Promise<void> {
  const seconds = Math.floor(useCase.context.now() / 1_000);
  const claims = { domain, sub: login, iss: issuer, aud: ['other', audience], exp: seconds + 60, nbf: seconds - 60 };
  const opened = await log(useCase, signed(claims), { session_type: 'token' });
  useCase.expect('a login by a signed token', opened, expecting(200));
  if (opened?.status !== 200) return;
  await useCase.ask(current, { session: noSession, headers: byToken(opened), method: 'DELETE' });
  const [head, , signature] = signed(claims).split('.');
  const [, body] = signed({ ...claims, more: 1 }).split('.');
  const wrong: Readonly<Record<string, string>> = {
    'has expired': signed({ ...claims, exp: seconds - 60 }),
    'is not valid yet': signed({ ...claims, nbf: seconds + 60 }),
    'has another issuer': signed({ ...claims, iss: 'other' }),
    'has another audience': signed({ ...claims, aud: 'other' }),
    'has no audience': signed({ ...claims, aud: undefined }),
    'has another secret': signed(claims, { key: 'another one' }),
    'has another algorithm': signed(claims, { alg: 'HS512' }),
    'has no algorithm': signed(claims, { alg: 'none' }),
    'was changed': [head, body, signature].join('.'),
  };
  for (const [index, [what, token]] of Object.entries(wrong).entries()) {
    const asked = { sender: unusedAddress(useCase, 2 + Math.floor(index / (failures - 1))), session_type: 'token' };
    useCase.expect(`a login by a token that ${what}`, await log(useCase, token, asked), unauthorized);
  }
}

async function refuse(useCase: UseCase, { domain, login }: OwnUser): Promise<void> {
  const { map } = useCase.context;
  const sender = unusedAddress(useCase, 1);
  const asked = { sender, session_type: 'token' };
  for (const token of ['', 5, null, 'x'.repeat(8_193)])
    useCase.expect(`a malformed token ${String(token).slice(0, 9)}`, await log(useCase, token, asked), expecting(400));
  useCase.expect('another field', await log(useCase, 'x', { ...asked, other: 1 }), expecting(400));
  const wrong = [
    `${domain} none`,
    `none.test ${login}`,
    'x',
    `${domain} ${login} fails`,
    `${map.masterDomain} ${login}`,
  ];
  for (const token of wrong.slice(0, failures)) {
    const answer = await log(useCase, token, asked);
    useCase.expect(`a login by the token ${token}`, answer, unauthorized);
  }
  const isCounted = map.topology.bans && map.instancesOf('ws').filter(({ site }) => site === useCase.here).length === 1;
  const after = await log(useCase, `${domain} ${login}`, asked);
  if (isCounted) useCase.expect('a login after five wrong ones', after, expecting(429, { error_code: 1429 }));
}
