/** Lists, their counts and their items agree at every front. */
import { boundsOf } from '../../bounds.ts';
import type { OracleContext, OracleMaker } from '../../oracle.ts';
import { differingField } from '../shared.ts';

type Row = Readonly<Record<string, unknown>>;

interface ListToCompare {
  readonly site: string;
  readonly rows: readonly Row[];
  readonly count: number | undefined;
}

/** Lists that are the same at every front, and the field by which an item is requested. */
const lists = [
  { path: '/rest/v1/journal/calls', key: 'inviteid', hasData: false },
  { path: '/rest/v1/uc/sipusers', key: 'id', hasData: true },
  { path: '/rest/v1/uc/chatcampaigns', key: 'id', hasData: true },
  { path: '/rest/v1/uc/recordrules', key: 'id', hasData: true },
  { path: '/rest/v1/domain/roleapps', key: 'id', hasData: true },
] as const;
/** How many items of a list are requested one by one: the last ones. */
const askedItems = 3;
const most = 10_000;

export const listsAgree: OracleMaker = {
  name: 'lists-agree',
  rule: 'In a quiescent cluster a list is the same at every front, its count is the number of its rows, and an item equals its row.',
  make: (context) => ({
    atQuiescence: async () => {
      const { questions, map, stableMs, check, fail } = context;
      if (stableMs() === 0) return;
      for (const domain of questions.domains.filter((name) => name !== map.masterDomain)) {
        for (const list of lists) {
          let rows = 0;
          const wrong = await questions.eventually(boundsOf(map).copiedMs, async () => {
            const found = await look(context, domain, list);
            rows = found.rows;
            return found.wrong;
          });
          if (stableMs() === 0) return;
          if (rows > 0) check();
          for (const what of wrong) fail(`quiescent: ${list.path} of ${domain}: ${what}`);
        }
      }
    },
  }),
};

async function look({ questions }: OracleContext, domain: string, { path, key }: (typeof lists)[number]) {
  const found: ListToCompare[] = [];
  for (const site of questions.sites) {
    const list = await questions.ask({ site, domain, path: `${path}?limit=${most}` });
    const count = await questions.ask({ site, domain, path: `${path}?countonly=true` });
    if (list?.status !== 200) continue;
    found.push({ site, rows: list.body as Row[], count: (count?.body as { count?: number } | undefined)?.count });
  }
  const [first, ...others] = found;
  if (first === undefined) return { rows: 0, wrong: [] };
  const wrong = found
    .filter(({ rows, count }) => count !== undefined && rows.length < most && count !== rows.length)
    .map(({ site, rows, count }) => `${site} counts ${count}, and lists ${rows.length}`);
  const text = JSON.stringify(first.rows);
  for (const { site, rows } of others) {
    if (JSON.stringify(rows) !== text) wrong.push(`${site} lists other rows than ${first.site}`);
  }
  for (const row of first.rows.slice(-askedItems)) {
    const item = await questions.ask({ site: first.site, domain, path: `${path}/${row[key]}` });
    const other = item?.status === 200 ? differingField(row, item.body as Row) : `status ${item?.status}`;
    if (other !== undefined) wrong.push(`the item ${row[key]} is not as its row at ${first.site}: ${other}`);
  }
  return { rows: first.rows.length, wrong };
}
