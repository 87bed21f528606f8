// Generated from src/http/routes by `npm run docs`.
import type { RequestOptions } from '../../requests.ts';

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
