/** An item of domain data that a drill changes while something is broken, and what it may be by the answers. */
import { isDeepStrictEqual } from 'node:util';
import type { QuestionAnswer } from '../../../questions.ts';
import { type Item, type Judge, textOf } from '../../use-cases/kit/use-case.ts';
import type { Drill } from './drill.ts';

/** The fields of an item, without `ext`; `absent`: it is not there. */
export type KeptFields = Item | 'absent';

type Times = Readonly<Record<string, string>>;

interface KeptState {
  readonly fields: KeptFields;
  /** Its `ext`, where an answer has shown it. */
  readonly times?: Times | undefined;
  /** Its `ext` before a change without an answer. */
  readonly timesBefore?: Times | undefined;
}

export interface KeptChange {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly body?: Item;
  readonly site?: string;
  /** What it makes of the item. */
  readonly makes: (before: KeptFields) => KeptFields;
}

/** `done`: acknowledged. `refused`: it did not happen. `open`: it may have happened. */
export type KeptOutcome = 'done' | 'refused' | 'open';

export class KeptItem {
  readonly collection: string;
  readonly id: string;
  readonly #drill: Drill;
  /** Fields that only a GET shows. */
  readonly #hidden: readonly string[];
  /** What it may be: several things after a change without an answer. */
  #states: readonly KeptState[] = [{ fields: 'absent' }];

  constructor(
    drill: Drill,
    { collection, id, hidden = [] }: { collection: string; id: string; hidden?: readonly string[] },
  ) {
    this.#drill = drill;
    this.#hidden = hidden;
    this.collection = collection;
    this.id = id;
  }

  get path(): string {
    return `${this.collection}/${this.id}`;
  }

  get isCertain(): boolean {
    return this.#states.length === 1;
  }

  get mayBeThere(): boolean {
    return this.#states.some(({ fields }) => fields !== 'absent');
  }

  get mayBeAbsent(): boolean {
    return this.#states.some(({ fields }) => fields === 'absent');
  }

  /** What it is, where that is certain and it is there. */
  get item(): Item | undefined {
    const [state] = this.#states;
    if (!this.isCertain || state === undefined || state.fields === 'absent') return undefined;
    return { ...state.fields, ext: state.times };
  }

  /** Sends a change, and judges the answer. */
  async change({ method, body, site, makes }: KeptChange): Promise<KeptOutcome> {
    const path = method === 'POST' ? this.collection : this.path;
    const sent = method === 'POST' ? { id: this.id, ...body } : body;
    const answer = await this.#drill.ask(path, {
      method,
      ...(sent !== undefined && { body: sent }),
      ...(site !== undefined && { site }),
    });
    const status = answer?.status ?? 504;
    if (status === 503) return 'refused';
    const made = this.#states.map(({ fields, times, timesBefore }) => {
      return { fields: makes(fields), timesBefore: times ?? timesBefore };
    });
    if (status === 504) {
      this.#states = [...this.#states, ...made];
      return 'open';
    }
    const done = made.find((state) =>
      state.fields === 'absent' ? status === 204 : status === 200 && isShown(answer, this.#answered(state)),
    );
    const wrong = `expected ${made.map(textOfState).join(' or ')}, got ${textOf(answer)}`;
    if (!this.#drill.expect(`${method} ${path}`, answer, () => (done === undefined ? wrong : undefined)) || !done)
      return 'refused';
    this.#states = [{ fields: done.fields, times: (answer?.body as Item | undefined)?.['ext'] as Times | undefined }];
    return 'done';
  }

  /** The same again while it is refused, until a successor must serve. That it was refused is judged before. */
  async changeOnceServed(change: KeptChange, withinMs = this.#drill.noticedMs): Promise<KeptOutcome> {
    const made = { outcome: await this.change(change) };
    if (made.outcome !== 'refused') return made.outcome;
    const { site } = change;
    const what = `${change.method} of ${this.path} is served`;
    await this.#drill.holds(withinMs, what, async () => {
      const shown = await this.#drill.ask(this.path, site === undefined ? {} : { site });
      const isOfMaster = (shown?.status === 200 || shown?.status === 404) && !shown.headers.has('x-data-age');
      if (!isOfMaster) return false;
      this.#drill.expect(`GET ${this.path} after its ${change.method} was refused`, shown, this.judge);
      made.outcome = await this.change(change);
      return made.outcome !== 'refused';
    });
    return made.outcome;
  }

  /** Finds out what has come of changes without an answer. The master must be in reach of the site. */
  async settle(site?: string): Promise<void> {
    const answer = await this.#drill.ask(this.path, site === undefined ? {} : { site });
    if (!this.#drill.expect(`GET ${this.path}`, answer, this.judge)) return;
    const { ext, ...fields } = (answer?.body ?? {}) as Item;
    this.#states = answer?.status === 200 ? [{ fields, times: ext as Times }] : [{ fields: 'absent' }];
  }

  /** What it belongs to was removed, or may have been. */
  follow(outcome: KeptOutcome): void {
    if (outcome === 'done') this.#states = [{ fields: 'absent' }];
    if (outcome === 'open') this.#states = [...this.#states, { fields: 'absent' }];
  }

  /** The answer to a GET shows what it may be. */
  readonly judge: Judge = (answer) =>
    this.#states.some((state) => isShown(answer, state))
      ? undefined
      : `expected ${this.#states.map(textOfState).join(' or ')}, got ${textOf(answer)}`;

  /** Each front shows it. */
  shown(withinMs?: number, sites?: readonly string[]): Promise<boolean> {
    return this.#drill.everywhere(this.path, this.judge, withinMs, sites === undefined ? {} : { sites });
  }

  /** What the answer to a change shows of it. */
  #answered(state: KeptState): KeptState {
    if (state.fields === 'absent') return state;
    const shown = Object.entries(state.fields).filter(([name]) => !this.#hidden.includes(name));
    return { ...state, fields: Object.fromEntries(shown) };
  }
}

function isShown(answer: QuestionAnswer | undefined, { fields, times, timesBefore }: KeptState): boolean {
  if (fields === 'absent') return answer?.status === 404;
  if (answer?.status !== 200) return false;
  const { ext, ...shown } = (answer.body ?? {}) as Item;
  if (!isDeepStrictEqual(shown, JSON.parse(JSON.stringify(fields)))) return false;
  if (times !== undefined) return isDeepStrictEqual(ext, times);
  const { ct, lwt } = ext as Times;
  if (timesBefore === undefined) return ct === lwt;
  return ct === timesBefore['ct'] && String(lwt) > String(timesBefore['lwt']);
}

function textOfState({ fields, times }: KeptState): string {
  return fields === 'absent' ? 'no item' : JSON.stringify({ ...fields, ext: times });
}
