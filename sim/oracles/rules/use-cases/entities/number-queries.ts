/** Queries of lists by numbers, which are no texts: record rules by their priority. */
import { isDeepStrictEqual } from 'node:util';
import { being } from '../kit/answers.ts';
import { recordRules } from '../kit/paths.ts';
import { type Item, type Judge, textOf, type UseCase } from '../kit/use-case.ts';

/** No user has this number: the rules have no effect. */
const fromnumber = '7790500';
const periods = [{ days: [1, 5], from: '10:00', to: '11:30' }];
/** In the order of their creation. */
const given: readonly Item[] = [
  { priority: 9, rec: 1, periods },
  { priority: 100, rec: 0 },
  { priority: -5, rec: 1 },
  { priority: 10, rec: 0 },
];

const property = (name: string) => ['property', name];
const own = ['==', property('fromnumber'), fromnumber];
const priority = property('priority');

const filters: readonly (readonly [filter: unknown, numbers: readonly number[]])[] = [
  [
    ['<', priority, 10],
    [1, 3],
  ],
  [
    ['<=', priority, 10],
    [1, 3, 4],
  ],
  [
    ['>', priority, 9],
    [2, 4],
  ],
  [
    ['>=', priority, 9],
    [1, 2, 4],
  ],
  [['<', 10, priority], [2]],
  [
    ['>', priority, -6],
    [1, 2, 3, 4],
  ],
  [
    ['&&', ['>=', priority, 9], ['<', priority, 100]],
    [1, 4],
  ],
  [
    ['!=', priority, 9],
    [2, 3, 4],
  ],
  [['==', priority, '9'], []],
  [['==', property('rec'), true], []],
  [['<', priority, '50'], []],
  [['like', priority, '9'], []],
  [
    ['in', priority, [9, -5, '10', 11]],
    [1, 3],
  ],
  [['&&', ['==', property('rec'), 1], ['!', ['==', priority, 9]]], [3]],
];

const selections: readonly { readonly query: Item; readonly numbers: readonly number[] }[] = [
  { query: { order: 'priority' }, numbers: [3, 1, 4, 2] },
  { query: { order: '[{"priority":"desc"}]' }, numbers: [2, 4, 1, 3] },
  { query: { order: '["rec","priority"]' }, numbers: [4, 2, 3, 1] },
  { query: { order: '[{"rec":"asc"},{"priority":"desc"}]' }, numbers: [2, 4, 1, 3] },
  { query: { order: '["priority"]', offset: '1', limit: '2' }, numbers: [1, 4] },
  { query: { order: '[{"priority":"desc"}]', offset: '2', limit: '1' }, numbers: [1] },
];

export async function queryNumbers(useCase: UseCase): Promise<void> {
  let path = '';
  for (const [index, fields] of given.entries()) {
    const body = { fromnumber, tonumber: String(index + 1), ...fields };
    const made = await useCase.make(recordRules, body, { site: useCase.siteAt(index) });
    if (made === undefined) return;
    if (index === 0) path = made.path;
    // Each has a time of its own.
    await useCase.context.questions.wait(10);
  }
  await useCase.copied();
  let asked = 0;
  const ask = async (target: string, query: Item, judge: Judge) => {
    asked += 1;
    const site = useCase.siteAt(asked);
    const search = new URLSearchParams(query as Record<string, string>).toString();
    const what = `GET ${target}?${decodeURIComponent(search)} at ${site}`;
    useCase.expect(what, await useCase.ask(`${target}?${search}`, { site }), judge);
  };
  for (const [filter, numbers] of filters)
    await ask(recordRules, { filter: JSON.stringify(['&&', own, filter]) }, numbered(numbers));
  for (const { query, numbers } of selections)
    await ask(recordRules, { filter: JSON.stringify(own), ...query }, numbered(numbers));
  await ask(recordRules, { filter: JSON.stringify({ fromnumber, priority: 9 }) }, numbered([1]));
  await ask(recordRules, { filter: JSON.stringify({ fromnumber, priority: 9, rec: 0 }) }, numbered([]));
  const more = JSON.stringify(['&&', own, ['>', priority, 9]]);
  await ask(recordRules, { filter: more, countonly: 'true', limit: '1' }, being({ count: 2 }));
  // Arrays stay.
  const flat = { periods, priority: 9, 'opts.title': '', 'opts.comment': '' };
  await ask(path, { mask: 'periods,priority,opts', flat: 'true' }, being(flat));
}

/** The list has these rules, in this order. */
function numbered(numbers: readonly number[]): Judge {
  return (answer) => {
    const got = Array.isArray(answer?.body)
      ? (answer.body as Item[]).map(({ tonumber }) => Number(tonumber))
      : undefined;
    return isDeepStrictEqual(got, numbers)
      ? undefined
      : `expected ${numbers.join() || 'none'}, got ${got?.join() ?? textOf(answer)}`;
  };
}
