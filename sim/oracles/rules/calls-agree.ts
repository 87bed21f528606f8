/** The lists of live calls show the calls that there are. */
import type { BodyOf } from '../../../src/model/protocol/catalogue.ts';
import { listenersOf } from '../../../src/roles/stream/source.ts';
import { boundsOf } from '../bounds.ts';
import type { Hears, OracleContext, OracleMaker } from '../oracle.ts';

/** A live call that a b2b has told of. */
interface Call {
  readonly b2b: string;
  /** The callstore instances that hear of it. */
  readonly heardBy: readonly string[];
  readonly sinceMs: number;
  goneMs: number | undefined;
}

export const callsAgree: OracleMaker = {
  name: 'calls-agree',
  rule: 'Each active callstore counts exactly the live calls of the b2b instances that it hears, within two seconds or, where something was lost on its way, 35, and at quiet none.',
  make: (context) => {
    const { map, calmMs, soundMs } = context;
    const bounds = boundsOf(map);
    const calls = new Map<string, Call>();
    const active = new Set<string>();
    const listeners = new Map<string, readonly string[]>();
    const listenersAt = (b2b: string) => {
      const known =
        listeners.get(b2b) ?? listenersOf({ map, instance: map.instance(b2b) }).map(({ address }) => address);
      listeners.set(b2b, known);
      return known;
    };
    const hears: Hears = {
      'envelope.sent': ({ envelope: { from, body }, atMs }) => {
        if (map.instances.get(from)?.role !== 'b2b') return;
        for (const { dialog, gone } of (body as BodyOf<'stream.told'>).items) {
          if (gone !== undefined) end(calls.get(gone), atMs);
          else if (dialog !== undefined && !calls.has(dialog.dialogid)) {
            calls.set(dialog.dialogid, { b2b: from, heardBy: listenersAt(from), sinceMs: atMs, goneMs: undefined });
          }
        }
      },
      'instance.status': ({ instance, status, atMs }) => {
        if (status === 'active') active.add(instance);
        else active.delete(instance);
        // A life that begins has none of the calls of the one before.
        if (status === 'starting') for (const call of calls.values()) if (call.b2b === instance) end(call, atMs);
      },
    };
    const tick = (nowMs: number) => {
      const calm = calmMs();
      for (const [dialogid, { goneMs = nowMs }] of calls) if (goneMs + bounds.toldMs < nowMs) calls.delete(dialogid);
      const isSound = soundMs() > bounds.toldMs && calm > bounds.promptMs;
      if (!isSound && calm <= bounds.toldMs) return;
      compare(context, { calls, nowMs, boundMs: isSound ? bounds.quickMs : bounds.toldMs, active });
    };
    const atQuiet = async () => {
      for (const domain of context.questions.domains) await askForCalls(context, domain, bounds.letGoMs);
    };
    return { hears, tick, atQuiet, types: ['stream.told'] };
  },
};

function end(call: Call | undefined, atMs: number): void {
  if (call !== undefined) call.goneMs ??= atMs;
}

interface Comparison {
  readonly calls: ReadonlyMap<string, Call>;
  readonly active: ReadonlySet<string>;
  readonly nowMs: number;
  readonly boundMs: number;
}

/** A call counts from when it was told until it is told gone; within the bound before now both may be right. */
function compare({ map, census, check, fail }: OracleContext, { calls, active, nowMs, boundMs }: Comparison): void {
  const [least, most] = [new Map<string, number>(), new Map<string, number>()];
  for (const { heardBy, sinceMs, goneMs } of calls.values()) {
    for (const listener of heardBy) {
      if (goneMs === undefined || goneMs + boundMs > nowMs) most.set(listener, (most.get(listener) ?? 0) + 1);
      if (goneMs === undefined && sinceMs + boundMs < nowMs) least.set(listener, (least.get(listener) ?? 0) + 1);
    }
  }
  for (const { of, counts } of census()) {
    if (map.instances.get(of)?.role !== 'callstore' || !active.has(of)) continue;
    const [low, high, has] = [least.get(of) ?? 0, most.get(of) ?? 0, counts.get('calls') ?? 0];
    if (high > 0) check();
    if (has < low || has > high)
      fail(`${of} has ${has} live calls, and there are ${low}${high > low ? ` to ${high}` : ''}`);
  }
}

/** At quiet no front lists a call, or counts one. */
async function askForCalls({ questions, calmMs, check, fail }: OracleContext, domain: string, withinMs: number) {
  if (calmMs() === 0) return;
  const wrong = await questions.eventually(withinMs, async () => {
    const lists = questions.sites.map((site) => livesIn(site));
    return (await Promise.all(lists)).flat();
  });
  if (calmMs() === 0) return;
  check();
  for (const what of wrong) fail(`at quiet ${what}`);

  async function livesIn(site: string): Promise<string[]> {
    const path = '/rest/v1/uc/calls';
    const list = await questions.ask({ site, domain, path });
    const count = await questions.ask({ site, domain, path: `${path}?countonly=true` });
    const listed = list?.status === 200 ? (list.body as unknown[]).length : 0;
    const counted = count?.status === 200 ? (count.body as { count: number }).count : 0;
    return listed === 0 && counted === 0 ? [] : [`${site} lists ${listed} calls of ${domain}, and counts ${counted}`];
  }
}
