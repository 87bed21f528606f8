/** Lists are filtered, ordered, cut, counted, masked and flattened as the interface says. */
import { isDeepStrictEqual } from 'node:util';
import { being, refusing } from '../kit/answers.ts';
import { campaigns } from '../kit/paths.ts';
import { expecting, type Item, type Judge, textOf, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { codeOf, equalities, filters, given, maskedItems, own, refused, selections } from './list-queries.ts';
import { queryNumbers } from './number-queries.ts';

export const listsQueried = useCaseOf({
  name: 'lists-queried',
  rule: 'In a quiescent cluster a list of domain data is what its query says: each operator of a filter, alone and combined, on texts and on numbers, equalities, orders by several fields, also of long texts, with ties by id, offset and limit, counts, masks with unknown and misspelt names, and flat items; a wrong query is refused with 400 and the name of the parameter.',
  sender: '10.6.20.3',
  play: async (useCase) => {
    const items: Item[] = [];
    for (const [index, fields] of given.entries()) {
      const body = { id: idOf(useCase, index + 1), code: codeOf(index + 1), ...fields };
      const made = await useCase.make(campaigns, body, { site: useCase.siteAt(index) });
      if (made === undefined) return;
      items.push(made.item);
      // Each has a time of its own.
      await useCase.context.questions.wait(10);
    }
    await useCase.copied();
    await query(useCase, items);
    await queryNumbers(useCase);
  },
});

/** Of a comment. */
const longestChars = 10_000;

/** Of two items with the same name the later one has the lower id. */
const places = [4, 2, 1, 3];

/** An id belongs to one domain. */
function idOf({ domain, context: { map } }: UseCase, n: number): string {
  const index = 10 + map.topology.domains.findIndex(({ name }) => name === domain);
  return `aa0c0f3e-7d51-4c5b-9d8f-3000000${index}00${places[n - 1]}`;
}

async function query(useCase: UseCase, items: readonly Item[]): Promise<void> {
  let asked = 0;
  const ask = async (target: string, parameters: Item, judge: Judge) => {
    asked += 1;
    const site = useCase.siteAt(asked);
    const search = new URLSearchParams(parameters as Record<string, string>).toString();
    const what = `GET ${target}?${decodeURIComponent(search).slice(0, 200)} at ${site}`;
    useCase.expect(what, await useCase.ask(`${target}?${search}`, { site }), judge);
  };
  for (const [filter, numbers] of filters)
    await ask(campaigns, { filter: JSON.stringify(['&&', own, filter]) }, numbered(numbers));
  for (const [filter, numbers] of equalities)
    await ask(campaigns, { filter: JSON.stringify(filter) }, numbered(numbers));
  const ours = JSON.stringify(own);
  for (const { query: selected, numbers } of selections)
    await ask(campaigns, { filter: ours, ...selected }, numbered(numbers));
  await ask(campaigns, { filter: ours, countonly: 'true', offset: '1', limit: '1' }, being({ count: 4 }));
  await ask(campaigns, { filter: ours, countonly: 'true', limit: '0' }, being({ count: 4 }));
  await ask(campaigns, { filter: ours, countonly: '', order: '["name"]' }, being({ count: 4 }));
  await ask(campaigns, { filter: JSON.stringify({ code: codeOf(2) }), countonly: '1' }, being({ count: 1 }));
  const newest = items.toSorted((one, other) => (isNewer(one, other) ? -1 : 1));
  const newestCodes = newest.map(({ code }) => String(code));
  for (const offset of [0, 1, 2]) {
    const limit = newest.length - offset;
    const page = { order: '[{"ext.ct":"desc"}]', offset: String(offset), limit: String(limit) };
    await ask(campaigns, page, listingCodes(newestCodes.slice(offset)));
  }
  const one = JSON.stringify({ code: codeOf(1) });
  for (const { query: shown, inList, inItem } of maskedItems) {
    await ask(campaigns, { filter: one, ...shown }, being([inList]));
    await ask(`${campaigns}/${idOf(useCase, 1)}`, shown, being(inItem));
  }
  for (const [name, value] of refused) await ask(campaigns, { [name]: value }, refusing(name));
  await order(useCase, items, ask);
  const ten = { error_message: 'limit: expected an integer from 0 to 10000, got "ten"' };
  await ask(campaigns, { limit: 'ten' }, expecting(400, ten));
}

type Ask = (target: string, parameters: Item, judge: Judge) => Promise<void>;

/** Long texts are sorted in parts, and all parts are in the list. The order names them twice, so that no two fit into a part. */
async function order(useCase: UseCase, items: readonly Item[], ask: Ask): Promise<void> {
  const numbers = [2, 3, 1];
  for (const [index, number] of numbers.entries()) {
    const path = `${campaigns}/${String(items[number - 1]?.['id'])}`;
    const body = { opts: { comment: `${'x'.repeat(longestChars - 1)}${index}` } };
    useCase.expect(`PATCH ${path}`, await useCase.ask(path, { method: 'PATCH', body }), expecting(200));
  }
  await useCase.copied();
  const filter = JSON.stringify(['in', ['property', 'code'], numbers.map(codeOf)]);
  const byComment = { filter, order: '["opts.comment","opts.comment","opts.comment"]' };
  await ask(campaigns, byComment, numbered(numbers));
  await ask(campaigns, { ...byComment, offset: '1', limit: '2' }, numbered(numbers.slice(1)));
}

/** Later, or of two of one moment the one with the lower id. */
function isNewer(one: Item, other: Item): boolean {
  const [at, otherAt] = [one, other].map(({ ext }) => String((ext as Item)['ct'])) as [string, string];
  return at === otherAt ? String(one['id']) < String(other['id']) : at > otherAt;
}

/** The list has these items, in this order. */
function numbered(numbers: readonly number[]): Judge {
  return listingCodes(numbers.map(codeOf));
}

function listingCodes(wanted: readonly string[]): Judge {
  return (answer) => {
    const codes = Array.isArray(answer?.body) ? (answer.body as Item[]).map(({ code }) => String(code)) : undefined;
    return codes !== undefined && isDeepStrictEqual(codes, wanted)
      ? undefined
      : `expected ${wanted.join() || 'none'}, got ${codes?.join() ?? textOf(answer)}`;
  };
}
