/** Sends HTTP requests of scripts to other systems. Real in a served cluster; in a virtual world a stub that its test answers. */
export interface HttpClient {
  /** Resolves with the answer or with what went wrong. Never rejects. Redirections are answers. */
  send(request: ClientRequest): Promise<ClientAnswer>;
}

export interface ClientRequest {
  readonly method: string;
  /** `http:` or `https:`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
}

export type ClientAnswer =
  | {
      readonly ok: true;
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    }
  /** `isDefinite`: the request certainly did not arrive. */
  | { readonly ok: false; readonly problem: string; readonly isDefinite: boolean };
