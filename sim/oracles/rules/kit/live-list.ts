/** Whether a list of what goes on has everything that instances have published, for the oracles of such lists. */
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleContext } from '../../oracle.ts';
import { ClientRequests, type ObservedAnswer, type ObservedRequest } from './client-requests.ts';
import { setLast, together, whenLost } from './shared.ts';
import { Undisturbed } from './undisturbed.ts';

/** The last ones. */
const mostLive = 5_000;

export interface Live {
  /** The instance at which it goes on. */
  readonly owner: string;
  readonly domains: readonly string[];
}

export interface LiveListOptions {
  readonly context: OracleContext;
  /** The path of the list. */
  readonly list: string;
  /** What it lists, and the field with its id. */
  readonly noun: string;
  readonly id: string;
  /** Called with the id of what has ended. */
  readonly onOver?: (id: string) => void;
}

export class LiveList {
  readonly listeners: ObservationListeners;
  readonly #options: LiveListOptions;
  readonly #undisturbed = new Undisturbed();
  readonly #live = new Map<string, Live & { readonly sinceMs: number }>();
  /** How often messages of streams were withheld, and when that was noticed last. */
  readonly #withheld = { count: 0, atMs: Number.NEGATIVE_INFINITY };

  constructor(options: LiveListOptions) {
    this.#options = options;
    const { context, list } = options;
    const requests = new ClientRequests(
      (_, path) => path === list,
      (request, answer) => this.#judge(request, answer),
    );
    const forget = (address: string) => this.overWhere(({ owner }) => owner === address);
    const lost = whenLost(context.map, forget, ['active', 'standby']);
    this.listeners = together(this.#undisturbed.listeners, requests.listeners, lost);
  }

  begin(id: string, live: Live, atMs: number): void {
    const sinceMs = this.#live.get(id)?.sinceMs ?? atMs;
    setLast(this.#live, id, { ...live, sinceMs }, mostLive);
  }

  over(id: string): void {
    if (this.#live.delete(id)) this.#options.onOver?.(id);
  }

  overWhere(isOver: (live: Live, id: string) => boolean): void {
    for (const [id, live] of this.#live) if (isOver(live, id)) this.over(id);
  }

  tick(nowMs: number): void {
    const count = this.#options.context.fired('stream.unheard');
    if (count > this.#withheld.count) Object.assign(this.#withheld, { count, atMs: nowMs });
  }

  #judge(request: ObservedRequest, { status, body, missing, returnedMs }: ObservedAnswer): void {
    const { context, noun, id: name } = this.#options;
    const { map, check, fail, now } = context;
    const { promptMs, noticedMs, quickMs, streamCatchUpMs } = boundsOf(map);
    const { domain, site, method, query, calledMs } = request;
    if (method !== 'GET' || query.size > 0 || status !== 200 || missing !== undefined) return;
    const nowMs = now();
    this.tick(nowMs);
    if (domain === undefined || !Array.isArray(body) || nowMs - this.#withheld.atMs <= streamCatchUpMs) return;
    const calmMs = this.#undisturbed.forMs(nowMs) - (returnedMs - calledMs);
    const listed = new Set((body as readonly Readonly<Record<string, unknown>>[]).map((each) => each[name]));
    for (const [id, { domains, sinceMs, owner }] of this.#live) {
      const lastedMs = calledMs - sinceMs;
      if (!domains.includes(domain) || lastedMs <= quickMs) continue;
      if (calmMs <= noticedMs + promptMs && calmMs <= lastedMs + noticedMs) continue;
      check();
      if (!listed.has(id))
        fail(
          `${site} does not list ${noun} ${id} of ${domain}, which goes on at ${owner} since ${Math.round(lastedMs)} ms`,
        );
    }
  }
}
