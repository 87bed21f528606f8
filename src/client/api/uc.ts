// Generated from src/http/routes by `npm run docs`.
import type { Content, Filter, ItemQuery, ListQuery, RequestOptions, WithConnected } from '../operation-types.ts';

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

export interface ChatCampaignsCreateBody {
  /** Id of the new item; default: a generated one */
  readonly id?: string | undefined;
  /** Code of the campaign, unique in the domain */
  readonly code: string;
  /** Name of the campaign. Stored only: for people */
  readonly name?: string | undefined;
  /** Id of the chat project; all zeros: none. Stored only: chats are not simulated */
  readonly projectid?: string | undefined;
  /** Bot that answers before a conversation is assigned, by name; empty: none. Stored only: chats are not simulated */
  readonly autobot?: string | undefined;
  /** Bot that serves the visitor while the conversation is queued, by name; empty: none. Stored only: chats are not simulated */
  readonly queuebot?: string | undefined;
  /** Bot that takes part in the conversation, by name; empty: none. Stored only: chats are not simulated */
  readonly dialogbot?: string | undefined;
  /** Bot that acts when the visitor is inactive, by name; empty: none. Stored only: chats are not simulated */
  readonly inactivebot?: string | undefined;
  /** Bot that acts when the conversation goes to another operator, by name; empty: none. Stored only: chats are not simulated */
  readonly rotationbot?: string | undefined;
  /** Bot that closes the conversation, by name; empty: none. Stored only: chats are not simulated */
  readonly finalbot?: string | undefined;
  /** Bot that acts when the conversation is stopped, by name; empty: none. Stored only: chats are not simulated */
  readonly stopbot?: string | undefined;
  /** Code of the service script that loads the history of a conversation: POST `…/{id}/history` runs it; empty: none */
  readonly gethistoryscr?: string | undefined;
  /** Code of the service script that searches the history: POST `…/{id}/history/search` runs it; empty: none */
  readonly searchhistoryscr?: string | undefined;
  /** Code of the service script that makes the context menu of a conversation: POST `…/{id}/contextmenu` runs it; empty: none */
  readonly ctxmenuscr?: string | undefined;
  /** Login of the user who gets a conversation by default; empty: none. Stored only: chats are not simulated */
  readonly defaulthuntuser?: string | undefined;
  /** Options */
  readonly opts?: {
    /** Title. Stored only: for people */
    readonly title?: string | undefined;
    /** Comment. Stored only: for people */
    readonly comment?: string | undefined;
  } | undefined;
}

export interface ChatCampaignsCreateAnswer {
  /** Id of the item, a uuid; never changes */
  readonly id: string;
  /** Code of the campaign, unique in the domain */
  readonly code: string;
  /** Name of the campaign. Stored only: for people */
  readonly name: string;
  /** Id of the chat project; all zeros: none. Stored only: chats are not simulated */
  readonly projectid: string;
  /** Bot that answers before a conversation is assigned, by name; empty: none. Stored only: chats are not simulated */
  readonly autobot: string;
  /** Bot that serves the visitor while the conversation is queued, by name; empty: none. Stored only: chats are not simulated */
  readonly queuebot: string;
  /** Bot that takes part in the conversation, by name; empty: none. Stored only: chats are not simulated */
  readonly dialogbot: string;
  /** Bot that acts when the visitor is inactive, by name; empty: none. Stored only: chats are not simulated */
  readonly inactivebot: string;
  /** Bot that acts when the conversation goes to another operator, by name; empty: none. Stored only: chats are not simulated */
  readonly rotationbot: string;
  /** Bot that closes the conversation, by name; empty: none. Stored only: chats are not simulated */
  readonly finalbot: string;
  /** Bot that acts when the conversation is stopped, by name; empty: none. Stored only: chats are not simulated */
  readonly stopbot: string;
  /** Code of the service script that loads the history of a conversation: POST `…/{id}/history` runs it; empty: none */
  readonly gethistoryscr: string;
  /** Code of the service script that searches the history: POST `…/{id}/history/search` runs it; empty: none */
  readonly searchhistoryscr: string;
  /** Code of the service script that makes the context menu of a conversation: POST `…/{id}/contextmenu` runs it; empty: none */
  readonly ctxmenuscr: string;
  /** Login of the user who gets a conversation by default; empty: none. Stored only: chats are not simulated */
  readonly defaulthuntuser: string;
  /** Options */
  readonly opts: {
    /** Title. Stored only: for people */
    readonly title: string;
    /** Comment. Stored only: for people */
    readonly comment: string;
  };
  /** Set by the platform */
  readonly ext: {
    /** When the item was created, ISO 8601 UTC */
    readonly ct: string;
    /** When the item was last changed, ISO 8601 UTC; moves forward with each change */
    readonly lwt: string;
  };
}

export interface ChatCampaignsListItem {
  /** Id of the item, a uuid; never changes */
  readonly id: string;
  /** Code of the campaign, unique in the domain */
  readonly code: string;
  /** Name of the campaign. Stored only: for people */
  readonly name: string;
  /** Id of the chat project; all zeros: none. Stored only: chats are not simulated */
  readonly projectid: string;
  /** Bot that answers before a conversation is assigned, by name; empty: none. Stored only: chats are not simulated */
  readonly autobot: string;
  /** Bot that serves the visitor while the conversation is queued, by name; empty: none. Stored only: chats are not simulated */
  readonly queuebot: string;
  /** Bot that takes part in the conversation, by name; empty: none. Stored only: chats are not simulated */
  readonly dialogbot: string;
  /** Bot that acts when the visitor is inactive, by name; empty: none. Stored only: chats are not simulated */
  readonly inactivebot: string;
  /** Bot that acts when the conversation goes to another operator, by name; empty: none. Stored only: chats are not simulated */
  readonly rotationbot: string;
  /** Bot that closes the conversation, by name; empty: none. Stored only: chats are not simulated */
  readonly finalbot: string;
  /** Bot that acts when the conversation is stopped, by name; empty: none. Stored only: chats are not simulated */
  readonly stopbot: string;
  /** Code of the service script that loads the history of a conversation: POST `…/{id}/history` runs it; empty: none */
  readonly gethistoryscr: string;
  /** Code of the service script that searches the history: POST `…/{id}/history/search` runs it; empty: none */
  readonly searchhistoryscr: string;
  /** Code of the service script that makes the context menu of a conversation: POST `…/{id}/contextmenu` runs it; empty: none */
  readonly ctxmenuscr: string;
  /** Login of the user who gets a conversation by default; empty: none. Stored only: chats are not simulated */
  readonly defaulthuntuser: string;
  /** Options */
  readonly opts: {
    /** Title. Stored only: for people */
    readonly title?: string | undefined;
    /** Comment. Stored only: for people */
    readonly comment?: string | undefined;
  };
  /** Set by the platform */
  readonly ext: {
    /** When the item was created, ISO 8601 UTC */
    readonly ct?: string | undefined;
    /** When the item was last changed, ISO 8601 UTC; moves forward with each change */
    readonly lwt?: string | undefined;
  };
}

export interface ChatCampaignsUpdateBody {
  /** Code of the campaign, unique in the domain */
  readonly code?: string | undefined;
  /** Name of the campaign. Stored only: for people */
  readonly name?: string | undefined;
  /** Id of the chat project; all zeros: none. Stored only: chats are not simulated */
  readonly projectid?: string | undefined;
  /** Bot that answers before a conversation is assigned, by name; empty: none. Stored only: chats are not simulated */
  readonly autobot?: string | undefined;
  /** Bot that serves the visitor while the conversation is queued, by name; empty: none. Stored only: chats are not simulated */
  readonly queuebot?: string | undefined;
  /** Bot that takes part in the conversation, by name; empty: none. Stored only: chats are not simulated */
  readonly dialogbot?: string | undefined;
  /** Bot that acts when the visitor is inactive, by name; empty: none. Stored only: chats are not simulated */
  readonly inactivebot?: string | undefined;
  /** Bot that acts when the conversation goes to another operator, by name; empty: none. Stored only: chats are not simulated */
  readonly rotationbot?: string | undefined;
  /** Bot that closes the conversation, by name; empty: none. Stored only: chats are not simulated */
  readonly finalbot?: string | undefined;
  /** Bot that acts when the conversation is stopped, by name; empty: none. Stored only: chats are not simulated */
  readonly stopbot?: string | undefined;
  /** Code of the service script that loads the history of a conversation: POST `…/{id}/history` runs it; empty: none */
  readonly gethistoryscr?: string | undefined;
  /** Code of the service script that searches the history: POST `…/{id}/history/search` runs it; empty: none */
  readonly searchhistoryscr?: string | undefined;
  /** Code of the service script that makes the context menu of a conversation: POST `…/{id}/contextmenu` runs it; empty: none */
  readonly ctxmenuscr?: string | undefined;
  /** Login of the user who gets a conversation by default; empty: none. Stored only: chats are not simulated */
  readonly defaulthuntuser?: string | undefined;
  /** Options */
  readonly opts?: {
    /** Title. Stored only: for people */
    readonly title?: string | undefined;
    /** Comment. Stored only: for people */
    readonly comment?: string | undefined;
  } | undefined;
}

export interface ChatCampaigns {
  /** Makes a chat campaign; `id` may be given. (`POST /rest/v1/uc/chatcampaigns`) */
  create(body: ChatCampaignsCreateBody, options?: RequestOptions): Promise<ChatCampaignsCreateAnswer>;
  /** Lists chat campaigns, with a reduced set of fields. (`GET /rest/v1/uc/chatcampaigns`) */
  list<M extends keyof ChatCampaignsListItem = keyof ChatCampaignsListItem>(query?: ListQuery<ChatCampaignsListItem, M>, options?: RequestOptions): Promise<readonly Pick<ChatCampaignsListItem, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<ChatCampaignsListItem> | undefined }, options?: RequestOptions): Promise<number>;
  /** Shows a chat campaign. (`GET /rest/v1/uc/chatcampaigns/:id`) */
  get<M extends keyof ChatCampaignsCreateAnswer = keyof ChatCampaignsCreateAnswer>(id: string, query?: ItemQuery<M>, options?: RequestOptions): Promise<Pick<ChatCampaignsCreateAnswer, M>>;
  /** Changes a chat campaign: objects are merged, arrays replaced. (`PATCH /rest/v1/uc/chatcampaigns/:id`) */
  update(id: string, body: ChatCampaignsUpdateBody, options?: RequestOptions): Promise<ChatCampaignsCreateAnswer>;
  /** Removes a chat campaign. (`DELETE /rest/v1/uc/chatcampaigns/:id`) */
  delete(id: string, options?: RequestOptions): Promise<void>;
  /** Finds ids of chat campaigns by `id` or `code`. (`LOOKUP /rest/v1/uc/chatcampaigns`) */
  lookup(body: string, options?: RequestOptions): Promise<readonly string[]>;
  /** Runs the service script of a chat campaign that loads the history of a conversation (`gethistoryscr`). It gets the start parameters of `/exec`, with the campaign as the first one, and makes the answer in the same way. 404 where the campaign names none. (`POST /rest/v1/uc/chatcampaigns/:id/history`) */
  history(id: string, content: Content, query?: { readonly timeout?: string | undefined }, options?: RequestOptions): Promise<Response>;
  /** Runs the service script of a chat campaign that searches the history of conversations (`searchhistoryscr`). It gets the start parameters of `/exec`, with the campaign as the first one, and makes the answer in the same way. 404 where the campaign names none. (`POST /rest/v1/uc/chatcampaigns/:id/history/search`) */
  searchHistory(id: string, content: Content, query?: { readonly timeout?: string | undefined }, options?: RequestOptions): Promise<Response>;
  /** Runs the service script of a chat campaign that makes the context menu of a conversation (`ctxmenuscr`). It gets the start parameters of `/exec`, with the campaign as the first one, and makes the answer in the same way. 404 where the campaign names none. (`POST /rest/v1/uc/chatcampaigns/:id/contextmenu`) */
  contextMenu(id: string, content: Content, query?: { readonly timeout?: string | undefined }, options?: RequestOptions): Promise<Response>;
}

export interface OwnCalls {
  /** Lists the live calls of your own SIP users. (`GET /rest/v1/uc/calls_by_participation`) */
  list<M extends keyof CallsItem = keyof CallsItem>(query?: ListQuery<CallsItem, M>, options?: RequestOptions): Promise<readonly Pick<CallsItem, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<CallsItem> | undefined }, options?: RequestOptions): Promise<number>;
  /** Starts a call: IVR calls X and, when X has answered, refers it to Y. (`POST /rest/v1/uc/calls_by_participation`) */
  create(body: CallsCreateBody, options?: RequestOptions): Promise<WithConnected<CallsCreateAnswer>>;
  /** Starts a call of X and Y as two legs, without IVR. (`INVITE /rest/v1/uc/calls_by_participation`) */
  invite(body: CallsCreateBody, options?: RequestOptions): Promise<WithConnected<CallsCreateAnswer>>;
  /** Starts a call of X that an IVR script serves; 404 where the domain has no such script. (`INVITEBYIVR /rest/v1/uc/calls_by_participation`) */
  invitebyivr(body: CallsInvitebyivrBody, options?: RequestOptions): Promise<WithConnected<CallsCreateAnswer>>;
  /** Finds live calls of your own SIP users by one key. (`LOOKUP /rest/v1/uc/calls_by_participation`) */
  lookup(body: CallsLookupBody, options?: RequestOptions): Promise<readonly string[]>;
  /** Shows a live call. (`GET /rest/v1/uc/calls_by_participation/:dialogid`) */
  get<M extends keyof CallsItem = keyof CallsItem>(dialogid: string, query?: ItemQuery<M>, options?: RequestOptions): Promise<Pick<CallsItem, M>>;
  /** Transfers the opponent of a party to another number. (`REFER /rest/v1/uc/calls_by_participation/:dialogid`) */
  refer(dialogid: string, body: CallsReferBody, options?: RequestOptions): Promise<WithConnected<CallsReferAnswer>>;
  /** Connects the opponents of two calls of one party. (`REFERREPLACES /rest/v1/uc/calls_by_participation/:dialogid`) */
  referReplaces(dialogid: string, body: CallsReferReplacesBody, options?: RequestOptions): Promise<WithConnected<CallsReferAnswer>>;
  /** Moves both parties into a new conference. (`SWITCHCONF /rest/v1/uc/calls_by_participation/:dialogid`) */
  switchConf(dialogid: string, body?: CallsSwitchConfBody, options?: RequestOptions): Promise<WithConnected<CallsReferAnswer>>;
  /** Transfers the opponent of a party into a conference. (`REFERCONF /rest/v1/uc/calls_by_participation/:dialogid`) */
  referConf(dialogid: string, body: CallsReferConfBody, options?: RequestOptions): Promise<WithConnected<CallsReferAnswer>>;
  /** Makes a party's device answer or resume (`talk`), or hold (`hold`). (`NOTIFY /rest/v1/uc/calls_by_participation/:dialogid`) */
  notify(dialogid: string, body: CallsNotifyBody, options?: RequestOptions): Promise<WithConnected<CallsReferAnswer>>;
  /** Sends a DTMF character to a party. (`SEND_DTMF /rest/v1/uc/calls_by_participation/:dialogid`) */
  sendDtmf(dialogid: string, body: CallsSendDtmfBody, options?: RequestOptions): Promise<WithConnected<CallsReferAnswer>>;
  /** Starts or stops the recording of a call. (`SETUP_RECORD /rest/v1/uc/calls_by_participation/:dialogid`) */
  setupRecord(dialogid: string, body: CallsSetupRecordBody, options?: RequestOptions): Promise<WithConnected<CallsReferAnswer>>;
  /** Starts or stops the transcription of a party's speech. (`SETUP_ASR /rest/v1/uc/calls_by_participation/:dialogid`) */
  setupAsr(dialogid: string, body: CallsSetupAsrBody, options?: RequestOptions): Promise<WithConnected<CallsReferAnswer>>;
  /** Adds and removes labels of a call. (`SETUP_BINDINGS /rest/v1/uc/calls_by_participation/:dialogid`) */
  setupBindings(dialogid: string, body: CallsSetupBindingsBody, options?: RequestOptions): Promise<WithConnected<CallsReferAnswer>>;
  /** Ends a call; does not wait for its end. (`DELETE /rest/v1/uc/calls_by_participation/:dialogid`) */
  delete(dialogid: string, options?: RequestOptions): Promise<WithConnected<CallsReferAnswer>>;
}

export interface RecordRulesCreateBody {
  /** Id of the new item; default: a generated one */
  readonly id?: string | undefined;
  /** Of the rules that match the one with the lowest number decides; only the 500 lowest rules of a domain count */
  readonly priority?: number | undefined;
  /** Direction of the call: `incoming` from a provider or another domain; `outgoing` to one of them; `inner` within the domain; empty: any */
  readonly dir?: '' | 'incoming' | 'inner' | 'outgoing' | undefined;
  /** Number of the caller; `*` stands for any characters; empty: any number */
  readonly fromnumber?: string | undefined;
  /** Number of the callee; `*` stands for any characters; empty: any number */
  readonly tonumber?: string | undefined;
  /** Other domain of the call, `*` for any characters; empty: only calls without another domain; `*`: all calls */
  readonly crossdomain?: string | undefined;
  /** 1: record the call; 0: do not. A call of two domains is recorded if the rules of either say so. A change applies to later calls */
  readonly rec?: 0 | 1 | undefined;
  /** Storage rule of the domain (`storagerules` of the topology): so long after its end a recording has a file; another id, or all zeros: until it is deleted. A change applies to later calls (chosen) */
  readonly storageruleid?: string | undefined;
  /** `all`: at any time; `work`: only within `periods` */
  readonly schedule?: 'all' | 'work' | undefined;
  /** Working hours, in the time zone of the SIP user of the domain that calls, else of the one that is called, else of the domain; empty: Monday to Friday, 09:00 to 18:00 */
  readonly periods?: readonly {
    /** Days of the week: 1 is Monday, 7 is Sunday */
    readonly days: readonly number[];
    /** Start, `hh:mm` */
    readonly from: string;
    /** End, `hh:mm` up to `24:00`; earlier than `from`: on the next day */
    readonly to: string | '24:00';
  }[] | undefined;
  /** Options */
  readonly opts?: {
    /** Title. Stored only: for people */
    readonly title?: string | undefined;
    /** Comment. Stored only: for people */
    readonly comment?: string | undefined;
  } | undefined;
}

export interface RecordRulesCreateAnswer {
  /** Id of the item, a uuid; never changes */
  readonly id: string;
  /** Of the rules that match the one with the lowest number decides; only the 500 lowest rules of a domain count */
  readonly priority: number;
  /** Direction of the call: `incoming` from a provider or another domain; `outgoing` to one of them; `inner` within the domain; empty: any */
  readonly dir: '' | 'incoming' | 'inner' | 'outgoing';
  /** Number of the caller; `*` stands for any characters; empty: any number */
  readonly fromnumber: string;
  /** Number of the callee; `*` stands for any characters; empty: any number */
  readonly tonumber: string;
  /** Other domain of the call, `*` for any characters; empty: only calls without another domain; `*`: all calls */
  readonly crossdomain: string;
  /** 1: record the call; 0: do not. A call of two domains is recorded if the rules of either say so. A change applies to later calls */
  readonly rec: 0 | 1;
  /** Storage rule of the domain (`storagerules` of the topology): so long after its end a recording has a file; another id, or all zeros: until it is deleted. A change applies to later calls (chosen) */
  readonly storageruleid: string;
  /** `all`: at any time; `work`: only within `periods` */
  readonly schedule: 'all' | 'work';
  /** Working hours, in the time zone of the SIP user of the domain that calls, else of the one that is called, else of the domain; empty: Monday to Friday, 09:00 to 18:00 */
  readonly periods: readonly {
    /** Days of the week: 1 is Monday, 7 is Sunday */
    readonly days: readonly number[];
    /** Start, `hh:mm` */
    readonly from: string;
    /** End, `hh:mm` up to `24:00`; earlier than `from`: on the next day */
    readonly to: string | '24:00';
  }[];
  /** Options */
  readonly opts: {
    /** Title. Stored only: for people */
    readonly title: string;
    /** Comment. Stored only: for people */
    readonly comment: string;
  };
  /** Set by the platform */
  readonly ext: {
    /** When the item was created, ISO 8601 UTC */
    readonly ct: string;
    /** When the item was last changed, ISO 8601 UTC; moves forward with each change */
    readonly lwt: string;
  };
}

export interface RecordRulesListItem {
  /** Id of the item, a uuid; never changes */
  readonly id: string;
  /** Of the rules that match the one with the lowest number decides; only the 500 lowest rules of a domain count */
  readonly priority: number;
  /** Direction of the call: `incoming` from a provider or another domain; `outgoing` to one of them; `inner` within the domain; empty: any */
  readonly dir: '' | 'incoming' | 'inner' | 'outgoing';
  /** Number of the caller; `*` stands for any characters; empty: any number */
  readonly fromnumber: string;
  /** Number of the callee; `*` stands for any characters; empty: any number */
  readonly tonumber: string;
  /** Other domain of the call, `*` for any characters; empty: only calls without another domain; `*`: all calls */
  readonly crossdomain: string;
  /** 1: record the call; 0: do not. A call of two domains is recorded if the rules of either say so. A change applies to later calls */
  readonly rec: 0 | 1;
  /** Storage rule of the domain (`storagerules` of the topology): so long after its end a recording has a file; another id, or all zeros: until it is deleted. A change applies to later calls (chosen) */
  readonly storageruleid: string;
  /** `all`: at any time; `work`: only within `periods` */
  readonly schedule: 'all' | 'work';
  /** Options */
  readonly opts: {
    /** Title. Stored only: for people */
    readonly title?: string | undefined;
    /** Comment. Stored only: for people */
    readonly comment?: string | undefined;
  };
  /** Set by the platform */
  readonly ext: {
    /** When the item was created, ISO 8601 UTC */
    readonly ct?: string | undefined;
    /** When the item was last changed, ISO 8601 UTC; moves forward with each change */
    readonly lwt?: string | undefined;
  };
}

export interface RecordRulesUpdateBody {
  /** Of the rules that match the one with the lowest number decides; only the 500 lowest rules of a domain count */
  readonly priority?: number | undefined;
  /** Direction of the call: `incoming` from a provider or another domain; `outgoing` to one of them; `inner` within the domain; empty: any */
  readonly dir?: '' | 'incoming' | 'inner' | 'outgoing' | undefined;
  /** Number of the caller; `*` stands for any characters; empty: any number */
  readonly fromnumber?: string | undefined;
  /** Number of the callee; `*` stands for any characters; empty: any number */
  readonly tonumber?: string | undefined;
  /** Other domain of the call, `*` for any characters; empty: only calls without another domain; `*`: all calls */
  readonly crossdomain?: string | undefined;
  /** 1: record the call; 0: do not. A call of two domains is recorded if the rules of either say so. A change applies to later calls */
  readonly rec?: 0 | 1 | undefined;
  /** Storage rule of the domain (`storagerules` of the topology): so long after its end a recording has a file; another id, or all zeros: until it is deleted. A change applies to later calls (chosen) */
  readonly storageruleid?: string | undefined;
  /** `all`: at any time; `work`: only within `periods` */
  readonly schedule?: 'all' | 'work' | undefined;
  /** Working hours, in the time zone of the SIP user of the domain that calls, else of the one that is called, else of the domain; empty: Monday to Friday, 09:00 to 18:00 */
  readonly periods?: readonly {
    /** Days of the week: 1 is Monday, 7 is Sunday */
    readonly days: readonly number[];
    /** Start, `hh:mm` */
    readonly from: string;
    /** End, `hh:mm` up to `24:00`; earlier than `from`: on the next day */
    readonly to: string | '24:00';
  }[] | undefined;
  /** Options */
  readonly opts?: {
    /** Title. Stored only: for people */
    readonly title?: string | undefined;
    /** Comment. Stored only: for people */
    readonly comment?: string | undefined;
  } | undefined;
}

export interface RecordRules {
  /** Makes a record rule; `id` may be given. (`POST /rest/v1/uc/recordrules`) */
  create(body: RecordRulesCreateBody, options?: RequestOptions): Promise<RecordRulesCreateAnswer>;
  /** Lists record rules, with a reduced set of fields. (`GET /rest/v1/uc/recordrules`) */
  list<M extends keyof RecordRulesListItem = keyof RecordRulesListItem>(query?: ListQuery<RecordRulesListItem, M>, options?: RequestOptions): Promise<readonly Pick<RecordRulesListItem, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<RecordRulesListItem> | undefined }, options?: RequestOptions): Promise<number>;
  /** Shows a record rule. (`GET /rest/v1/uc/recordrules/:id`) */
  get<M extends keyof RecordRulesCreateAnswer = keyof RecordRulesCreateAnswer>(id: string, query?: ItemQuery<M>, options?: RequestOptions): Promise<Pick<RecordRulesCreateAnswer, M>>;
  /** Changes a record rule: objects are merged, arrays replaced. (`PATCH /rest/v1/uc/recordrules/:id`) */
  update(id: string, body: RecordRulesUpdateBody, options?: RequestOptions): Promise<RecordRulesCreateAnswer>;
  /** Removes a record rule. (`DELETE /rest/v1/uc/recordrules/:id`) */
  delete(id: string, options?: RequestOptions): Promise<void>;
  /** Finds ids of record rules by `id`. (`LOOKUP /rest/v1/uc/recordrules`) */
  lookup(body: string, options?: RequestOptions): Promise<readonly string[]>;
}

export interface SipUserStatesItem {
  /** Id of the SIP user */
  readonly id: string;
  /** Login of the SIP user */
  readonly username: string;
  /** `online`: at least one device is registered; `offline`: none is */
  readonly status: 'online' | 'offline';
}

export interface SipUserStates {
  /** Lists the SIP users of the domain, `online` where a device is registered. (`GET /rest/v1/uc/sipuser_states`) */
  list<M extends keyof SipUserStatesItem = keyof SipUserStatesItem>(query?: ListQuery<SipUserStatesItem, M>, options?: RequestOptions): Promise<readonly Pick<SipUserStatesItem, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<SipUserStatesItem> | undefined }, options?: RequestOptions): Promise<number>;
  /** Shows whether a SIP user can be reached. (`GET /rest/v1/uc/sipuser_states/:id`) */
  get<M extends keyof SipUserStatesItem = keyof SipUserStatesItem>(id: string, query?: ItemQuery<M>, options?: RequestOptions): Promise<Pick<SipUserStatesItem, M>>;
  /** Drops the registrations of a SIP user; its devices may register again. (`DELETE /rest/v1/uc/sipuser_states/:id`) */
  delete(id: string, options?: RequestOptions): Promise<void>;
}

export interface SipUsersCreateBody {
  /** Id of the new item; default: a generated one */
  readonly id?: string | undefined;
  /** Name to show; called phones see it as the name of the caller */
  readonly name?: string | undefined;
  /** Name under which devices register: `sip:<login>@<domain>`; unique in the domain */
  readonly login: string;
  /** Password of the devices; shown to administrators only */
  readonly pwd: string;
  /** Number at which the user is called; unique in the domain; empty: none */
  readonly phonenumber?: string | undefined;
  /** 1: devices may register; 0: none may */
  readonly reg?: 0 | 1 | undefined;
  /** Devices that are registered now: `device`, `contact`, `useragent` where it is known, `expires` in seconds, `site` of the gate; what a client sends is ignored; absent where no sr is in reach */
  readonly devices?: readonly unknown[] | undefined;
  /** Id of the user who is bound to the account and sees its calls as own calls; all zeros: none */
  readonly iduser?: string | undefined;
  /** License */
  readonly lic?: {
    /** How many devices may be registered at a time */
    readonly devices?: number | undefined;
  } | undefined;
  /** Offset from UTC in hours, as a text: the time zone of the working hours of record rules for calls of the SIP user; `default`: that of the user who is bound to the account, else that of the domain */
  readonly timezone?: string | undefined;
  /** Options */
  readonly opts?: {
    /** Title. Stored only: for people */
    readonly title?: string | undefined;
    /** Comment. Stored only: for people */
    readonly comment?: string | undefined;
    /** Seconds that a device of the user may ring; 0: no limit of its own */
    readonly calltimesec?: number | undefined;
    /** Seconds that a call of the user may last, as set when it is answered; 0: no limit */
    readonly dlgtimesec?: number | undefined;
    /** Calls that the user may have at a time; -1: any number */
    readonly trunks?: number | undefined;
    /** Longest time of a registration, seconds */
    readonly maxexpires?: number | undefined;
    /** Shortest time of a registration, seconds */
    readonly minexpires?: number | undefined;
    /** Modifier of the number of a caller from a provider, as devices of the SIP user see it: rules `prefix/replacement`, separated by commas, of which the first with a prefix of the number applies; `X` stands for a digit; empty: none (chosen) */
    readonly modextin?: string | undefined;
    /** Modifier of a number that the SIP user dials, as a provider gets it: rules `prefix/replacement`, separated by commas, of which the first with a prefix of the number applies; `X` stands for a digit; empty: none (chosen) */
    readonly modextout?: string | undefined;
    /** Chassis of the analog gateway; empty: none. A SIP user with chassis, module and port is an analog line: one device, one call at a time */
    readonly agat_chassis_id?: string | undefined;
    /** Line module of the analog gateway; empty: none */
    readonly agat_lm_id?: string | undefined;
    /** Port of the line module; empty: none */
    readonly agat_port_id?: string | undefined;
  } | undefined;
}

export interface SipUsersCreateAnswer {
  /** Id of the item, a uuid; never changes */
  readonly id: string;
  /** Name to show; called phones see it as the name of the caller */
  readonly name: string;
  /** Name under which devices register: `sip:<login>@<domain>`; unique in the domain */
  readonly login: string;
  /** Password of the devices; shown to administrators only */
  readonly pwd?: string | undefined;
  /** Number at which the user is called; unique in the domain; empty: none */
  readonly phonenumber: string;
  /** 1: devices may register; 0: none may */
  readonly reg: 0 | 1;
  /** Devices that are registered now: `device`, `contact`, `useragent` where it is known, `expires` in seconds, `site` of the gate; what a client sends is ignored; absent where no sr is in reach */
  readonly devices?: readonly unknown[] | undefined;
  /** Id of the user who is bound to the account and sees its calls as own calls; all zeros: none */
  readonly iduser: string;
  /** License */
  readonly lic: {
    /** How many devices may be registered at a time */
    readonly devices: number;
  };
  /** Offset from UTC in hours, as a text: the time zone of the working hours of record rules for calls of the SIP user; `default`: that of the user who is bound to the account, else that of the domain */
  readonly timezone: string;
  /** Options */
  readonly opts: {
    /** Title. Stored only: for people */
    readonly title: string;
    /** Comment. Stored only: for people */
    readonly comment: string;
    /** Seconds that a device of the user may ring; 0: no limit of its own */
    readonly calltimesec: number;
    /** Seconds that a call of the user may last, as set when it is answered; 0: no limit */
    readonly dlgtimesec: number;
    /** Calls that the user may have at a time; -1: any number */
    readonly trunks: number;
    /** Longest time of a registration, seconds */
    readonly maxexpires: number;
    /** Shortest time of a registration, seconds */
    readonly minexpires: number;
    /** Modifier of the number of a caller from a provider, as devices of the SIP user see it: rules `prefix/replacement`, separated by commas, of which the first with a prefix of the number applies; `X` stands for a digit; empty: none (chosen) */
    readonly modextin: string;
    /** Modifier of a number that the SIP user dials, as a provider gets it: rules `prefix/replacement`, separated by commas, of which the first with a prefix of the number applies; `X` stands for a digit; empty: none (chosen) */
    readonly modextout: string;
    /** Chassis of the analog gateway; empty: none. A SIP user with chassis, module and port is an analog line: one device, one call at a time */
    readonly agat_chassis_id: string;
    /** Line module of the analog gateway; empty: none */
    readonly agat_lm_id: string;
    /** Port of the line module; empty: none */
    readonly agat_port_id: string;
  };
  /** Set by the platform */
  readonly ext: {
    /** When the item was created, ISO 8601 UTC */
    readonly ct: string;
    /** When the item was last changed, ISO 8601 UTC; moves forward with each change */
    readonly lwt: string;
  };
}

export interface SipUsersListItem {
  /** Id of the item, a uuid; never changes */
  readonly id: string;
  /** Name to show; called phones see it as the name of the caller */
  readonly name: string;
  /** Name under which devices register: `sip:<login>@<domain>`; unique in the domain */
  readonly login: string;
  /** Number at which the user is called; unique in the domain; empty: none */
  readonly phonenumber: string;
  /** 1: devices may register; 0: none may */
  readonly reg: 0 | 1;
  /** Id of the user who is bound to the account and sees its calls as own calls; all zeros: none */
  readonly iduser: string;
  /** Options */
  readonly opts: {
    /** Title. Stored only: for people */
    readonly title?: string | undefined;
    /** Comment. Stored only: for people */
    readonly comment?: string | undefined;
    /** Seconds that a device of the user may ring; 0: no limit of its own */
    readonly calltimesec?: number | undefined;
    /** Seconds that a call of the user may last, as set when it is answered; 0: no limit */
    readonly dlgtimesec?: number | undefined;
    /** Calls that the user may have at a time; -1: any number */
    readonly trunks?: number | undefined;
    /** Longest time of a registration, seconds */
    readonly maxexpires?: number | undefined;
    /** Shortest time of a registration, seconds */
    readonly minexpires?: number | undefined;
    /** Modifier of the number of a caller from a provider, as devices of the SIP user see it: rules `prefix/replacement`, separated by commas, of which the first with a prefix of the number applies; `X` stands for a digit; empty: none (chosen) */
    readonly modextin?: string | undefined;
    /** Modifier of a number that the SIP user dials, as a provider gets it: rules `prefix/replacement`, separated by commas, of which the first with a prefix of the number applies; `X` stands for a digit; empty: none (chosen) */
    readonly modextout?: string | undefined;
    /** Chassis of the analog gateway; empty: none. A SIP user with chassis, module and port is an analog line: one device, one call at a time */
    readonly agat_chassis_id?: string | undefined;
    /** Line module of the analog gateway; empty: none */
    readonly agat_lm_id?: string | undefined;
    /** Port of the line module; empty: none */
    readonly agat_port_id?: string | undefined;
  };
  /** Set by the platform */
  readonly ext: {
    /** When the item was created, ISO 8601 UTC */
    readonly ct?: string | undefined;
    /** When the item was last changed, ISO 8601 UTC; moves forward with each change */
    readonly lwt?: string | undefined;
  };
}

export interface SipUsersUpdateBody {
  /** Name to show; called phones see it as the name of the caller */
  readonly name?: string | undefined;
  /** Name under which devices register: `sip:<login>@<domain>`; unique in the domain */
  readonly login?: string | undefined;
  /** Password of the devices; shown to administrators only */
  readonly pwd?: string | undefined;
  /** Number at which the user is called; unique in the domain; empty: none */
  readonly phonenumber?: string | undefined;
  /** 1: devices may register; 0: none may */
  readonly reg?: 0 | 1 | undefined;
  /** Devices that are registered now: `device`, `contact`, `useragent` where it is known, `expires` in seconds, `site` of the gate; what a client sends is ignored; absent where no sr is in reach */
  readonly devices?: readonly unknown[] | undefined;
  /** Id of the user who is bound to the account and sees its calls as own calls; all zeros: none */
  readonly iduser?: string | undefined;
  /** License */
  readonly lic?: {
    /** How many devices may be registered at a time */
    readonly devices?: number | undefined;
  } | undefined;
  /** Offset from UTC in hours, as a text: the time zone of the working hours of record rules for calls of the SIP user; `default`: that of the user who is bound to the account, else that of the domain */
  readonly timezone?: string | undefined;
  /** Options */
  readonly opts?: {
    /** Title. Stored only: for people */
    readonly title?: string | undefined;
    /** Comment. Stored only: for people */
    readonly comment?: string | undefined;
    /** Seconds that a device of the user may ring; 0: no limit of its own */
    readonly calltimesec?: number | undefined;
    /** Seconds that a call of the user may last, as set when it is answered; 0: no limit */
    readonly dlgtimesec?: number | undefined;
    /** Calls that the user may have at a time; -1: any number */
    readonly trunks?: number | undefined;
    /** Longest time of a registration, seconds */
    readonly maxexpires?: number | undefined;
    /** Shortest time of a registration, seconds */
    readonly minexpires?: number | undefined;
    /** Modifier of the number of a caller from a provider, as devices of the SIP user see it: rules `prefix/replacement`, separated by commas, of which the first with a prefix of the number applies; `X` stands for a digit; empty: none (chosen) */
    readonly modextin?: string | undefined;
    /** Modifier of a number that the SIP user dials, as a provider gets it: rules `prefix/replacement`, separated by commas, of which the first with a prefix of the number applies; `X` stands for a digit; empty: none (chosen) */
    readonly modextout?: string | undefined;
    /** Chassis of the analog gateway; empty: none. A SIP user with chassis, module and port is an analog line: one device, one call at a time */
    readonly agat_chassis_id?: string | undefined;
    /** Line module of the analog gateway; empty: none */
    readonly agat_lm_id?: string | undefined;
    /** Port of the line module; empty: none */
    readonly agat_port_id?: string | undefined;
  } | undefined;
}

export interface SipUsers {
  /** Makes a SIP user; `id` may be given. (`POST /rest/v1/uc/sipusers`) */
  create(body: SipUsersCreateBody, options?: RequestOptions): Promise<SipUsersCreateAnswer>;
  /** Lists SIP users, with a reduced set of fields. (`GET /rest/v1/uc/sipusers`) */
  list<M extends keyof SipUsersListItem = keyof SipUsersListItem>(query?: ListQuery<SipUsersListItem, M>, options?: RequestOptions): Promise<readonly Pick<SipUsersListItem, M>[]>;
  /** How many items a filter selects. */
  count(query?: { readonly filter?: Filter<SipUsersListItem> | undefined }, options?: RequestOptions): Promise<number>;
  /** Shows a SIP user. (`GET /rest/v1/uc/sipusers/:id`) */
  get<M extends keyof SipUsersCreateAnswer = keyof SipUsersCreateAnswer>(id: string, query?: ItemQuery<M>, options?: RequestOptions): Promise<Pick<SipUsersCreateAnswer, M>>;
  /** Changes a SIP user: objects are merged, arrays replaced. (`PATCH /rest/v1/uc/sipusers/:id`) */
  update(id: string, body: SipUsersUpdateBody, options?: RequestOptions): Promise<SipUsersCreateAnswer>;
  /** Removes a SIP user. (`DELETE /rest/v1/uc/sipusers/:id`) */
  delete(id: string, options?: RequestOptions): Promise<void>;
  /** Finds ids of SIP users by `id` or `login` or `phonenumber`. (`LOOKUP /rest/v1/uc/sipusers`) */
  lookup(body: string, options?: RequestOptions): Promise<readonly string[]>;
}
