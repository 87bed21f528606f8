/** A REFER to an endpoint: it calls the target, and reports the answers to the side that referred it (RFC 3515). */
import { statusLine } from '../../../src/model/sip/message.ts';
import { parseUri } from '../../../src/model/sip/uri.ts';
import type { LegReport, LegView, UserAgent } from '../../../src/sip/user-agent.ts';
import type { CallProgress, Placing } from './party-machine.ts';

export interface ReferralOptions {
  readonly agent: UserAgent;
  /** Options of the call to the target; `undefined`: the endpoint cannot make it. */
  readonly placingTo: (uri: string, leg: LegView) => Placing | undefined;
  readonly call: (placing: Placing) => void;
}

/** Follows or refuses a REFER that the leg `callid` has received. */
export function followReferral(
  { agent, placingTo, call }: ReferralOptions,
  callid: string,
  { id, referTo, referredBy }: Extract<LegReport, { type: 'leg.referred' }>,
): void {
  const leg = agent.view(callid);
  if (leg === undefined) return;
  const placing = placingTo(referTo.uri, leg);
  const refuse = (status: number) => void agent.control(callid, { type: 'refer.refuse', status });
  // Before the answer it could not send the NOTIFYs of the transfer.
  if (!leg.isAnswered) return refuse(491);
  if (parseUri(referTo.uri) === undefined || placing === undefined) return refuse(400);
  const notify = (status: number, reason: string) =>
    agent.control(callid, { type: 'notify', event: 'refer', id, sipfrag: statusLine({ status, reason }) });
  agent.control(callid, { type: 'refer.accept' });
  notify(100, 'Trying');
  call({
    ...placing,
    ...(referTo.replaces !== undefined && { replaces: referTo.replaces }),
    ...(referredBy !== undefined && { referredBy }),
    onProgress: (progress) => {
      const [status, reason] = answerIn(progress);
      if (status !== undefined) notify(status, reason);
    },
  });
}

/** Reports an answer to the referrer. After the final one nothing is reported. */
function answerIn(progress: CallProgress): [status: number | undefined, reason: string] {
  if (progress.type === 'answered') return [200, 'OK'];
  return progress.type === 'ended' ? [undefined, ''] : [progress.status, progress.reason];
}
