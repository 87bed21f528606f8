/** The requests of all clients at the fronts, with the positions of their calls and returns in the order of the run. */
import type { ObservationListeners } from '../../oracle.ts';
import { jsonIn } from './reading.ts';

export interface ObservedRequest {
  readonly id: number;
  /** The session, or empty. */
  readonly client: string;
  /** The domain to which the session is bound; `undefined` if that is not certain. */
  readonly domain: string | undefined;
  readonly site: string;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Its body: JSON if it is, else `undefined`. */
  readonly sent: unknown;
  /** The text of its body. */
  readonly sentText: string | undefined;
  readonly ifMatch: string | undefined;
  readonly calledAt: number;
  readonly calledMs: number;
}

export interface ObservedAnswer {
  readonly status: number;
  readonly body: unknown;
  /** The text of its body. */
  readonly text: string | undefined;
  /** Seconds by which the copy that answered may be behind; `undefined`: the master answered. */
  readonly ageS: number | undefined;
  /** The sites that did not answer. */
  readonly missing: string | undefined;
  readonly etag: string | undefined;
  readonly returnedAt: number;
  readonly returnedMs: number;
}

const sessions = '/rest/v1/iam/sessions';

/** `onAnswer` is called with each definite answer, `onSilence` with each indefinite one: it may have happened. */
export class ClientRequests {
  readonly #open = new Map<number, ObservedRequest>();
  /** The domains of sessions; a session whose change had no definite answer is missing. */
  readonly #domains = new Map<string, string>();
  /** The logins of sessions. */
  readonly #logins = new Map<string, string>();
  #position = 0;
  readonly listeners: ObservationListeners;

  constructor(
    isWanted: (method: string, path: string) => boolean = () => false,
    onAnswer: (request: ObservedRequest, answer: ObservedAnswer) => void = () => {},
    onSilence: (request: ObservedRequest) => void = () => {},
  ) {
    this.listeners = {
      'request.received': ({ id, site, method, target, client, sent, ifMatch, atMs }) => {
        const [path = '', search = ''] = splitAt(target, '?');
        if (!path.startsWith(sessions) && !isWanted(method, path)) return;
        this.#position += 1;
        const domain = this.#domains.get(client);
        if (path === `${sessions}/current` && method === 'PATCH') this.#domains.delete(client);
        const query = new URLSearchParams(search);
        const about = {
          id,
          client,
          domain,
          site,
          method,
          path,
          query,
          sent: jsonIn(sent),
          sentText: sent,
          ifMatch,
        };
        this.#open.set(id, { ...about, calledAt: this.#position, calledMs: atMs });
      },
      'request.answered': ({ id, status, body, ageS, missing, etag, atMs }) => {
        const request = this.#open.get(id);
        if (request === undefined) return;
        this.#open.delete(id);
        this.#position += 1;
        if (!isDefinite(status)) return onSilence(request);
        const answer = {
          status,
          body: jsonIn(body),
          text: body,
          ageS,
          missing,
          etag,
          returnedAt: this.#position,
          returnedMs: atMs,
        };
        if (request.path.startsWith(sessions)) this.#noteSession(request, answer);
        return onAnswer(request, answer);
      },
    };
  }

  /** The domain to which a session is bound; `undefined` if that is not certain. */
  domainOf(client: string): string | undefined {
    return this.#domains.get(client);
  }

  /** The login that has opened a session; `undefined` if that is not known. */
  loginOf(client: string): string | undefined {
    return this.#logins.get(client);
  }

  /** The requests without an answer so far. */
  get open(): Iterable<ObservedRequest> {
    return this.#open.values();
  }

  #noteSession({ method, path, sent, client, domain }: ObservedRequest, { status, body }: ObservedAnswer): void {
    const token = textIn(body, 'session_token');
    const named = textIn(sent, 'domain');
    if (method === 'POST' && path === sessions && token !== undefined && named !== undefined) {
      this.#domains.set(token, named);
      this.#logins.set(token, textIn(sent, 'login') ?? '');
    }
    if (method !== 'PATCH') return;
    const now = status < 300 ? named : domain;
    if (now !== undefined) this.#domains.set(client, now);
  }
}

/** A front that ended (0), a bug (500) and a time-out (504) leave open whether it happened. */
function isDefinite(status: number): boolean {
  return status !== 0 && status !== 500 && status !== 504;
}

function splitAt(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function textIn(body: unknown, name: string): string | undefined {
  const value = typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}
