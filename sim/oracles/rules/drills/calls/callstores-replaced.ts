/** The active callstore of a site crashes, and its supervisor starts it again; meanwhile another one serves, where there is one. */
import { connect, endCall, type OwnCall, steadyUsers } from '../../use-cases/kit/call.ts';
import { calls } from '../../use-cases/kit/paths.ts';
import { expecting, filterOf, type Item } from '../../use-cases/kit/use-case.ts';
import { homeOf } from '../kit/cut.ts';
import { type DeletedRecording, deleteFirst, leaves, recordTwice, staysDeleted } from '../kit/deleted-recordings.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { hasOneRecord } from '../kit/known-call.ts';

export const callstoresReplaced = drillOf({
  name: 'callstores-replaced',
  rule: 'When the active callstore of a site crashes, the calls that it knew are shown at each front as they were, one that ends meanwhile is shown no more, and each has one record; a recording that was deleted just before is listed and served nowhere, and the others of its call are.',
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

async function replace(drill: Drill, { stays, ends, deletes, isLive }: Calls): Promise<void> {
  const { site, dialogid, uris, startts, inviteid } = ((await drill.ask(stays.path))?.body ?? {}) as Item;
  const deleted = await deletes();
  const sites = new Set([String(site), deleted && homeOf(drill, deleted.call)]);
  for (const at of sites) if (at !== undefined) for (const store of drill.activeOf('callstore', at)) drill.crash(store);
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
