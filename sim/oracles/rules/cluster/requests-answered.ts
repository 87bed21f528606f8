/** Every HTTP request is answered. */
import type { Hears, OracleMaker } from '../../oracle.ts';

interface Open {
  readonly site: string;
  readonly what: string;
  readonly atMs: number;
  readonly limitMs: number;
}

/** What waits for people, or carries much. */
const slowPaths = /^\/rest\/v1\/(uc\/(calls|conferences)|user\/sip)|parking|archive|record|^\/app/;
/** An order to call may wait as long as `dialog.originate` may. */
const longestMs = 605_000;
/** On top of the deadline: the answer has its way, and the nodes' clocks are asked one after the other. */
const spareMs = 1_000;

export const requestsAnswered: OracleMaker = {
  name: 'requests-answered',
  rule: 'Every HTTP request is answered once and within its deadline, unless its front crashes or is paused.',
  make: ({ map, check, fail }) => {
    const open = new Map<number, Open>();
    /** Nodes that stand still. */
    const paused = new Set<string>();
    const siteOf = (node: unknown) => map.nodes.get(String(node))?.site;
    const standsStill = (site: string) => [...paused].some((node) => siteOf(node) === site);
    const forget = (site: string | undefined) => {
      for (const [id, request] of open) if (request.site === site) open.delete(id);
    };
    const hears: Hears = {
      'request.received': ({ id, site, method, target, atMs }) => {
        if (standsStill(site)) return;
        const limitMs = slowPaths.test(target) ? longestMs : map.topology.timings.requestDeadlineMs + spareMs;
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
    return { hears, tick };
  },
};
