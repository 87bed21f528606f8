/** What a call of b2b receives, and what it asks for: the events and commands of the dialog machine. */
import type { endTypes } from '../../model/events/callevents.ts';
import type { Side } from '../../model/protocol/messages/dialog.ts';
import type { Media, ReferredBy, ReferTo, RefusalDetails } from '../../model/sip/message.ts';
import type { FinalFailure, ForkCall, RestMs, TargetGroup } from './dialog-forks.ts';

/** What a party says to the other one within the call. */
export type Said =
  | { readonly what: 'media'; readonly media: Media }
  | { readonly what: 'dtmf'; readonly dtmf: string }
  | { readonly what: 'plays'; readonly plays: string }
  /** `id`: of the REFER of which it is, as its sender has numbered it. */
  | {
      readonly what: 'notify';
      readonly event: string;
      readonly sipfrag: string | undefined;
      readonly id?: number | undefined;
    }
  | {
      readonly what: 'refer';
      readonly id?: number;
      readonly referTo: ReferTo;
      readonly referredBy: ReferredBy | undefined;
    };

/** How a caller is sent away, or asked who it is. */
export interface Refusal extends RefusalDetails {
  readonly status: number;
  readonly reason: string;
}

export type DialogEvent =
  /** The caller of an incoming INVITE is not let in: it makes no call. */
  | { type: 'caller.refused'; refusal: Refusal }
  | { type: 'routes.found'; groups: readonly TargetGroup[] }
  | { type: 'routes.failed'; failure: FinalFailure }
  /** `plays`: early media, by the name of its file. */
  | { type: 'fork.rang'; fork: number; status: number; plays?: string | undefined }
  /** `talkMs`: how long the parties may talk (ms). */
  | { type: 'fork.answered'; fork: number; talkMs: number }
  | { type: 'fork.refused'; fork: number; failure: FinalFailure }
  | { type: 'fork.redirected'; fork: number }
  /** `restMs`: how long the forks that are called may still ring. */
  | { type: 'contacts.found'; fork: number; groups: readonly TargetGroup[]; restMs: RestMs }
  | { type: 'contacts.failed'; fork: number; failure: FinalFailure }
  | { type: 'caller.cancelled' }
  /** A party has hung up, or was lost. */
  | { type: 'party.left'; side: Side; isLost: boolean }
  /** No leg is left, not even one that is being ended. */
  | { type: 'legs.gone' }
  | { type: 'end.requested' }
  | { type: 'party.said'; side: Side; said: Said };

/** How a call ended (names public). `status` 0: no SIP status ended it. `by`: the side that did, if one did. */
export interface DialogEnd {
  readonly type: (typeof endTypes)[number];
  readonly status: number;
  readonly reason: string;
  readonly by?: Side;
}

export type DialogCommand =
  | { type: 'find.routes'; side: Side }
  | { type: 'refuse.caller'; refusal: Refusal }
  /** A call whose caller is known is in the lists before it is routed. */
  | { type: 'list' }
  /** The events of the call begin, and the instance that referred learns of it. Once in a call; the parties of its routes are known. */
  | { type: 'publish.invite' }
  /** Routes are known; before the first fork is called. */
  | { type: 'publish.init' }
  | { type: 'call.forks'; side: Side; forks: readonly ForkCall[] }
  /** A fork ended by itself; others are cancelled. */
  | { type: 'stop.fork'; fork: number; failure: FinalFailure }
  | { type: 'cancel.forks'; forks: readonly number[]; failure: FinalFailure }
  | { type: 'find.contacts'; fork: number }
  | { type: 'ring.caller'; status: number; plays?: string | undefined }
  /** X has answered: it is side a from now on. */
  | { type: 'take.caller'; fork: number }
  /** The callee has answered: caller and callee talk. */
  | { type: 'connect'; fork: number }
  | { type: 'pass.on'; to: Side; said: Said }
  | { type: 'refuse.refer'; by: Side; status: number }
  /** Ends whatever leg there is: a final answer, BYE or CANCEL. */
  | { type: 'end.legs'; end: DialogEnd }
  | { type: 'publish.end'; end: DialogEnd }
  | { type: 'publish.gone' }
  | { type: 'publish.stop'; end: DialogEnd }
  | { type: 'event.unexpected'; event: string };
