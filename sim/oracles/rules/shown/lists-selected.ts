/** Lists are what their query selects. */
import type { OracleMaker } from '../../oracle.ts';
import { type LookedUp, liveKeysIn, wrongLookup } from '../kit/lookups.ts';
import { jsonIn } from '../kit/reading.ts';
import { type Item, matches, ordered, valueAt } from '../kit/selection.ts';
import { together, usualPath } from '../kit/shared.ts';
import { Undisturbed } from '../kit/undisturbed.ts';

/** Why a selection cannot be compared as a whole: the answer shows other fields. */
const reshaping = ['mask', 'flat'];

interface Selected {
  /** The place of its answer among all requests and answers. */
  readonly answeredAt: number;
  readonly target: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

/** What one client has asked of one list at one front. */
interface Sequence {
  whole: string | undefined;
  /** When that was answered. */
  wholeMs: number;
  /** Its place among all requests and answers. */
  wholeAt: number;
  /** Selections since then. */
  readonly selected: Selected[];
  /** And look-ups. */
  readonly lookedUp: (LookedUp & Pick<Selected, 'answeredAt'>)[];
}

export const listsSelected: OracleMaker = {
  name: 'lists-selected',
  rule: 'A list has the items that its filter selects, in the given order, from its offset to its limit, and its count; of a list that did not change meanwhile exactly those. A LOOKUP finds the items of the list that have its key.',
  exclusions:
    'What instances show of themselves while the cluster is disturbed: one may be away for a moment between two equal lists. Lists without the sites that did not answer.',
  make: ({ fired, check, fail }) => {
    const inside = new Undisturbed();
    const asked = new Map<
      number,
      { readonly client: string; readonly at: number; readonly sent: string | undefined }
    >();
    let place = 0;
    /** By path, the place of the last change that a client has asked for there or below, or that was answered. */
    const changedAt = new Map<string, number>();
    const noteChange = (method: string, target: string) => {
      if (method === 'GET' || method === 'LOOKUP') return;
      const parts = usualPath(target.split('?')[0] ?? '').split('/');
      for (let end = parts.length; end > 1; end -= 1) changedAt.set(parts.slice(0, end).join('/'), place);
    };
    const sequences = new Map<string, Sequence>();
    const isCalm = (sinceMs: number, atMs: number) => inside.isSince(sinceMs - askedMs, atMs);
    return {
      listeners: together(inside.listeners, {
        'request.received': ({ id, client, method, target, sent }) => {
          place += 1;
          noteChange(method, target);
          if (method === 'GET' || method === 'LOOKUP') asked.set(id, { client, at: place, sent });
        },
        'request.answered': ({ id, site, method, target, status, body, ageS, missing, atMs }) => {
          place += 1;
          noteChange(method, target);
          const request = asked.get(id);
          asked.delete(id);
          if (request === undefined || body === undefined || !/^[[{]/.test(body)) return;
          const [path = '', search = ''] = target.split('?');
          const key = `${request.client} ${site} ${path}`;
          if (method === 'LOOKUP') {
            const { whole, wholeAt, lookedUp } = sequences.get(key) ?? {};
            if (whole === undefined || ageS !== undefined || missing !== undefined || request.at < Number(wholeAt))
              return;
            lookedUp?.push({ answeredAt: place, key: request.sent, status, body });
            return;
          }
          if (status !== 200 || ageS !== undefined || missing !== undefined) return void sequences.delete(key);
          const query = new URLSearchParams(search);
          const sequence = sequences.get(key) ?? {
            whole: undefined,
            wholeMs: atMs,
            wholeAt: place,
            selected: [],
            lookedUp: [],
          };
          sequences.set(key, sequence);
          if (search !== '') {
            if (isByUnshown(search)) return;
            const json = jsonIn(body);
            const wrong = wrongAlone(json, query);
            if (Array.isArray(json)) check();
            if (wrong !== undefined) fail(`${site} answered ${target}: ${wrong}`);
            const isAfter = sequence.whole !== undefined && request.at > sequence.wholeAt;
            if (isAfter) sequence.selected.push({ answeredAt: place, target, query, body: json });
            return;
          }
          // A registration that a copy has not heard of ends there, and is back with the next comparison.
          const isUntold = path.endsWith('/sipuser_states') && fired('registrar.untold') > 0;
          // Between two equal lists an item may have come and gone.
          const usual = usualPath(path);
          const isChanged = [usual, sourceOf(usual)].some((one) => (changedAt.get(one) ?? 0) > sequence.wholeAt);
          const isSteady = !isUntold && (!ofInstances.test(path) || isCalm(sequence.wholeMs, atMs));
          if (sequence.whole === body && body.startsWith('[') && isSteady) {
            // A list that was asked for before the answer to a selection may be the one of an earlier moment.
            const between = sequence.selected.filter((each) => each.answeredAt < request.at);
            for (const each of between.filter((each) => isComparable(path, each.query))) {
              const wrong = wrongAmong(jsonIn(body) as Item[], withoutOthers(path, body, each));
              check();
              if (wrong !== undefined && !isChanged) fail(`${site} answered ${each.target}: ${wrong}`);
            }
          }
          const isSame = sequence.whole !== undefined && keysOf(path, sequence.whole) === keysOf(path, body);
          if (isSame && sequence.lookedUp.length > 0 && (!isLive(path) || isCalm(sequence.wholeMs, atMs)))
            for (const each of sequence.lookedUp.filter((one) => one.answeredAt < request.at)) {
              const wrong = wrongLookup(path, JSON.parse(body) as Item[], each);
              check();
              if (wrong !== undefined && !isChanged) fail(`${site} answered LOOKUP ${path} ${each.key}: ${wrong}`);
            }
          if (isLive(path) && sequence.whole?.startsWith('[') && body.startsWith('[') && isCalm(sequence.wholeMs, atMs))
            for (const each of sequence.selected.filter((one) => one.answeredAt < request.at)) {
              const wrong = tooFew(JSON.parse(sequence.whole) as Item[], JSON.parse(body) as Item[], each);
              check();
              if (wrong !== undefined) fail(`${site} answered ${each.target}: ${wrong}`);
            }
          sequences.set(key, { whole: body, wholeMs: atMs, wholeAt: place, selected: [], lookedUp: [] });
        },
      }),
    };
  },
};

/** A filter may ask for what a list does not show: the type of conferences, and secrets. */
const isByUnshown = (search: string) => ['conftype', 'pwd', 'token_local'].some((name) => search.includes(name));

/** Lists with a row for each instance, which are asked for so long. */
const ofInstances = /\/master\/(logicalroles\/|nodes$)/;
const askedMs = 2_000;

/** The list whose items another one shows. */
const sourceOf = (path: string) => path.replace(/sipuser_states$/, 'sipusers');

/** Calls and conferences may begin and end between two lists that are equal. */
const isLive = (path: string) => /\/(calls|conferences)(_by_participation)?$|\/participants$/.test(path);

/** A list by what LOOKUP takes: calls and conferences show times that run. */
function keysOf(path: string, list: string): string {
  return isLive(path) && list.startsWith('[') ? JSON.stringify((JSON.parse(list) as Item[]).map(liveKeysIn)) : list;
}

/** Other parameters, such as a site, name another list. */
const selecting = ['filter', 'order', 'offset', 'limit', 'countonly', 'mask', 'flat'];

function isComparable(path: string, query: URLSearchParams): boolean {
  if ([...query.keys()].some((name) => !selecting.includes(name))) return false;
  return !isLive(path) || !['countonly', 'limit', 'offset'].some((name) => query.has(name));
}

/** Without the items that the whole list has neither before nor after. */
function withoutOthers(path: string, whole: string, selected: Selected): Selected {
  if (!isLive(path) || !Array.isArray(selected.body)) return selected;
  return { ...selected, body: (selected.body as Item[]).filter((item) => whole.includes(JSON.stringify(item))) };
}

/** What an answer shows by itself. */
function wrongAlone(body: unknown, query: URLSearchParams): string | undefined {
  if (isTrue(query, 'countonly')) return undefined;
  if (!Array.isArray(body)) return undefined;
  const limit = query.get('limit');
  if (limit !== null && body.length > Number(limit)) return `expected at most ${limit} items, got ${body.length}`;
  if (reshaping.some((name) => query.has(name))) return undefined;
  const filter = filterOf(query);
  const other = filter === undefined ? undefined : (body as Item[]).find((item) => matches(filter, item) === false);
  return other === undefined ? undefined : `an item that the filter does not select: ${textOf(other)}`;
}

/** The same list was whole before and after. */
function wrongAmong(whole: readonly Item[], { query, body }: Selected): string | undefined {
  const filter = filterOf(query);
  const verdicts = whole.map((item) => (filter === undefined ? true : matches(filter, item)));
  if (verdicts.includes(undefined)) return undefined;
  const found = whole.filter((_, index) => verdicts[index] === true);
  if (isTrue(query, 'countonly')) {
    const { count } = body as { readonly count?: number };
    return count === found.length ? undefined : `expected the count ${found.length}, got ${count}`;
  }
  if (!Array.isArray(body) || reshaping.some((name) => query.has(name))) return undefined;
  const offset = Number(query.get('offset') ?? 0);
  const limit = Number(query.get('limit') ?? found.length);
  const expected = Math.max(0, Math.min(limit, found.length - offset));
  if (body.length !== expected) return `expected ${expected} items of ${found.length}, got ${body.length}`;
  const order = query.get('order');
  if (order === null) return wrongPage(found.slice(offset, offset + limit), body as Item[]);
  const name = ordered(order);
  if (name === undefined) return undefined;
  const values = (body as Item[]).map((item) => valueAt(item, name.name));
  for (let n = 1; n < values.length; n += 1) {
    const [one, other] = [values[n - 1], values[n]];
    if (typeof one !== typeof other || (typeof one !== 'string' && typeof one !== 'number')) continue;
    const isRight = name.isDescending ? one >= (other as typeof one) : one <= (other as typeof one);
    if (!isRight) return `${String(one)} is before ${String(other)}`;
  }
  return undefined;
}

/** Of a live list: what was there before and after, and was selected both times, counts. Other items come and go. */
function tooFew(before: readonly Item[], after: readonly Item[], { query, body }: Selected): string | undefined {
  if ([...query.keys()].some((name) => !selecting.includes(name))) return undefined;
  const filter = filterOf(query);
  const later = new Map(after.map((item) => [keyOf(item), item]));
  const isSelected = (item: Item) => filter === undefined || matches(filter, item) === true;
  const stayed = before.filter((item) => {
    const then = later.get(keyOf(item));
    return then !== undefined && isSelected(item) && isSelected(then);
  });
  const isCount = isTrue(query, 'countonly');
  if (!isCount && !Array.isArray(body)) return undefined;
  const got = isCount ? Number((body as { readonly count?: number }).count) : (body as Item[]).length;
  const [offset, limit] = [query.get('offset') ?? 0, query.get('limit') ?? stayed.length].map(Number) as [
    number,
    number,
  ];
  const least = isCount ? stayed.length : Math.max(0, Math.min(limit, stayed.length - offset));
  return got >= least ? undefined : `expected at least ${least} of ${stayed.length}, got ${got}`;
}

/** What does not change of a live item while it lasts. */
const keyOf = ({ dialogid, inviteid, confid, participantid, id }: Item) =>
  JSON.stringify([dialogid, inviteid, confid, participantid, id]);

function wrongPage(expected: readonly Item[], got: readonly Item[]): string | undefined {
  const at = expected.findIndex((item, index) => JSON.stringify(item) !== JSON.stringify(got[index]));
  return at < 0 ? undefined : `expected ${textOf(expected[at])} at ${at}, got ${textOf(got[at])}`;
}

function filterOf(query: URLSearchParams): unknown {
  const text = query.get('filter');
  return text === null ? undefined : JSON.parse(text);
}

function isTrue(query: URLSearchParams, name: string): boolean {
  return ['', 'true', '1'].includes(query.get(name) ?? 'false');
}

function textOf(item: Item | undefined): string {
  return JSON.stringify(item ?? null).slice(0, 120);
}
