/** Every HTTP request is answered. */
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';

interface Open {
  readonly site: string;
  readonly what: string;
  readonly atMs: number;
  readonly limitMs: number;
}

/** Requests that wait for people or transfer much data. */
const slowPaths = /^\/rest\/v1\/(uc\/(calls|conferences)|user\/sip)|parking|archive|record|^\/app/;
/** These wait for the script of a domain, and external authentication then opens a session. */
const scriptPaths = /^\/(exec|rest\/v1\/iam\/external)/;
const scriptMs = 10_000;
/** A call request may wait as long as `dialog.originate` may. */
const longestMs = 605_000;
/** Added to the deadline: delivery of the answer, and clock differences between the nodes. */
const spareMs = 1_000;

export const requestsAnswered: OracleMaker = {
  name: 'requests-answered',
  rule: 'Every HTTP request is answered once and within its deadline, unless its front ends or is paused.',
  make: ({ map, check, fail }) => {
    const open = new Map<number, Open>();
    /** Paused nodes. */
    const paused = new Set<string>();
    const siteOf = (node: unknown) => map.nodes.get(String(node))?.site;
    const standsStill = (site: string) => [...paused].some((node) => siteOf(node) === site);
    const forget = (site: string | undefined) => {
      for (const [id, request] of open) if (request.site === site) open.delete(id);
    };
    const listeners: ObservationListeners = {
      'request.received': ({ id, site, method, target, atMs }) => {
        if (standsStill(site)) return;
        const usualMs = map.topology.timings.requestDeadlineMs + spareMs;
        const limitMs = slowPaths.test(target) ? longestMs : usualMs + (scriptPaths.test(target) ? scriptMs : 0);
        open.set(id, { site, what: `${method} ${target} at ${site}`, atMs, limitMs });
      },
      'request.answered': ({ id, status, tookMs }) => {
        const request = open.get(id);
        if (!open.delete(id) || request === undefined || status === 0) return;
        check();
        if (tookMs > request.limitMs) fail(`${request.what} took ${Math.round(tookMs)} ms, at most ${request.limitMs}`);
      },
      'fault.inflicted': ({ verb, args }) => {
        const node = String(args[0]);
        if (!map.nodes.has(node)) return;
        if (verb === 'resumeNode') paused.delete(node);
        else if (verb === 'pauseNode') paused.add(node);
        forget(siteOf(node));
      },
      'node.ended': ({ node }) => {
        paused.delete(node);
        forget(siteOf(node));
      },
    };
    const tick = (nowMs: number) => {
      for (const [id, { what, atMs, limitMs }] of open) {
        if (nowMs <= atMs + limitMs) continue;
        open.delete(id);
        fail(`${what} was not answered within ${limitMs} ms`);
      }
    };
    return { listeners, tick };
  },
};
