/** The active mdc crashes while clients change domain data; its node fails; its disk is full. */
import { isDeepStrictEqual } from 'node:util';
import { removeGroups } from '../../use-cases/kit/groups.ts';
import { campaigns, groups, selectors } from '../../use-cases/kit/paths.ts';
import { expecting, filterOf, type Item, itemsOf, type Judge, textOf } from '../../use-cases/kit/use-case.ts';
import {
  type EntityKind,
  entityKinds,
  masked,
  merged,
  participantKind,
} from '../../use-cases/platform/entity-kinds.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { KeptFile } from '../kit/kept-file.ts';
import { type KeptChange, type KeptFields, KeptItem } from '../kit/kept-item.ts';

const file = '/rest/v1/fs/targets/parking/directories-replaced.wav';
/** Each write takes so long that others wait for it when the mdc crashes. */
const writeMs = 60;
const changes = 4;

export const directoriesReplaced = drillOf({
  name: 'directories-replaced',
  rule: 'When the active mdc crashes, its node fails or its disk is full, a change that was acknowledged is at each front with exactly its fields, one that was refused is not, one without an answer is whole or not at all, and a unique value belongs to one item.',
  exclusions: 'The loss of a node that the master site or its front needs.',
  sender: '10.6.1.30',
  play: async (drill) => {
    const items = new Items(drill);
    if (!(await items.begin())) return;
    const [mdc] = drill.activeOf('mdc', drill.context.map.masterSite.name);
    if (mdc !== undefined) {
      await drill.during(
        (faults) => faults.slowStore(mdc.node, writeMs),
        async () => {
          const all = items.changeAll();
          await drill.context.questions.wait(20 + (drill.context.now() % 600));
          drill.crash(mdc);
          await all;
          await items.judge();
        },
      );
      await withoutItsNode(drill, items);
      await onFullDisk(drill, items);
    }
    await items.end();
  },
});

/** The node of the active mdc fails with changes under way, where another one serves and a front is in reach. */
async function withoutItsNode(drill: Drill, items: Items): Promise<void> {
  const { map, questions, faults } = drill.context;
  const { nodes, name: site, arbiters } = map.masterSite;
  const [mdc] = drill.activeOf('mdc', site);
  if (mdc === undefined || !map.groupOf(mdc).some(({ node }) => node !== mdc.node)) return;
  const rest = nodes.filter(({ name }) => name !== mdc.node);
  const canAct = nodes.length % 2 === 1 || arbiters.length > 0;
  const isThere = ['rpco', 'ws'].every((role) =>
    rest.some(({ instances }) => instances.some((instance) => instance.role === role)),
  );
  if (!canAct || !isThere) return;
  await drill.during(
    (given) => {
      const lift = given.slowStore(mdc.node, writeMs);
      return async () => {
        lift();
        await faults.restartNode(mdc.node);
      };
    },
    async () => {
      const all = items.changeAll();
      await questions.wait(20 + (drill.context.now() % 600));
      drill.context.faults.crashNode(mdc.node);
      await all;
      await items.judge();
    },
  );
  await items.judge();
  // The one that was away serves, where it is next.
  for (const each of drill.activeOf('mdc', site)) drill.crash(each);
  await items.changeAll();
  await items.judge();
}

async function onFullDisk(drill: Drill, items: Items): Promise<void> {
  const { masterSite } = drill.context.map;
  await drill.during(
    (faults) => faults.fillStore(masterSite.name),
    () => items.changeNothing(),
  );
  await items.changeAll();
  await items.judge();
}

/** The items of the drill. */
class Items {
  readonly #drill: Drill;
  readonly #kinds: (id: string) => EntityKind[];
  readonly #made: KeptItem[] = [];
  readonly #file: KeptFile;
  readonly #patched: KeptItem;
  readonly #replaced: KeptItem;
  #raced: Raced = { code: '', ids: [], isOpen: false };
  #whole: { selector: KeptItem; participants: readonly KeptItem[] } | undefined;
  #codes: { taken: string; by: KeptItem } | undefined;
  #count = 0;
  #round = 0;

  constructor(drill: Drill) {
    this.#drill = drill;
    this.#file = new KeptFile(drill, file);
    this.#kinds = (id) => entityKinds(drill.domain, id);
    this.#patched = this.#newItem(campaigns);
    this.#replaced = this.#newItem(groups);
  }

  /** Makes what is changed later. Returns whether that worked. */
  async begin(): Promise<boolean> {
    for (const item of [this.#patched, this.#replaced])
      if ((await item.change(this.#creation(item))) !== 'done') return false;
    return true;
  }

  /** Clients change items at different fronts until each change has an answer. */
  async changeAll(): Promise<void> {
    this.#round += 1;
    await Promise.all([
      this.#patchInTurn(
        this.#patched,
        0,
        (n) => [{ name: `n${n}`, autobot: `a${n}` }, { stopbot: `s${n}` }, { opts: { title: `t${n}` } }][n % 3] ?? {},
      ),
      this.#patchInTurn(this.#replaced, 1, (n) => ({
        name: `n${n}`,
        members: Array.from({ length: 1 + (n % 3) }, (_, m) => `${n}${m}`),
        opts: { comment: `c${n}` },
      })),
      this.#createInTurn(2),
      this.#replaceOne(0),
      this.#removeWithChildren(1),
      this.#writeFile(2),
      this.#createTwice(),
    ]);
  }

  /** Each front shows what was acknowledged. */
  async judge(): Promise<void> {
    const drill = this.#drill;
    const { questions, map } = drill.context;
    const site = this.#siteAt(0);
    const isServed = async () => (await drill.ask(this.#patched.path, { site }))?.headers.has('x-data-age') === false;
    if (!(await drill.holds(drill.noticedMs, 'reads are served by the master', isServed))) return;
    if (this.#made.some(({ isCertain }) => !isCertain) || !this.#file.isCertain)
      await questions.wait(map.topology.timings.requestDeadlineMs);
    for (const item of this.#made) if (!item.isCertain) await item.settle(site);
    await this.#file.settle(site);
    // Lists show the rest at each front.
    for (const [index, item] of this.#made.entries())
      await item.shown(drill.quickMs, [this.#siteAt(index + this.#round)]);
    await this.#file.shown(drill.quickMs, this.#sites);
    await this.#judgeLists();
  }

  /** No change is possible. */
  async changeNothing(): Promise<void> {
    const drill = this.#drill;
    const whole = this.#newItem(groups);
    const refused = expecting(503, { error_code: 1503 });
    const sent = [
      [groups, { method: 'POST', body: { id: whole.id, ...this.#given(whole) } }],
      [this.#patched.path, { method: 'PATCH', body: { name: 'never' } }],
      [this.#replaced.path, { method: 'DELETE' }],
      [file, { method: 'PUT', bytes: { type: 'audio/wav', text: 'never' } }],
    ] as const;
    for (const [path, request] of sent) {
      const answer = await drill.ask(path, { ...request, site: drill.siteAt(this.#count) });
      this.#count += 1;
      drill.expect(`${request.method} ${path} on a full disk`, answer, (given) => {
        const { error_message: message } = (given?.body ?? {}) as Item;
        return refused(given) ?? (String(message).includes('nothing was changed') ? undefined : `got ${textOf(given)}`);
      });
    }
    await this.judge();
  }

  async end(): Promise<void> {
    for (const { path, mayBeThere } of this.#made) if (mayBeThere) await this.#drill.ask(path, { method: 'DELETE' });
    await this.#drill.ask(file, { method: 'DELETE' });
    await removeGroups(this.#drill, 'raced');
  }

  /** Fronts that are open. */
  get #sites(): readonly string[] {
    const { questions, map } = this.#drill.context;
    const { name } = map.masterSite;
    return questions.sites.toSorted((one, other) => Number(other === name) - Number(one === name));
  }

  #siteAt(index: number): string {
    const sites = this.#sites;
    return sites[index % sites.length] ?? this.#drill.here;
  }

  #newItem(collection: string): KeptItem {
    const { domain, context } = this.#drill;
    const index = 10 + context.map.topology.domains.findIndex(({ name }) => name === domain);
    const id = `aa0c0f3e-7d51-4c5b-9d8f-2000000${index}${String(this.#made.length).padStart(3, '0')}`;
    const hidden = collection.endsWith('/participants') ? participantKind('').omittedOnChange : undefined;
    const item = new KeptItem(this.#drill, { collection, id, ...(hidden !== undefined && { hidden }) });
    this.#made.push(item);
    return item;
  }

  #kindOf({ collection, id }: KeptItem): EntityKind | undefined {
    const parent = /selectors\/([^/]+)/.exec(collection)?.[1];
    return parent === undefined ? this.#kinds(id).find(({ path }) => path === collection) : participantKind(parent);
  }

  #given(item: KeptItem): Item {
    const { given = [], whole = {} } = this.#kindOf(item) ?? {};
    return Object.fromEntries(given.map((name) => [name, whole[name]]));
  }

  #creation(item: KeptItem, more: Item = {}): KeptChange {
    const { whole = {} } = this.#kindOf(item) ?? {};
    return {
      method: 'POST',
      body: { ...this.#given(item), ...more },
      site: this.#siteAt(this.#made.indexOf(item)),
      makes: () => ({ id: item.id, ...whole, ...more }),
    };
  }

  async #patchInTurn(item: KeptItem, first: number, patchOf: (n: number) => Item): Promise<void> {
    for (let n = 0; n < changes; n += 1) {
      const patch = patchOf(this.#round * changes + n);
      const makes = (before: KeptFields): KeptFields => (before === 'absent' ? before : merged(before, patch));
      const sent = { method: 'PATCH', body: patch, site: this.#siteAt(first + n), makes } as const;
      if ((await item.changeOnceServed(sent)) !== 'done') return;
    }
  }

  async #createInTurn(first: number): Promise<void> {
    for (let n = 0; n < changes; n += 1) {
      const item = this.#newItem(campaigns);
      await item.changeOnceServed({ ...this.#creation(item, { name: `${n}` }), site: this.#siteAt(first + n) });
    }
  }

  /** An item is removed, and another one gets its code. */
  async #replaceOne(first: number): Promise<void> {
    const [one, other] = [this.#newItem(campaigns), this.#newItem(campaigns)];
    const code = `replaced-${this.#round}`;
    const steps = [
      () => one.changeOnceServed({ ...this.#creation(one, { code }), site: this.#siteAt(first) }),
      () => one.changeOnceServed({ method: 'DELETE', site: this.#siteAt(first + 1), makes: () => 'absent' }),
      () => other.changeOnceServed({ ...this.#creation(other, { code }), site: this.#siteAt(first + 2) }),
    ];
    for (const step of steps) if ((await step()) !== 'done') return;
    this.#codes = { taken: code, by: other };
  }

  /** A meeting is removed with its participants. */
  async #removeWithChildren(first: number): Promise<void> {
    const selector = this.#newItem(selectors);
    if ((await selector.changeOnceServed({ ...this.#creation(selector), site: this.#siteAt(first) })) !== 'done')
      return;
    const participants = [0, 1].map(() => this.#newItem(`${selector.path}/participants`));
    for (const [n, participant] of participants.entries())
      await participant.changeOnceServed({
        ...this.#creation(participant, { mic: false }),
        site: this.#siteAt(first + n),
      });
    const removal = { method: 'DELETE', site: this.#siteAt(first + 2), makes: (): KeptFields => 'absent' } as const;
    const outcome = await selector.changeOnceServed(removal);
    for (const participant of participants) participant.follow(outcome);
    this.#whole = { selector, participants };
  }

  async #writeFile(first: number): Promise<void> {
    for (let n = 0; n < changes; n += 1)
      if (!(await this.#file.write(`content ${this.#round}.${n}`, this.#siteAt(first + n)))) return;
  }

  /** Two clients create an item with one code. */
  async #createTwice(): Promise<void> {
    const drill = this.#drill;
    const code = `raced-${this.#drill.context.map.topology.domains.length}-${this.#round}`;
    const answers = await Promise.all(
      [0, 1].map((n) => drill.ask(groups, { method: 'POST', body: { code, members: [] }, site: this.#siteAt(n) })),
    );
    const statuses = answers.map((answer) => answer?.status ?? 504);
    const ids = answers.flatMap((answer) => (answer?.status === 200 ? [String((answer.body as Item)['id'])] : []));
    const isOpen = statuses.includes(504);
    drill.expect(`POST ${groups} of one code twice`, answers[0], () =>
      ids.length < 2 && (!statuses.includes(409) || ids.length === 1 || isOpen) ? undefined : `got ${statuses}`,
    );
    this.#raced = { code, ids, isOpen };
  }

  async #judgeLists(): Promise<void> {
    const drill = this.#drill;
    const sites = this.#sites;
    for (const collection of [campaigns, groups]) {
      const own = this.#made.filter((item) => item.collection === collection);
      const listed = this.#kinds('').find(({ path }) => path === collection)?.listed ?? [];
      const items = own.flatMap(({ item }) => (item === undefined ? [] : [masked(item, ['id', 'ext', ...listed])]));
      const query = `${collection}?${filterOf(['like', ['property', 'id'], `${this.#patched.id.slice(0, -3)}%`])}`;
      const isRight: Judge = (answer) =>
        isDeepStrictEqual(itemsOf(answer), items)
          ? undefined
          : `expected ${JSON.stringify(items)}, got ${textOf(answer)}`;
      await drill.everywhere(`${query}&order=["id"]`, isRight, drill.quickMs, { sites });
      await drill.everywhere(`${query}&countonly`, expecting(200, { count: items.length }), drill.quickMs, {
        sites: sites.slice(0, 1),
      });
    }
    await this.#judgeUnique();
    const { selector, participants } = this.#whole ?? {};
    for (const participant of participants ?? [])
      if (participant.mayBeThere !== selector?.mayBeThere)
        drill.report(`${participant.path} is ${participant.mayBeThere ? '' : 'not '}there without ${selector?.path}`);
  }

  async #judgeUnique(): Promise<void> {
    const drill = this.#drill;
    const sites = this.#sites;
    const { code, ids, isOpen } = this.#raced;
    await drill.everywhere(
      `${groups}?${filterOf({ code })}`,
      (answer) => {
        const found = itemsOf(answer).map(({ id }) => String(id));
        const isRight = isOpen && ids.length === 0 ? found.length < 2 : JSON.stringify(found) === JSON.stringify(ids);
        return answer?.status === 200 && isRight ? undefined : `expected ${ids}, got ${textOf(answer)}`;
      },
      drill.quickMs,
      { sites },
    );
    if (this.#codes === undefined) return;
    const { taken, by } = this.#codes;
    const found: Judge = (answer) =>
      answer?.status === 200 && JSON.stringify(answer.body) === JSON.stringify([by.id])
        ? undefined
        : `expected ${by.id}, got ${textOf(answer)}`;
    await drill.everywhere(campaigns, found, drill.quickMs, { sites, method: 'LOOKUP', body: taken });
    const again = { site: this.#siteAt(0), body: { code: taken } };
    drill.expect(
      `POST ${campaigns} of a code that is taken`,
      await drill.ask(campaigns, { ...again, method: 'POST' }),
      expecting(409, { error_code: 1409 }),
    );
    drill.expect(
      `PATCH ${this.#patched.path} to a code that is taken`,
      await drill.ask(this.#patched.path, { ...again, method: 'PATCH' }),
      expecting(409, { error_code: 1409 }),
    );
  }
}

interface Raced {
  readonly code: string;
  /** Of the items that were acknowledged. */
  readonly ids: readonly string[];
  /** Whether there may be one that was not. */
  readonly isOpen: boolean;
}
