/** What a user agent and its owner say to each other: options, commands to a leg, and reports of what becomes of it. */

import type { Counters } from '../../actors/counters.ts';
import type {
  Challenge,
  Media,
  Party,
  ReferredBy,
  ReferTo,
  RefusalDetails,
  Replaces,
  SipCredentials,
  SipMessage,
  SipRequest,
} from '../../model/sip/message.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RandomStream } from '../../ports/random.ts';

export interface UserAgentOptions {
  /** Its own place, for `via`: an address of the cluster, or an endpoint outside. */
  readonly place: string;
  /** Host of its contact: the name of a role instance, or the endpoint outside. */
  readonly host: string;
  readonly clock: Clock;
  /** For Call-Ids, tags, and the wait after glare. */
  readonly random: RandomStream;
  readonly counters: Counters;
  readonly userAgent?: string;
  /** How many legs it may have. Default: `limits.legs`. */
  readonly limit?: number;
  /** Hands a message over towards a place. May be called again with the same message (retransmission). */
  readonly send: (message: SipMessage, hop: string) => void;
  /** Whether what is sent to `hop` can get lost on its way, so that it must be sent again until it is answered. */
  readonly isLossy: (hop: string) => boolean;
  /** Session timer (RFC 4028): `refresh` sends UPDATE at a third of the time, `watch` expects one within it. */
  readonly session: { readonly does: 'refresh' | 'watch'; readonly expiresMs: number };
  readonly onReport: (leg: string, report: LegReport) => void;
  /** A request that makes no leg and belongs to none: OPTIONS, REGISTER. Answer it by `respond`. */
  readonly onRequest: (request: SipRequest, from: string) => void;
  readonly onCrash: (error: unknown) => void;
}

/** An outgoing call. */
export interface CallOptions {
  /** Request-URI. */
  readonly uri: string;
  readonly from: Omit<Party, 'tag'>;
  readonly to: Omit<Party, 'tag'>;
  readonly hop: string;
  /** Default: a new one. */
  readonly callid?: string;
  readonly media?: Media;
  readonly replaces?: Replaces;
  readonly referredBy?: ReferredBy;
  readonly account?: string;
  readonly label?: string;
  readonly domain?: string;
  readonly confid?: string;
  readonly inviteid?: string;
  /** Answer to a challenge: of an earlier call of the same Call-Id, whose leg has failed. */
  readonly credentials?: SipCredentials;
  /** Left over of the Max-Forwards of the call that this one continues. Default 70. */
  readonly maxForwards?: number;
}

/** What becomes of a leg. After a report that is final (`leg.failed`, `leg.cancelled`, `leg.ended`) the leg is gone. */
export type LegReport =
  /** A new incoming leg: ring it, answer it or reject it. */
  | { type: 'leg.invited'; request: SipRequest; from: string }
  /** Its caller has taken the call back; answered with 487. Final. */
  | { type: 'leg.cancelled' }
  /** Outgoing: a provisional answer above 100, other than the one before. */
  | { type: 'leg.rang'; status: number; reason: string }
  /** Outgoing: a 2xx came, and was acknowledged. Incoming: the ACK came. */
  | { type: 'leg.answered'; contact: string; media: Media }
  /**
   * Outgoing: a final answer that is no 2xx; 408 when none came; 487 after `end` or `drop`.
   * Incoming: our own final answer that is no 2xx, after `reject`, `end` or `drop`. Final.
   */
  | {
      type: 'leg.failed';
      status: number;
      reason: string;
      contacts: readonly string[];
      challenge: Challenge | undefined;
    }
  /** The other side offers other media (holds, resumes); answered with 200. */
  | { type: 'leg.media.changed'; media: Media }
  /** Our own offer was answered: with 2xx, or refused for good. */
  | { type: 'leg.media.settled'; status: number }
  /** REFER came. Answer with `refer.accept` or `refer.refuse`. */
  | { type: 'leg.referred'; referTo: ReferTo; referredBy: ReferredBy | undefined }
  /** Our REFER was answered; 202 when it was accepted. */
  | { type: 'leg.refer.answered'; status: number }
  | { type: 'leg.notified'; event: string; sipfrag: string | undefined }
  | { type: 'leg.dtmf'; dtmf: string }
  /** It was answered and is over: after BYE was answered, or came. Final. */
  | { type: 'leg.ended'; by: LegEnd };

/** `remote`: BYE came. `local`: ours. `lost`: session timer, no ACK, or a request in it failed with 408 or 481. */
export type LegEnd = 'remote' | 'local' | 'lost';

/** What its owner tells a leg to do. What does not fit its state is ignored and counted. */
export type LegControl =
  | { type: 'ring'; status?: number }
  | { type: 'answer'; media?: Media }
  | ({ type: 'reject'; status: number; reason?: string; contacts?: readonly string[] } & RefusalDetails)
  /** Ends a leg in whatever state it is: CANCEL, a final answer (`status`, default 480), or BYE. */
  | { type: 'end'; status?: number; reason?: string }
  /** Ends a leg without a word: the other side can't be reached. */
  | { type: 'drop' }
  | { type: 'offer'; media: Media }
  | { type: 'refer'; referTo: ReferTo; referredBy?: ReferredBy }
  | { type: 'refer.accept' }
  | { type: 'refer.refuse'; status: number }
  | { type: 'notify'; event: string; sipfrag?: string }
  | { type: 'dtmf'; dtmf: string };

/** A leg as its owner may look at it. */
export interface LegView {
  readonly callid: string;
  readonly isOutgoing: boolean;
  /** `calling`, `ringing`, `incoming`, `answering`, `confirmed`, `ending` … */
  readonly state: string;
  readonly isConfirmed: boolean;
  readonly local: Party;
  readonly remote: Party;
  /** URI and hop for requests to the other side. */
  readonly contact: string;
  readonly hop: string;
  /** What an INVITE to the other side must say to replace this leg there. */
  readonly replaces: Replaces;
}

/** A request outside any leg; what is left out the agent fills in. `timeoutMs`: how long to wait for its answer (32 s). */
export type NewRequest = Pick<SipRequest, 'method' | 'uri' | 'from' | 'to'> &
  Partial<
    Pick<
      SipRequest,
      'callid' | 'cseq' | 'expires' | 'contact' | 'credentials' | 'device' | 'account' | 'event' | 'reason'
    >
  > & {
    readonly timeoutMs?: number;
  };
