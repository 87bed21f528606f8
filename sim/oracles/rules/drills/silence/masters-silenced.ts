/** The active mdc does nothing for some seconds: what reads and changes of domain data are answered meanwhile. */
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import { limits } from '../../../../../src/model/limits.ts';
import { exactly, refusing } from '../../use-cases/calls/call-judges.ts';
import { groups, parking } from '../../use-cases/kit/paths.ts';
import { expecting, filterOf, type Item, type Judge, textOf } from '../../use-cases/kit/use-case.ts';
import { entityKinds } from '../../use-cases/platform/entity-kinds.ts';
import { areClocksRight, fromCopy, fromMaster } from '../kit/cut.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { type KeptChange, KeptItem, type KeptOutcome } from '../kit/kept-item.ts';
import { inTime, silentNode, timed } from '../kit/silence.ts';
import { type SilentOperation, silentOperation } from '../kit/silent-operations.ts';

const code = 'masters-silenced';
/** Shorter than half of a request's time, and than the others need to notice. */
const shortMs = 1_500;
/** What is asked beside the master. */
const marginMs = 500;

export const mastersSilenced = drillOf({
  name: 'masters-silenced',
  rule: 'When the active mdc does nothing, a site with a copy reads the domain data from it, with their age, after half of the time of a request at most, and in a second when the silence is noticed; users log in there. A change is answered 504 in time, then 503: the mdc has its database open, so no successor writes. A file is refused with 503 from the first moment on, as nothing of it is kept; an operation of a script takes the branch indefinite. What was acknowledged is there once at each front afterwards; what was answered 504 after the mdc had been silent for longer than the request lasts is not. A silence that is shorter than that delays answers, and nothing else. Lists that one user could not have meanwhile take nothing of what the user may have afterwards.',
  exclusions:
    'Domains that no site beside the master site serves, and sites whose front or sdc is on the node of the mdc.',
  sender: '10.6.1.61',
  play: async (drill) => {
    const { map } = drill.context;
    const [mdc] = drill.activeOf('mdc', map.masterSite.name);
    const silent = mdc && silentNode(drill, mdc.node);
    const copies = (silent?.sites ?? []).filter((site) => {
      const [sdc, more] = drill.activeOf('sdc', site);
      return site !== map.masterSite.name && sdc !== undefined && more === undefined;
    });
    if (mdc === undefined || copies.length === 0) return;
    for (const site of drill.sites) if ((await drill.ask(`${groups}?countonly`, { site }))?.status !== 200) return;
    const scripted = copies.find((site) => drill.activeOf('mware', site).length > 0);
    const operation = scripted === undefined ? undefined : await silentOperation(drill, scripted);
    const data = new Data(drill, mdc, copies);
    drill.afterwards(() => data.end());
    if (!(await data.begin())) return;
    await data.shortly();
    await data.forLong(operation);
  },
});

class Data {
  readonly #drill: Drill;
  readonly #mdc: InstanceEntry;
  /** Sites with a copy that is in reach. */
  readonly #copies: readonly string[];
  readonly #items: KeptItem[] = [];

  constructor(drill: Drill, mdc: InstanceEntry, copies: readonly string[]) {
    this.#drill = drill;
    this.#mdc = mdc;
    this.#copies = copies;
  }

  /** Makes what is read later. Returns whether that worked. */
  async begin(): Promise<boolean> {
    const outcomes = [await this.#create(this.#siteAt(0)), await this.#create(this.#siteAt(1))];
    await this.#drill.copied();
    return outcomes.every((outcome) => outcome === 'done');
  }

  /** The mdc is back before a front would ask its copy. */
  async shortly(): Promise<void> {
    const drill = this.#drill;
    const [item] = this.#items;
    const asked: Promise<unknown>[] = [];
    await drill.paused([this.#mdc.node], async () => {
      for (const site of this.#copies) {
        const read = timed(drill, item?.path ?? groups, { site }).then((shown) => {
          const judge = inTime(shown, shortMs + marginMs, fromMaster(item?.judge ?? expecting(200)));
          drill.expect(`GET at ${site} during a short silence of ${this.#mdc.name}`, shown.answer, judge);
        });
        const written = this.#create(site).then((outcome) => {
          const what = `POST ${groups} at ${site} during a short silence of ${this.#mdc.name}`;
          drill.expect(what, undefined, () => (outcome === 'done' ? undefined : `it was ${outcome}`));
        });
        asked.push(read, written);
      }
      await drill.context.questions.wait(shortMs);
    });
    await Promise.all(asked);
    await this.#areShown();
  }

  async forLong(operation: SilentOperation | undefined): Promise<void> {
    const drill = this.#drill;
    const { faults, map, now } = drill.context;
    const isExact = await areClocksRight(drill);
    const late: KeptItem[] = [];
    await operation?.begin();
    const crowds = await Promise.all(this.#copies.map((site) => this.#crowdAt(site)));
    await drill.paused([this.#mdc.node], async () => {
      const silentMs = now();
      const [reader = drill.here] = this.#copies;
      const writes = this.#copies.map((site) => this.#lost(site, late));
      const { requestDeadlineMs } = map.topology.timings;
      writes.push(...this.#copies.map((site) => this.#refusesUpload(site, requestDeadlineMs + marginMs)));
      writes.push(...crowds.flatMap((crowd) => crowd?.press() ?? []));
      await Promise.all(this.#copies.map((site) => this.#readsOf(site, silentMs, requestDeadlineMs / 2)));
      await this.#logsIn(reader);
      await Promise.all(writes);
      await operation?.judge();
      for (const site of this.#copies) await this.#isNoticed(site);
      // A successor has been elected by then. It waits for the database for a moment before it refuses.
      await drill.context.questions.wait(drill.quickMs);
      for (const site of this.#copies) await this.#readsOf(site, silentMs, limits.dataReadyMs);
      for (const site of this.#copies) {
        await this.#refused(site);
        await this.#refusesUpload(site, limits.dataReadyMs + marginMs);
      }
      const leftMs = silentMs + requestDeadlineMs + drill.quickMs - now();
      await drill.context.questions.wait(Math.max(0, leftMs));
      faults.resumeNode(this.#mdc.node);
      // At the moment when two may serve.
      await Promise.all(this.#copies.map((site) => this.#changes(site)));
    });
    const { name } = map.masterSite;
    await drill.holds(drill.noticedMs, `one mdc is active at ${name}`, () => drill.activeOf('mdc', name).length === 1);
    for (const item of this.#items.filter(({ isCertain }) => !isCertain)) await item.settle(this.#siteAt(0));
    if (isExact)
      for (const item of late)
        drill.expect(`${item.path}, whose POST came too late`, undefined, () =>
          item.mayBeThere ? 'it is there' : undefined,
        );
    for (const site of this.#copies) await drill.everywhere(uploadAt(site), expecting(404), drill.quickMs);
    for (const crowd of crowds) await crowd?.isOver();
    await this.#areShown();
  }

  /** Another user asks for more lists at once than a front makes for one: some wait for their turn longer than they may. */
  async #crowdAt(site: string): Promise<{ press(): Promise<void>; isOver(): Promise<void> } | undefined> {
    const drill = this.#drill;
    const { users = [] } = drill.context.map.domains.get(drill.domain) ?? {};
    const user = users.find(({ roles }) => !roles.includes('admin'));
    const session = user && (await drill.login(user, site));
    if (session === undefined) return undefined;
    const list = () => drill.ask(`${groups}?mask=id`, { site, session });
    const what = `lists of one user at ${site}`;
    return {
      press: async () => {
        const answers = await Promise.all(Array.from({ length: 2 * limits.listsOfUser + 1 }, list));
        const wrong = answers.find((answer) => answer?.status !== 200 && answer?.status !== 503);
        drill.expect(`many ${what} while ${this.#mdc.name} is silent`, wrong, () => wrong && textOf(wrong));
      },
      isOver: async () => {
        for (let count = 0; count <= limits.listsOfUser; count += 1)
          drill.expect(`${what} afterwards`, await list(), expecting(200));
        await drill.ask('/rest/v1/iam/sessions/current', { site, session, method: 'DELETE' });
      },
    };
  }

  async end(): Promise<void> {
    for (const { path, mayBeThere } of this.#items)
      if (mayBeThere) await this.#drill.ask(path, { method: 'DELETE', site: this.#siteAt(0) });
  }

  #siteAt(index: number): string {
    return this.#copies[index % this.#copies.length] ?? this.#drill.here;
  }

  /** The outcome of adding an item. */
  #create(site: string, kept: KeptItem[] = this.#items): Promise<KeptOutcome> {
    const item = this.#newItem();
    if (kept !== this.#items) kept.push(item);
    return item.change(this.#creation(item, site));
  }

  #newItem(): KeptItem {
    const { domain, context } = this.#drill;
    const index = 10 + context.map.topology.domains.findIndex(({ name }) => name === domain);
    const id = `aa0c0f3e-7d51-4c5b-9d8f-6000000${index}${String(this.#items.length).padStart(3, '0')}`;
    const item = new KeptItem(this.#drill, { collection: groups, id });
    this.#items.push(item);
    return item;
  }

  #creation(item: KeptItem, site: string): KeptChange {
    const kind = entityKinds(this.#drill.domain, item.id).find(({ path }) => path === groups);
    const { given = [], whole = {} } = kind ?? {};
    const own = { code: `${code}-${item.id.slice(-3)}` };
    const body = { ...Object.fromEntries(given.map((name) => [name, whole[name]])), ...own };
    return { method: 'POST', body, site, makes: () => ({ id: item.id, ...whole, ...own }) };
  }

  /** A change before the silence is noticed. */
  async #lost(site: string, late: KeptItem[]): Promise<void> {
    const drill = this.#drill;
    const { now, map } = drill.context;
    const beganMs = now();
    const outcome = await this.#create(site, late);
    const tookMs = now() - beganMs;
    const mostMs = map.topology.timings.requestDeadlineMs + marginMs;
    drill.expect(`POST ${groups} at ${site} while ${this.#mdc.name} is silent`, undefined, () =>
      outcome === 'open' && tookMs <= mostMs ? undefined : `it was ${outcome} after ${tookMs} ms, at most ${mostMs}`,
    );
  }

  /** Reads of the copy of a site, as the data were before, after `patienceMs` for the master at most. */
  async #readsOf(site: string, silentMs: number, patienceMs: number): Promise<void> {
    const drill = this.#drill;
    const known = this.#items.flatMap(({ isCertain, item, id }) =>
      isCertain && item !== undefined ? [{ id, code: item['code'] }] : [],
    );
    const [first, last] = [known[0], known.at(-1)];
    const ids = known.map(({ id }) => ({ id }));
    const filter = filterOf(['in', ['property', 'id'], ids.map(({ id }) => id)]);
    const item = this.#items.find(({ id }) => id === last?.id);
    const reads: readonly (readonly [string, Judge, Item?])[] = [
      [item?.path ?? groups, item?.judge ?? expecting(200)],
      [`${groups}?${filter}&countonly`, exactly(200, { count: ids.length })],
      [groups, exactly(200, [first?.id]), { method: 'LOOKUP', body: first?.code }],
      [`${groups}/${idOfNone}`, expecting(404)],
    ];
    await Promise.all(
      reads.map(async ([path, judge, asked]) => {
        const shown = await timed(drill, path, { site, ...asked });
        const what = `${String(asked?.['method'] ?? 'GET')} ${path} at ${site} while ${this.#mdc.name} is silent`;
        const aged = shown.answer?.status === 404 ? judge : fromCopy(drill, silentMs, judge);
        drill.expect(what, shown.answer, inTime(shown, patienceMs + marginMs, aged));
      }),
    );
  }

  /** The copy of the site knows the user, and is asked first. */
  async #logsIn(site: string): Promise<void> {
    const drill = this.#drill;
    const beganMs = drill.context.now();
    const session = await drill.login(undefined, site);
    const tookMs = drill.context.now() - beganMs;
    drill.expect(`a login at ${site} while ${this.#mdc.name} is silent`, undefined, () =>
      session !== undefined && tookMs <= marginMs ? undefined : `${session ? '' : 'refused '}after ${tookMs} ms`,
    );
    if (session === undefined) return;
    const current = '/rest/v1/iam/sessions/current';
    drill.expect(`the session of it`, await drill.ask(current, { site, session }), expecting(200));
    await drill.ask(current, { site, session, method: 'DELETE' });
  }

  /** Waits until the silence is noticed. The mdc has its database open still, so no other one serves. */
  async #isNoticed(site: string): Promise<void> {
    const drill = this.#drill;
    await drill.holds(drill.noticedMs, `the silence of ${this.#mdc.name} is noticed at ${site}`, async () => {
      const shown = await timed(drill, `${groups}?countonly`, { site });
      return shown.tookMs <= limits.dataReadyMs + marginMs;
    });
  }

  /** A change at a site where a master serves. */
  async #changes(site: string): Promise<void> {
    const item = this.#newItem();
    const outcome = await item.changeOnceServed(this.#creation(item, site));
    this.#drill.expect(`POST ${item.path} at ${site}`, undefined, () =>
      outcome === 'refused' ? 'it was refused' : undefined,
    );
  }

  async #refused(site: string): Promise<void> {
    const drill = this.#drill;
    const item = this.#newItem();
    const answered = await timed(drill, groups, {
      site,
      method: 'POST',
      body: { id: item.id, ...(this.#creation(item, site).body ?? {}) },
    });
    const what = `POST ${groups} at ${site} when the silence of ${this.#mdc.name} is noticed`;
    drill.expect(what, answered.answer, inTime(answered, limits.dataReadyMs + marginMs, isBusy));
  }

  /** A file is refused in time: nothing of it is kept. */
  async #refusesUpload(site: string, mostMs: number): Promise<void> {
    const bytes = { type: 'audio/wav', text: 'never' };
    const sent = await timed(this.#drill, uploadAt(site), { site, method: 'PUT', bytes });
    this.#drill.expect(`PUT of a file at ${site} during the silence`, sent.answer, inTime(sent, mostMs, isBusy));
  }

  async #areShown(): Promise<void> {
    for (const item of this.#items) await item.shown();
  }
}

function uploadAt(site: string): string {
  return `${parking}/refused-uploads-${site}.wav`;
}

/** Nothing was done, and the client may try again. */
const isBusy: Judge = (answer) =>
  refusing(503)(answer) ??
  (Number(answer?.headers.get('retry-after')) >= 1 ? undefined : `no Retry-After with ${textOf(answer)}`);

const idOfNone = 'aa0c0f3e-7d51-4c5b-9d8f-699999999999';
