// Generated from src/model/events by `npm run docs`.

/** The data of the events of class callevents, by name. */
export interface CallEvents {
  /** An INVITE has arrived: the call is known. */
  readonly invite: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Call-Id of the leg of the caller */
    readonly acallid: string;
    /** Id of the call; the same as `inviteid` */
    readonly cid: string;
    /** Id of the call, as in `/rest/v1/uc/calls` and in the call record */
    readonly inviteid: string;
    /** When the first INVITE entered the platform */
    readonly invitets: string;
    /** Id of the dialog, as in the path of a call */
    readonly dialogid: string;
    /** URI of the caller */
    readonly from: string;
    /** Display name of the caller, where it has one */
    readonly fromname?: string | undefined;
    /** URI that is called */
    readonly to: string;
    /** Parties that are known so far, each with its side, kind, domain, name and number */
    readonly participations: readonly {
      /** Side of the dialog */
      readonly side: 'a' | 'b';
      /** Kind of the party */
      readonly kind: 'sipuser' | 'account' | 'conference' | 'ivr' | 'outside';
      /** Domain of the party */
      readonly domain: string;
      /** Login, provider code, confid, or srvidx of ivr */
      readonly name: string;
      /** Number of the party */
      readonly number: string;
    }[];
  };
  /** The call results from a transfer: its INVITE has a Referred-By. */
  readonly referring_invite: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Call-Id of the leg of the caller */
    readonly acallid: string;
    /** Id of the call; the same as `inviteid` */
    readonly cid: string;
    /** Id of the call, as in `/rest/v1/uc/calls` and in the call record */
    readonly inviteid: string;
    /** When the first INVITE entered the platform */
    readonly invitets: string;
    /** Id of the dialog, as in the path of a call */
    readonly dialogid: string;
    /** URI of the party that asked for the transfer */
    readonly referredby: string;
  };
  /** A call that results from a transfer is routed. */
  readonly route_referred: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Call-Id of the leg of the caller */
    readonly acallid: string;
    /** Id of the call; the same as `inviteid` */
    readonly cid: string;
    /** Id of the call, as in `/rest/v1/uc/calls` and in the call record */
    readonly inviteid: string;
    /** When the first INVITE entered the platform */
    readonly invitets: string;
    /** Id of the dialog, as in the path of a call */
    readonly dialogid: string;
    /** URI of the party that asked for the transfer */
    readonly referredby: string;
  };
  /** The routes are known; no device has been called yet. */
  readonly dlg_init: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Call-Id of the leg of the caller */
    readonly acallid: string;
    /** Id of the call; the same as `inviteid` */
    readonly cid: string;
    /** Id of the call, as in `/rest/v1/uc/calls` and in the call record */
    readonly inviteid: string;
    /** When the first INVITE entered the platform */
    readonly invitets: string;
    /** Id of the dialog, as in the path of a call */
    readonly dialogid: string;
    /** Parties that are known so far, each with its side, kind, domain, name and number */
    readonly participations: readonly {
      /** Side of the dialog */
      readonly side: 'a' | 'b';
      /** Kind of the party */
      readonly kind: 'sipuser' | 'account' | 'conference' | 'ivr' | 'outside';
      /** Domain of the party */
      readonly domain: string;
      /** Login, provider code, confid, or srvidx of ivr */
      readonly name: string;
      /** Number of the party */
      readonly number: string;
    }[];
  };
  /** The dialog's first outgoing INVITE is about to be sent. */
  readonly dlg_call: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Call-Id of the leg of the caller */
    readonly acallid: string;
    /** Id of the call; the same as `inviteid` */
    readonly cid: string;
    /** Id of the call, as in `/rest/v1/uc/calls` and in the call record */
    readonly inviteid: string;
    /** When the first INVITE entered the platform */
    readonly invitets: string;
    /** Id of the dialog, as in the path of a call */
    readonly dialogid: string;
  };
  /** The platform starts to call one device or trunk. */
  readonly fork_start: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Call-Id of the leg of the caller */
    readonly acallid: string;
    /** Id of the call; the same as `inviteid` */
    readonly cid: string;
    /** Id of the call, as in `/rest/v1/uc/calls` and in the call record */
    readonly inviteid: string;
    /** When the first INVITE entered the platform */
    readonly invitets: string;
    /** Id of the dialog, as in the path of a call */
    readonly dialogid: string;
    /** URI of the caller */
    readonly localuri: string;
    /** Display name of the caller, where it has one */
    readonly localname?: string | undefined;
    /** URI that the fork calls */
    readonly remoteuri: string;
    /** Call-Id of the leg of this fork */
    readonly forkcallid: string;
    /** Number that the fork calls */
    readonly forkcallednum: string;
    /** `inner`: within the platform; `outer`: through a provider account */
    readonly forkdir: 'inner' | 'outer';
    /** Side of the dialog that the fork is called for */
    readonly side: 'a' | 'b';
  };
  /** The device that a fork calls has answered 3xx. */
  readonly fork_redirect: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Call-Id of the leg of the caller */
    readonly acallid: string;
    /** Id of the call; the same as `inviteid` */
    readonly cid: string;
    /** Id of the call, as in `/rest/v1/uc/calls` and in the call record */
    readonly inviteid: string;
    /** When the first INVITE entered the platform */
    readonly invitets: string;
    /** Id of the dialog, as in the path of a call */
    readonly dialogid: string;
    /** URI of the caller */
    readonly localuri: string;
    /** Display name of the caller, where it has one */
    readonly localname?: string | undefined;
    /** URI that the fork calls */
    readonly remoteuri: string;
    /** Call-Id of the leg of this fork */
    readonly forkcallid: string;
    /** Number that the fork calls */
    readonly forkcallednum: string;
    /** `inner`: within the platform; `outer`: through a provider account */
    readonly forkdir: 'inner' | 'outer';
    /** Side of the dialog that the fork is called for */
    readonly side: 'a' | 'b';
    /** URIs of its Contact header, which are called next */
    readonly contacts: readonly string[];
  };
  /** The audio matcher has recognised the announcement that the called number plays before an answer. */
  readonly fork_announcement: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Call-Id of the leg of the caller */
    readonly acallid: string;
    /** Id of the call; the same as `inviteid` */
    readonly cid: string;
    /** Id of the call, as in `/rest/v1/uc/calls` and in the call record */
    readonly inviteid: string;
    /** When the first INVITE entered the platform */
    readonly invitets: string;
    /** Id of the dialog, as in the path of a call */
    readonly dialogid: string;
    /** URI of the caller */
    readonly localuri: string;
    /** Display name of the caller, where it has one */
    readonly localname?: string | undefined;
    /** URI that the fork calls */
    readonly remoteuri: string;
    /** Call-Id of the leg of this fork */
    readonly forkcallid: string;
    /** Number that the fork calls */
    readonly forkcallednum: string;
    /** `inner`: within the platform; `outer`: through a provider account */
    readonly forkdir: 'inner' | 'outer';
    /** Side of the dialog that the fork is called for */
    readonly side: 'a' | 'b';
    /** Name of the sample that fits */
    readonly sample: string;
  };
  /** A fork has ended without an answer: it was refused with 4xx to 6xx, cancelled, or has timed out. */
  readonly fork_stop: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Call-Id of the leg of the caller */
    readonly acallid: string;
    /** Id of the call; the same as `inviteid` */
    readonly cid: string;
    /** Id of the call, as in `/rest/v1/uc/calls` and in the call record */
    readonly inviteid: string;
    /** When the first INVITE entered the platform */
    readonly invitets: string;
    /** Id of the dialog, as in the path of a call */
    readonly dialogid: string;
    /** URI of the caller */
    readonly localuri: string;
    /** Display name of the caller, where it has one */
    readonly localname?: string | undefined;
    /** URI that the fork calls */
    readonly remoteuri: string;
    /** Call-Id of the leg of this fork */
    readonly forkcallid: string;
    /** Number that the fork calls */
    readonly forkcallednum: string;
    /** `inner`: within the platform; `outer`: through a provider account */
    readonly forkdir: 'inner' | 'outer';
    /** Side of the dialog that the fork is called for */
    readonly side: 'a' | 'b';
    /** SIP status with which the fork ended */
    readonly sipcode: number;
    /** Reason phrase of that status */
    readonly reason: string;
  };
  /** The callee has answered: both parties talk. */
  readonly dlg_start: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Call-Id of the leg of the caller */
    readonly acallid: string;
    /** Id of the call; the same as `inviteid` */
    readonly cid: string;
    /** Id of the call, as in `/rest/v1/uc/calls` and in the call record */
    readonly inviteid: string;
    /** When the first INVITE entered the platform */
    readonly invitets: string;
    /** Id of the dialog, as in the path of a call */
    readonly dialogid: string;
    /** URI of the caller */
    readonly localuri: string;
    /** Display name of the caller, where it has one */
    readonly localname?: string | undefined;
    /** URI that the fork calls */
    readonly remoteuri: string;
    /** Call-Id of the leg of this fork */
    readonly forkcallid: string;
    /** Number that the fork calls */
    readonly forkcallednum: string;
    /** `inner`: within the platform; `outer`: through a provider account */
    readonly forkdir: 'inner' | 'outer';
    /** Side of the dialog that the fork is called for */
    readonly side: 'a' | 'b';
    /** Call-Id of the leg that answered */
    readonly bcallid: string;
    /** Parties that are known so far, each with its side, kind, domain, name and number */
    readonly participations: readonly {
      /** Side of the dialog */
      readonly side: 'a' | 'b';
      /** Kind of the party */
      readonly kind: 'sipuser' | 'account' | 'conference' | 'ivr' | 'outside';
      /** Domain of the party */
      readonly domain: string;
      /** Login, provider code, confid, or srvidx of ivr */
      readonly name: string;
      /** Number of the party */
      readonly number: string;
    }[];
  };
  /** A party, or a command, has started a transfer in the dialog. */
  readonly refer: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Call-Id of the leg of the caller */
    readonly acallid: string;
    /** Id of the call; the same as `inviteid` */
    readonly cid: string;
    /** Id of the call, as in `/rest/v1/uc/calls` and in the call record */
    readonly inviteid: string;
    /** When the first INVITE entered the platform */
    readonly invitets: string;
    /** Id of the dialog, as in the path of a call */
    readonly dialogid: string;
    /** Side that refers the other one */
    readonly by: 'a' | 'b';
    /** URI that the other side is referred to */
    readonly referto: string;
  };
  /** Another call takes the place of a leg of this dialog: its INVITE has a Replaces. */
  readonly replaces_refer: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Call-Id of the leg of the caller */
    readonly acallid: string;
    /** Id of the call; the same as `inviteid` */
    readonly cid: string;
    /** Id of the call, as in `/rest/v1/uc/calls` and in the call record */
    readonly inviteid: string;
    /** When the first INVITE entered the platform */
    readonly invitets: string;
    /** Id of the dialog, as in the path of a call */
    readonly dialogid: string;
    /** `inviteid` of the call that takes the place */
    readonly newinviteid: string;
  };
  /** A party has said something, and its speech is transcribed (SETUP_ASR). */
  readonly transcription: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Call-Id of the leg of the caller */
    readonly acallid: string;
    /** Id of the call; the same as `inviteid` */
    readonly cid: string;
    /** Id of the call, as in `/rest/v1/uc/calls` and in the call record */
    readonly inviteid: string;
    /** When the first INVITE entered the platform */
    readonly invitets: string;
    /** Id of the dialog, as in the path of a call */
    readonly dialogid: string;
    /** Side that has spoken */
    readonly side: 'a' | 'b';
    /** What it has said */
    readonly text: string;
  };
  /** The dialog is over. */
  readonly dlg_end: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Call-Id of the leg of the caller */
    readonly acallid: string;
    /** Id of the call; the same as `inviteid` */
    readonly cid: string;
    /** Id of the call, as in `/rest/v1/uc/calls` and in the call record */
    readonly inviteid: string;
    /** When the first INVITE entered the platform */
    readonly invitets: string;
    /** Id of the dialog, as in the path of a call */
    readonly dialogid: string;
    /** How the call ended */
    readonly type: 'error' | 'timeout' | 'call_terminate' | 'cancel' | 'call_final' | 'bye';
    /** SIP status that ended the call; absent where none did */
    readonly sipcode?: number | undefined;
    /** Reason phrase of that status; may be empty */
    readonly reason: string;
    /** Side that ended the call; absent where neither did */
    readonly by?: 'a' | 'b' | undefined;
    /** When the callee answered; absent where none did */
    readonly answerts?: string | undefined;
    /** Parties that are known so far, each with its side, kind, domain, name and number */
    readonly participations: readonly {
      /** Side of the dialog */
      readonly side: 'a' | 'b';
      /** Kind of the party */
      readonly kind: 'sipuser' | 'account' | 'conference' | 'ivr' | 'outside';
      /** Domain of the party */
      readonly domain: string;
      /** Login, provider code, confid, or srvidx of ivr */
      readonly name: string;
      /** Number of the party */
      readonly number: string;
    }[];
  };
  /** The dialog was over for 3 s. */
  readonly dlg_stop: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Call-Id of the leg of the caller */
    readonly acallid: string;
    /** Id of the call; the same as `inviteid` */
    readonly cid: string;
    /** Id of the call, as in `/rest/v1/uc/calls` and in the call record */
    readonly inviteid: string;
    /** When the first INVITE entered the platform */
    readonly invitets: string;
    /** Id of the dialog, as in the path of a call */
    readonly dialogid: string;
    /** How the call ended */
    readonly type: 'error' | 'timeout' | 'call_terminate' | 'cancel' | 'call_final' | 'bye';
    /** SIP status that ended the call; absent where none did */
    readonly sipcode?: number | undefined;
    /** Reason phrase of that status; may be empty */
    readonly reason: string;
    /** Side that ended the call; absent where neither did */
    readonly by?: 'a' | 'b' | undefined;
  };
  /** The call has ended because its b2b instance could not go on with it. Where the instance is gone the callstore of its site sends the event. */
  readonly dlg_dead: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Call-Id of the leg of the caller */
    readonly acallid: string;
    /** Id of the call; the same as `inviteid` */
    readonly cid: string;
    /** Id of the call, as in `/rest/v1/uc/calls` and in the call record */
    readonly inviteid: string;
    /** When the first INVITE entered the platform */
    readonly invitets: string;
    /** Id of the dialog; empty where the call had none yet */
    readonly dialogid: string;
    /** Always `dead` */
    readonly type: 'dead';
    /** Why the instance could not go on */
    readonly reason: string;
  };
}
