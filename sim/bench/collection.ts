/** Lists of domain data: the cost of 100,000 users against 1,000, and the longest block of the event loop by a scan. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { SystemClock } from '../../src/adapters/system-clock.ts';
import { parseCollectionQuery } from '../../src/model/collection/query.ts';
import { entityOf } from '../../src/model/entities/entities.ts';
import { createdItem } from '../../src/model/entities/item.ts';
import { namedUuid } from '../../src/model/uuid.ts';
import { search } from '../../src/storage/search.ts';
import { Table } from '../../src/storage/table.ts';
import { atMost, type BenchRow, compare } from './measure.ts';

const domain = 'acme.root.test';
const [few, many] = [1_000, 100_000];
const asked = 2_000;
/** Look-ups of the same number of users at either size, so that cold memory does not count for the table. */
const [keys, lookUps] = [200, 20_000];
const longestBlockMs = 50;
const clock = new SystemClock();

function usersOf(count: number): Table {
  const entity = entityOf('user');
  const table = new Table(entity);
  for (let n = 0; n < count; n += 1) {
    const given = { login: `login-${n}`, name: `User ${n % 977}`, pwd: 'x' };
    const item = createdItem(entity, namedUuid(`user ${n}`), { given, atMs: n });
    table.add({ kind: 'user', domain, item });
  }
  table.sort();
  return table;
}

async function ask(table: Table, params: Record<string, string>): Promise<number> {
  const entries = Object.entries(params);
  const query = parseCollectionQuery(new URLSearchParams(entries), table.entity.shape);
  if (!query.ok) throw new Error(query.fault.message);
  const how = { query: query.value, params: entries, isAdmin: true, untilMs: clock.now() + 60_000 };
  const found = await search(table, domain, how, clock);
  if (!found.ok) throw new Error(found.fault.message);
  return found.value.items.length;
}

export async function collectionRows(): Promise<BenchRow[]> {
  const [small, large] = [usersOf(few), usersOf(many)];
  const lookUp = (table: Table, count: number) => () => {
    const apart = count / keys;
    let found = 0;
    for (let n = 0; n < lookUps; n += 1) found += table.find(domain, 'login', `login-${(n % keys) * apart}`).length;
    if (found !== lookUps) throw new Error(`found ${found} of ${lookUps}`);
  };
  const pages = (table: Table) => async () => {
    for (let n = 0; n < asked / 10; n += 1) await ask(table, { limit: '50', offset: String(n * 2) });
  };
  const byKey = await compare(lookUp(large, many), lookUp(small, few));
  const firsts = await compare(pages(large), pages(small));
  return [
    row(2, { name: 'look-up by key', ...byKey, each: lookUps }),
    row(2, { name: 'page of 50 in default order', ...firsts, each: asked / 10 }),
    await blockRow(large),
  ];
}

function row(
  most: number,
  { name, ratio, aMs, bMs, each }: { name: string; ratio: number; aMs: number; bMs: number; each: number },
): BenchRow {
  const detail = `${((aMs / each) * 1_000).toFixed(1)} against ${((bMs / each) * 1_000).toFixed(1)} µs`;
  return atMost(most, { name: `${name}, of ${many} users`, floor: `of ${few}`, ratio, detail });
}

/** A filter without an index, and an order: the longest block of the event loop, against the limit. */
async function blockRow(table: Table): Promise<BenchRow> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const startMs = performance.now();
  delay.enable();
  const found = await ask(table, {
    filter: '["like",["property","name"],"%7%"]',
    order: '[{"name":"desc"}]',
    limit: '100',
  });
  delay.disable();
  const longestMs = delay.max / 1e6;
  const detail = `${longestMs.toFixed(0)} ms at the longest, in a search of ${(performance.now() - startMs).toFixed(0)} ms for ${found}`;
  return atMost(1, {
    name: `event loop blocked by a scan of ${many}`,
    floor: `${longestBlockMs} ms`,
    ratio: longestMs / longestBlockMs,
    detail,
  });
}
