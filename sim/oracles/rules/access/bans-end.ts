/** A ban ends at its time, and outlives its instance until then. */

import { nodeOf } from '../../../../src/model/cluster/address.ts';
import { limits } from '../../../../src/model/limits.ts';
import type { BodyOf, ReplyOf } from '../../../../src/model/protocol/catalogue.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleContext, OracleMaker } from '../../oracle.ts';
import { byType } from '../kit/shared.ts';

/** An address for documentation (RFC 5737); no client has it. */
const unusedAddress = '192.0.2.77';
const trialSeconds = 2;
/** Rounding; and what a clock fault may set a node's clock behind the world's. */
const earlyMs = { usual: 10, skewed: 1_000 };

const changes = ['filter.add', 'filter.remove', 'filter.clear'];

export const bansEnd: OracleMaker = {
  name: 'bans-end',
  rule: 'A ban ends at its time: not earlier, unless an administrator lifts it, and not later. One that was asked for outlives a restart of its instance, unless the disk is lost.',
  make: (context) => {
    const { map, stableMs, check, fail } = context;
    const { promptMs } = boundsOf(map);
    /** End of the ban, by instance and address: the earliest and the latest; and when it was asked for last. */
    const earliestMs = new Map<string, number>();
    const untilMs = new Map<string, number>();
    const askedMs = new Map<string, number>();
    /** When a clock was set last. */
    let skewedMs = Number.NEGATIVE_INFINITY;
    /** Requested bans without an answer yet; a late one is not counted. */
    const adding = new Map<string, { name: string; untilMs: number }>();
    const lifted = new Map<string, number>();
    /** Last refusal of a front, by site: it prolongs the bans there. */
    const refusedMs = new Map<string, number>();
    const present = new Set<string>();
    let allowedMs = earlyMs.usual;
    /** Since when instances are active that have restarted. */
    const restartedMs = new Map<string, number>();
    /** An incarnation is over: what it has stored is present again with the next one. */
    const end = (isOver: (owner: string) => boolean) => {
      for (const name of present) if (isOver(ownerOf(name))) present.delete(name);
    };
    const listeners: ObservationListeners = {
      'envelope.sent': byType(changes, ({ envelope: { kind, re = '', body }, atMs }) => {
        const asked = kind === 'reply' ? adding.get(re) : undefined;
        adding.delete(re);
        if (asked === undefined || !isPromised(body)) return;
        const known = earliestMs.get(asked.name);
        // By a clock that was set in between, the later one may be the other one.
        const isSet = known !== undefined && (askedMs.get(asked.name) ?? 0) <= skewedMs;
        earliestMs.set(asked.name, isSet ? Math.min(known, asked.untilMs) : Math.max(known ?? 0, asked.untilMs));
        untilMs.set(asked.name, Math.max(untilMs.get(asked.name) ?? 0, asked.untilMs));
        askedMs.set(asked.name, atMs);
      }),
      'envelope.delivered': byType(changes, ({ envelope: { id, type, kind, to, body }, atMs }) => {
        if (kind !== 'ask') return;
        if (type === 'filter.clear') lifted.set(to, atMs);
        else if (type === 'filter.remove') lifted.set(nameOf(to, (body as BodyOf<'filter.remove'>).ip), atMs);
        else {
          const { ip, expires } = body as BodyOf<'filter.add'>;
          adding.set(id, { name: nameOf(to, ip), untilMs: atMs + expires * 1_000 });
        }
      }),
      'entity.state': {
        ban: ({ owner, key, state, atMs }) => {
          const name = nameOf(owner, key);
          if (state === 'present') {
            const isFronts = map.instances.get(owner)?.role === 'ws';
            // An attempt prolongs it, also one whose answer is lost on its way to the client.
            if (isFronts) untilMs.set(name, Math.max(untilMs.get(name) ?? 0, atMs + limits.loginWindowMs));
            present.add(name);
            return;
          }
          if (state === 'lifted') {
            check();
            const isAsked = [name, owner].some(
              (key) => atMs - (lifted.get(key) ?? Number.NEGATIVE_INFINITY) <= promptMs,
            );
            const tooEarlyMs = (earliestMs.get(name) ?? untilMs.get(name) ?? 0) - atMs;
            if (!isAsked && tooEarlyMs > allowedMs)
              fail(`the ban of ${name} ended ${Math.round(tooEarlyMs)} ms too early`);
          }
          present.delete(name);
          for (const times of [earliestMs, untilMs, askedMs]) times.delete(name);
        },
      },
      'instance.status': ({ instance, status, atMs }) => {
        if (status === 'starting') end((owner) => owner === instance);
        if (status === 'active') restartedMs.set(instance, atMs);
      },
      'node.ended': ({ node }) => end((owner) => nodeOf(owner) === node),
      'fault.inflicted': ({ verb, args, atMs }) => {
        if (verb === 'wipeNode') for (const name of earliestMs.keys()) if (isAt(name, args[0])) earliestMs.delete(name);
        if (verb !== 'skew') return;
        allowedMs = earlyMs.skewed;
        skewedMs = atMs;
      },
      'fault.mended': ({ verb, atMs }) => {
        if (verb === 'skew' || (verb === 'mend' && allowedMs === earlyMs.skewed)) skewedMs = atMs;
      },
      'request.answered': ({ site, status, atMs }) => {
        if (status === 401 || status === 429) refusedMs.set(site, atMs);
      },
    };
    const judgeKept = (nowMs: number) => {
      for (const [name, untilMs] of earliestMs) {
        const owner = ownerOf(name);
        const sinceMs = restartedMs.get(owner) ?? nowMs;
        if (present.has(name) || nowMs - sinceMs < promptMs || (askedMs.get(name) ?? nowMs) >= sinceMs) continue;
        const wasLifted = [name, owner].some(
          (key) => (lifted.get(key) ?? Number.NEGATIVE_INFINITY) >= (askedMs.get(name) ?? 0),
        );
        if (wasLifted || skewedMs >= sinceMs || untilMs - nowMs < promptMs + allowedMs) continue;
        check();
        fail(`the ban of ${name} is lost with a restart, ${Math.round(untilMs - nowMs)} ms before its end`);
        earliestMs.delete(name);
      }
    };
    const tick = (nowMs: number) => {
      if (stableMs() < promptMs) return;
      judgeKept(nowMs);
      for (const name of present) {
        const owner = ownerOf(name);
        const site = map.instances.get(owner)?.role === 'ws' ? owner.slice(0, owner.indexOf('/')) : '';
        const prolongedMs = (refusedMs.get(site) ?? -limits.loginWindowMs) + limits.loginWindowMs;
        if (nowMs <= Math.max(untilMs.get(name) ?? nowMs, prolongedMs) + promptMs) continue;
        present.delete(name);
        fail(`the ban of ${name} should have ended, but is active`);
      }
    };
    return { listeners, tick, atQuiescence: () => tryOne(context) };
  },
};

/** Bans an unused address everywhere for two seconds, to exercise the rule in every run. */
async function tryOne({ map, questions, stableMs, check, fail }: OracleContext): Promise<void> {
  const [site] = questions.sites;
  if (site === undefined || stableMs() === 0) return;
  const domain = map.masterDomain;
  for (const role of ['esg', 'sg']) {
    const path = `/rest/v1/master/logicalroles/${role}/bannedaddrs`;
    const made = await questions.ask({
      site,
      domain,
      path,
      method: 'POST',
      body: { ip: unusedAddress, expires: trialSeconds },
    });
    if (made?.status !== 200 && made?.status !== 201) continue;
    await questions.wait(trialSeconds * 1_000);
    const wrong = await questions.eventually(boundsOf(map).promptMs, async () => {
      const list = await questions.ask({ site, domain, path });
      return ((list?.body ?? []) as Row[])
        .filter(isBanned)
        .map(({ node }) => `${unusedAddress} is still banned on ${node}`);
    });
    if (stableMs() === 0) return;
    check();
    for (const what of wrong) fail(what);
  }
}

interface Row {
  readonly node: string;
  readonly banned?: readonly { readonly ip: string }[];
}

function isBanned({ banned = [] }: Row): boolean {
  return banned.some(({ ip }) => ip === unusedAddress);
}

function ownerOf(name: string): string {
  return name.slice(0, name.indexOf(' '));
}

function isAt(name: string, node: unknown): boolean {
  return nodeOf(ownerOf(name)) === node;
}

function isPromised(body: unknown): boolean {
  return (body as Partial<ReplyOf<'filter.add'>> | undefined)?.result === true;
}

function nameOf(owner: string, ip: string): string {
  return `${owner} ${ip}`;
}
