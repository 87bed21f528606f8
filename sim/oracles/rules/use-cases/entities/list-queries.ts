/** Queries of lists of chat campaigns, and what they select. */
import type { Item } from '../kit/use-case.ts';

export const codeOf = (n: number) => `queried-${n}`;
const title = 'opts.title';
/** In the order of their creation. */
export const given: readonly Item[] = [
  { name: 'Beta', autobot: 'x_y', searchhistoryscr: '10', opts: { title: 'B', comment: 'one' } },
  { name: 'alpha', autobot: 'xay', searchhistoryscr: '9', opts: { title: 'A' } },
  { name: 'Beta', autobot: '', searchhistoryscr: '10', opts: { title: 'C' } },
  { name: 'Gamma', autobot: 'x%z', queuebot: 'Gamma' },
];

const property = (name: string) => ['property', name];
export const own = ['like', property('code'), 'queried-%'];
const is = (name: string, value: unknown) => ['==', property(name), value];
const inverted = (depth: number): unknown => (depth === 0 ? is('name', 'Beta') : ['!', inverted(depth - 1)]);

/** What each filter selects of the items. */
export const filters: readonly (readonly [filter: unknown, numbers: readonly number[]])[] = [
  [is('name', 'Beta'), [1, 3]],
  [
    ['==', 'Beta', property('name')],
    [1, 3],
  ],
  [['==', property('name'), property('queuebot')], [4]],
  [
    ['!=', property('name'), 'Beta'],
    [2, 4],
  ],
  [
    ['<', property('name'), 'alpha'],
    [1, 3, 4],
  ],
  [
    ['<=', property('name'), 'Beta'],
    [1, 3],
  ],
  [
    ['>', property('name'), 'Beta'],
    [2, 4],
  ],
  [
    ['>=', property('name'), 'Gamma'],
    [2, 4],
  ],
  [['<', property('searchhistoryscr'), 10], []],
  [
    ['<', property('searchhistoryscr'), '9'],
    [1, 3, 4],
  ],
  [
    ['in', property('name'), ['alpha', 'Gamma', 'none']],
    [2, 4],
  ],
  [['in', property('name'), []], []],
  [['in', property('searchhistoryscr'), [10, null]], []],
  [
    ['like', property('autobot'), 'x_y'],
    [1, 2],
  ],
  [
    ['like', property('autobot'), 'x%'],
    [1, 2, 4],
  ],
  [['like', property('autobot'), '%a%'], [2]],
  [['like', property('autobot'), 'X%'], []],
  [['like', property('autobot'), 'x'], []],
  [['like', property('autobot'), ''], [3]],
  [['like', property('autobot'), 'x.y'], []],
  [
    ['like', property('autobot'), '%'],
    [1, 2, 3, 4],
  ],
  [
    ['like', property('autobot'), '_%'],
    [1, 2, 4],
  ],
  [
    ['like', property('name'), 'B__a'],
    [1, 3],
  ],
  [is(title, ''), [4]],
  [
    ['in', property(title), ['C', '']],
    [3, 4],
  ],
  [['!', ['in', property('name'), ['Beta', 'alpha']]], [4]],
  [
    ['!', is('name', 'Beta')],
    [2, 4],
  ],
  [
    ['||', is('name', 'alpha'), is('autobot', ''), is(title, 'B')],
    [1, 2, 3],
  ],
  [['&&', is('name', 'Beta'), is('searchhistoryscr', '10'), ['!', is(title, 'B')]], [3]],
  [['||', ['&&', is('name', 'Beta'), is(title, 'C')], ['&&', is('name', 'alpha'), is(title, 'C')]], [3]],
  [is('code', codeOf(2)), [2]],
  [['&&', is('code', codeOf(2)), is('name', 'Beta')], []],
  [
    ['||', is('code', codeOf(4)), is('code', codeOf(2))],
    [2, 4],
  ],
  [
    ['!', is('code', codeOf(2))],
    [1, 3, 4],
  ],
  [is('searchhitoryscr', '9'), [2]],
  [inverted(13), [2, 4]],
  [
    ['in', property('name'), [...Array(200).keys(), 'Beta']],
    [1, 3],
  ],
];
/** The whole filter is an object. */
export const equalities: readonly (readonly [filter: Item, numbers: readonly number[]])[] = [
  [{ code: codeOf(3) }, [3]],
  [{ code: codeOf(3), name: 'Beta', [title]: 'C' }, [3]],
  [{ code: codeOf(3), name: 'alpha' }, []],
  [{ code: codeOf(1), opts: { title: 'B' } }, [1]],
  [{ code: codeOf(2), searchhitoryscr: '9' }, [2]],
];

interface Selection {
  readonly query: Readonly<Record<string, string>>;
  readonly numbers: readonly number[];
}

/** Beside the filter that selects all items. */
export const selections: readonly Selection[] = [
  { query: {}, numbers: [1, 2, 3, 4] },
  { query: { offset: '1', limit: '2' }, numbers: [2, 3] },
  { query: { offset: '3', limit: '10000' }, numbers: [4] },
  { query: { offset: '4' }, numbers: [] },
  { query: { offset: '1000000' }, numbers: [] },
  { query: { limit: '0' }, numbers: [] },
  { query: { countonly: 'false', limit: '1' }, numbers: [1] },
  { query: { countonly: '0', offset: '3' }, numbers: [4] },
  { query: { unknown: '1', limit: '1' }, numbers: [1] },
  { query: { order: 'name' }, numbers: [3, 1, 4, 2] },
  { query: { order: '["name"]' }, numbers: [3, 1, 4, 2] },
  { query: { order: '[{"name":"desc"}]' }, numbers: [2, 4, 3, 1] },
  { query: { order: '[{"name":"asc"},{"opts.title":"desc"}]' }, numbers: [3, 1, 4, 2] },
  { query: { order: '["searchhitoryscr",{"code":"desc"}]' }, numbers: [4, 3, 1, 2] },
  { query: { order: '[{"id":"desc"}]' }, numbers: [1, 4, 2, 3] },
  { query: { order: '["name"]', offset: '1', limit: '2' }, numbers: [1, 4] },
  { query: { order: '[{"name":"desc"}]', offset: '3' }, numbers: [1] },
];

/** Of the first item: what a mask shows in a list, and what in the item. */
export const maskedItems: readonly { readonly query: Item; readonly inList: Item; readonly inItem: Item }[] = [
  { query: { mask: 'code,none' }, inList: { code: codeOf(1) }, inItem: { code: codeOf(1) } },
  {
    query: { mask: 'name,opts.title,opts.comment' },
    inList: { name: 'Beta', opts: { title: 'B' } },
    inItem: { name: 'Beta', opts: { title: 'B', comment: 'one' } },
  },
  {
    query: { mask: 'opts', flat: 'true' },
    inList: { 'opts.title': 'B' },
    inItem: { 'opts.title': 'B', 'opts.comment': 'one' },
  },
  { query: { mask: 'searchhitoryscr' }, inList: { searchhistoryscr: '10' }, inItem: { searchhistoryscr: '10' } },
  {
    query: { mask: 'searchhistoryscr', flat: '' },
    inList: { searchhistoryscr: '10' },
    inItem: { searchhistoryscr: '10' },
  },
  { query: { mask: 'opts.title', flat: '1' }, inList: { 'opts.title': 'B' }, inItem: { 'opts.title': 'B' } },
  { query: { mask: 'opts.title', flat: '0' }, inList: { opts: { title: 'B' } }, inItem: { opts: { title: 'B' } } },
];

const short = is('name', 'Beta');
const refusedFilters: readonly unknown[] = [
  ...[5, 'name', ['~', property('name'), 'a'], is('none', 'a'), { none: 1 }],
  ...[['==', property('name')], ['&&', short], ['!'], ['!', short, short], ['in', property('name'), 'Beta']],
  ...[inverted(17), ['in', property('name'), Array(300).fill('a')]],
];

export const refused: readonly (readonly [name: string, value: string])[] = [
  ...['ten', '10001', '-1', '1.5'].map((value) => ['limit', value] as const),
  ...['-1', 'x'].map((value) => ['offset', value] as const),
  ['flat', 'maybe'],
  ['countonly', '2'],
  ...['["none"]', '[{"name":"up"}]', '[5]', '{'].map((value) => ['order', value] as const),
  ...['', '{'].map((value) => ['filter', value] as const),
  ...refusedFilters.map((filter) => ['filter', JSON.stringify(filter)] as const),
];
