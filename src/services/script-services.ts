/** Service scripts for requests to the front: which one answers, how long it may take, and its result. */
import { hash } from 'node:crypto';
import { z } from 'zod';
import { askInTurn, askRole, unreachableFault } from '../cluster/messaging/ask-in-order.ts';
import { timesOf } from '../cluster/messaging/deadline.ts';
import { activeInstances, type RoleScope } from '../cluster/role.ts';
import type { InstanceEntry } from '../model/cluster/cluster-map.ts';
import type { EntityItem } from '../model/entities/entity.ts';
import type { IntegrationChannelItem } from '../model/entities/script-entities.ts';
import { FaultError, failed, fault, type Outcome } from '../model/fault.ts';
import type { AskType, BodyOf, ReplyOf } from '../model/protocol/catalogue.ts';
import type { RunResult, ScriptRequester } from '../model/protocol/messages/script.ts';
import type { SessionRecord } from '../model/protocol/messages/session.ts';
import type { ScriptRun, ScriptRunDetail } from '../model/shapes/script-shapes.ts';
import { randomUuid } from '../model/uuid.ts';
import { askDirectories, directoriesOf } from './domains.ts';
import { fileAt, type MetadataFiles } from './web-apps/user-interface.ts';

/** An integration channel, and the domain that it belongs to. */
export interface FoundChannel {
  readonly domain: string;
  readonly channel: IntegrationChannelItem;
}

/** The integration channel with a token, of any domain. Throws `unreachable` where it may be in data out of reach. */
export async function findChannel(scope: RoleScope, token: string): Promise<FoundChannel | undefined> {
  const { map, instance } = scope;
  const { masters, copies } = directoriesOf(scope, map.site(instance.site).domains[0] ?? map.masterDomain);
  const question = { type: 'directory.channel', body: { token: hash('sha256', token) }, ...timesOf(scope) } as const;
  const unreachable = unreachableFault('mdc', instance.site);
  const near = await askInTurn(scope, copies, question, { unreachable });
  const isKnownHere = near.ok && near.value.item !== null;
  const answer = isKnownHere ? near : await askInTurn(scope, masters, question, { unreachable });
  if (!answer.ok) throw new FaultError(answer.fault);
  const { item, domain } = answer.value;
  if (item === null || domain === undefined) return undefined;
  return { domain, channel: item as unknown as IntegrationChannelItem };
}

/** The role application in a folder. Throws `not_found`. */
export async function findRoleApp(scope: RoleScope, { domain }: SessionRecord, folder: string): Promise<EntityItem> {
  const answer = await askDirectories(scope, domain, 'directory.roleapp', { domain, folder });
  if (!answer.ok) throw new FaultError(answer.fault);
  if (answer.value.item !== null) return answer.value.item as EntityItem;
  throw new FaultError(fault('not_found', `no role application in the folder ${JSON.stringify(folder)}`));
}

/** Throws `not_found` where the domain has no IVR script with this code. */
export async function requireIvrScript(scope: RoleScope, domain: string, code: string): Promise<void> {
  const answer = await askDirectories(scope, domain, 'directory.script', { domain, kind: 'ivrscript', code });
  if (!answer.ok) throw new FaultError(answer.fault);
  if (answer.value.item === null)
    throw new FaultError(fault('not_found', `no IVR script with code ${JSON.stringify(code)}`));
}

const sectionSchema = z.record(z.string(), z.looseObject({ recv_timeout: z.int().min(1).max(3_600).optional() }));

/**
 * The maximum wait of a channel, in seconds: its own for the type `public`, else that in the section of its type of
 * `webservices.json` (documented). Its own as well where there is no such section (chosen).
 */
export function channelWaitOf(scope: RoleScope, files: MetadataFiles, { domain, channel }: FoundChannel): number {
  const { type, opts } = channel;
  if (type === 'public') return opts.recv_timeout;
  const solution = scope.map.solutionOf(domain);
  const text = fileAt(files, `${solution}/webservices.json`) ?? fileAt(files, 'common/webservices.json') ?? '{}';
  const sections = sectionSchema.safeParse(JSON.parse(text));
  return (sections.success ? sections.data[type]?.recv_timeout : undefined) ?? opts.recv_timeout;
}

export interface ScriptRequest {
  readonly domain: string;
  readonly code: string;
  readonly params: readonly unknown[];
  readonly requester: ScriptRequester;
  readonly waitMs: number;
}

export interface EndedScript {
  readonly id: string;
  readonly result: RunResult;
}

/**
 * Runs a service script at the mware that serves the domain, and waits for its end. Throws `not_found` for an unknown
 * script, `unreachable` where it surely did not run, and `timeout` where the wait is over: the script goes on.
 */
export async function runScript(scope: RoleScope, request: ScriptRequest): Promise<EndedScript> {
  const { domain, code, params, requester, waitMs } = request;
  const id = randomUuid(scope.random.stream('ids').bytes(16));
  const body = { id, domain, code, params: [...params], requester };
  const deadlineMs = scope.clock.now() + waitMs;
  const outcome = await askRole(
    scope,
    { role: 'mware', domain, isRelay: true },
    { type: 'script.run', body, deadlineMs },
  );
  const ended = inTime(outcome, request);
  if (!ended.ok) throw new FaultError(ended.fault);
  return { id, result: ended.value };
}

/** The runs of a domain at all sites, and the sites that did not answer. */
export async function listRuns(scope: RoleScope, domain: string): Promise<{ runs: ScriptRun[]; missing: string[] }> {
  const answers = await askGroups(scope, domain, 'script.runs', { domain });
  const runs = answers.flatMap(({ outcome }) => (outcome?.ok ? outcome.value.runs : []));
  return { runs, missing: missingIn(answers) };
}

/** A run with its steps. Throws `not_found`, and `unreachable` where a site that may know it did not answer. */
export async function showRun(scope: RoleScope, domain: string, id: string): Promise<ScriptRunDetail> {
  const answers = await askGroups(scope, domain, 'script.get', { domain, id });
  const [run] = answers.flatMap(({ outcome }) =>
    outcome?.ok && outcome.value.run !== null ? [outcome.value.run] : [],
  );
  if (run !== undefined) return run;
  const missing = missingIn(answers);
  if (missing.length === 0)
    throw new FaultError(fault('not_found', `no run of a script with id ${JSON.stringify(id)}`));
  const sites = `${missing.length === 1 ? 'site' : 'sites'} ${missing.join(', ')}`;
  throw new FaultError(unreachableFault(`mware or ivr of ${sites}`, scope.instance.site));
}

interface SiteAnswer<T extends AskType> {
  readonly site: string;
  /** Absent: no instance of the site serves. */
  readonly outcome: Outcome<ReplyOf<T>> | undefined;
}

/** Asks the active mware of each site that serves the domain, and every active ivr. Returns an answer for each of these sites, and for each ivr. */
function askGroups<T extends AskType>(
  scope: RoleScope,
  domain: string,
  type: T,
  body: BodyOf<T>,
): Promise<SiteAnswer<T>[]> {
  const { map, clock, ask } = scope;
  const deadlineMs = clock.now() + map.topology.timings.edgeWaitMs;
  const active = activeInstances(scope, 'mware', domain);
  const sites = [...map.sites.keys()].filter((site) => map.serving('mware', site, domain).length > 0);
  const askOne = async (site: string, instance: InstanceEntry | undefined) => ({
    site,
    outcome: instance && (await ask(instance.address, type, body, { deadlineMs })),
  });
  const groups = sites.map((site) =>
    askOne(
      site,
      active.find((each) => each.site === site),
    ),
  );
  // A dead ivr has no runs: only serving instances are asked.
  const ivrs = activeInstances(scope, 'ivr', domain).map((ivr) => askOne(ivr.site, ivr));
  return Promise.all([...groups, ...ivrs]);
}

function missingIn(answers: readonly SiteAnswer<AskType>[]): string[] {
  return [...new Set(answers.flatMap(({ site, outcome }) => (outcome?.ok ? [] : [site])))];
}

function inTime(outcome: Outcome<RunResult>, { code, waitMs }: ScriptRequest): Outcome<RunResult> {
  if (outcome.ok || outcome.fault.code !== 'timeout') return outcome;
  const message = `script ${JSON.stringify(code)} has not ended within ${waitMs / 1_000} s: it goes on`;
  return failed(fault('timeout', message));
}
