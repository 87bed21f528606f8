/** The number of scripts of a domain that run at once is the one that the domain allows, whatever other domains do. */
import type { ClusterMap } from '../../../../src/model/cluster/cluster-map.ts';
import { scriptLimitsOf } from '../../../../src/model/script/script-settings.ts';
import { targetOfVerb } from '../../../faults/verbs.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { ClientRequests, type ObservedAnswer, type ObservedRequest } from '../kit/client-requests.ts';
import { together } from '../kit/shared.ts';

const external = '/rest/v1/iam/external';
const chats = /\/chatcampaigns\/[^/]+\/(history|history\/search|contextmenu)$/;
/** What the refusal says. */
const refusal = /scripts of \S+ run at site \S+: its limit is \d/;

/** A request that may have started a script. */
interface Start {
  /** `undefined`: not certain. */
  readonly domain: string | undefined;
  readonly calledMs: number;
  /** When the script had ended at the latest. */
  readonly endedMs: number;
  /** An answer has shown that end. */
  readonly isShown?: boolean;
}

export const scriptsLimited: OracleMaker = {
  name: 'scripts-limited',
  rule: 'A script of a domain is refused for the limit of the domain (script_limit_site_count) only while so many scripts of that domain may run, and no more than these run at once.',
  exclusions:
    'Scripts of calls, and runs whose end a full or slow disk or a pause of its node may have delayed. More scripts than the limit are judged while the cluster is stable.',
  make: ({ map, stableMs, check, fail }) => {
    const { quickMs, promptMs } = boundsOf(map);
    const limits = new Map([...map.domains.keys()].map((domain) => [domain, scriptLimitsOf(map, domain)]));
    if ([...limits.values()].every(({ siteCount }) => siteCount === 0)) return {};
    const channels = channelsIn(map);
    const longestMs = Math.max(...[...limits.values()].map(({ durationSec }) => durationSec)) * 1_000;
    const domainOf = ({ client, domain, path, sent }: ObservedRequest) => {
      const named = path === external ? (sent as { readonly domain?: unknown } | undefined)?.domain : undefined;
      return typeof named === 'string' ? named : (channels.get(client) ?? domain);
    };
    const delays = new Delays();
    let started: Start[] = [];
    const open = () =>
      [...requests.open]
        .filter(({ path }) => isStart(path))
        .map((each): Start => ({ domain: domainOf(each), calledMs: each.calledMs, endedMs: Number.POSITIVE_INFINITY }));
    const note = (request: ObservedRequest, endedMs: number, isShown = false) =>
      started.push({ domain: domainOf(request), calledMs: request.calledMs, endedMs, isShown });
    /** The latest end of a script whose client does not know it. */
    const latestMs = ({ calledMs }: ObservedRequest) => calledMs + longestMs + promptMs;
    const judgeRefusal = (domain: string, limit: number, { calledMs }: ObservedRequest) => {
      if (delays.lastMs > calledMs - longestMs - promptMs) return;
      const running = [...started, ...open()].filter(
        (each) => (each.domain ?? domain) === domain && each.endedMs >= calledMs,
      );
      check();
      if (running.length < limit)
        fail(`a script of ${domain} was refused for the limit of ${limit}, and at most ${running.length} of it ran`);
    };
    /** A script has run to its end: the ones for which clients have waited all the time from before it until then ran too. */
    const judgeRun = (domain: string, limit: number, { calledMs }: ObservedRequest, { returnedMs }: ObservedAnswer) => {
      const sinceMs = returnedMs - stableMs() + quickMs;
      const atMs = calledMs + quickMs;
      if (sinceMs > calledMs || atMs > returnedMs) return;
      const others = started.filter(
        (each) =>
          each.isShown === true &&
          each.domain === domain &&
          each.calledMs >= sinceMs &&
          each.calledMs <= calledMs &&
          each.endedMs >= atMs,
      );
      const groups = [...map.sites.keys()].filter((site) => map.serving('mware', site, domain).length > 0).length;
      check();
      if (others.length >= limit * groups)
        fail(`${others.length + 1} scripts of ${domain} ran at once; its limit is ${limit} at each of ${groups} sites`);
    };
    const answered = (request: ObservedRequest, answer: ObservedAnswer) => {
      if (!isStart(request.path)) return;
      const domain = domainOf(request) ?? '';
      const limit = limits.get(domain)?.siteCount ?? 0;
      const { status, text = '', returnedMs } = answer;
      started = started.filter(({ endedMs }) => endedMs >= request.calledMs - longestMs);
      if (status === 503 && refusal.test(text)) {
        if (limit > 0) judgeRefusal(domain, limit, request);
        return;
      }
      const isRun = status === 200 && request.path === '/exec';
      if (isRun && limit > 0) judgeRun(domain, limit, request, answer);
      // One that was out of reach may run all the same.
      note(request, status === 503 ? latestMs(request) : returnedMs, isRun);
    };
    const requests = new ClientRequests(
      (_, path) => isStart(path),
      answered,
      (request) => note(request, latestMs(request)),
    );
    return { listeners: together(requests.listeners, delays.listeners) };
  },
};

function isStart(path: string): boolean {
  return path === '/exec' || path === external || chats.test(path);
}

/** The domains of integration channels, by the token that their clients send. */
function channelsIn({ topology }: ClusterMap): ReadonlyMap<string, string> {
  return new Map(
    topology.domains.flatMap(({ name, items }) =>
      (items['integrationchannel'] ?? []).map((channel) => [String(channel['token_local']), name] as const),
    ),
  );
}

/** Faults by which a script ends later than its domain allows: of a clock or a store, and pauses of a node. */
class Delays {
  /** When there was one last; in the future while there is. */
  lastMs = Number.NEGATIVE_INFINITY;
  readonly #open = new Set<number | string>();

  readonly listeners: ObservationListeners = {
    'fault.inflicted': ({ fault, verb, args, atMs }) => {
      if (verb === 'resumeNode') this.#end(String(args[0]), atMs);
      const isDelay = verb === 'pauseNode' || targetOfVerb(verb).on === 'store' || targetOfVerb(verb).on === 'clock';
      if (!isDelay) return;
      this.#open.add(verb === 'pauseNode' ? String(args[0]) : fault);
      this.lastMs = Number.POSITIVE_INFINITY;
    },
    'fault.mended': ({ fault, verb, atMs }) => {
      for (const each of [...this.#open])
        if (each === fault || (verb === 'mend' && typeof each === 'number')) this.#end(each, atMs);
    },
  };

  #end(fault: number | string, atMs: number): void {
    if (this.#open.delete(fault) && this.#open.size === 0) this.lastMs = atMs;
  }
}
