// Generated from src/http/routes by `npm run docs`.
import type { Content, Filter, ItemQuery, ListQuery, RequestOptions } from '../../requests.ts';

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
