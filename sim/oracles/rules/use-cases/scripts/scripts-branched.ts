/** Each branch and each result of the components of a service script. */
import type { QuestionAnswer } from '../../../questions.ts';
import { differing, isSame, longTextOf, refusing } from '../calls/call-judges.ts';
import { apps, channels, current, groups, runs, svcScripts } from '../kit/paths.ts';
import { filterOf, type Item, itemsOf, type Judge, textOf, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { makeUser, type OwnUser, usersOf } from '../sessions/own-sessions.ts';
import {
  branchedCode,
  branchedComponents,
  deepCode,
  deepComponents,
  endingComponents,
  innerCode,
  innerComponents,
} from './branching-script.ts';
import { serve, tokenOf } from './served-script.ts';

const [openLogin, closedLogin] = ['scripts-branched-open', 'scripts-branched-closed'];
const endsCode = `${branchedCode}-ends`;
const madeCode = `${branchedCode}-group`;

export const scriptsBranched = useCaseOf({
  name: 'scripts-branched',
  rule: 'In a quiescent cluster a service script takes the branch of each outcome of its components and gets their results: variables, conditions, nested scripts with variables of their own, scripts that are not there, effects that fail, operations on domain data, of which users must allow it, and those of external authentication, which it may not use. Its variables make the answer: code, headers as an object, a list or a text, content or none. It may execute as many components as its domain allows, and no more. One that fails is answered with 500 and what is wrong, and the journal has its steps and its problem; an application is closed to other roles.',
  exclusions: 'Domains whose limits refuse runs.',
  sender: '10.6.0.45',
  play: async (useCase) => {
    // A run that has failed leaves them.
    useCase.afterwards(async () => {
      const left = itemsOf(await useCase.ask(`${groups}?${filterOf({ code: madeCode })}`));
      for (const { id } of left) await useCase.ask(`${groups}/${String(id)}`, { method: 'DELETE' });
      const users = usersOf(useCase);
      const hired = await useCase.ask(users, { method: 'LOOKUP', body: openLogin });
      for (const id of hired?.status === 200 ? (hired.body as string[]) : [])
        await useCase.ask(`${users}/${id}`, { method: 'DELETE' });
    });
    await play(useCase);
  },
});

type Send = (
  request: NonNullable<Parameters<UseCase['ask']>[1]>,
  query?: string,
) => Promise<QuestionAnswer | undefined>;

async function play(useCase: UseCase): Promise<void> {
  for (const [code, components] of [
    [branchedCode, branchedComponents],
    [innerCode, innerComponents],
    [deepCode, deepComponents],
    [endsCode, endingComponents()],
  ] as const)
    if ((await useCase.make(svcScripts, { code, components })) === undefined) return;
  for (const code of [branchedCode, endsCode]) {
    const body = { code, token_local: tokenOf(useCase, code), svcscriptcode: code };
    if ((await useCase.make(channels, body)) === undefined) return;
  }
  const user = await makeUser(useCase, closedLogin, { name: 'Branched' });
  if (user === undefined) return;
  const by =
    (code: string): Send =>
    (request, query = '') =>
      useCase.ask(`/exec${query}`, {
        site: useCase.there,
        method: 'POST',
        ...request,
        headers: { authorization: `Bearer ${tokenOf(useCase, code)}` },
      });
  const sent = { code: madeCode, login: openLogin, closed: user.id };
  const answer = await by(branchedCode)({ body: sent });
  // Its limits refuse the run, or who must serve is not there.
  if (answer === undefined || answer.status === 503 || answer.status === 504) return;
  useCase.expect('the results of all branches', answer, branched(sent));
  const shown = await useCase.ask(user.path);
  useCase.expect('a user that scripts may not change', shown, (given) => differing({ name: 'Branched' }, given));
  await useCase.everywhere(`${groups}?${filterOf({ code: madeCode })}`, (given) =>
    itemsOf(given).length === 0 && given?.status === 200
      ? undefined
      : `a group that was removed is in ${longTextOf(given)}`,
  );
  await journal(useCase, branchedCode, (run) => {
    const lines = stepsIn(run).filter(({ type }) => type === 'log' || type === 'script' || type === 'branch');
    const notes = lines.map(({ component, note }) => `${String(component)}: ${String(note)}`);
    const wanted = [
      'proves: yes',
      'asks: yes',
      'denies: no',
      `nested: → ${innerCode}`,
      'nested: next',
      'lost: missing',
      'line: line 4',
      'object: {"c":4,"list":[0,1,2,3]}',
    ];
    const isRight = run['status'] === 'finished' && run['problem'] === undefined && isSame(notes, wanted);
    return isRight ? undefined : `expected ${wanted.join('; ')}, got ${notes.join('; ')}`;
  });
  await ends(useCase, by(endsCode));
  await counted(useCase);
  await roles(useCase, user);
}

/** What the script has got of each component. */
function branched({ code, login }: Item): Judge {
  return (answer) => {
    const body = (answer?.body ?? {}) as Readonly<Record<string, Item & readonly Item[]>>;
    if (answer?.status !== 200 || body['problems'] === undefined)
      return `expected 200 with results, got ${longTextOf(answer)}`;
    const { made, changed, one, all, hire, open } = body;
    const id = made?.['id'];
    const group = { id, code, name: '', members: ['1'], opts: { title: '', comment: '' } };
    const after = { ...group, members: ['2', '3'] };
    const withoutTimes = (item: Item | undefined) =>
      Object.fromEntries(Object.entries(item ?? {}).filter(([name]) => name !== 'ext'));
    const expected: Item = {
      a: 1,
      b: 2,
      c: 4,
      list: [0, 1, 2, 3],
      inner: { seen: [4, [0, 1, 2, 3], 'undefined', code], a: 100, more: { list: [0, 1, 2, 3] } },
      find: [id],
      nothing: [],
      removed: { id },
      calls: [],
      rooms: [],
    };
    const wrong = differing(expected, answer);
    if (wrong !== undefined) return wrong;
    for (const [what, got, wanted] of [
      ['made', withoutTimes(made), group],
      ['changed', withoutTimes(changed), after],
      ['one', withoutTimes(one), after],
      ['all', all?.map(withoutTimes), [{ ...after, opts: { title: '' } }]],
    ] as const)
      if (!isSame(got, wanted)) return `${what}: expected ${JSON.stringify(wanted)}, got ${JSON.stringify(got)}`;
    const { opts } = (hire ?? {}) as { opts?: Item };
    if (hire?.['login'] !== login || hire?.['pwd'] !== '*' || opts?.['allow_script_crud'] !== true)
      return `hire: ${JSON.stringify(hire)}`;
    if (open?.['id'] !== hire['id'] || open?.['name'] !== 'Changed' || open?.['pwd'] !== '*')
      return `open: ${JSON.stringify(open)}`;
    if (!isSame(body['fire'], { id: hire['id'] })) return `fire: ${JSON.stringify(body['fire'])}`;
    return problemsIn(body['problems']);
  };
}

/** A word of the problem of each component that has failed. */
const failures: Readonly<Record<string, RegExp>> = {
  refused: /connection/,
  scheme: /^url: .*http/,
  texts: /^to, text: /,
  twice: /taken|code/,
  odd: /kind: expected one of .*contactgroup/,
  many: /limit/,
  again: /no /,
  closed: /allow_script_crud/,
  drop: /allow_script_crud/,
  session: /external authentication/,
  ban: /external authentication/,
  call: /not found/,
  target: /target: expected one of dialogid, inviteid, callid/,
  room: /not found/,
};
const codes: Item = {
  twice: 'conflict',
  odd: 'invalid',
  again: 'not_found',
  closed: 'forbidden',
  drop: 'forbidden',
  session: 'forbidden',
  ban: 'forbidden',
  many: 'invalid',
  call: 'not_found',
  target: 'invalid',
  room: 'not_found',
};

function problemsIn(problems: Item | undefined): string | undefined {
  for (const [name, words] of Object.entries(failures)) {
    const { problem, code } = (problems?.[name] ?? {}) as Item;
    if (!words.test(String(problem)))
      return `the problem of ${name}: expected ${String(words)}, got ${String(problem)}`;
    if (codes[name] !== undefined && codes[name] !== code) return `the code of ${name}: ${String(code)}`;
  }
  return undefined;
}

function stepsIn(run: Item): Item[] {
  return Array.isArray(run['steps']) ? run['steps'] : [];
}

/** Judges the last run of a script: by clocks that agree. */
async function journal(useCase: UseCase, code: string, judge: (run: Item) => string | undefined): Promise<void> {
  if (!useCase.areClocksRight) return;
  const order = encodeURIComponent('[{"startts":"desc"}]');
  const list = await useCase.ask(`${runs}?limit=1&order=${order}&${filterOf({ code })}`, { site: useCase.there });
  const [last] = itemsOf(list);
  const path = `${runs}/${String(last?.['id'])}`;
  await useCase.everywhere(path, (answer) => {
    const { code: shown, domain } = (answer?.body ?? {}) as Item;
    if (answer?.status !== 200 || shown !== code || (domain !== undefined && domain !== useCase.domain))
      return `got ${longTextOf(answer)}`;
    return judge(answer.body as Item);
  });
}

async function ends(useCase: UseCase, send: Send): Promise<void> {
  const { opts } = useCase.context.map.topology.domains.find(({ name }) => name === useCase.domain) ?? {};
  const answering =
    (status: number, body: unknown, fields: Readonly<Record<string, string>> = {}): Judge =>
    (answer) => {
      const wrong = Object.keys(fields).find((name) => answer?.headers.get(name) !== fields[name]);
      if (answer?.status !== status || !isSame(answer.body, body))
        return `expected ${status} ${JSON.stringify(body)}, got ${textOf(answer)}`;
      return wrong && `${wrong}: expected ${fields[wrong]}, got ${answer.headers.get(wrong)}`;
    };
  const failed =
    (component: string, words: string): Judge =>
    (answer) => {
      const message = String((answer?.body as Item | undefined)?.['error_message']);
      const names = [`script "${component === 'self' ? deepCode : endsCode}"`, `component "${component}"`, words];
      return (
        refusing(500)(answer) ??
        (names.every((name) => message.includes(name)) ? undefined : `expected ${names.join()}, got ${message}`)
      );
    };
  const variable = (name: string) => refusing(500, `variable ${name}`);
  const stream = 'application/octet-stream';
  const rows: readonly (readonly [string, Judge])[] = [
    ['text', answering(201, 'ä', { 'content-type': 'text/plain', 'x-text': 'of JSON', 'content-length': '2' })],
    ['list', answering(200, [1], { 'content-type': stream, 'x-one': '1, two', 'content-length': '3' })],
    ['empty', answering(204, undefined)],
    ['low', variable('response_code')],
    ['high', variable('response_code')],
    ['own', variable('response_headers')],
    ['odd', variable('response_headers')],
    [
      'global',
      opts?.script_allow_global_variables === true
        ? answering(200, [7, 7])
        : failed('global', 'script_allow_global_variables'),
    ],
    ['throws', failed('throws', 'on purpose')],
    ['waits', failed('waits', 'seconds')],
    ['fails', failed('fails', 'connection')],
    ['lacks', failed('lacks', `${branchedCode}-none`)],
    ['deep', failed('self', 'nested')],
    ['endless', failed('endless', 'code')],
    ['none', answering(200, undefined, { 'content-type': stream, 'content-length': '0' })],
  ];
  for (const [index, [how, judge]] of rows.entries())
    useCase.expect(`a script that ends in ${how}`, await send({ body: { how }, site: useCase.siteAt(index) }), judge);
  await journal(useCase, endsCode, (run) =>
    run['status'] === 'finished' ? undefined : `status ${String(run['status'])}`,
  );
  const get = await send({ method: 'GET' }, '?how=query&more=1');
  useCase.expect(
    'GET /exec',
    get,
    answering(200, ['GET', '/exec', {}, { how: 'query', more: '1' }], { 'content-type': stream }),
  );
  const plain = await send({ bytes: { type: 'text/plain', text: 'no JSON' } }, '?how=query');
  useCase.expect('POST /exec of a text', plain, answering(200, ['POST', '/exec', 'no JSON', { how: 'query' }]));
  useCase.expect('two timeouts', await send({ body: {} }, '?timeout=1&timeout=2'), refusing(400, 'timeout'));
  const failedRun = await send({ body: { how: 'throws' } });
  useCase.expect('a script that throws', failedRun, failed('throws', 'on purpose'));
  await journal(useCase, endsCode, (run) => {
    const isRight = run['status'] === 'failed' && String(run['problem']).includes('on purpose') && run['by'] === 'exec';
    return isRight ? undefined : `expected a failed run, got ${JSON.stringify(run).slice(0, 300)}`;
  });
}

/** A script of as many components as a run may execute, and one of one more. */
async function counted(useCase: UseCase): Promise<void> {
  const { opts } = useCase.context.map.topology.domains.find(({ name }) => name === useCase.domain) ?? {};
  const most = opts?.script_limit_component_count ?? 0;
  if (most === 0 || most > longest) return;
  for (const [count, judge] of [
    [most, (answer) => (answer?.status === 200 ? undefined : `expected 200, got ${longTextOf(answer)}`)],
    [
      most + 1,
      (answer) =>
        refusing(500)(answer) ?? (longTextOf(answer).includes(`${most} components`) ? undefined : longTextOf(answer)),
    ],
  ] as readonly (readonly [number, Judge])[]) {
    const code = `${branchedCode}-${count}`;
    const send = await serve(useCase, { code, components: chainOf(count), site: useCase.there });
    const answer = await send?.({});
    if (answer === undefined || answer.status === 503 || answer.status === 504) return;
    useCase.expect(`a run of ${count} components`, answer, judge);
  }
}

/** Components of the longest script that is made. */
const longest = 200;

function chainOf(count: number): Item[] {
  const steps = Array.from({ length: count - 2 }, (_, index) => `step-${index}`);
  const set = { passed: '1' };
  return [
    { name: 'begin', type: 'start', next: steps[0] ?? 'end' },
    ...steps.map((name, index) => ({ name, type: 'assign', set, next: steps[index + 1] ?? 'end' })),
    { name: 'end', type: 'stop' },
  ];
}

/** An application is open to its roles, and to administrators. */
async function roles(useCase: UseCase, user: OwnUser): Promise<void> {
  const app = await useCase.make(apps, { folder: branchedCode, svcscriptcode: endsCode, roles: ['branched'] });
  const other = await useCase.make(apps, { folder: `${branchedCode}-none` });
  const session = await useCase.login(user);
  if (app === undefined || other === undefined || session === undefined) return;
  await useCase.copied();
  const post = (folder: string, as?: typeof session) => {
    const headers = { referer: `https://any.test:8443/app/${folder}` };
    const own = as === undefined ? {} : { session: as };
    return useCase.ask('/exec', { method: 'POST', site: useCase.there, body: { how: 'list' }, headers, ...own });
  };
  useCase.expect('an application as an administrator', await post(branchedCode), (answer) =>
    answer?.status === 200 && isSame(answer.body, [1]) ? undefined : `expected 200 [1], got ${textOf(answer)}`,
  );
  useCase.expect('an application for other roles', await post(branchedCode, session), refusing(403));
  useCase.expect('an application without a script', await post(`${branchedCode}-none`), refusing(404));
  await useCase.ask(current, { method: 'DELETE', session });
}
