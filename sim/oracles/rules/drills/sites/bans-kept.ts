/** Gates crash, and their disks are full: promised bans are there afterwards, lifted ones are not. */
import { expecting, type Item, type Judge, textOf } from '../../use-cases/kit/use-case.ts';
import { bannedAt, rowsIn, rowsOf } from '../../use-cases/platform/addresses-banned.ts';
import { type Drill, drillOf } from '../kit/drill.ts';

/** Addresses for documentation (RFC 5737): nothing comes from them. */
const [kept, lifted, short] = ['192.0.2.79', '192.0.2.80', '192.0.2.81'] as const;
const seconds = 3_600;
const shortSeconds = 5;

export const bansKept = drillOf({
  name: 'bans-kept',
  rule: 'When all gates of a kind have crashed, the addresses that were banned there are banned still, with what is left of their time; no address is banned again whose ban was lifted, or is over. While the disk of a node is full, its gates do not promise bans.',
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
  await fill(drill, base, gates[drill.drawn % gates.length]?.node);
  await lift(kept);
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
