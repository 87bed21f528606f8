// Generated from src/http/routes by `npm run docs`.
import type { Filter, ItemQuery, ListQuery, RequestOptions, WithConnected } from '../../requests.ts';

export interface CallsItem {
  /** Call-Id of the leg of side a */
  readonly acallid: string;
  /** Call-Ids of all active legs; each device that is being called has its own */
  readonly callids: readonly string[];
  /** Id of the call in paths; unique while the call lives, reused after some time */
  readonly dialogid: string;
  /** Id that esg gave to a call from outside through a provider account; empty for any other call */
  readonly esgdlg: string;
  /** Globally unique id of the call; all events and the record of the call carry it */
  readonly inviteid: string;
  /** `init`: routing; `forking`: the devices of side b are being called; `dialog`: answered; `ending`: BYE or CANCEL is under way */
  readonly status: 'init' | 'forking' | 'dialog' | 'ending';
  /** One leg of side a, followed by one or more legs of side b */
  readonly legs: readonly {
    /** Call-Id of the leg */
    readonly callid: string;
    /** Milliseconds until a time limit ends the leg of side b: while it rings that of the callee, after the answer the shorter one of both parties, else that of the platform; `"undefined"` for side a */
    readonly expirets: number | 'undefined';
    /** URI of the platform on this leg, as `<sip:user@domain>` */
    readonly localuri: string;
    /** URI of the device, provider or service on this leg, as `<sip:user@domain>` */
    readonly remoteuri: string;
    /** `a`: the caller; `b`: a callee */
    readonly side: 'a' | 'b';
  }[];
  /** URI of side a, as `<sip:user@domain>` */
  readonly localuri: string;
  /** URI of side b, as `<sip:user@domain>` */
  readonly remoteuri: string;
  /** Site whose b2b instance serves the call */
  readonly site: string;
  /** When the first INVITE entered the platform, milliseconds since the epoch */
  readonly startts: number;
  /** URIs of all parties of the call */
  readonly uris: readonly string[];
  /** Further parameters of the call: `referred-by` is the URI of the party that transferred it, `bindings` are its labels */
  readonly opts: Readonly<Record<string, unknown>>;
}

export interface CallsCreateBody {
  /** X: the party that is called first, as a number or, with `mode`, a SIP login */
  readonly from: string;
  /** Y: the number that X is connected with; `1002@acme.root.test` names its domain */
  readonly to: string;
  /** What `from` is: `number` a phone number; `sipuser` the login of a SIP user */
  readonly mode?: 'number' | 'sipuser' | undefined;
  /** Number shown to X; default: `from` */
  readonly callerid?: string | undefined;
  /** Name shown to X; default: none */
  readonly callername?: string | undefined;
  /** Seconds that X may ring before the call fails */
  readonly timeout?: number | undefined;
  /** Label that is attached to the call; default: none */
  readonly label?: string | undefined;
  /** When to answer: `0` the call is queued; `1` X has answered or failed; `2` Y has sent a provisional or final response; `3` Y has answered or failed. A later answer has more fields */
  readonly response_mode?: number | undefined;
}

export interface CallsCreateAnswer {
  /** `ok`: the request was carried out, and `last_response` says whether Y answered; `failed`: the call to X failed; `redirected`: X redirected it; `timeout`: X rang and did not answer in time; `no_answer`: no response from X; `unknown`: X answered, the state of the call to Y is not known */
  readonly result: 'ok' | 'failed' | 'redirected' | 'timeout' | 'no_answer' | 'unknown';
  /** Call-Id of the call from IVR to X */
  readonly ivrcallid?: string | undefined;
  /** Call-Id of the leg of X in the call to Y */
  readonly acallid?: string | undefined;
  /** Call-Id of the leg of Y */
  readonly bcallid?: string | undefined;
  /** Status line of the last response from Y, such as `SIP/2.0 180 Ringing` */
  readonly last_response?: string | undefined;
  /** Id of the call from X to Y; absent where that call does not exist or has ended at once */
  readonly dialogid?: string | undefined;
}

export interface CallsInvitebyivrBody {
  /** X: the party that is called first, as a number or, with `mode`, a SIP login */
  readonly from: string;
  /** What `from` is: `number` a phone number; `sipuser` the login of a SIP user */
  readonly mode?: 'number' | 'sipuser' | undefined;
  /** Number shown to X; default: `from` */
  readonly callerid?: string | undefined;
  /** Name shown to X; default: none */
  readonly callername?: string | undefined;
  /** Seconds that X may ring before the call fails */
  readonly timeout?: number | undefined;
  /** Label that is attached to the call; default: none */
  readonly label?: string | undefined;
  /** When to answer: `0` the call is queued; `1` X has answered or failed; `2` Y has sent a provisional or final response; `3` Y has answered or failed. A later answer has more fields */
  readonly response_mode?: number | undefined;
  /** Code of the IVR script that serves the call */
  readonly ivrscript: string;
}

export interface CallsLookupBody {
  /** Id of a live call */
  readonly dialogid?: string | undefined;
  /** Globally unique id of a call */
  readonly inviteid?: string | undefined;
  /** Call-Id of a leg */
  readonly callid?: string | undefined;
  /** URI of a party, as `<sip:user@domain>` */
  readonly uri?: string | undefined;
  /** Number of a party or, with `mode`, its SIP login */
  readonly from?: string | undefined;
  /** Id of a SIP user that takes part */
  readonly sipuserid?: string | undefined;
  /** Login of a SIP user that takes part */
  readonly sipuserlogin?: string | undefined;
  /** Phone number of a SIP user that takes part */
  readonly sipuserphonenumber?: string | undefined;
  /** Id of a user; any SIP user that is bound to it */
  readonly userid?: string | undefined;
  /** What `from` is: `number` (default) or `sipuser`, a login */
  readonly mode?: 'number' | 'sipuser' | undefined;
}

export interface CallsReferBody {
  /** Party that asks for it: `a`, `b` or its URI, as `<sip:user@domain>`. The other party is transferred */
  readonly by: string;
  /** Number that the other party is transferred to */
  readonly referto: string;
  /** When to answer: `0` the call is queued; `1` X has answered or failed; `2` Y has sent a provisional or final response; `3` Y has answered or failed. A later answer has more fields */
  readonly response_mode?: number | undefined;
  /** Label that is attached to the call; default: none */
  readonly label?: string | undefined;
}

export interface CallsReferAnswer {
  /** Id of the call, as in the path */
  readonly dialogid: string;
  /** `ok`, or the outcome of the call that a transfer starts, as for POST */
  readonly result: 'ok' | 'failed' | 'redirected' | 'timeout' | 'no_answer' | 'unknown';
  /** Call-Id of the call from IVR to X */
  readonly ivrcallid?: string | undefined;
  /** Call-Id of the leg of X in the call to Y */
  readonly acallid?: string | undefined;
  /** Call-Id of the leg of Y */
  readonly bcallid?: string | undefined;
  /** Status line of the last response from Y, such as `SIP/2.0 180 Ringing` */
  readonly last_response?: string | undefined;
  /** REFER: id of the transferred call, once it is known */
  readonly referdialogid?: string | undefined;
  /** SWITCHCONF, REFERCONF: id of the conference */
  readonly confid?: string | undefined;
  /** SETUP_BINDINGS: labels of the call after the change */
  readonly bindings?: readonly string[] | undefined;
}

export interface CallsReferReplacesBody {
  /** Party that asks for it: `a`, `b` or its URI, as `<sip:user@domain>`. The other party is transferred */
  readonly by: string;
  /** Id of the second call of that party; the opponents of both calls are connected */
  readonly dialogid: string;
}

export type CallsSwitchConfBody = object;

export interface CallsReferConfBody {
  /** Party that asks for it: `a`, `b` or its URI, as `<sip:user@domain>`. The other party is transferred */
  readonly by: string;
  /** Id of the conference that the other party joins */
  readonly confid: string;
}

export interface CallsNotifyBody {
  /** Side whose device gets the event: `a` the caller, `b` the callee */
  readonly to: 'a' | 'b';
  /** `talk`: the device answers or resumes; `hold`: it puts the call on hold */
  readonly event: 'talk' | 'hold';
}

export interface CallsSendDtmfBody {
  /** Side that gets the character: `a` the caller, `b` the callee */
  readonly to: 'a' | 'b';
  /** One DTMF character: `0` to `9`, `*`, `#`, `A` to `D` */
  readonly dtmf: string;
}

export interface CallsSetupRecordBody {
  /** `start`: record the call from now on; `stop`: end the recording */
  readonly action: 'start' | 'stop';
}

export interface CallsSetupAsrBody {
  /** Side whose speech is transcribed: `a` the caller, `b` the callee */
  readonly side: 'a' | 'b';
  /** `start`: transcribe what the party says from now on; `stop`: end it */
  readonly action: 'start' | 'stop';
}

export interface CallsSetupBindingsBody {
  /** Labels to add */
  readonly add?: readonly string[] | undefined;
  /** Labels to remove */
  readonly remove?: readonly string[] | undefined;
}

export interface Calls {
  /** Lists the live calls of the domain. (`GET /rest/v1/uc/calls`) */
  list<M extends keyof CallsItem = keyof CallsItem>(query?: ListQuery<CallsItem, M>, options?: RequestOptions): Promise<readonly Pick<CallsItem, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<CallsItem> | undefined }, options?: RequestOptions): Promise<number>;
  /** Starts a call: IVR calls X and, when X has answered, refers it to Y. (`POST /rest/v1/uc/calls`) */
  create(body: CallsCreateBody, options?: RequestOptions): Promise<WithConnected<CallsCreateAnswer>>;
  /** Starts a call of X and Y as two legs, without IVR. (`INVITE /rest/v1/uc/calls`) */
  invite(body: CallsCreateBody, options?: RequestOptions): Promise<WithConnected<CallsCreateAnswer>>;
  /** Starts a call of X that an IVR script serves; 404 where the domain has no such script. (`INVITEBYIVR /rest/v1/uc/calls`) */
  invitebyivr(body: CallsInvitebyivrBody, options?: RequestOptions): Promise<WithConnected<CallsCreateAnswer>>;
  /** Finds live calls of the domain by one key. (`LOOKUP /rest/v1/uc/calls`) */
  lookup(body: CallsLookupBody, options?: RequestOptions): Promise<readonly string[]>;
  /** Shows a live call. (`GET /rest/v1/uc/calls/:dialogid`) */
  get<M extends keyof CallsItem = keyof CallsItem>(dialogid: string, query?: ItemQuery<M>, options?: RequestOptions): Promise<Pick<CallsItem, M>>;
  /** Transfers the opponent of a party to another number. (`REFER /rest/v1/uc/calls/:dialogid`) */
  refer(dialogid: string, body: CallsReferBody, options?: RequestOptions): Promise<WithConnected<CallsReferAnswer>>;
  /** Connects the opponents of two calls of one party. (`REFERREPLACES /rest/v1/uc/calls/:dialogid`) */
  referReplaces(dialogid: string, body: CallsReferReplacesBody, options?: RequestOptions): Promise<WithConnected<CallsReferAnswer>>;
  /** Moves both parties into a new conference. (`SWITCHCONF /rest/v1/uc/calls/:dialogid`) */
  switchConf(dialogid: string, body?: CallsSwitchConfBody, options?: RequestOptions): Promise<WithConnected<CallsReferAnswer>>;
  /** Transfers the opponent of a party into a conference. (`REFERCONF /rest/v1/uc/calls/:dialogid`) */
  referConf(dialogid: string, body: CallsReferConfBody, options?: RequestOptions): Promise<WithConnected<CallsReferAnswer>>;
  /** Makes a party's device answer or resume (`talk`), or hold (`hold`). (`NOTIFY /rest/v1/uc/calls/:dialogid`) */
  notify(dialogid: string, body: CallsNotifyBody, options?: RequestOptions): Promise<WithConnected<CallsReferAnswer>>;
  /** Sends a DTMF character to a party. (`SEND_DTMF /rest/v1/uc/calls/:dialogid`) */
  sendDtmf(dialogid: string, body: CallsSendDtmfBody, options?: RequestOptions): Promise<WithConnected<CallsReferAnswer>>;
  /** Starts or stops the recording of a call. (`SETUP_RECORD /rest/v1/uc/calls/:dialogid`) */
  setupRecord(dialogid: string, body: CallsSetupRecordBody, options?: RequestOptions): Promise<WithConnected<CallsReferAnswer>>;
  /** Starts or stops the transcription of a party's speech. (`SETUP_ASR /rest/v1/uc/calls/:dialogid`) */
  setupAsr(dialogid: string, body: CallsSetupAsrBody, options?: RequestOptions): Promise<WithConnected<CallsReferAnswer>>;
  /** Adds and removes labels of a call. (`SETUP_BINDINGS /rest/v1/uc/calls/:dialogid`) */
  setupBindings(dialogid: string, body: CallsSetupBindingsBody, options?: RequestOptions): Promise<WithConnected<CallsReferAnswer>>;
  /** Ends a call; does not wait for its end. (`DELETE /rest/v1/uc/calls/:dialogid`) */
  delete(dialogid: string, options?: RequestOptions): Promise<WithConnected<CallsReferAnswer>>;
}
