/** A call that a client starts is seen, and ended, everywhere. */
import { expecting, filterOf, type Item, listing, type UseCase, useCaseOf } from './use-case.ts';

const calls = '/rest/v1/uc/calls';
/** A party that does not answer a BYE is given up after 64 T1 (RFC 3261, 17.1.2.2). */
const endedMs = 34_000;

export const callsControlled = useCaseOf({
  name: 'calls-controlled',
  rule: 'In a quiescent cluster, two phones that a client connects have one call at each front: shown, listed, counted; DELETE at another site ends it at all, and each has its record.',
  exclusions: 'Domains without phones that are registered and answer, and calls that their rules refuse.',
  sender: '10.6.0.2',
  play: converse,
});

async function converse(useCase: UseCase): Promise<void> {
  const [from, to] = useCase.willing();
  if (from === undefined || to === undefined) return;
  const started = await useCase.ask(calls, { method: 'INVITE', body: { from, to, response_mode: 3 } });
  const { dialogid, result } = (started?.body ?? {}) as Item;
  if (started?.status !== 200 || result !== 'ok' || typeof dialogid !== 'string') return;
  const path = `${calls}/${dialogid}`;
  const shown = await useCase.ask(path);
  // It is over already, or its rules end it.
  if (shown?.status !== 200) return;
  const { inviteid } = shown.body as Item;
  const counted = `${calls}?${filterOf({ inviteid })}&countonly`;
  const before = useCase.problems.length;
  const isLive =
    (await useCase.everywhere(path, expecting(200, { dialogid, inviteid }))) &&
    (await useCase.everywhere(counted, expecting(200, { count: 1 }))) &&
    (await useCase.everywhere(calls, listing('inviteid', inviteid)));
  const end = await useCase.ask(path, { site: useCase.there, method: 'DELETE' });
  if (end?.status === 404) {
    // It has ended by itself, and what was shown before may be of that.
    useCase.problems.length = before;
    return;
  }
  useCase.expect(`DELETE of the call at ${useCase.there}`, end, expecting(200, { dialogid, result: 'ok' }));
  if (!isLive) return;
  await useCase.everywhere(counted, expecting(200, { count: 0 }), endedMs);
  await useCase.everywhere(`/rest/v1/journal/calls/${String(inviteid)}`, expecting(200, { inviteid }));
}
