// Generated from src/http/routes by `npm run docs`.
import type { CallsCreateAnswer } from './calls.ts';
import type { CallsCreateBody } from './calls.ts';
import type { CallsInvitebyivrBody } from './calls.ts';
import type { CallsItem } from './calls.ts';
import type { CallsLookupBody } from './calls.ts';
import type { CallsNotifyBody } from './calls.ts';
import type { CallsReferAnswer } from './calls.ts';
import type { CallsReferBody } from './calls.ts';
import type { CallsReferConfBody } from './calls.ts';
import type { CallsReferReplacesBody } from './calls.ts';
import type { CallsSendDtmfBody } from './calls.ts';
import type { CallsSetupAsrBody } from './calls.ts';
import type { CallsSetupBindingsBody } from './calls.ts';
import type { CallsSetupRecordBody } from './calls.ts';
import type { CallsSwitchConfBody } from './calls.ts';
import type { Filter, ItemQuery, ListQuery, RequestOptions, WithConnected } from '../../requests.ts';

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
