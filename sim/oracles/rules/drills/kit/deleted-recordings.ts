/** Two recordings of a call that is over: one is deleted, the other one stays. */
import type { OwnCall } from '../../use-cases/kit/call.ts';
import { calls, records } from '../../use-cases/kit/paths.ts';
import { expecting, type Item, type Judge, textOf } from '../../use-cases/kit/use-case.ts';
import type { Drill } from './drill.ts';

const lastsMs = 1_000;

export interface DeletedRecording {
  readonly call: OwnCall;
  readonly path: string;
  readonly deleted: string;
  /** Others of the call. */
  readonly kept: readonly string[];
}

/** Ends a call of which it has recorded two stretches. `undefined`: they are not there. */
export async function recordTwice(drill: Drill, call: OwnCall): Promise<string[] | undefined> {
  const { questions } = drill.context;
  const set = (action: string) => drill.ask(call.path, { method: 'SETUP_RECORD', body: { action }, site: drill.there });
  await set('stop');
  for (const action of ['start', 'stop', 'start']) {
    if ((await set(action))?.status !== 200) return undefined;
    await questions.wait(lastsMs);
  }
  await drill.ask(`${calls}/${call.dialogid}`, { method: 'DELETE' });
  const path = `${records}/${call.inviteid}/attachments`;
  const { recordings = 0 } = ((await drill.ask(`${records}/${call.inviteid}`))?.body ?? {}) as { recordings?: number };
  const areThere: Judge = (answer) => {
    const { length } = namesIn(answer);
    return length >= 2 && length >= recordings ? undefined : `expected two recordings, got ${textOf(answer)}`;
  };
  if (!(await drill.everywhere(path, areThere, drill.patienceMs))) return undefined;
  return namesIn(await drill.ask(path));
}

/** Deletes the first one. */
export async function deleteFirst(
  drill: Drill,
  call: OwnCall,
  [deleted = '', ...kept]: readonly string[],
): Promise<DeletedRecording | undefined> {
  const path = `${records}/${call.inviteid}/attachments`;
  const answer = await drill.ask(`${path}/${deleted}`, { method: 'DELETE', site: drill.there });
  return drill.expect(`DELETE of ${deleted}`, answer, expecting(204)) ? { call, path, deleted, kept } : undefined;
}

/** No front lists or serves what was deleted, in any answer until each front has an answer of all sites. */
export async function staysDeleted(drill: Drill, { path, deleted }: DeletedRecording): Promise<void> {
  let wrong: string | undefined;
  const isListed = async (site: string) => {
    const answer = await drill.ask(path, { site });
    const file = await drill.ask(`${path}/${deleted}`, { site, method: 'HEAD' });
    if (namesIn(answer).includes(deleted)) wrong ??= `${site} lists it: ${textOf(answer)}`;
    if (file?.status === 200) wrong ??= `${site} serves it`;
    return answer?.status === 200 && !answer.headers.has('x-missing-sites');
  };
  await drill.holds(drill.noticedMs, `GET ${path} is served`, async () => {
    const areListed = await Promise.all(drill.sites.map(isListed));
    return wrong !== undefined || areListed.every(Boolean);
  });
  drill.expect(`DELETE of ${deleted} before a crash`, undefined, () => wrong);
}

/** Each front lists and serves the others, and only these. */
export async function leaves(
  drill: Drill,
  { call, path, deleted, kept }: DeletedRecording,
  sites: readonly string[] = drill.sites,
): Promise<void> {
  const isLeft: Judge = (answer) => {
    const names = namesIn(answer).toSorted().join();
    const isRight = answer?.status === 200 && names === kept.toSorted().join();
    return isRight ? undefined : `expected ${kept.join()}, got ${textOf(answer)}`;
  };
  const isServed: Judge = (answer) => (answer?.status === 200 ? undefined : `expected 200, got ${textOf(answer)}`);
  const show = (at: string, judge: Judge, request = {}) =>
    drill.everywhere(at, judge, drill.quickMs, { ...request, sites });
  await show(path, isLeft);
  await show(`${records}/${call.inviteid}`, expecting(200, { recordings: kept.length }));
  await show(`${path}/${deleted}`, expecting(404));
  await show(`${path}/${kept[0]}`, isServed, { method: 'HEAD' });
}

function namesIn(answer: Parameters<Judge>[0]): string[] {
  const listed = (answer?.status === 200 && Array.isArray(answer.body) ? answer.body : []) as { files?: Item[] }[];
  return listed.flatMap(({ files = [] }) => files.map(({ name }) => String(name)));
}
