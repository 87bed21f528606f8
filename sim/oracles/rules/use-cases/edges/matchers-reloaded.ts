/** The audio matchers of the mware instances. */
import { exactly, isSame, longTextOf, refusing } from '../calls/call-judges.ts';
import type { Item, Judge, UseCase } from '../kit/use-case.ts';
import { useCaseOf } from '../kit/use-case.ts';
import { type EdgeEntry, edgesOf } from './edge-instances.ts';

const base = '/rest/v1/master/audiomatcher';

export const matchersReloaded = useCaseOf({
  name: 'matchers-reloaded',
  rule: 'In a quiescent cluster the status of the audio matchers has each mware instance of the sites and nodes in scope, by site, with its folder; a reload without action changes none, and one of a node loads the samples of that node alone, in its time; of two at once the later one is done as well, also where a load fails; one is needed when a sample was replaced, also by one of the same size, or removed; unknown sites, nodes and actions are refused.',
  sender: '10.6.21.5',
  isOfMaster: true,
  play: async (useCase) => {
    const all = edgesOf(useCase, 'mware');
    const [first, last] = [all[0], all.at(-1)];
    if (first === undefined || last === undefined) return;
    await scoped(useCase, all, { first, last });
    await refused(useCase, first);
    await reload(useCase, all, last);
  },
});

function infosIn(body: unknown): { node: string; info: Item }[] {
  return Object.values((body ?? {}) as Record<string, { node: string; info: Item }[]>).flat();
}

/** Exactly these matchers. Of those on `loaded` nodes the samples are loaded, of others as before. */
function statusOf(
  useCase: UseCase,
  entries: readonly EdgeEntry[],
  isLoaded: (node: string) => boolean | undefined = () => undefined,
): Judge {
  const { samplesDir: samples_dir } = useCase.context.map.topology.matcher;
  return (answer) => {
    const shown = Object.entries((answer?.body ?? {}) as Record<string, { node: string; info: Item }[]>);
    const places = shown.flatMap(([site, list]) => list.map(({ node }) => `${site} ${node}`));
    const isRight =
      answer?.status === 200 &&
      isSame(
        places,
        entries.map(({ site, node }) => `${site} ${node}`),
      ) &&
      infosIn(answer.body).every(({ node, info }) => {
        const { is_loaded, is_reload_needed, jobs_count, ...rest } = info;
        const wanted = isLoaded(node);
        const isAsLoaded = wanted === undefined || (is_loaded === wanted && is_reload_needed === !wanted);
        const isTyped =
          typeof is_loaded === 'boolean' && typeof is_reload_needed === 'boolean' && Number.isSafeInteger(jobs_count);
        return isTyped && isAsLoaded && jobs_count === 0 && isSame(rest, { samples_dir });
      });
    return isRight
      ? undefined
      : `expected ${entries.map(({ node }) => node).join()} without jobs, got ${longTextOf(answer)}`;
  };
}

async function scoped(
  useCase: UseCase,
  all: readonly EdgeEntry[],
  { first, last }: { readonly first: EdgeEntry; readonly last: EdgeEntry },
): Promise<void> {
  const rows: readonly (readonly [string, (entry: EdgeEntry) => boolean])[] = [
    ['', () => true],
    [`sites=${last.site}`, ({ site }) => site === last.site],
    [`sites=${last.site},${first.site}`, ({ site }) => site === last.site || site === first.site],
    [`nodes=${last.node}`, ({ node }) => node === last.node],
    [`nodes=${last.node},${first.node}`, ({ node }) => node === last.node || node === first.node],
    [`sites=${first.site}&nodes=${first.node}`, ({ node }) => node === first.node],
    [`sites=${first.site}&nodes=${last.node}`, ({ site, node }) => site === first.site && node === last.node],
  ];
  for (const [index, [query, isWithin]] of rows.entries()) {
    const answer = await useCase.ask(`${base}/status?${query}`, { site: useCase.siteAt(index) });
    useCase.expect(`${base}/status?${query}`, answer, statusOf(useCase, all.filter(isWithin)));
  }
}

async function refused(useCase: UseCase, first: EdgeEntry): Promise<void> {
  for (const query of ['sites=nowhere', `sites=${first.site},`, 'nodes=none', `nodes=${first.node},none`])
    useCase.expect(query, await useCase.ask(`${base}/status?${query}`, { site: useCase.there }), refusing(400));
  const post = (body: unknown, site = useCase.there) => useCase.ask(base, { method: 'POST', body, site });
  for (const body of [
    { action: 'stop' },
    { action: 'reload', sites: ['nowhere'] },
    { action: 'reload', nodes: ['none'] },
    { sites: ['nowhere'] },
    { action: 'reload', sites: first.site },
    { action: 'reload', site: first.site },
  ])
    useCase.expect(`POST with ${JSON.stringify(body)}`, await post(body), refusing(400));
}

async function reload(useCase: UseCase, all: readonly EdgeEntry[], last: EdgeEntry): Promise<void> {
  const { loadMs, fails } = useCase.context.map.topology.matcher;
  const status = `${base}/status`;
  const shown = await useCase.ask(status);
  const was = new Map(infosIn(shown?.body).map(({ node, info }) => [node, info['is_loaded'] === true]));
  const post = (body: unknown) => useCase.ask(base, { method: 'POST', body, site: useCase.there });
  useCase.expect('POST without action', await post({ nodes: [last.node] }), exactly(200, 'ok'));
  await useCase.context.questions.wait(loadMs);
  await useCase.everywhere(
    status,
    statusOf(useCase, all, (node) => was.get(node)),
  );
  const waiting = all.find(({ node }) => node !== last.node && was.get(node) === false) ?? last;
  await reloadTwice(useCase, all, waiting.node);
  await replaceSample(useCase, waiting.node);
  // Several of one node share what is judged of it.
  const isOnly = all.filter(({ node }) => node === last.node).length === 1;
  if (waiting === last || was.get(last.node) === true || !isOnly || fails > 0) return;
  was.set(waiting.node, true);
  useCase.expect(
    'a reload',
    await post({ action: 'reload', sites: [last.site], nodes: [last.node] }),
    exactly(200, 'ok'),
  );
  if (loadMs > useCase.quickMs)
    useCase.expect(
      'while it loads',
      await useCase.ask(status),
      statusOf(useCase, all, (node) => was.get(node)),
    );
  await useCase.context.questions.wait(loadMs);
  await useCase.everywhere(
    status,
    statusOf(useCase, all, (node) => node === last.node || was.get(node)),
  );
}

async function replaceSample(useCase: UseCase, node: string): Promise<void> {
  const { samples } = useCase.context.questions;
  const [sample] = (await samples?.list()) ?? [];
  if (samples === undefined || sample === undefined) return;
  useCase.afterwards(async () => samples.write(sample));
  const needs = (is: boolean) =>
    useCase.everywhere(`${base}/status?nodes=${node}`, (answer) => {
      const infos = infosIn(answer?.body);
      const isRight =
        infos.length > 0 && infos.every(({ info }) => info['is_loaded'] === true && info['is_reload_needed'] === is);
      return isRight ? undefined : `expected that a reload is ${is ? '' : 'not '}needed, got ${longTextOf(answer)}`;
    });
  const reloaded = async () => {
    await useCase.ask(base, { method: 'POST', body: { action: 'reload', nodes: [node] }, site: useCase.there });
    await useCase.context.questions.wait(useCase.context.map.topology.matcher.loadMs);
    await needs(false);
  };
  samples.write({ ...sample, changedMs: sample.changedMs + 1 });
  if (!(await needs(true))) return;
  await reloaded();
  samples.remove(sample.name);
  await needs(true);
  samples.write(sample);
  await needs(true);
  await reloaded();
}

/** What is asked for during a load follows it, also where that fails: two at once for each that fails are enough. */
async function reloadTwice(useCase: UseCase, all: readonly EdgeEntry[], node: string): Promise<void> {
  const { loadMs, fails } = useCase.context.map.topology.matcher;
  const body = { action: 'reload', nodes: [node] };
  const site = useCase.there;
  for (let round = 0; round < Math.max(1, fails); round += 1) {
    const posts = [site, site].map(() => useCase.ask(base, { method: 'POST', body, site }));
    for (const answer of await Promise.all(posts)) useCase.expect('two reloads at once', answer, exactly(200, 'ok'));
    await useCase.context.questions.wait(2 * loadMs + useCase.quickMs);
  }
  await useCase.everywhere(
    `${base}/status`,
    statusOf(useCase, all, (each) => (each === node ? true : undefined)),
  );
}
