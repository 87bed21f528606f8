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
      /** Id of the SIP user, which stays when its login changes; absent: another party */
      readonly id?: string | undefined;
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
      /** Id of the SIP user, which stays when its login changes; absent: another party */
      readonly id?: string | undefined;
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
      /** Id of the SIP user, which stays when its login changes; absent: another party */
      readonly id?: string | undefined;
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
      /** Id of the SIP user, which stays when its login changes; absent: another party */
      readonly id?: string | undefined;
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

/** The data of the events of class confevents, by name. */
export interface ConfEvents {
  /** A conference begins. */
  readonly conf_start: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Id of the conference, as in `/rest/v1/uc/conferences` */
    readonly confid: string;
    /** Number of the room in hexadecimal notation; empty where the conference has no room */
    readonly confnum: string;
    /** Room: the last two digits of that number; empty where it has none */
    readonly room: string;
    /** Domain of the conference */
    readonly confdomain: string;
    /** When the conference began */
    readonly invitets: string;
    /** Whether the conference is recorded; always false: only calls are recorded */
    readonly isrec: boolean;
    /** Number of participants that were connected so far: 0 */
    readonly participants: number;
    /** Participants that have left so far: none */
    readonly participantsdata: readonly {
      /** Id of the participant, as in the path of a participant */
      readonly participantid: string;
      /** Call-Id of the leg */
      readonly callid: string;
      /** URI of the participant */
      readonly ruri: string;
      /** `in`: it called the conference; `out`: the conference called it */
      readonly direction: 'in' | 'out';
      /** When its leg began */
      readonly since: string;
      /** When it was connected; absent where it never was */
      readonly joined?: string | undefined;
      /** When its leg ended */
      readonly left: string;
    }[];
  };
  /** A participant is connected. */
  readonly part_start: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Id of the conference, as in `/rest/v1/uc/conferences` */
    readonly confid: string;
    /** Number of the room in hexadecimal notation; empty where the conference has no room */
    readonly confnum: string;
    /** Room: the last two digits of that number; empty where it has none */
    readonly room: string;
    /** Domain of the conference */
    readonly confdomain: string;
    /** When the conference began */
    readonly invitets: string;
    /** Whether the conference is recorded; always false: only calls are recorded */
    readonly isrec: boolean;
    /** Id of the participant, as in the path of a participant */
    readonly participantid: string;
    /** Call-Id of the leg */
    readonly callid: string;
    /** URI of the participant */
    readonly ruri: string;
  };
  /** A participant has left, or was called and did not join. */
  readonly part_stop: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Id of the conference, as in `/rest/v1/uc/conferences` */
    readonly confid: string;
    /** Number of the room in hexadecimal notation; empty where the conference has no room */
    readonly confnum: string;
    /** Room: the last two digits of that number; empty where it has none */
    readonly room: string;
    /** Domain of the conference */
    readonly confdomain: string;
    /** When the conference began */
    readonly invitets: string;
    /** Whether the conference is recorded; always false: only calls are recorded */
    readonly isrec: boolean;
    /** Id of the participant, as in the path of a participant */
    readonly participantid: string;
    /** Call-Id of the leg */
    readonly callid: string;
    /** URI of the participant */
    readonly ruri: string;
    /** `in`: it called the conference; `out`: the conference called it */
    readonly direction: 'in' | 'out';
    /** When its leg began */
    readonly since: string;
    /** When it was connected; absent where it never was */
    readonly joined?: string | undefined;
    /** When its leg ended */
    readonly left: string;
    /** How it ended. `bye`: BYE; `cancel`: CANCEL; `call_final`: a final answer; `conf_terminate`: a request or a stop of the server; `timeout`: no answer, or no participant; `error`: the leg was lost */
    readonly type: 'bye' | 'cancel' | 'call_final' | 'conf_terminate' | 'timeout' | 'error';
    /** The same in words; may be empty */
    readonly reason: string;
    /** What ended it: URI of a participant, `api`, or `platform` */
    readonly by: string;
  };
  /** The conference ended 3 s ago. */
  readonly conf_stop: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Id of the conference, as in `/rest/v1/uc/conferences` */
    readonly confid: string;
    /** Number of the room in hexadecimal notation; empty where the conference has no room */
    readonly confnum: string;
    /** Room: the last two digits of that number; empty where it has none */
    readonly room: string;
    /** Domain of the conference */
    readonly confdomain: string;
    /** When the conference began */
    readonly invitets: string;
    /** Whether the conference is recorded; always false: only calls are recorded */
    readonly isrec: boolean;
    /** Number of participants that were connected */
    readonly participants: number;
    /** Each participant, with its times */
    readonly participantsdata: readonly {
      /** Id of the participant, as in the path of a participant */
      readonly participantid: string;
      /** Call-Id of the leg */
      readonly callid: string;
      /** URI of the participant */
      readonly ruri: string;
      /** `in`: it called the conference; `out`: the conference called it */
      readonly direction: 'in' | 'out';
      /** When its leg began */
      readonly since: string;
      /** When it was connected; absent where it never was */
      readonly joined?: string | undefined;
      /** When its leg ended */
      readonly left: string;
    }[];
    /** How it ended. `bye`: BYE; `cancel`: CANCEL; `call_final`: a final answer; `conf_terminate`: a request or a stop of the server; `timeout`: no answer, or no participant; `error`: the leg was lost */
    readonly type: 'bye' | 'cancel' | 'call_final' | 'conf_terminate' | 'timeout' | 'error';
    /** The same in words; may be empty */
    readonly reason: string;
    /** What ended it: URI of a participant, `api`, or `platform` */
    readonly by: string;
  };
}

/** The data of the events of class selectorevents, by name. */
export interface SelectorEvents {
  /** A selector meeting has entered a state. */
  readonly state_changed: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Id of the selector */
    readonly selectorid: string;
    /** Id of the conference of the meeting */
    readonly confid: string;
    /** The state, with a leading `$` */
    readonly state: '$connecting' | '$online' | '$terminating';
  };
  /** A participant of a selector meeting asks to speak, or no longer does. */
  readonly hand_changed: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Id of the selector */
    readonly selectorid: string;
    /** Id of the conference of the meeting */
    readonly confid: string;
    /** Id of the participant of the selector */
    readonly participantid: string;
    /** Whether it asks to speak */
    readonly is_hand_raised: boolean;
  };
}

/** The data of the events of class ivrevents, by name. */
export interface IvrEvents {
  /** A call has come to an IVR script, which begins. */
  readonly ivr_start: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Id of the run, as in `/rest/v1/journal/scripts`; Call-Id of the leg of ivr */
    readonly runid: string;
    /** Code of the IVR script */
    readonly scriptcode: string;
    /** Id of the call, as in `/rest/v1/uc/calls` */
    readonly inviteid: string;
    /** Domain of the script */
    readonly domain: string;
    /** Number that calls */
    readonly from: string;
    /** Number that is called */
    readonly to: string;
  };
  /** A component that acts on something outside of the script has ended. */
  readonly ivr_component: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Id of the run, as in `/rest/v1/journal/scripts`; Call-Id of the leg of ivr */
    readonly runid: string;
    /** Code of the IVR script */
    readonly scriptcode: string;
    /** Id of the call, as in `/rest/v1/uc/calls` */
    readonly inviteid: string;
    /** Domain of the script */
    readonly domain: string;
    /** Name of the component */
    readonly component: string;
    /** Its type, such as `menu` */
    readonly type: string;
    /** The branch at which the script continues */
    readonly branch: string;
  };
  /** The script and its call are over. */
  readonly ivr_stop: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Id of the run, as in `/rest/v1/journal/scripts`; Call-Id of the leg of ivr */
    readonly runid: string;
    /** Code of the IVR script */
    readonly scriptcode: string;
    /** Id of the call, as in `/rest/v1/uc/calls` */
    readonly inviteid: string;
    /** Domain of the script */
    readonly domain: string;
    /** `finished`: the script has ended by itself; `failed`: it has failed, or its call has ended before */
    readonly status: 'finished' | 'failed';
    /** Why it failed; may be empty */
    readonly problem: string;
  };
}

/** The data of the events of class registrarevents, by name. */
export interface RegistrarEvents {
  /** A device that was not registered has registered. */
  readonly register: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Login of the SIP user */
    readonly login: string;
    /** Domain of the SIP user */
    readonly domain: string;
    /** Contact URI of the device */
    readonly contact: string;
    /** Identifies the device among those of the SIP user */
    readonly device: string;
    /** Seconds until the registration ends; 0 where it has ended */
    readonly expires: number;
    /** User-Agent header of the device */
    readonly useragent: string;
  };
  /** A registered device has registered again. */
  readonly refresh: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Login of the SIP user */
    readonly login: string;
    /** Domain of the SIP user */
    readonly domain: string;
    /** Contact URI of the device */
    readonly contact: string;
    /** Identifies the device among those of the SIP user */
    readonly device: string;
    /** Seconds until the registration ends; 0 where it has ended */
    readonly expires: number;
    /** User-Agent header of the device */
    readonly useragent: string;
  };
  /** A registration was removed: by the device, by a change of the SIP user, or because the device did not answer. */
  readonly unregister: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Login of the SIP user */
    readonly login: string;
    /** Domain of the SIP user */
    readonly domain: string;
    /** Contact URI of the device */
    readonly contact: string;
    /** Identifies the device among those of the SIP user */
    readonly device: string;
    /** Seconds until the registration ends; 0 where it has ended */
    readonly expires: number;
    /** User-Agent header of the device */
    readonly useragent: string;
  };
  /** A registration has expired: the device did not refresh it in time. */
  readonly expire: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Login of the SIP user */
    readonly login: string;
    /** Domain of the SIP user */
    readonly domain: string;
    /** Contact URI of the device */
    readonly contact: string;
    /** Identifies the device among those of the SIP user */
    readonly device: string;
    /** Seconds until the registration ends; 0 where it has ended */
    readonly expires: number;
    /** User-Agent header of the device */
    readonly useragent: string;
  };
}

/** The data of the events of class modelevents, by name. */
export interface ModelEvents {
  /** A SIP user is reachable, or is no longer: its first device has registered, or its last registration has ended. */
  readonly data_changed: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Collection that has changed */
    readonly collection: 'sipuser_states';
    /** Id of the SIP user */
    readonly id: string;
    /** Login of the SIP user */
    readonly username: string;
    /** `online`: at least one device is registered */
    readonly status: 'online' | 'offline';
  };
}

/** The data of every event, by class and name. */
export interface Events {
  readonly callevents: CallEvents;
  readonly confevents: ConfEvents;
  readonly selectorevents: SelectorEvents;
  readonly ivrevents: IvrEvents;
  readonly registrarevents: RegistrarEvents;
  readonly modelevents: ModelEvents;
}
