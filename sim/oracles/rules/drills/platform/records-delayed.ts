/** The disks of callstores are full while calls end: their records are written when there is room, once each. */
import { type SteadyUser, steadyUsers } from '../../use-cases/kit/call.ts';
import { records } from '../../use-cases/kit/paths.ts';
import { expecting, itemsOf } from '../../use-cases/kit/use-case.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { connectPair, hasRecord, isGone, type KnownCall } from '../kit/known-call.ts';

/** A callstore tries each second. */
const triesMs = 4_000;
const most = 10_000;

export const recordsDelayed = drillOf({
  name: 'records-delayed',
  rule: 'When the disks of all callstores are full while calls end, the calls are over at once, and have one record each when there is room again; a count of records is the number of listed records, before and after.',
  exclusions: 'Domains with fewer than two phones that are registered and answer.',
  sender: '10.6.1.94',
  play: async (drill) => {
    const [a, b] = await steadyUsers(drill, 2);
    if (a !== undefined && b !== undefined) await delay(drill, [a, b]);
  },
});

async function delay(drill: Drill, pair: readonly [SteadyUser, SteadyUser]): Promise<void> {
  const { questions, map } = drill.context;
  const callstores = [...map.sites.keys()].flatMap((site) => map.serving('callstore', site, drill.domain));
  const nodes = new Set(callstores.map(({ node }) => node));
  await areCounted(drill);
  const calls: KnownCall[] = [];
  await drill.duringAll(
    nodes,
    (faults, node) => faults.fillStore(node),
    async () => {
      for (const site of [drill.here, drill.there]) {
        const call = await connectPair(drill, pair, { label: 'records-delayed', site });
        if (call === undefined) return;
        const ended = await drill.ask(call.path, { method: 'DELETE', site });
        drill.expect('DELETE of a call while disks are full', ended, expecting(200, { result: 'ok' }));
        await isGone(drill, call, { withinMs: drill.patienceMs });
        calls.push(call);
      }
      await questions.wait(triesMs);
    },
  );
  for (const call of calls) await hasRecord(drill, call, { type: 'call_terminate' });
  await areCounted(drill);
}

/** The count of all records is the number of the records that are listed. */
async function areCounted(drill: Drill): Promise<void> {
  for (const site of drill.sites) {
    const [counted, listed] = [
      await drill.ask(`${records}?countonly`, { site }),
      await drill.ask(`${records}?mask=inviteid&limit=${most}`, { site }),
    ];
    if (counted?.status !== 200 || listed?.status !== 200) continue;
    drill.expect(`the count of records at ${site}`, counted, expecting(200, { count: itemsOf(listed).length }));
  }
}
