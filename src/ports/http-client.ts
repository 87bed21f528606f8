/** Sends HTTP requests of scripts to other systems. Real in a served cluster; in a virtual world a stub that its test answers. */
export interface HttpClient {
  /** Resolves with the answer or with what went wrong. Never rejects. Redirections are answers. */
  send(request: ClientRequest, delivery: Delivery): Promise<ClientAnswer>;
}

/** The effect that a request belongs to: the same for each attempt, after a failover too. */
export interface Delivery {
  /** The idempotency key. */
  readonly key: string;
  readonly domain: string;
  readonly run: string;
  readonly script: string;
  readonly component: string;
  /** Whether it may be performed again when a failover leaves its outcome open. */
  readonly isRepeatable: boolean;
  /** The headers of the signature at a time; empty without a secret. */
  readonly signature: (nowMs: number) => Readonly<Record<string, string>>;
}

export interface ClientRequest {
  readonly method: string;
  /** `http:` or `https:`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
  /** The connection breaks in the middle of the body. Only a simulation asks for it. */
  readonly isHalf?: boolean;
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
