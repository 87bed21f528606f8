/** A call that a client starts is seen, and ended, everywhere. */
import { connect, endCall, endedMs } from '../kit/call.ts';
import { calls } from '../kit/paths.ts';
import { expecting, filterOf, listing, type UseCase, useCaseOf } from '../kit/use-case.ts';

export const callsControlled = useCaseOf({
  name: 'calls-controlled',
  rule: 'In a quiescent cluster, two phones that a client connects have one call at each front: shown, listed, counted; DELETE at another site ends it at all, and each has its record.',
  exclusions: 'Domains without phones that are registered and answer, and calls that their rules refuse.',
  sender: '10.6.0.2',
  play: converse,
});

async function converse(useCase: UseCase): Promise<void> {
  const [from, to] = await useCase.willing();
  if (from === undefined || to === undefined) return;
  const call = await connect(useCase, { from, to });
  if (call === undefined) return;
  const { dialogid, inviteid, path } = call;
  const counted = `${calls}?${filterOf({ inviteid })}&countonly`;
  const before = useCase.problems.length;
  const isLive =
    (await useCase.everywhere(path, expecting(200, { dialogid, inviteid }))) &&
    (await useCase.everywhere(counted, expecting(200, { count: 1 }))) &&
    (await useCase.everywhere(calls, listing('inviteid', inviteid)));
  if (!(await endCall(useCase, call))) {
    // It has ended by itself, and what was shown before may be of that.
    useCase.problems.length = before;
    return;
  }
  if (isLive) await useCase.everywhere(counted, expecting(200, { count: 0 }), endedMs);
}
