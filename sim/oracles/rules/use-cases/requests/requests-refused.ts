/** What is no request of the interface is refused with the status that says why. */
import { noSession, type QuestionAnswer } from '../../../questions.ts';
import { groups } from '../kit/paths.ts';
import { expecting, type Item, type Judge, textOf, type UseCase, useCaseOf } from '../kit/use-case.ts';

const jsonType = 'application/json; charset=utf-8';
/** No item has this id. */
const noId = 'aa0c0f3e-7d51-4c5b-9d8f-400000000000';
const mostBytes = 1024 * 1024;

const sixOperations = { collection: ['POST', 'GET', 'LOOKUP'], item: ['GET', 'PATCH', 'DELETE'] };
const fiveOperations = { ...sixOperations, collection: ['POST', 'GET'] };
/** The methods of paths, besides HEAD where there is GET, and OPTIONS. */
const methods: readonly (readonly [path: string, methods: readonly string[]])[] = [
  ...[
    ...['domain/roleapps', 'domain/svcscripts', 'domain/ivrscripts', 'domain/integrationchannels'],
    ...['domain/contactgroups', 'uc/chatcampaigns', 'uc/recordrules', 'uc/sipusers', 'master/borderrules'],
    'domain/domains/none/users',
  ].flatMap((path) => [[path, sixOperations.collection] as const, [`${path}/none`, sixOperations.item] as const]),
  ...['uc/selectors', 'api/selectors', 'uc/selectors/none/participants'].flatMap((path) => [
    [path, fiveOperations.collection] as const,
    [`${path}/none`, fiveOperations.item] as const,
  ]),
  ['iam/sessions', ['POST']],
  ['iam/sessions/current', ['GET', 'PATCH', 'DELETE']],
  ['uc/calls', ['GET', 'POST', 'INVITE', 'INVITEBYIVR', 'LOOKUP']],
  ['uc/sipuser_states', ['GET']],
  ['uc/sipuser_states/none', ['GET', 'DELETE']],
  ['uc/conferences', ['GET', 'LOOKUP']],
  ['uc/conferences/none', ['GET', 'DELETE']],
  ['uc/conferences/none/participants', ['GET', 'POST']],
  ['uc/conferences/none/paticipants/none', ['GET', 'DELETE']],
  ['master/logicalroles/ws/bannedaddrs', ['GET', 'DELETE']],
  ['master/logicalroles/sg/bannedaddrs', ['POST', 'GET', 'DELETE']],
  ['master/nodes', ['GET']],
  ['master/nodes/none', ['GET', 'PATCH', 'DELETE']],
  ['master/audiomatcher', ['POST']],
  ['metadata/entities/nav.json', ['GET']],
];
const unknownPaths = ['/rest/v2/uc/sipusers', '/rest/v1/uc/sipuser', '/rest/v1/uc', '/rest/v1/iam/session', '/rest'];

export const requestsRefused = useCaseOf({
  name: 'requests-refused',
  rule: 'In a quiescent cluster, an unknown path or item is answered with 404, another method of a path with 405 and the methods that it has, malformed JSON, other types and unknown keys with 400, another content type with 415, a body that is too long with 413; answers are JSON, and those to HEAD and OPTIONS have no body.',
  sender: '10.6.20.9',
  play: async (useCase) => {
    for (const [index, [path, known]] of methods.entries()) await allow(useCase, index, { path, known });
    for (const [index, path] of unknownPaths.entries()) {
      const answer = await useCase.ask(path, { site: useCase.siteAt(index), session: noSession });
      useCase.expect(`GET ${path}`, answer, refused(404));
    }
    await find(useCase);
    await readBodies(useCase);
    await lookUp(useCase);
  },
});

interface Methods {
  readonly path: string;
  readonly known: readonly string[];
}

async function allow(useCase: UseCase, index: number, { path, known }: Methods): Promise<void> {
  const target = `/rest/v1/${path}`;
  const site = useCase.siteAt(index);
  const all = [...known, ...(known.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].toSorted();
  const allowed = (answer: QuestionAnswer | undefined) => {
    const got = (answer?.headers.get('allow') ?? '').split(', ').toSorted();
    return got.join() === all.join() ? undefined : `expected Allow ${all.join()}, got ${got.join()}`;
  };
  const request = { site, session: noSession };
  const wrong = await useCase.ask(target, { ...request, method: 'PUT' });
  useCase.expect(`PUT ${target}`, wrong, (answer) => refused(405)(answer) ?? allowed(answer));
  const options = await useCase.ask(target, { ...request, method: 'OPTIONS' });
  useCase.expect(`OPTIONS ${target}`, options, (answer) => empty(204)(answer) ?? allowed(answer));
}

/** Lists, and items that do not exist. */
async function find(useCase: UseCase): Promise<void> {
  const { here, there } = useCase;
  const shown = await useCase.ask(groups, { site: there });
  useCase.expect(`GET ${groups}`, shown, (answer) => expecting(200)(answer) ?? typed(answer));
  const head = await useCase.ask(groups, { site: there, method: 'HEAD' });
  useCase.expect(`HEAD ${groups}`, head, (answer) => empty(200)(answer) ?? typed(answer));
  const paths = ['domain/contactgroups', 'uc/sipusers', 'uc/recordrules', 'uc/chatcampaigns', 'uc/selectors'];
  for (const path of [...paths, 'domain/roleapps', `domain/domains/${useCase.domain}/users`]) {
    const target = `/rest/v1/${path}/${noId}`;
    useCase.expect(`GET ${target}`, await useCase.ask(target, { site: there }), refused(404));
    useCase.expect(`PATCH ${target}`, await useCase.ask(target, { method: 'PATCH', body: {} }), refused(404));
    useCase.expect(`DELETE ${target}`, await useCase.ask(target, { site: there, method: 'DELETE' }), refused(404));
  }
  for (const path of [`uc/sipuser_states/${noId}`, `uc/selectors/${noId}/participants`, 'domain/domains/none']) {
    const target = `/rest/v1/${path}`;
    useCase.expect(`GET ${target}`, await useCase.ask(target, { site: here }), refused(404));
  }
}

async function readBodies(useCase: UseCase): Promise<void> {
  const json = 'application/json';
  const post = async (what: string, bytes: { type: string; text: string }, judge: Judge) =>
    useCase.expect(
      `POST ${groups} of ${what}`,
      await useCase.ask(groups, { site: useCase.there, method: 'POST', bytes }),
      judge,
    );
  for (const text of ['{"code":', 'code', '', '[]', 'null', '"code"', '{"code":"a"}}'])
    await post(text === '' ? 'nothing' : text, { type: json, text }, refused(400));
  await post('a form', { type: 'application/x-www-form-urlencoded', text: 'code=refused' }, refused(415));
  await post('a text', { type: 'text/plain', text: '{"code":"refused"}' }, refused(415));
  await post('an unknown type', { type: 'application/jsonx', text: '{"code":"refused"}' }, refused(415));
  await post('another charset', { type: 'Application/JSON; charset=utf-8', text: '{"code":""}' }, refused(400));
  await post('deep JSON', { type: json, text: `{"code":${'['.repeat(65)}${']'.repeat(65)}}` }, refused(400));
  await post('too long a body', { type: json, text: `"${'a'.repeat(mostBytes)}"` }, refused(413));
}

/** A key is a text. */
async function lookUp(useCase: UseCase): Promise<void> {
  const paths = ['uc/sipusers', 'uc/chatcampaigns', 'domain/roleapps', `domain/domains/${useCase.domain}/users`];
  const keys: readonly unknown[] = [5, '', { id: noId }, [noId], null];
  for (const [index, path] of paths.entries()) {
    const target = `/rest/v1/${path}`;
    const ask = (key: unknown) => useCase.ask(target, { site: useCase.siteAt(index), method: 'LOOKUP', body: key });
    const key = keys[index];
    useCase.expect(`LOOKUP ${target} by ${JSON.stringify(key)}`, await ask(key), refused(400));
    const vain = await ask(noId);
    useCase.expect(`LOOKUP ${target} by ${noId}`, vain, expecting(404, { error_message: 'Lookup failed' }));
  }
}

function typed(answer: QuestionAnswer | undefined): string | undefined {
  const type = answer?.headers.get('content-type');
  return type === jsonType ? undefined : `expected ${jsonType}, got ${type}`;
}

/** The body is an error in JSON, with the code of the status and nothing else. */
function refused(status: number): Judge {
  return (answer) => {
    const body = (answer?.body ?? {}) as Item;
    const names = Object.keys(body).toSorted().join();
    const isWhole = names === 'error_code,error_message' && body['error_message'] !== '';
    return (
      expecting(status, { error_code: 1_000 + status })(answer) ??
      typed(answer) ??
      (isWhole ? undefined : `expected an error, got ${textOf(answer)}`)
    );
  };
}

function empty(status: number): Judge {
  return (answer) => expecting(status)(answer) ?? (answer?.body === undefined ? undefined : textOf(answer));
}
