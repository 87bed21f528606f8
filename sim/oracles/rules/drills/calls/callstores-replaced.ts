/** The active callstore of a site crashes, and its supervisor starts it again; meanwhile another one serves, where there is one. */
import { connect, endCall, type OwnCall, steadyUsers } from '../../use-cases/kit/call.ts';
import { calls } from '../../use-cases/kit/paths.ts';
import { expecting, filterOf, type Item, itemsOf, textOf } from '../../use-cases/kit/use-case.ts';
import { homeOf } from '../kit/cut.ts';
import { type DeletedRecording, deleteFirst, leaves, recordTwice, staysDeleted } from '../kit/deleted-recordings.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { hasOneRecord } from '../kit/known-call.ts';

/** A callstore has started by then, and how often it is asked until then. */
const [startedMs, pollMs] = [3_000, 20] as const;
/** It does not wait for answers for more than a second. */
const slowMs = 80;

export const callstoresReplaced = drillOf({
  name: 'callstores-replaced',
  rule: 'When the active callstore of a site crashes, or all of them do, the calls that it knew are shown at each front as they were, and never said to be unknown, one that ends meanwhile is shown no more, and each has one record; a recording that was deleted just before is listed and served nowhere, and the others of its call are.',
  exclusions:
    'Domains with fewer than four phones that are registered and answer; calls that phones or other rules end.',
  sender: '10.6.1.1',
  play: async (drill) => {
    const [a, b, c, d] = await steadyUsers(drill, 4);
    if (a === undefined || b === undefined || c === undefined || d === undefined) return;
    const stays = await connect(drill, { from: a.number, to: b.number });
    const recorded = await connect(drill, { from: c.number, to: d.number });
    const recordings = recorded && (await recordTwice(drill, recorded));
    const ends = await connect(drill, { from: c.number, to: d.number });
    if (stays === undefined || ends === undefined) return;
    await replace(drill, {
      stays,
      ends,
      deletes: () => (recorded && recordings ? deleteFirst(drill, recorded, recordings) : Promise.resolve(undefined)),
      isLive: () => drill.callsOf(a).length === 1 && drill.callsOf(b).length === 1,
    });
  },
});

interface Calls {
  readonly stays: OwnCall;
  readonly ends: OwnCall;
  /** Deletes a recording of a call that is over. */
  deletes(): Promise<DeletedRecording | undefined>;
  /** Whether the phones of the one that stays have it still. */
  isLive(): boolean;
}

/** A callstore that begins to serve asks first which calls there are: nothing is known of one until then. */
async function isNotDenied(drill: Drill, { stays, isLive }: Pick<Calls, 'stays' | 'isLive'>): Promise<void> {
  const untilMs = drill.context.now() + startedMs;
  const { fired } = drill.context;
  const pages = fired('stream.short_page');
  const list = `${calls}?${filterOf({ inviteid: stays.inviteid })}`;
  while (drill.context.now() < untilMs && isLive()) {
    for (const site of drill.sites) {
      const [shown, listed] = await Promise.all([stays.path, list].map((path) => drill.ask(path, { site })));
      const isMissing =
        listed?.status === 200 && itemsOf(listed).length === 0 && !listed.headers.has('x-missing-sites');
      // In many small pages, it reads for longer than it waits.
      const isDenied = isLive() && fired('stream.short_page') === pages && (shown?.status === 404 || isMissing);
      const isRight = drill.expect(`a call at ${site} while callstores start`, shown, () =>
        isDenied ? `${textOf(shown)}, and in a list ${textOf(listed)}` : undefined,
      );
      if (!isRight) return;
    }
    await drill.context.questions.wait(pollMs);
  }
}

async function replace(drill: Drill, { stays, ends, deletes, isLive }: Calls): Promise<void> {
  const { site, dialogid, uris, startts, inviteid } = ((await drill.ask(stays.path))?.body ?? {}) as Item;
  const deleted = await deletes();
  const sites = new Set([String(site), deleted && homeOf(drill, deleted.call)]);
  const { map } = drill.context;
  // Of each group one, or in some runs all: then none knows the calls.
  const storesAt = (at: string) =>
    drill.drawn % 2 === 0 ? drill.activeOf('callstore', at) : map.serving('callstore', at, drill.domain);
  // What is asked of the b2b instances takes a while.
  const lift = drill.context.faults.delay({ from: '*', messages: ['stream.read'], kinds: ['reply'] }, slowMs);
  try {
    for (const at of sites) if (at !== undefined) for (const store of storesAt(at)) drill.crash(store);
    await isNotDenied(drill, { stays, isLive });
  } finally {
    lift();
  }
  if (deleted !== undefined) await staysDeleted(drill, deleted);
  // It is refused while none serves.
  const isEnded = async () => [200, 404].includes((await drill.ask(ends.path, { method: 'DELETE' }))?.status ?? 0);
  if (await drill.holds(drill.noticedMs, `DELETE of ${ends.path} is served`, isEnded))
    await drill.everywhere(ends.path, expecting(404), drill.noticedMs);
  const before = drill.problems.length;
  const shown = expecting(200, { dialogid, uris, startts, inviteid, status: 'dialog' });
  await drill.everywhere(stays.path, shown, drill.noticedMs);
  await drill.everywhere(`${calls}?countonly&${filterOf({ inviteid })}`, expecting(200, { count: 1 }));
  if (!isLive()) drill.problems.length = before;
  await drill.becomesWhole();
  if (deleted !== undefined) await leaves(drill, deleted);
  await endCall(drill, stays);
  for (const call of [stays, ends]) await hasOneRecord(drill, { inviteid: call.inviteid });
}
