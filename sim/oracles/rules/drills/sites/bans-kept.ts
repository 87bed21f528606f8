/** Gates crash, and their disks are full: promised bans are there afterwards, lifted ones are not. */
import { expecting, type Item, type Judge, textOf } from '../../use-cases/kit/use-case.ts';
import { bannedAt, rowsIn, rowsOf } from '../../use-cases/platform/addresses-banned.ts';
import { type Drill, drillOf } from '../kit/drill.ts';

/** Addresses for documentation (RFC 5737): nothing comes from them. */
const [kept, lifted, short] = ['192.0.2.79', '192.0.2.80', '192.0.2.81'] as const;
const seconds = 3_600;
const shortSeconds = 5;
/** What each read of a slow disk takes: longer than a gate waits for its bans before it serves. */
const readMs = 4_000;
/** By then an instance that crashed is not called active any more. */
const crashedMs = 500;

export const bansKept = drillOf({
  name: 'bans-kept',
  rule: 'When all gates of a kind have crashed, the addresses that were banned there are banned still, with what is left of their time, prolonged bans too; no address is banned again whose ban was lifted, or is over. While the disk of a node is full, its gates do not promise bans. A ban that is lifted while a gate has not read it from a slow disk yet does not come back.',
  sender: '10.6.1.118',
  isOfMaster: true,
  play: async (drill) => {
    for (const role of ['esg', 'sg'] as const) await crash(drill, role);
  },
});

async function crash(drill: Drill, role: 'esg' | 'sg'): Promise<void> {
  const { map, questions } = drill.context;
  const gates = map.instancesOf(role);
  const numbers = gates.map(({ srvidx }) => srvidx);
  const base = `/rest/v1/master/logicalroles/${role}/bannedaddrs`;
  const ban = (body: Item) => drill.ask(base, { method: 'POST', body });
  const lift = async (ip: string) =>
    drill.expect(`DELETE of ${ip}`, await drill.ask(`${base}/${ip}`, { method: 'DELETE' }), expecting(204));
  await drill.crashesForgotten();
  for (const [ip, expires] of [
    [kept, shortSeconds],
    [kept, seconds],
    [lifted, seconds],
    [short, shortSeconds],
  ] as const)
    drill.expect(`a ban of ${ip}`, await ban({ ip, expires }), rowsOf(numbers));
  await lift(lifted);
  for (const gate of gates) drill.crash(gate);
  await questions.wait(shortSeconds * 1_000);
  await drill.becomesWhole();
  await drill.everywhere(base, bannedAt(kept, numbers, seconds - shortSeconds));
  await drill.everywhere(base, bannedAt(lifted, []));
  await drill.everywhere(base, bannedAt(short, []));
  const node = gates[drill.drawn % gates.length]?.node;
  await fill(drill, base, node);
  if (!(await liftEarly(drill, base, { role, node }))) await lift(kept);
  for (const gate of gates) drill.crash(gate);
  await drill.becomesWhole();
  await drill.everywhere(base, bannedAt(kept, []));
}

/** Each gate does what it is asked, and promises it unless it is at a node. */
function promisedBut(node: string): Judge {
  return (answer) => {
    const isRight = rowsIn(answer).every((row) => row.online && row.result === (row.node !== node));
    return isRight ? undefined : `expected true for all, false at ${node}, got ${textOf(answer)}`;
  };
}

/** No gate of the node promises a ban, and the others do. */
async function fill(drill: Drill, base: string, node: string | undefined): Promise<void> {
  if (node === undefined) return;
  await drill.during(
    (faults) => faults.fillStore(node),
    async () => {
      const answer = await drill.ask(base, { method: 'POST', body: { ip: lifted, expires: seconds } });
      drill.expect(`a ban while the disk of ${node} is full`, answer, promisedBut(node));
    },
  );
  drill.expect('DELETE of it', await drill.ask(`${base}/${lifted}`, { method: 'DELETE' }), expecting(204));
}

/** A ban is lifted when the gates of the node serve again, and their slow disk is still read. Returns whether they say that it is. */
async function liftEarly(
  drill: Drill,
  base: string,
  { role, node = '' }: { readonly role: 'esg' | 'sg'; readonly node: string | undefined },
): Promise<boolean> {
  const gates = drill.context.map.instancesOf(role).filter((gate) => gate.node === node);
  let isLifted = false;
  await drill.crashesForgotten();
  await drill.during(
    (faults) => faults.slowStore([node], readMs),
    async () => {
      for (const gate of gates) drill.crash(gate);
      await drill.context.questions.wait(crashedMs);
      await drill.holds(drill.noticedMs, `gates of ${node} serve`, () => gates.every((gate) => drill.isThere(gate)));
      const answer = await drill.ask(`${base}/${kept}`, { method: 'DELETE' });
      isLifted = answer?.status === 204;
    },
  );
  return isLifted;
}
