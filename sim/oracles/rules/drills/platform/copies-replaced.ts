/** The copy of the domain data at a site misses changes: its sdc crashes, its node fails, its disk is full or lost, the site is cut off. */
import { limits } from '../../../../../src/model/limits.ts';
import { boundsOf } from '../../../bounds.ts';
import { being } from '../../use-cases/kit/answers.ts';
import { campaigns, groups, selectors } from '../../use-cases/kit/paths.ts';
import { expecting, filterOf, type Item, type Judge, textOf } from '../../use-cases/kit/use-case.ts';
import { entityKinds, masked, merged, participantKind } from '../../use-cases/platform/entity-kinds.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { type KeptFields, KeptItem } from '../kit/kept-item.ts';
import { isKeptElsewhere, isSpare, sitesWithout } from '../kit/nodes.ts';

const files = '/rest/v1/fs/targets/parking';
const audio = 'audio/wav';
/** A write to a full disk fails when further changes are waiting. */
const failsAfterMs = 80;
/** A change has reached each copy by then, and none has looked for changes since. */
const heardMs = 1_000;

export const copiesReplaced = drillOf({
  name: 'copies-replaced',
  rule: 'When the sdc of a site crashes, its node fails, its disk is full or lost, the site is cut off while domain data change, or its node fails as the site is cut off just after a change, the site shows the data as they were at its last contact, no younger than it says, refuses changes, and has exactly the data of the master soon after.',
  exclusions: 'Domains that no site beside the master site serves.',
  sender: '10.6.1.31',
  play: async (drill) => {
    const { map } = drill.context;
    const master = map.masterSite.name;
    const site = drill.sites.find((each) => each !== master && map.serving('sdc', each, drill.domain).length > 0);
    const writers = drill.sites.filter((each) => each !== site);
    if (site === undefined || !writers.includes(master)) return;
    const copy = new Copy(drill, { site, writers });
    if (!(await copy.begin())) return;
    await whileItsInstanceCrashes(drill, copy);
    await whileItsNodeFails(drill, copy);
    await whileItsDiskIsFull(drill, copy);
    await withItsDiskLost(drill, copy);
    await whileCutOff(drill, copy);
    await copy.isCurrent();
    await withItsNodeLost(drill, copy);
    await copy.end();
  },
});

async function whileItsInstanceCrashes(drill: Drill, copy: Copy): Promise<void> {
  const changes = copy.change();
  for (const sdc of drill.activeOf('sdc', copy.site)) drill.crash(sdc);
  await changes;
  await copy.change();
  await drill.becomesWhole();
}

async function whileItsNodeFails(drill: Drill, copy: Copy): Promise<void> {
  const nodes = drill.activeOf('sdc', copy.site).map(({ node }) => node);
  await drill.without(nodes, async () => {
    await copy.change();
    await drill.context.questions.wait(drill.noticedMs);
    await copy.change();
  });
}

/** What it cannot store meanwhile must be stored later, the last version of each item: it is not sent again. */
async function whileItsDiskIsFull(drill: Drill, copy: Copy): Promise<void> {
  const nodes = drill.activeOf('sdc', copy.site).map(({ node }) => node);
  await drill.duringAll(
    nodes,
    (faults, node) => {
      const lifts = [faults.fillStore(node), faults.slowStore([node], failsAfterMs)];
      return () => {
        for (const lift of lifts) lift();
      };
    },
    async () => {
      await Promise.all([copy.change(), copy.change()]);
      await drill.copied();
    },
  );
  // Another item: the ones of before are not changed again.
  await copy.add();
  await copy.isCurrent();
  for (const sdc of drill.activeOf('sdc', copy.site)) drill.crash(sdc);
  await drill.becomesWhole();
  await copy.isCurrent();
}

/** It starts with an empty one. What is not of the copy must be elsewhere. */
async function withItsDiskLost(drill: Drill, copy: Copy): Promise<void> {
  const { questions } = drill.context;
  const [node] = drill.activeOf('sdc', copy.site).map((each) => each.node);
  if (node === undefined || !isKeptElsewhere(drill, node)) return;
  await questions.wait(limits.compareMs + drill.quickMs);
  await drill.withoutDisk(node, () => questions.wait(drill.noticedMs));
  await copy.isCurrent();
}

/** For longer than copies wait to look for changes. Meanwhile another member of the group may serve. */
async function whileCutOff(drill: Drill, copy: Copy): Promise<void> {
  const { questions } = drill.context;
  await copy.isCurrent();
  await copy.isInReach();
  await drill.cutOff(copy.site, async () => {
    copy.leave();
    const before = copy.questions();
    const changes = [copy.change(), copy.change()];
    await Promise.all(changes);
    if (!(await copy.isAlone())) return;
    await copy.shows(before);
    await copy.refusesChanges();
    await questions.wait(limits.dataPullMs);
    await copy.change();
    for (const sdc of drill.activeOf('sdc', copy.site)) drill.crash(sdc);
    if (await copy.isAlone()) await copy.shows(before);
  });
}

/** Its node is lost as the site is cut off, just after a change: the other member of its group has the change, and serves. */
async function withItsNodeLost(drill: Drill, copy: Copy): Promise<void> {
  const { map, questions } = drill.context;
  const { site } = copy;
  const [sdc] = drill.activeOf('sdc', site);
  const hasOther = map.serving('sdc', site, drill.domain).some(({ node }) => node !== sdc?.node);
  // No arbiter is in reach then.
  const { length } = map.site(site).nodes;
  if (sdc === undefined || !hasOther || length - 1 <= length / 2 || !isSpare(drill, sdc.node, [])) return;
  if (!sitesWithout(drill, sdc.node).includes(site)) return;
  await copy.change();
  await questions.wait(heardMs);
  await drill.during(
    (faults) => {
      const lift = faults.cut({ from: site });
      faults.crashNode(sdc.node);
      return async () => {
        lift();
        await faults.restartNode(sdc.node);
      };
    },
    async () => {
      copy.leave();
      if (await copy.isAlone()) await copy.shows(copy.questions());
    },
  );
}

interface Question {
  readonly path: string;
  readonly request?: { readonly method: string; readonly body: unknown };
  readonly judge: Judge;
}

/** Items of the domain, and what a site with a copy answers about them. */
class Copy {
  readonly site: string;
  readonly #drill: Drill;
  readonly #writers: readonly string[];
  readonly #items: KeptItem[] = [];
  readonly #contents = new Map<string, string>();
  #round = 0;
  #coded: KeptItem | undefined;
  #selector: KeptItem | undefined;
  #cutMs: number | undefined;
  /** One after the other. */
  #changed: Promise<void> = Promise.resolve();

  constructor(drill: Drill, { site, writers }: { site: string; writers: readonly string[] }) {
    this.site = site;
    this.#drill = drill;
    this.#writers = writers;
  }

  /** Whether changes are possible. */
  async begin(): Promise<boolean> {
    await this.change();
    return this.#items.some(({ mayBeThere }) => mayBeThere) && this.#drill.problems.length === 0;
  }

  /** Clients of other sites create, change and remove items. */
  change(): Promise<void> {
    this.#changed = this.#changed.then(() => this.#changeNow());
    return this.#changed;
  }

  /** A client of another site creates an item. */
  add(): Promise<void> {
    this.#changed = this.#changed.then(async () => void (await this.#create(campaigns, { name: 'added' })));
    return this.#changed;
  }

  async #changeNow(): Promise<void> {
    this.#round += 1;
    const round = this.#round;
    const there = this.#items.filter(({ collection, item }) => collection === campaigns && item !== undefined);
    const [first, second, third] = there;
    if (first !== undefined) await this.#remove(first);
    if (second !== undefined) await this.#patch(second, { name: `y${round}`, opts: { title: `t${round}` } });
    if (third !== undefined) await this.#patch(third, { stopbot: `s${round}`, projectid: third.id });
    for (const n of [0, 1, 2]) await this.#create(campaigns, { name: `${'xyz'[(round + n) % 3]}${n}` });
    if (this.#coded !== undefined) await this.#remove(this.#coded);
    this.#coded = await this.#create(groups, { code: 'copies-replaced', members: [`${round}`, `${round + 1}`] });
    const group = this.#items.find(({ collection }) => collection === groups);
    if (group?.item !== undefined)
      await this.#patch(group, { members: Array.from({ length: round % 3 }, (_, n) => `${n}`) });
    await this.#changeMeeting(round);
    await this.#write('copies-replaced-1.wav', `one ${round}`);
    if (round % 2 === 1) await this.#write('copies-replaced-2.wav', `two ${round}`);
    else if (this.#contents.has('copies-replaced-2.wav')) await this.#write('copies-replaced-2.wav', undefined);
  }

  /** What it is asked, and what it must answer, with the data as they are now. */
  questions(): Question[] {
    const single = this.#items.map(({ path, item }) => ({
      path,
      judge: item === undefined ? expecting(404) : being(item),
    }));
    const texts = ['copies-replaced-1.wav', 'copies-replaced-2.wav'].map((name) => {
      const text = this.#contents.get(name);
      return { path: `${files}/${name}`, judge: text === undefined ? expecting(404) : being(text) };
    });
    const key = this.#coded?.item;
    const lookup = { path: groups, request: { method: 'LOOKUP', body: 'copies-replaced' } };
    return [
      // An item that is there says more, and one in three of the rest is enough.
      ...single.filter((_, index) => this.#items[index]?.item !== undefined || index % 3 === this.#round % 3),
      ...texts,
      ...(key === undefined ? [] : [{ ...lookup, judge: being([key['id']]) }]),
      ...[campaigns, groups].flatMap((collection) => this.#lists(collection)),
    ];
  }

  /** The site answers from its copy, and refuses changes. */
  async refusesChanges(): Promise<void> {
    const { site } = this;
    const [item] = this.#items.filter((each) => each.item !== undefined);
    for (const [method, path, body] of [
      ['POST', groups, { code: 'copies-refused' }],
      ['PATCH', item?.path ?? groups, { opts: { title: 'refused' } }],
      ['DELETE', item?.path ?? groups, undefined],
    ] as const) {
      const answer = await this.#drill.ask(path, { site, method, ...(body !== undefined && { body }) });
      this.#drill.expect(`${method} ${path} at ${site}, cut off`, answer, expecting(503, { error_code: 1503 }));
    }
  }

  /** The front of the site reads at the master. Where it has restarted, it learns of the session by that. */
  async isInReach(): Promise<void> {
    const { site } = this;
    await this.#drill.everywhere(
      `${campaigns}?countonly`,
      (answer) =>
        answer?.status === 200 && !answer.headers.has('x-data-age')
          ? undefined
          : `is not read at the master: ${textOf(answer)}`,
      this.#drill.noticedMs,
      { sites: [site] },
    );
  }

  /** The site has been cut off just now. */
  leave(): void {
    this.#cutMs = this.#drill.context.now();
  }

  /** Waits until its front answers from its copy. */
  isAlone(): Promise<boolean> {
    const { site } = this;
    return this.#drill.holds(this.#drill.noticedMs, `the front of ${site} reads the copy`, async () => {
      const answer = await this.#drill.ask(`${campaigns}?countonly`, { site });
      return answer?.headers.has('x-data-age') === true;
    });
  }

  async shows(questions: readonly Question[]): Promise<void> {
    for (const problem of await this.#wrongIn(questions)) this.#drill.report(problem);
  }

  /** Cut off, the site shows the data of the master as they were just before. It may look for changes once more before that. */
  async isCurrent(): Promise<void> {
    const drill = this.#drill;
    let wrong: string[] = [];
    for (const waitMs of [0, boundsOf(drill.context.map).copiedMs]) {
      await drill.context.questions.wait(waitMs);
      await this.isInReach();
      await drill.cutOff(this.site, async () => {
        this.leave();
        if (await this.isAlone()) wrong = await this.#wrongIn(this.questions());
      });
      if (wrong.length === 0) break;
    }
    drill.report(...wrong);
    for (const { path, judge, request } of this.questions().slice(0, 5))
      await drill.everywhere(path, judge, 0, request);
  }

  async end(): Promise<void> {
    const there = this.#items.filter(({ mayBeThere }) => mayBeThere);
    for (const { path } of there.toReversed()) await this.#drill.ask(path, { method: 'DELETE' });
    for (const name of this.#contents.keys()) await this.#drill.ask(`${files}/${name}`, { method: 'DELETE' });
  }

  async #wrongIn(questions: readonly Question[]): Promise<string[]> {
    const wrong: string[] = [];
    for (const { path, request = {}, judge } of questions) {
      const answer = await this.#drill.ask(path, { ...request, site: this.site });
      this.#drill.context.check();
      const what = judge(answer) ?? this.#wrongAge(path, answer?.headers.get('x-data-age') ?? undefined);
      if (what !== undefined)
        wrong.push(`${this.site}, cut off, ${'method' in request ? request.method : 'GET'} ${path}: ${what}`);
    }
    return wrong.slice(0, 3);
  }

  /** It is as old as the cut at least, and not much older than when it looked for changes last. */
  #wrongAge(path: string, shown: string | undefined): string | undefined {
    if (path.startsWith(files)) return undefined;
    const { now, map } = this.#drill.context;
    const cutMs = now() - (this.#cutMs ?? now());
    const isRight = shown !== undefined && (Number(shown) + 1) * 1_000 >= cutMs;
    const isYoung = Number(shown) * 1_000 <= cutMs + boundsOf(map).copiedMs;
    return isRight && isYoung ? undefined : `X-Data-Age ${shown}, cut off ${cutMs} ms ago`;
  }

  #lists(collection: string): Question[] {
    const own = this.#items.filter((item) => item.collection === collection);
    const listed = entityKinds(this.#drill.domain, '').find(({ path }) => path === collection)?.listed ?? [];
    const items = own.flatMap(({ item }) => (item === undefined ? [] : [masked(item, ['id', 'ext', ...listed])]));
    const byName = items.toSorted((one, other) => compare(other, one, 'name') || compare(one, other, 'id'));
    const named = byName.filter(({ name }) => String(name).startsWith('y'));
    const prefixed = ['like', ['property', 'id'], `${idOf(this.#drill, 0).slice(0, -3)}%`];
    const query = (filter: unknown) => `${collection}?${filterOf(filter)}`;
    const y = ['&&', prefixed, ['like', ['property', 'name'], 'y%']];
    const order = encodeURIComponent(JSON.stringify([{ name: 'desc' }, 'id']));
    return [
      { path: `${query(prefixed)}&order=${order}`, judge: being(byName) },
      { path: `${query(y)}&order=${order}`, judge: being(named) },
      { path: `${query(prefixed)}&order=${order}&offset=1&limit=2`, judge: being(byName.slice(1, 3)) },
      { path: `${query(y)}&countonly`, judge: being({ count: named.length }) },
    ];
  }

  async #changeMeeting(round: number): Promise<void> {
    if (this.#selector?.item === undefined) {
      this.#selector = await this.#create(selectors, {});
      for (const number of ['*404', '*405'])
        await this.#create(`${this.#selector.path}/participants`, { number, mic: false });
      return;
    }
    const selector = this.#selector;
    const participants = this.#items.filter(({ collection }) => collection === `${selector.path}/participants`);
    const [first] = participants;
    if (round % 3 === 2 && first !== undefined)
      return void (await this.#patch(first, { spk: false, video_cell: round }));
    const outcome = await this.#remove(selector);
    if (outcome) for (const participant of participants) participant.follow('done');
  }

  async #create(collection: string, more: Item): Promise<KeptItem> {
    const id = idOf(this.#drill, this.#items.length);
    const isParticipant = collection.endsWith('/participants');
    const kinds = isParticipant
      ? [participantKind(collection.split('/').at(-2) ?? '')]
      : entityKinds(this.#drill.domain, id);
    const {
      given = [],
      whole = {},
      omittedOnChange: hidden = [],
    } = kinds.find(({ path }) => path === collection) ?? {};
    const item = new KeptItem(this.#drill, { collection, id, hidden });
    this.#items.push(item);
    const body = { ...Object.fromEntries(given.map((name) => [name, whole[name]])), ...more };
    const makes = () => ({ id, ...whole, ...more });
    await item.change({ method: 'POST', body, site: this.#writer, makes });
    return item;
  }

  async #patch(item: KeptItem, body: Item): Promise<void> {
    const makes = (before: KeptFields) => (before === 'absent' ? before : merged(before, body));
    await item.change({ method: 'PATCH', body, site: this.#writer, makes });
  }

  async #remove(item: KeptItem): Promise<boolean> {
    return (await item.change({ method: 'DELETE', site: this.#writer, makes: () => 'absent' })) === 'done';
  }

  /** Absent: the file is removed. */
  async #write(name: string, text: string | undefined): Promise<void> {
    const request = text === undefined ? { method: 'DELETE' } : { method: 'PUT', bytes: { type: audio, text } };
    const answer = await this.#drill.ask(`${files}/${name}`, { ...request, site: this.#writer });
    this.#drill.expect(`${request.method} ${files}/${name}`, answer, () =>
      Number(answer?.status) < 300 ? undefined : `got ${textOf(answer)}`,
    );
    if (text === undefined) this.#contents.delete(name);
    else this.#contents.set(name, text);
  }

  get #writer(): string {
    return this.#writers[(this.#items.length + this.#round) % this.#writers.length] ?? '';
  }
}

function idOf({ domain, context: { map } }: Drill, n: number): string {
  const index = 10 + map.topology.domains.findIndex(({ name }) => name === domain);
  return `aa0c0f3e-7d51-4c5b-9d8f-3000000${index}${String(n).padStart(3, '0')}`;
}

function compare(one: Item, other: Item, name: string): number {
  const [a, b] = [String(one[name]), String(other[name])];
  return a < b ? -1 : Number(a > b);
}
