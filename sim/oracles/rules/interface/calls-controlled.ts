/** A call that a client starts is seen, and ended, everywhere, in a cluster that has recovered. */
import { isWilling, reactionOf } from '../../../outside/behaviour.ts';
import { boundsOf } from '../../bounds.ts';
import type { OracleContext, OracleMaker } from '../../oracle.ts';
import type { QuestionAnswer } from '../../questions.ts';

type Item = Readonly<Record<string, unknown>>;

const calls = '/rest/v1/uc/calls';
/** Clients of the workload may have got the usual address banned. */
const sender = '10.6.0.2';

export const callsControlled: OracleMaker = {
  name: 'calls-controlled',
  rule: 'In a quiescent cluster, two phones that a client connects have one call at each front: shown, listed, counted; DELETE at another site ends it at all, and each has its record.',
  exclusions: 'Domains without phones that are registered and answer, and calls that their rules refuse.',
  make: (context) => ({
    atQuiescence: async () => {
      const { questions, map, stableMs, fail } = context;
      for (const domain of questions.domains.filter((name) => name !== map.masterDomain)) {
        if (stableMs() === 0) return;
        const problem = await converse(context, domain);
        if (problem === undefined) continue;
        if (stableMs() > 0) fail(`quiescent: ${domain}: ${problem}`);
        return;
      }
    },
  }),
};

/** Users whose one phone is registered, and answers. */
function willing({ map, phones }: OracleContext, domain: string): string[] {
  const { sipusers = [] } = map.topology.domains.find(({ name }) => name === domain) ?? {};
  const { numbers = {} } = map.domains.get(domain) ?? {};
  return sipusers.flatMap(({ login, phonenumber }) => {
    const own = phones().filter(({ name }) => name === `${domain}/${login}` || name.startsWith(`${domain}/${login}/`));
    const isThere =
      own.length === 1 &&
      own.every(({ isRegistered, isSilent, state }) => isRegistered && !isSilent && state === 'registered');
    return isThere && isWilling(reactionOf(phonenumber, numbers[phonenumber])) ? [phonenumber] : [];
  });
}

/** What is wrong; `undefined` where nothing is, or nothing can be tried. */
async function converse(context: OracleContext, domain: string): Promise<string | undefined> {
  const { questions, map, check } = context;
  const { quickMs } = boundsOf(map);
  const { sites } = questions;
  const [here = ''] = sites;
  const there = sites.at(-1) ?? here;
  const ask = (site: string, path: string, more: { method?: string; body?: unknown } = {}) =>
    questions.ask({ site, domain, path, sender, ...more });
  /** Until each front answers as it should. */
  const everywhere = async (
    path: string,
    wrongWith: (answer: QuestionAnswer | undefined) => string | undefined,
    withinMs = quickMs,
  ) => {
    const [wrong] = await questions.eventually(withinMs, async () => {
      const found = await Promise.all(sites.map(async (site) => [site, wrongWith(await ask(site, path))] as const));
      return found.flatMap(([site, what]) => (what === undefined ? [] : [`${site}, GET ${path}: ${what}`]));
    });
    check();
    return wrong;
  };
  const [from, to] = willing(context, domain);
  if (from === undefined || to === undefined) return undefined;
  const started = await ask(here, calls, { method: 'INVITE', body: { from, to, response_mode: 3 } });
  const { dialogid, result } = (started?.body ?? {}) as Item;
  if (started?.status !== 200 || result !== 'ok' || typeof dialogid !== 'string') return undefined;
  const shown = await ask(here, `${calls}/${dialogid}`);
  // It is over already, or its rules end it.
  if (shown?.status !== 200) return undefined;
  const { inviteid } = shown.body as Item;
  const byInvite = encodeURIComponent(JSON.stringify({ inviteid }));
  const live =
    (await everywhere(`${calls}/${dialogid}`, expecting({ dialogid, inviteid }))) ??
    (await everywhere(`${calls}?filter=${byInvite}&countonly`, expecting({ count: 1 }))) ??
    (await everywhere(calls, (got) => (isListed(got, inviteid) ? undefined : `${inviteid} is not in ${textOf(got)}`)));
  const end = await ask(there, `${calls}/${dialogid}`, { method: 'DELETE' });
  // It has ended by itself, and what was shown before may be of that.
  if (end?.status === 404) return undefined;
  check();
  if (end?.status !== 200) return `DELETE of the call at ${there} was answered with ${textOf(end)}`;
  return (
    live ??
    (await everywhere(`${calls}?filter=${byInvite}&countonly`, expecting({ count: 0 }), endedMs)) ??
    (await everywhere(`/rest/v1/journal/calls/${String(inviteid)}`, expecting({ inviteid })))
  );
}

/** A party that does not answer a BYE is given up after 64 T1 (RFC 3261, 17.1.2.2). */
const endedMs = 34_000;

function isListed(answer: QuestionAnswer | undefined, inviteid: unknown): boolean {
  return answer?.status === 200 && (answer.body as readonly Item[]).some((item) => item['inviteid'] === inviteid);
}

function expecting(fields: Item): (answer: QuestionAnswer | undefined) => string | undefined {
  return (answer) => {
    const body = (answer?.body ?? {}) as Item;
    const isRight = answer?.status === 200 && Object.entries(fields).every(([name, value]) => body[name] === value);
    return isRight ? undefined : `expected ${JSON.stringify(fields)}, got ${textOf(answer)}`;
  };
}

function textOf(answer: QuestionAnswer | undefined): string {
  return answer === undefined ? 'no answer' : `${answer.status} ${JSON.stringify(answer.body)?.slice(0, 200)}`;
}
