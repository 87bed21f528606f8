/** A provider that registers accounts as providers do, and keeps what it was asked. */
import { matches } from '../../../src/model/sip/digest.ts';
import { responseTo, type SipRequest, type SipResponse } from '../../../src/model/sip/message.ts';
import { userOf } from '../../../src/model/sip/uri.ts';
import type { Outside } from '../../../src/ports/outside.ts';
import { ScriptedEndpoint } from './outside.ts';

export interface ProviderHabits {
  readonly pwd?: string;
  /** Seconds that it grants; default: what is asked for. */
  readonly grants?: number;
  /** Status with which it refuses every REGISTER. */
  readonly refuses?: number;
  readonly isSilent?: boolean;
}

export class TestProvider {
  habits: ProviderHabits;
  readonly endpoint: ScriptedEndpoint;
  /** Contacts by user name. */
  readonly registered = new Map<string, string>();

  constructor(outside: Outside, endpoint: string, habits: ProviderHabits = {}) {
    this.habits = habits;
    this.endpoint = new ScriptedEndpoint(outside, endpoint, (request) => this.#answer(request));
  }

  /** The requests that are no calls, as `METHOD user expires`. */
  get asked(): string[] {
    return this.endpoint.requests
      .filter(({ method }) => method === 'REGISTER' || method === 'OPTIONS')
      .map(({ method, from, expires }) =>
        [method, userOf(from.uri), expires].filter((each) => each !== undefined).join(' '),
      );
  }

  #answer(request: SipRequest): SipResponse | undefined {
    const { pwd = 'secret', grants, refuses, isSilent = false } = this.habits;
    if (isSilent) return undefined;
    if (request.method === 'OPTIONS') return responseTo(request, 200);
    if (request.method !== 'REGISTER') return undefined;
    if (refuses !== undefined) return responseTo(request, refuses);
    const { credentials, contact = '', expires = 0 } = request;
    const user = userOf(request.from.uri);
    if (credentials === undefined) {
      return responseTo(request, 401, { challenge: { realm: 'sip.telecom.test', nonce: 'n' } });
    }
    if (credentials.username !== user || !matches(credentials, 'REGISTER', pwd)) return responseTo(request, 403);
    if (expires > 0) this.registered.set(user, contact);
    else if (this.registered.get(user) === contact) this.registered.delete(user);
    return responseTo(request, 200, { expires: Math.min(expires, grants ?? expires), contact });
  }
}
