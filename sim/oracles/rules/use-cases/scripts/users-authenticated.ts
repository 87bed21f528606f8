/** External authentication: a script of the domain asks for fields, step by step, and opens a session. */
import { noSession, type QuestionAnswer } from '../../../questions.ts';
import { exactly, isSame, longTextOf, refusing } from '../calls/call-judges.ts';
import { current } from '../kit/paths.ts';
import {
  expecting,
  filterOf,
  type Item,
  itemsOf,
  type Judge,
  textOf,
  type UseCase,
  useCaseOf,
} from '../kit/use-case.ts';
import { usersOf } from '../sessions/own-sessions.ts';

const external = '/rest/v1/iam/external';
const scripts = '/rest/v1/domain/svcscripts';
const account = { login: 'users-authenticated', pwd: 'users-authenticated' };
/** The script bans it. */
const bannedSender = '10.6.0.47';

/** GET: the form. Step 1: the next step. Step 2 and later: the code decides. */
const components = [
  { name: 'begin', type: 'start', next: 'read' },
  { name: 'read', type: 'code', code: 'f = startparam(1); method = startparam(2)', next: 'is-form' },
  { name: 'is-form', type: 'branch', condition: "method === 'GET'", yes: 'form', no: 'is-first' },
  {
    name: 'form',
    type: 'assign',
    set: {
      fields:
        "[{ name: 'step', type: 'hidden', value: 1 }, { name: 'login', type: 'line', title: 'Login' }, { name: 'seen', type: 'hidden', value: [f.step, f.extra, startparam(3), startparam(6), startparam(7)] }]",
    },
  },
  { name: 'is-first', type: 'branch', condition: 'f.step === 1', yes: 'first', no: 'is-ban' },
  {
    name: 'first',
    type: 'assign',
    set: {
      success: 'true',
      next_step: '({ n: 2 })',
      fields:
        "[{ name: 'step', type: 'hidden', value: 2 }, { name: 'login', type: 'hidden', value: { from: { step: 1 } } }, { name: 'sms_phone_code', type: 'line', title: 'Code' }]",
    },
  },
  { name: 'is-ban', type: 'branch', condition: "f.code === 'ban'", yes: 'ban', no: 'is-empty' },
  {
    name: 'ban',
    type: 'operation',
    operation: 'webban.add',
    next: 'refuse',
    failed: 'refuse',
    params: { address: 'startparam(6)', seconds: '60' },
  },
  { name: 'is-empty', type: 'branch', condition: "f.code === 'empty'", yes: 'succeed', no: 'is-more' },
  { name: 'is-more', type: 'branch', condition: "f.code === 'more'", yes: 'more', no: 'is-wrong' },
  { name: 'more', type: 'assign', set: { success: 'true', next_step: '3', fields: '[]' } },
  { name: 'is-wrong', type: 'branch', condition: "f.code === 'wrong'", yes: 'refuse', no: 'is-odd' },
  { name: 'is-odd', type: 'branch', condition: "f.code === 'odd'", yes: 'odd', no: 'session' },
  { name: 'odd', type: 'assign', set: { success: 'false', fields: '[{ type: 1 }]' } },
  {
    name: 'session',
    type: 'operation',
    operation: 'session.create',
    next: 'is-late',
    failed: 'away',
    params: { domain: 'f.code === "above" ? f.above : f.domain', login: 'f.login' },
  },
  { name: 'is-late', type: 'branch', condition: "f.code === 'late'", yes: 'refuse', no: 'succeed' },
  {
    name: 'succeed',
    type: 'assign',
    set: {
      success: 'true',
      location: "'/app/main/?of=' + [f.login, f.kept, f.word].filter(Boolean)",
      redirect: "f.code === 'redirect'",
    },
  },
  { name: 'away', type: 'assign', set: { success: 'false', message: "'away: ' + result.problem" } },
  {
    name: 'refuse',
    type: 'assign',
    set: { success: 'false', message: "'refused'", fields: "[{ name: 'step', type: 'hidden', value: 2 }]" },
  },
];

export const usersAuthenticated = useCaseOf({
  name: 'users-authenticated',
  rule: 'In a quiescent cluster external authentication gives the fields of a step as the script of the domain makes them; a step leads to the next one, where a reference gives what was entered before in this flow only; success opens a session that each front knows, with 200 or a redirection; a refusal, a step of no session and a failure open none. Only the script bans, at the front of the request. Without a script the answer is 404.',
  exclusions: 'Domains whose limits refuse runs.',
  sender: '10.6.0.46',
  play: async (useCase) => {
    const { topology, masterDomain } = useCase.context.map;
    const codeOf = (domain: string) =>
      topology.domains.find(({ name }) => name === domain)?.opts.iam_external_svcscript_code ?? '';
    for (const domain of ['none.test', masterDomain, useCase.domain]) {
      if (codeOf(domain) !== '') continue;
      useCase.expect(
        `a form of ${domain}`,
        await useCase.ask(`${external}?domain=${domain}`, { session: noSession }),
        refusing(404),
      );
      useCase.expect(`a step of ${domain}`, await submit(useCase, { domain, step: 1 }), refusing(404));
    }
    if (codeOf(masterDomain) === '')
      useCase.expect('a form of no domain', await useCase.ask(external, { session: noSession }), refusing(404));
    const code = codeOf(useCase.domain);
    if (code === '') return;
    await withScript(useCase, code);
  },
});

interface Submitted {
  readonly cookie?: string;
  readonly site?: string;
  readonly sender?: string;
}

function submit(useCase: UseCase, body: Item, { cookie, site = useCase.there, ...by }: Submitted = {}) {
  const headers = cookie === undefined ? {} : { cookie };
  return useCase.ask(external, { method: 'POST', session: noSession, site, body, headers, ...by });
}

/** Puts another script in the place of that of the domain, for as long as it takes. */
async function withScript(useCase: UseCase, code: string): Promise<void> {
  const [found] = itemsOf(await useCase.ask(`${scripts}?${filterOf({ code })}`));
  const before = await useCase.ask(`${scripts}/${String(found?.['id'])}`);
  const user = await useCase.make(usersOf(useCase), { name: 'Authenticated', ...account, opts: { roles: ['user'] } });
  if (before?.status !== 200 || user === undefined) return;
  const path = `${scripts}/${String(found?.['id'])}`;
  const changed = await useCase.ask(path, { method: 'PATCH', body: { components } });
  await useCase.copied();
  if (changed?.status === 200) await authenticate(useCase, user.id);
  const { components: own } = before.body as Item;
  const back = await useCase.ask(path, { method: 'PATCH', body: { components: own } });
  useCase.expect('PATCH of the script back', back, expecting(200, { code }));
}

async function authenticate(useCase: UseCase, userid: unknown): Promise<void> {
  const { domain } = useCase;
  const form = await useCase.ask(`${external}?domain=${domain}&step=a&extra=b`, { session: noSession });
  // Its limits refuse the run, or who must serve is not there.
  if (form === undefined || form.status === 503 || form.status === 504) return;
  const seen = ['a', 'b', external, '10.6.0.46', 'http'];
  const fields = [
    { name: 'step', type: 'hidden', value: 1 },
    { name: 'login', type: 'line', title: 'Login' },
    { name: 'seen', type: 'hidden', value: seen },
  ];
  useCase.expect('the form of a step', form, exactly(200, { fields }));
  const first = await submit(useCase, { domain, step: 1, login: account.login });
  const next = [
    { name: 'step', type: 'hidden', value: 2 },
    { name: 'login', type: 'hidden', value: { from: { step: 1 } } },
    { name: 'sms_phone_code', type: 'line', title: 'Code' },
  ];
  useCase.expect(
    'the first step',
    first,
    exactly(200, { success: true, complete: false, next_step: { n: 2 }, fields: next }),
  );
  useCase.expect('the first step', first, opensNone);
  const [cookie = ''] = (first?.headers.get('set-cookie') ?? '').split(';');
  const second = (code: string, more: Item = {}) => ({ domain, step: 2, login: { from: { step: 1 } }, code, ...more });
  await refusals(useCase, cookie, second);
  const done = await submit(useCase, second('right'), { cookie });
  const location = `/app/main/?of=${account.login}`;
  useCase.expect('the last step', done, exactly(200, { success: true, complete: true, location }));
  await opens(useCase, done, userid);
  const moved = await submit(
    useCase,
    { domain, step: 2, login: account.login, code: 'redirect' },
    { site: useCase.here },
  );
  useCase.expect('the last step, with a redirection', moved, (answer) =>
    answer?.status === 302 && answer.headers.get('location') === location && answer.body === undefined
      ? undefined
      : `expected 302 to ${location}, got ${textOf(answer)} ${answer?.headers.get('location')}`,
  );
  await opens(useCase, moved, userid);
  await threeSteps(useCase, userid);
  await ban(useCase);
}

/** The third step refers to the first one, to the second one, and to what the second one took from the first one. */
async function threeSteps(useCase: UseCase, userid: unknown): Promise<void> {
  const { domain } = useCase;
  const first = await submit(useCase, { domain, step: 1, login: account.login, kept: 'first' });
  const [cookie = ''] = (first?.headers.get('set-cookie') ?? '').split(';');
  const entered = { login: { from: { step: 1 } }, code: 'more', word: 'second' };
  const second = await submit(useCase, { domain, step: 2, ...entered }, { cookie });
  useCase.expect(
    'a second step of three',
    second,
    exactly(200, { success: true, complete: false, next_step: 3, fields: [] }),
  );
  const references = { kept: { from: { step: 1 } }, word: { from: { step: 2 } } };
  const third = { domain, step: 3, login: { from: { step: 2 } }, ...references, code: 'right' };
  const location = `/app/main/?of=${account.login},first,second`;
  const done = await submit(useCase, third, { cookie });
  useCase.expect('a third step', done, exactly(200, { success: true, complete: true, location }));
  await opens(useCase, done, userid);
}

type Second = (code: string, more?: Item) => Item;

async function refusals(useCase: UseCase, cookie: string, second: Second): Promise<void> {
  const refused = {
    success: false,
    complete: false,
    fields: [{ name: 'step', type: 'hidden', value: 2 }],
    message: 'refused',
  };
  // More than five: the front counts none.
  for (let times = 0; times < 6; times += 1) {
    const wrong = await submit(useCase, second('wrong'), { cookie });
    useCase.expect('a wrong code', wrong, exactly(200, refused));
    if (times === 0) useCase.expect('a wrong code', wrong, opensNone);
  }
  const late = await submit(useCase, second('late'), { cookie });
  useCase.expect('a session of a step that is refused', late, exactly(200, refused));
  useCase.expect('a session of a step that is refused', late, opensNone);
  const away =
    (words: string): Judge =>
    (answer) => {
      const { success, complete, message, next_step } = (answer?.body ?? {}) as Item;
      const isRight =
        answer?.status === 200 &&
        success === false &&
        complete === false &&
        next_step === undefined &&
        String(message).startsWith(`away: `) &&
        String(message).includes(words);
      return isRight ? undefined : `expected a refusal with ${words}, got ${longTextOf(answer)}`;
    };
  const ghost = await submit(useCase, second('right', { login: 'no-such-user' }), { cookie });
  useCase.expect('a user who is not there', ghost, away('no-such-user'));
  const above = await submit(useCase, second('above', { above: useCase.context.map.masterDomain }), { cookie });
  useCase.expect('a domain that is not below', above, away(useCase.domain));
  useCase.expect('success without a session', await submit(useCase, second('empty'), { cookie }), refusing(500));
  useCase.expect('fields that are no list', await submit(useCase, second('odd'), { cookie }), refusing(500));
  const other = { login: { from: { step: 'none' } } };
  useCase.expect(
    'a reference to no step',
    await submit(useCase, second('right', other), { cookie }),
    refusing(400, 'login'),
  );
  const unentered = await submit(useCase, second('right', { other: { from: { step: 1 } } }), { cookie });
  useCase.expect('a reference to what was not entered', unentered, refusing(400, 'other'));
  useCase.expect('a reference without a flow', await submit(useCase, second('right')), refusing(400, 'login'));
  const list = await useCase.ask(external, { method: 'POST', session: noSession, body: [1] });
  useCase.expect('a step that is a list', list, refusing(400));
}

const opensNone: Judge = (answer) =>
  /RSession=/.test(answer?.headers.get('set-cookie') ?? '')
    ? `a session in ${answer?.headers.get('set-cookie')}`
    : undefined;

/** The answer has the cookie of a session of the user, which each front knows. */
async function opens(useCase: UseCase, answer: QuestionAnswer | undefined, user_id: unknown): Promise<void> {
  const text = answer?.headers.get('set-cookie') ?? '';
  const [, cookie, expires] = /(RSession=[^;]+);.*Expires=([^;]+);/i.exec(text) ?? [];
  useCase.expect('the cookie of a session', answer, () => {
    const isRight =
      cookie !== undefined &&
      Date.parse(String(expires)) > useCase.context.now() &&
      /Path=\/;/.test(text) &&
      /SameSite=Strict/.test(text);
    return isRight ? undefined : `set-cookie ${text}`;
  });
  if (cookie === undefined) return;
  const own = { session: noSession, headers: { cookie } };
  const shown = { domain: useCase.domain, login: account.login, name: 'Authenticated', user_id, roles: ['user'] };
  await useCase.everywhere(current, expecting(200, shown), useCase.quickMs, own);
  const end = await useCase.ask(current, { ...own, method: 'DELETE' });
  useCase.expect('a logout', end, exactly(204, undefined));
}

/** The script bans the client at the front that it has used. */
async function ban(useCase: UseCase): Promise<void> {
  const { there: site, domain } = useCase;
  const master = { domain: useCase.context.map.masterDomain };
  const banned = await submit(useCase, { domain, step: 2, code: 'ban' }, { sender: bannedSender });
  useCase.expect('a step that bans', banned, (answer) =>
    answer?.status === 200 && isSame((answer.body as Item)['message'], 'refused')
      ? undefined
      : `got ${longTextOf(answer)}`,
  );
  const list = '/rest/v1/master/logicalroles/ws/bannedaddrs';
  const rowsWithIt = (answer: QuestionAnswer | undefined) =>
    (itemsOf(answer) as readonly { site?: string; banned?: readonly { ip: string; expires: number }[] }[]).flatMap(
      (row) =>
        (row.banned ?? []).filter(({ ip }) => ip === bannedSender).map(({ expires }) => ({ site: row.site, expires })),
    );
  const listed = await useCase.ask(list, master);
  // A client has changed the administrator of the master domain.
  if (listed === undefined) return;
  useCase.expect('the bans of ws', listed, (answer) => {
    const rows = rowsWithIt(answer);
    const [row] = rows;
    const isRight = rows.length === 1 && row?.site === site && row.expires <= 60 && row.expires > 50;
    return isRight ? undefined : `expected ${bannedSender} banned at ${site}, got ${longTextOf(answer)}`;
  });
  const refused: Judge = (answer) =>
    refusing(429)(answer) ?? (Number(answer?.headers.get('retry-after')) >= 1 ? undefined : 'no Retry-After');
  const own = { session: noSession, site, sender: bannedSender };
  useCase.expect('the form, banned', await useCase.ask(`${external}?domain=${domain}`, own), refused);
  const step = { ...own, method: 'POST', body: { domain, step: 2, code: 'x' } };
  useCase.expect('a step, banned', await useCase.ask(external, step), refused);
  const login = { ...own, method: 'POST', body: { domain, ...account, session_type: 'token' } };
  useCase.expect('a login, banned', await useCase.ask('/rest/v1/iam/sessions', login), refused);
  const elsewhere = useCase.sites.find((each) => each !== site);
  if (elsewhere !== undefined) {
    const form = await useCase.ask(`${external}?domain=${domain}`, {
      session: noSession,
      site: elsewhere,
      sender: bannedSender,
    });
    useCase.expect(`the form at ${elsewhere}`, form, expecting(200));
  }
  const lifted = await useCase.ask(`${list}/${bannedSender}`, { ...master, method: 'DELETE' });
  useCase.expect('DELETE of the ban', lifted, exactly(204, undefined));
  const again = await useCase.ask(`${external}?domain=${domain}`, own);
  useCase.expect('the form after the ban', again, expecting(200));
}
