// Generated from src/http/routes by `npm run docs`.
import type { RequestOptions } from '../operation-types.ts';

export interface IamExternalGetAnswer {
  /** Fields of the step */
  readonly fields: readonly {
    /** Name of the field */
    readonly name: string;
    /** `hidden`: not shown, and sent back; `line`: a text input */
    readonly type: string;
    /** Title of the field */
    readonly title?: string | undefined;
    /** Value; `{from: {step: n}}` is what was entered at that step */
    readonly value?: unknown | undefined;
  }[];
}

export type IamExternalCreateBody = Readonly<Record<string, unknown>>;

export interface IamExternalCreateAnswer {
  /** Whether the step was accepted */
  readonly success: boolean;
  /** Whether authentication is complete: then the cookie of the session is set */
  readonly complete: boolean;
  /** The next step */
  readonly next_step?: unknown | undefined;
  /** Fields of the next step, or those of the step that is repeated */
  readonly fields?: readonly {
    /** Name of the field */
    readonly name: string;
    /** `hidden`: not shown, and sent back; `line`: a text input */
    readonly type: string;
    /** Title of the field */
    readonly title?: string | undefined;
    /** Value; `{from: {step: n}}` is what was entered at that step */
    readonly value?: unknown | undefined;
  }[] | undefined;
  /** Address of the main application */
  readonly location?: string | undefined;
  /** Why it was refused */
  readonly message?: string | undefined;
}

export interface IamExternal {
  /** Returns the fields of a step of external authentication. 404 where the domain has no script for it. (`GET /rest/v1/iam/external`) */
  get(query?: { readonly step?: string | undefined; readonly domain?: string | undefined }, options?: RequestOptions): Promise<IamExternalGetAnswer>;
  /** Submits a step of external authentication: the next step, a session, or a refusal. (`POST /rest/v1/iam/external`) */
  create(body: IamExternalCreateBody, options?: RequestOptions): Promise<IamExternalCreateAnswer>;
}

export type SessionsLogInBody = {
  /** Domain of the user, such as `acme.root.test` */
  readonly domain: string;
  /** Login of the user */
  readonly login: string;
  /** Password of the user */
  readonly pwd: string;
  /** `token`: answer a session token; absent: set the cookie `RSession` */
  readonly session_type?: 'token' | undefined;
} | {
  /** Ignored */
  readonly domain?: unknown | undefined;
  /** Ignored */
  readonly login?: unknown | undefined;
  /** Ignored */
  readonly pwd?: unknown | undefined;
  /** Opens a token session for the user of the session in the cookie `RSession`; needs no credentials */
  readonly session_type: 'token_clone_cookie';
} | {
  /** Token of another system, which the script `iam_token_svcscript_code` of the master domain verifies */
  readonly external_token: string;
  /** Ignored */
  readonly domain?: unknown | undefined;
  /** Ignored */
  readonly login?: unknown | undefined;
  /** Ignored */
  readonly pwd?: unknown | undefined;
  /** `token`: answer a session token; absent: set the cookie `RSession` */
  readonly session_type?: 'token' | undefined;
};

export interface SessionsLogInAnswer {
  /** Token for the header `Authorization: Bearer <session_token>` */
  readonly session_token: string;
}

export interface SessionsCurrentAnswer {
  /** Domain to which the session is bound */
  readonly domain: string;
  /** Whether that is the master domain */
  readonly domain_is_master: boolean;
  /** Domains to which PATCH can bind the session without a new login */
  readonly domains: readonly {
    /** Name of the domain */
    readonly domain: string;
    /** Whether it is the master domain */
    readonly is_master: boolean;
  }[];
  /** Login of the user */
  readonly login: string;
  /** Display name of the user */
  readonly name: string;
  /** Name and login in one text */
  readonly name_login: string;
  /** Access roles of the user in this domain */
  readonly roles: readonly string[];
  /** Solution type of the domain; selects the user-interface metadata */
  readonly solution: string;
  /** Tags of the user */
  readonly tags: readonly string[];
  /** Id of the user */
  readonly user_id: string;
  /** Web applications that the user may start; further fields come from the metadata of the application */
  readonly webapps: readonly {
    /** Name of the application */
    readonly name: string;
    /** What the application is for */
    readonly description?: string | undefined;
    /** Position among the applications, ascending */
    readonly order?: number | undefined;
    /** URL of the icon */
    readonly icon?: string | undefined;
    /** Access roles for which the application is open */
    readonly roles: readonly string[];
    /** URL that starts the application */
    readonly url?: string | undefined;
  }[];
}

export interface SessionsSwitchDomainBody {
  /** Domain to bind the session to: one of `domains` of the session */
  readonly domain: string;
}

export interface Sessions {
  /** Logs in. 5 failures within 3 minutes ban the address. (`POST /rest/v1/iam/sessions`) */
  logIn(body: SessionsLogInBody, options?: RequestOptions): Promise<SessionsLogInAnswer | undefined>;
  /** Describes the session and what it may do. (`GET /rest/v1/iam/sessions/current`) */
  current(options?: RequestOptions): Promise<SessionsCurrentAnswer>;
  /** Binds the session to another of its domains. (`PATCH /rest/v1/iam/sessions/current`) */
  switchDomain(body: SessionsSwitchDomainBody, options?: RequestOptions): Promise<void>;
  /** Logs out. (`DELETE /rest/v1/iam/sessions/current`) */
  logOut(options?: RequestOptions): Promise<void>;
}
