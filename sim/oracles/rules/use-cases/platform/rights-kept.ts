/** A session may do what its access roles allow, and nothing else. */
import { noSession, type OwnSession } from '../../../questions.ts';
import { sipUsers } from '../kit/paths.ts';
import { expecting, type Item, itemsOf, type Judge, textOf, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { makeUser } from '../sessions/own-sessions.ts';

/** No item has this id: a write that is let in by mistake changes nothing. */
const noId = 'aa0c0f3e-7d51-4c5b-9d8f-200000000000';

const collections = [
  ...['domain/roleapps', 'domain/svcscripts', 'domain/ivrscripts', 'domain/integrationchannels'],
  ...['domain/contactgroups', 'uc/chatcampaigns', 'uc/recordrules', 'uc/sipusers', 'uc/selectors'],
];
const callVerbs = ['REFER', 'REFERREPLACES', 'SWITCHCONF', 'REFERCONF', 'NOTIFY', 'SEND_DTMF', 'SETUP_RECORD'];

/** Writes that only an administrator of the domain may do. */
const writes: readonly (readonly [method: string, path: string])[] = [
  ...collections.flatMap((path) => [
    ['POST', path] as const,
    ['PATCH', `${path}/${noId}`] as const,
    ['DELETE', `${path}/${noId}`] as const,
  ]),
  ...['POST', 'INVITE', 'INVITEBYIVR'].map((method) => [method, 'uc/calls'] as const),
  ...[...callVerbs, 'SETUP_ASR', 'SETUP_BINDINGS', 'DELETE'].map((method) => [method, 'uc/calls/none'] as const),
  ['DELETE', 'uc/conferences/none'],
  ['POST', 'uc/conferences/none/topology'],
  ['POST', 'uc/conferences/none/participants'],
  ['DELETE', 'uc/conferences/none/participants/none'],
  ['DELETE', `uc/sipuser_states/${noId}`],
  ['POST', `uc/selectors/${noId}/participants`],
  ['PATCH', `uc/selectors/${noId}/participants/${noId}`],
  ['DELETE', `uc/selectors/${noId}/participants/${noId}`],
  ['PATCH', `uc/selectors/${noId}/topology`],
  ['DELETE', `uc/selectors/${noId}/topology`],
  ['POST', `domain/roleapps/${noId}/attachment`],
  ['PUT', `domain/roleapps/${noId}/attachment`],
  ['DELETE', `domain/roleapps/${noId}/attachment`],
  ['POST', 'fs/targets/selector'],
  ['DELETE', 'fs/targets/parking/none.wav'],
  ['DELETE', 'journal/calls/none/attachments'],
  ['DELETE', 'journal/calls/none/attachments/none.wav'],
  ['DELETE', 'journal/calls_by_participation/none/attachments'],
  ['GET', 'journal/scripts'],
  ['GET', `journal/scripts/${noId}`],
];
/** Reading with the role `user`, or without a role. */
const reads = [
  ...[...collections, 'uc/calls', 'uc/calls_by_participation', 'user/sip/calls', 'uc/conferences'],
  ...['uc/conferences_by_participation', 'uc/sipuser_states', 'domain/domains', 'api/selectors'],
  ...['fs/targets/parking', 'fs/targets/selector', 'journal/calls', 'journal/calls_by_participation'],
];
const anySession = ['iam/sessions/current', 'metadata/entities/nav.json'];
const master = [
  ...['nodes', 'borderrules', 'audiomatcher/status', 'logicalroles/esg/dashboards', 'logicalroles/ws/bannedaddrs'],
  ...['logicalroles/esg/bannedaddrs', 'logicalroles/sg/bannedaddrs', 'logicalroles/esg/dashboards/count'],
];
const ofWorkingDomains = ['uc/recordrules', 'uc/sipusers', 'uc/sipuser_states', 'journal/calls/none/attachments'];

const forbidden = expecting(403, { error_code: 1403 });
const unknown: Judge = (answer) =>
  expecting(401, { error_code: 1401 })(answer) ??
  (answer?.headers.get('www-authenticate') === 'Bearer' ? undefined : 'no WWW-Authenticate: Bearer');

export const rightsKept = useCaseOf({
  name: 'rights-kept',
  rule: 'In a quiescent cluster, a user with the role `user` may read and not write, one without a role may neither, and a client without a session is answered 401; no session of a working domain may use a path of the master domain, or read or change what belongs to another domain.',
  exclusions: 'Each path in one of the working domains.',
  sender: '10.6.21.9',
  play: async (useCase) => {
    await useRoles(useCase);
    await reachOut(useCase);
  },
});

export const masterRightsKept = useCaseOf({
  name: 'master-rights-kept',
  rule: 'In a quiescent cluster, a session of the master domain is refused the paths of working domains.',
  sender: '10.6.0.16',
  isOfMaster: true,
  play: async (useCase) => {
    for (const [index, path] of ofWorkingDomains.entries())
      await ask(useCase, ['GET', path], { index, judge: forbidden });
  },
});

interface Asked {
  readonly index: number;
  readonly judge: Judge;
  readonly session?: OwnSession;
  readonly as?: string;
}

async function ask(useCase: UseCase, [method, path]: readonly [string, string], asked: Asked): Promise<void> {
  const { index, judge, session, as = 'an administrator' } = asked;
  const site = useCase.siteAt(index);
  const hasBody = !['GET', 'DELETE'].includes(method);
  const target = `/rest/v1/${path}`;
  const request = { site, method, ...(hasBody && { body: {} }), ...(session !== undefined && { session }) };
  useCase.expect(`${method} ${target} as ${as} at ${site}`, await useCase.ask(target, request), judge);
}

async function useRoles(useCase: UseCase): Promise<void> {
  const sessionOf = async (login: string, roles: readonly string[]) => {
    const made = await makeUser(useCase, login, { opts: { roles } });
    if (made === undefined) return undefined;
    await useCase.everywhere(made.path, expecting(200, { login }));
    return useCase.login(made);
  };
  const user = await sessionOf('rights-kept-user', ['user']);
  const none = await sessionOf('rights-kept-none', ['other']);
  if (user !== undefined && none !== undefined) await useAll(useCase, { user, none });
}

async function useAll(
  useCase: UseCase,
  { user, none }: { readonly user: OwnSession; readonly none: OwnSession },
): Promise<void> {
  const ownUsers = `domain/domains/${useCase.domain}/users`;
  const own = (['POST', 'LOOKUP'] as const).map((method) => [method, 'uc/calls_by_participation'] as const);
  const isLetIn: Judge = (answer) =>
    [400, 404].includes(Number(answer?.status)) ? undefined : `expected 400 or 404, got ${textOf(answer)}`;
  const ok = expecting(200);
  const rows: { what: readonly [string, string]; user: Judge; none: Judge; signedOut: Judge }[] = [
    ...[...writes, ['POST', ownUsers] as const, ['DELETE', `${ownUsers}/${noId}`] as const].map((what) => ({
      what,
      user: forbidden,
      none: forbidden,
      signedOut: unknown,
    })),
    ...[...reads, ownUsers].map((path) => ({
      what: ['GET', path] as const,
      user: ok,
      none: forbidden,
      signedOut: unknown,
    })),
    ...anySession.map((path) => ({ what: ['GET', path] as const, user: ok, none: ok, signedOut: unknown })),
    ...own.map((what) => ({ what, user: isLetIn, none: forbidden, signedOut: unknown })),
  ];
  const [sipUser] = itemsOf(await useCase.ask('/rest/v1/uc/sipusers?limit=1', { session: user }));
  if (sipUser !== undefined)
    await useCase.everywhere(`${sipUsers}/${String(sipUser['id'])}`, isWithoutPassword, 0, { session: user });
  for (const [index, { what, ...judges }] of useCase.share(rows).entries()) {
    await ask(useCase, what, { index, judge: judges.user, session: user, as: 'a user' });
    await ask(useCase, what, { index: index + 1, judge: judges.none, session: none, as: 'one without a role' });
    await ask(useCase, what, { index, judge: judges.signedOut, session: noSession, as: 'a client without a session' });
  }
}

/** Administrators only are shown it. */
const isWithoutPassword: Judge = (answer) =>
  expecting(200)(answer) ??
  ((answer?.body as Item | undefined)?.['pwd'] !== undefined ? `a password is in ${textOf(answer)}` : undefined);

/** What an administrator of a working domain may not. */
async function reachOut(useCase: UseCase): Promise<void> {
  const { questions, map } = useCase.context;
  for (const [index, path] of master.entries())
    await ask(useCase, ['GET', `master/${path}`], { index, judge: forbidden });
  await ask(useCase, ['POST', 'master/audiomatcher'], { index: 0, judge: forbidden });
  await ask(useCase, ['POST', 'master/borderrules'], { index: 1, judge: forbidden });
  const above = `domain/domains/${map.masterDomain}/users`;
  await ask(useCase, ['GET', above], { index: 1, judge: forbidden });
  await ask(useCase, ['POST', above], { index: 2, judge: forbidden });
  const groups = '/rest/v1/domain/contactgroups';
  const made = await useCase.make(groups, { code: 'rights-kept' });
  if (made === undefined) return;
  const { path } = made;
  const site = useCase.there;
  const shown = await useCase.everywhere(path, expecting(200, { code: 'rights-kept' }));
  for (const domain of questions.domains.filter((name) => shown && name !== useCase.domain)) {
    for (const method of ['GET', 'DELETE']) {
      const answer = await questions.ask({ site, domain, path, method, sender: '10.6.21.9' });
      // Its administrator may have been changed, and the session ended.
      if (answer !== undefined && answer.status !== 401)
        useCase.expect(`${method} ${path} from ${domain} at ${site}`, answer, expecting(404));
    }
  }
  await useCase.everywhere(path, expecting(200, { code: 'rights-kept' }));
}
