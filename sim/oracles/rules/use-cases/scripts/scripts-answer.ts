/** A service script answers requests of channels, applications and campaigns, and an IVR script a call. */

import type { QuestionAnswer } from '../../../questions.ts';
import { isSame, longTextOf, over, refusing } from '../calls/call-judges.ts';
import { connect, endCalls, steadyUsers, uriOf } from '../kit/call.ts';
import { apps, calls, campaigns, channels, ivrScripts, records, runs, svcScripts } from '../kit/paths.ts';
import { type Item, type Judge, textOf, type UseCase, useCaseOf } from '../kit/use-case.ts';

const code = 'scripts-answer';
/** Of the channel. */
const recvTimeout = 2;
const ivrComponents = [
  { name: 'begin', type: 'start', next: 'answer' },
  { name: 'answer', type: 'answer', next: 'wait' },
  { name: 'wait', type: 'wait', seconds: '2', next: 'end' },
  { name: 'end', type: 'hangup' },
];

/** It answers as the body says: nothing at all, only a content, or everything, perhaps later. */
const components = [
  { name: 'begin', type: 'start', next: 'bare' },
  { name: 'bare', type: 'branch', condition: 'startparam(4).how === "bare"', yes: 'end', no: 'content' },
  { name: 'content', type: 'assign', set: { response_content: answerOf() }, next: 'more' },
  { name: 'more', type: 'branch', condition: 'startparam(4).how === "content"', no: 'headers' },
  {
    name: 'headers',
    type: 'assign',
    set: { response_code: '200 + startparam(4).n', response_headers: headers() },
    next: 'late',
  },
  { name: 'late', type: 'branch', condition: 'startparam(4).waits > 0', yes: 'wait', no: 'end' },
  { name: 'wait', type: 'wait', seconds: 'startparam(4).waits', next: 'end' },
  { name: 'end', type: 'stop' },
];

export const scriptsAnswer = useCaseOf({
  name: 'scripts-answer',
  rule: 'In a quiescent cluster a service script gets its seven start parameters, runs as often at once as its domain allows, and makes the answer to a request by the token of a channel, by the Referer of an application, and of a chat campaign: status, headers and content, or their defaults; a wait ends in time with 504, and the run goes on, with the pauses of its domain between components; the journal has it; wrong tokens, waits and codes are refused; INVITEBYIVR starts a call that an IVR script ends.',
  exclusions: 'Domains whose limits refuse runs.',
  sender: '10.6.0.33',
  play: async (useCase) => {
    await script(useCase);
    await byPhone(useCase);
  },
});

async function script(useCase: UseCase): Promise<void> {
  const { here, there, domain } = useCase;
  const token = `token-of-${code}-${domain}`;
  if ((await useCase.make(svcScripts, { code, components })) === undefined) return;
  const channelBody = { code, token_local: token, svcscriptcode: code, opts: { recv_timeout: recvTimeout } };
  const channel = (await useCase.make(channels, channelBody))?.item;
  if (channel === undefined) return;
  await useCase.copied();
  const own = { authorization: `Bearer ${token}`, 'x-sent': 'some' };
  const send = (body: Item, { site = there, query = '', path = '/exec', sent = own as Record<string, string> } = {}) =>
    useCase.ask(`${path}${query}`, { method: 'POST', site, body, headers: sent });
  const first = await send({ how: 'all', n: 1 });
  // Its limits refuse the run, or who must serve is not there.
  if (first === undefined || first.status === 503 || first.status === 504) return;
  await startAtOnce(useCase, send);
  for (const site of useCase.sites) {
    const body = { how: 'all', n: 7, list: [1, { a: null }], text: 'ä"' };
    const answer = await send(body, { site, query: '?timeout=1' });
    useCase.expect(`POST /exec at ${site}`, answer, made7(207, { entity: channel, body, sent: own }));
  }
  const content = await send({ how: 'content' });
  const plain = made7(200, { entity: channel, body: { how: 'content' }, sent: own, type: 'application/octet-stream' });
  useCase.expect('POST /exec without headers', content, plain);
  useCase.expect('POST /exec without a content', await send({ how: 'bare' }, { site: here }), (answer) =>
    answer?.status === 200 && answer.body === undefined ? undefined : `expected 200 and no body, got ${textOf(answer)}`,
  );
  for (const timeout of ['0', 'soon', '-1', '1.5', ''])
    useCase.expect(`timeout=${timeout}`, await send({}, { query: `?timeout=${timeout}` }), refusing(400, 'timeout'));
  const wrong = await send({}, { site: here, sent: { authorization: `Bearer ${token}x` } });
  useCase.expect('a wrong token', wrong, refusing(401));
  const put = await useCase.ask('/exec', { method: 'PUT', body: {}, headers: own });
  useCase.expect('PUT /exec', put, refusing(405));
  await byReferer(useCase);
  await late(useCase, send);
}

/** More runs than the domain allows at a site begin in the same moment: so many are made, and the others refused. */
async function startAtOnce(useCase: UseCase, send: Send): Promise<void> {
  const { script_limit_site_count: most = 0 } = useCase.context.map.domains.get(useCase.domain)?.opts ?? {};
  if (most === 0) return;
  const answers = await Promise.all(Array.from({ length: most + 2 }, () => send({ how: 'all', n: 1, waits: 1 })));
  const made = answers.filter((answer) => answer?.status === 201).length;
  const refused = answers.filter((answer) => answer?.status === 503 && textOf(answer).includes('limit')).length;
  useCase.expect(`${answers.length} runs that begin at once`, undefined, () =>
    made <= most && refused <= answers.length - most
      ? undefined
      : `expected ${most}, and others refused by the limit, got ${answers.map(textOf).join('; ')}`,
  );
  await useCase.context.questions.wait(useCase.quickMs);
}

/** By the session of a user: the Referer names the application; a campaign names its script itself. */
async function byReferer(useCase: UseCase): Promise<void> {
  const app = (await useCase.make(apps, { folder: code, svcscriptcode: code }))?.item;
  const campaign = await useCase.make(campaigns, { code, gethistoryscr: code });
  await useCase.copied();
  const body = { how: 'all', n: 3 };
  const post = (path: string, sent: Record<string, string>, site = useCase.there) =>
    useCase.ask(path, { method: 'POST', site, body, headers: { 'x-sent': 'other', ...sent } });
  const sent = { 'x-sent': 'other' };
  if (app !== undefined) {
    for (const end of ['', '/index.html?a=b']) {
      const answer = await post('/exec', { referer: `http://any.test/app/${code}${end}` });
      useCase.expect(`POST /exec with the Referer ${code}${end}`, answer, made7(203, { entity: app, body, sent }));
    }
    const none = await post('/exec', { referer: `http://any.test/app/${code}-none` });
    useCase.expect('POST /exec with the Referer of no application', none, refusing(404));
    useCase.expect('POST /exec without Referer', await post('/exec', {}), refusing(404));
  }
  if (campaign !== undefined) {
    const path = `${campaign.path}/history`;
    const answer = await post(path, {}, useCase.here);
    useCase.expect('the history of a campaign', answer, (given) => {
      const [entity] = Array.isArray(given?.body) ? given.body : [];
      const isRight = given?.status === 203 && isSame(entity, campaign.item);
      return isRight ? undefined : `expected 203 with the campaign, got ${longTextOf(given)}`;
    });
    useCase.expect('the search of a campaign without one', await post(`${path}/search`, {}), refusing(404));
  }
}

/** How many components a run with a wait executes. */
const lateComponents = 8;

type Send = (body: Item, at?: { query?: string }) => Promise<QuestionAnswer | undefined>;

/** A wait is cut, by the request or by its channel; the run goes on. */
async function late(useCase: UseCase, send: Send): Promise<void> {
  const opts = useCase.context.map.domains.get(useCase.domain)?.opts;
  // Between two components.
  const pausedMs = (lateComponents - 1) * (opts?.script_pause_between_components ?? 0);
  for (const [query, waits, mostSec] of [
    ['?timeout=1', 3, 1],
    ['?timeout=60', 4, recvTimeout],
  ] as const) {
    const sentMs = useCase.context.now();
    const answer = await send({ how: 'all', n: 0, waits }, { query });
    const tookMs = useCase.context.now() - sentMs;
    useCase.expect(`a run of ${waits} s with ${query}`, answer, refusing(504));
    if (tookMs < mostSec * 1_000 || tookMs > mostSec * 1_000 + useCase.quickMs)
      useCase.report(`a run with ${query} was given up after ${Math.round(tookMs)} ms`);
    await useCase.context.questions.wait((waits - mostSec) * 1_000);
    // The last run is found by clocks that agree.
    if (!useCase.areClocksRight) continue;
    const order = encodeURIComponent('[{"startts":"desc"}]');
    await useCase.everywhere(`${runs}?limit=1&order=${order}&filter={"code":"${code}"}`, (list) => {
      const [run] = (Array.isArray(list?.body) ? list.body : []) as Item[];
      const { kind, by, status, passed, startts, endts } = run ?? {};
      const lastedMs = Number(endts) - Number(startts);
      const isRight = kind === 'svcscript' && by === 'exec' && status === 'finished' && passed === lateComponents;
      if (!isRight) return `expected a finished run of ${lateComponents} components, got ${longTextOf(list)}`;
      const leastMs = waits * 1_000 + pausedMs;
      return lastedMs < leastMs || lastedMs > leastMs + useCase.quickMs ? `it lasted ${lastedMs} ms` : undefined;
    });
  }
  if (!useCase.areClocksRight) return;
  const all = await useCase.ask(`${runs}?filter={"code":"${code}"}`);
  const { id } = ((all?.body ?? []) as Item[]).at(-1) ?? {};
  await useCase.everywhere(`${runs}/${String(id)}`, (shown) => {
    const { steps, variables } = (shown?.body ?? {}) as { steps?: Item[]; variables?: Item };
    const names = (steps ?? []).map(({ component }) => component).join(' ');
    const isRight = names === 'begin bare content more headers late wait end' && variables?.['response_code'] === 200;
    return isRight ? undefined : `expected its steps and variables, got ${longTextOf(shown)}`;
  });
}

/** X is called, and the script answers, waits and hangs up. */
async function byPhone(useCase: UseCase): Promise<void> {
  const unknown = { from: '1', ivrscript: `${code}-none` };
  const none = await useCase.ask(calls, { method: 'INVITEBYIVR', body: unknown, site: useCase.there });
  if (none === undefined || none.status === 503 || none.status === 504) return;
  useCase.expect('INVITEBYIVR with an unknown script', none, refusing(404));
  for (const body of [{ from: '1' }, { ivrscript: code }, { from: '1', ivrscript: code, to: '2' }]) {
    const answer = await useCase.ask(calls, { method: 'INVITEBYIVR', body });
    useCase.expect(`INVITEBYIVR with ${Object.keys(body).join()}`, answer, refusing(400));
  }
  const users = await steadyUsers(useCase, 2);
  const [x, y] = users;
  if (x === undefined || y === undefined) return;
  // It shows that calls may be made here at all.
  const talk = await connect(useCase, { from: x.number, to: y.number });
  await endCalls(useCase, users);
  if (talk === undefined || (await useCase.make(ivrScripts, { code, components: ivrComponents })) === undefined) return;
  const body = { from: x.number, ivrscript: code, response_mode: 1 };
  const started = await useCase.ask(calls, { method: 'INVITEBYIVR', body, site: useCase.there });
  // The limit of scripts at a site refuses it.
  if ((started?.body as Item | undefined)?.['result'] !== 'ok') return;
  const found = await useCase.ask(calls, { method: 'LOOKUP', body: { sipuserid: x.id } });
  const [dialogid] = (Array.isArray(found?.body) ? found.body : []) as string[];
  const path = `${calls}/${dialogid}`;
  const shown = ((await useCase.ask(path))?.body ?? {}) as Item;
  // Its phone, or the limit of scripts at a site, has ended it.
  if (shown['inviteid'] === undefined || shown['status'] === 'ending') return;
  useCase.expect('its call', found, (answer) =>
    (shown['uris'] as string[]).includes(uriOf(useCase, x))
      ? undefined
      : `expected a call of ${x.number}, got ${longTextOf(answer)} ${JSON.stringify(shown).slice(0, 200)}`,
  );
  await useCase.context.questions.wait(2_000);
  await useCase.everywhere(path, over, useCase.patienceMs);
  await useCase.everywhere(
    `${records}/${String(shown['inviteid'])}`,
    (answer) => {
      const { talkms, participations } = (answer?.body ?? {}) as { talkms?: number; participations?: Item[] };
      // An instance that has refused it, as it runs as many as it may, is named beside the next one.
      const kinds = [...new Set((participations ?? []).map(({ kind }) => kind))].toSorted();
      const isRight =
        isSame(kinds, ['ivr', 'sipuser']) && Number(talkms) >= 1_900 && Number(talkms) <= 2_000 + useCase.quickMs;
      return isRight ? undefined : `expected a call of 2 s of a SIP user and ivr, got ${longTextOf(answer)}`;
    },
    useCase.patienceMs,
  );
}

function answerOf(): string {
  return `JSON.stringify([${[1, 2, 3, 4, 5, 6, 7].map((n) => `startparam(${n})`).join()}])`;
}

function headers(): string {
  return "({'X-Own': 'yes', 'Content-Type': 'text/x-own'})";
}

interface Given {
  readonly entity: Item;
  readonly body: Item;
  readonly sent: Readonly<Record<string, string>>;
  readonly type?: string;
}

/** The answer that the script makes of its start parameters. */
function made7(status: number, { entity, body, sent, type = 'text/x-own' }: Given): Judge {
  return (answer) => {
    if (answer?.status !== status || !Array.isArray(answer.body))
      return `expected ${status}, got ${longTextOf(answer)}`;
    const [one, method, url, json, list, sender, protocol] = answer.body as unknown[];
    const own = type === 'text/x-own' ? 'yes' : null;
    const given = ((list ?? []) as { name?: string; value?: string }[]).find(({ name }) => name === 'x-sent');
    const got = [
      answer.headers.get('content-type'),
      answer.headers.get('x-own'),
      one,
      method,
      url,
      json,
      sender,
      protocol,
    ];
    const expected = [type, own, entity, 'POST', '/exec', body, '10.6.0.33', 'http'];
    const at = expected.findIndex((value, index) => !isSame(value, got[index]));
    if (at >= 0) return `expected ${JSON.stringify(expected[at])}, got ${JSON.stringify(got[at])}`;
    return given?.value === sent['x-sent'] ? undefined : `no header x-sent in ${JSON.stringify(list)}`;
  };
}
