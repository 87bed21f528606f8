/** Lists, their counts and their items agree at every front. */
import { boundsOf } from '../../bounds.ts';
import type { OracleContext, OracleMaker } from '../../oracle.ts';
import type { OracleRequest, Questions } from '../../questions.ts';
import { matches, type Item as Row } from '../kit/selection.ts';
import { differingField } from '../kit/shared.ts';

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
/** In how many pages a list is read. */
const pages = 3;

export const listsAgree: OracleMaker = {
  name: 'lists-agree',
  rule: 'In a quiescent cluster a list is the same at every front, its count is the number of its rows, its pages are the list in parts, and an item equals its row; a filter selects the rows that it describes, counts them, and numbers its pages among them.',
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
  const wrong: string[] = [];
  for (const site of questions.sites) {
    const list = await questions.ask({ site, domain, path: `${path}?limit=${most}` });
    const count = await questions.ask({ site, domain, path: `${path}?countonly=true` });
    if (list?.status !== 200) continue;
    const rows = list.body as Row[];
    found.push({ site, rows, count: (count?.body as { count?: number } | undefined)?.count });
    const parts = await pagesOf(questions, { site, domain, path }, Math.ceil(rows.length / pages));
    if (parts !== undefined && JSON.stringify(parts) !== JSON.stringify(rows))
      wrong.push(`${site} lists ${rows.length} rows, and others page by page`);
  }
  const [first, ...others] = found;
  if (first === undefined) return { rows: 0, wrong };
  for (const { site, rows, count } of found)
    if (count !== undefined && rows.length < most && count !== rows.length)
      wrong.push(`${site} counts ${count}, and lists ${rows.length}`);
  const text = JSON.stringify(first.rows);
  for (const { site, rows } of others) {
    if (JSON.stringify(rows) !== text) wrong.push(`${site} lists other rows than ${first.site}`);
  }
  wrong.push(...(await wrongSelections(questions, { site: first.site, domain, path }, first.rows)));
  for (const row of first.rows.slice(-askedItems)) {
    const item = await questions.ask({ site: first.site, domain, path: `${path}/${row[key]}` });
    const other = item?.status === 200 ? differingField(row, item.body as Row) : `status ${item?.status}`;
    if (other !== undefined) wrong.push(`the item ${row[key]} is not as its row at ${first.site}: ${other}`);
  }
  return { rows: first.rows.length, wrong };
}

/** What is wrong with selections by two fields of the last row, which differ from list to list. */
async function wrongSelections(questions: Questions, { site, domain, path }: OracleRequest, rows: readonly Row[]) {
  const last = rows.at(-1) ?? {};
  const fields = Object.keys(last).filter((name) => typeof last[name] === 'string' || typeof last[name] === 'number');
  const at = (place: number) => fields[place % Math.max(1, fields.length)];
  const wrong: string[] = [];
  for (const field of new Set([at(rows.length), at(rows.length * 5 + 3)])) {
    if (field === undefined) continue;
    const value = last[field];
    for (const filter of [{ [field]: value }, ['!=', ['property', field], value]]) {
      const found = rows.filter((row) => matches(filter, row) === true);
      const query = `${path}?filter=${encodeURIComponent(JSON.stringify(filter))}`;
      const list = await questions.ask({ site, domain, path: `${query}&limit=${most}` });
      // A field that is shown, and cannot be selected by.
      if (list?.status !== 200) continue;
      const count = await questions.ask({ site, domain, path: `${query}&countonly=true` });
      const page = await questions.ask({ site, domain, path: `${query}&offset=1&limit=2` });
      const got = { list: list.body, count: count?.body, page: page?.body };
      const expected = { list: found, count: { count: found.length }, page: found.slice(1, 3) };
      for (const name of ['list', 'count', 'page'] as const)
        if (JSON.stringify(got[name]) !== JSON.stringify(expected[name]))
          wrong.push(
            `the ${name} of ${JSON.stringify(filter)} at ${site} is not of the ${found.length} rows that it selects`,
          );
    }
  }
  return wrong;
}

/** A list, read page by page; `undefined` where a page has no answer. */
async function pagesOf(questions: Questions, { site, domain, path }: OracleRequest, limit: number) {
  const rows: Row[] = [];
  for (let page = 0; page < pages && limit > 0; page += 1) {
    const answer = await questions.ask({ site, domain, path: `${path}?limit=${limit}&offset=${page * limit}` });
    if (answer?.status !== 200) return undefined;
    rows.push(...(answer.body as Row[]));
  }
  return rows;
}
