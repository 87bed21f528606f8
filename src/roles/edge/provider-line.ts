/**
 * What an account says to its provider by SIP: REGISTER, un-REGISTER, OPTIONS. A provider may have several addresses;
 * the account stays at the first that has registered it.
 */
import { credentialsFor } from '../../model/sip/digest.ts';
import type { Challenge, SipResponse } from '../../model/sip/message.ts';
import { sipUri } from '../../model/sip/uri.ts';
import type { TopologyProvider } from '../../model/topology/schema.ts';
import type { UserAgent } from '../../runtime/sip/user-agent.ts';

export interface ProviderLineOptions {
  readonly provider: TopologyProvider;
  readonly agent: UserAgent;
  /** Where the provider reaches this esg. */
  readonly endpoint: string;
}

interface Sending {
  /** Seconds that a registration shall last; absent: it is none. */
  readonly expires?: number;
  readonly withCredentials: boolean;
  readonly timeoutMs: number;
  readonly onAnswer: (response: SipResponse) => void;
  readonly onSilence?: () => void;
}

const wantedSeconds = 3_600;
/** Longer than its machine waits, so that no answer is made up for one that did not come. */
const registerMs = 40_000;
const unregisterMs = 4_000;
const optionsMs = 5_000;

export class ProviderLine {
  readonly #options: ProviderLineOptions;
  #address = 0;
  #hasTried = false;
  #isRegistered = false;
  /** REGISTERs of one account are of one Call-Id, counted. */
  #callid: string | undefined;
  #cseq = 0;
  #round = 0;
  #challenge: Challenge | undefined;

  constructor(options: ProviderLineOptions) {
    this.#options = options;
  }

  /** Where the provider is reached; `undefined` where it has no address. */
  get endpoint(): string | undefined {
    const { addrs, port } = this.#options.provider;
    const address = addrs[this.#address];
    return address === undefined ? undefined : `${address}:${port}`;
  }

  /** Registers. `onAnswer` hears the answer to this REGISTER, unless another one has gone out since. */
  register(withCredentials: boolean, onAnswer: (response: SipResponse) => void): void {
    if (!withCredentials) this.#chooseAddress();
    this.#round += 1;
    const round = this.#round;
    this.#send('REGISTER', {
      expires: wantedSeconds,
      withCredentials,
      timeoutMs: registerMs,
      onAnswer: (response) => {
        if (round !== this.#round) return;
        if (response.status < 300) this.#isRegistered = true;
        onAnswer(response);
      },
    });
  }

  /** Takes the registration back; `onEnd` hears that it is over, whatever the provider said. */
  unregister(onEnd: () => void, withCredentials = false): void {
    this.#round += 1;
    this.#send('REGISTER', {
      expires: 0,
      withCredentials,
      timeoutMs: unregisterMs,
      onAnswer: ({ challenge }) => {
        if (challenge === undefined || withCredentials) onEnd();
        else this.unregister(onEnd, true);
      },
      onSilence: onEnd,
    });
  }

  /** Asks whether the provider is there. `onAnswer` hears any final answer. */
  check(onAnswer: () => void): void {
    this.#send('OPTIONS', { withCredentials: false, timeoutMs: optionsMs, onAnswer });
  }

  /** The next address, where the last attempt to register has failed. */
  #chooseAddress(): void {
    if (this.#hasTried && !this.#isRegistered) {
      this.#address = (this.#address + 1) % Math.max(1, this.#options.provider.addrs.length);
    }
    this.#hasTried = true;
    this.#isRegistered = false;
  }

  #send(method: 'REGISTER' | 'OPTIONS', { expires, withCredentials, timeoutMs, onAnswer, onSilence }: Sending): void {
    const { provider, agent, endpoint: own } = this.#options;
    const { username, domain, pwd } = provider;
    const hop = this.endpoint;
    if (hop === undefined) return onSilence?.();
    const uri = `sip:${domain}`;
    const from = { uri: sipUri(username, domain) };
    const isRegister = expires !== undefined;
    if (isRegister) this.#cseq += 1;
    const registering = isRegister ? { expires, contact: sipUri(username, own), cseq: this.#cseq } : {};
    const callid = isRegister && this.#callid !== undefined ? { callid: this.#callid } : {};
    const credentials =
      withCredentials && this.#challenge !== undefined
        ? { credentials: credentialsFor({ username, pwd }, this.#challenge, { method, uri }) }
        : {};
    const to = isRegister ? from : { uri };
    agent.request({ method, uri, from, to, timeoutMs, ...registering, ...callid, ...credentials }, hop, (response) => {
      // The agent makes up a 408 where nothing has come.
      if (response.status === 408) return onSilence?.();
      if (isRegister) this.#callid = response.callid;
      this.#challenge = response.challenge ?? this.#challenge;
      onAnswer(response);
    });
  }
}
