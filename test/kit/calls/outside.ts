/** The world outside in memory: endpoints on a clock, a few milliseconds apart; a test sees and decides what arrives. */
import {
  responseTo,
  type SipMessage,
  type SipMethod,
  type SipRequest,
  type SipResponse,
} from '../../../src/model/sip/message.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { Outside, OutsideLine } from '../../../src/ports/outside.ts';

export class MemoryOutside implements Outside {
  /** All that was sent, in order. */
  readonly sent: { readonly from: string; readonly to: string; readonly message: SipMessage }[] = [];
  readonly #clock: Clock;
  readonly #delayMs: number;
  readonly #lines = new Map<string, (message: SipMessage, from: string) => void>();
  /** Endpoints that nothing reaches. */
  readonly deaf = new Set<string>();

  constructor(clock: Clock, delayMs = 5) {
    this.#clock = clock;
    this.#delayMs = delayMs;
  }

  attach(endpoint: string, received: (message: SipMessage, from: string) => void): OutsideLine {
    this.#lines.set(endpoint, received);
    const send = (to: string, message: SipMessage) => {
      this.sent.push({ from: endpoint, to, message });
      this.#clock.setTimer(this.#delayMs, () => {
        // As over a wire: each receiver gets a copy.
        if (!this.deaf.has(to)) this.#lines.get(to)?.(structuredClone(message), endpoint);
      });
    };
    const detach = () => {
      if (this.#lines.get(endpoint) === received) this.#lines.delete(endpoint);
    };
    return { send, detach };
  }

  isTaken(endpoint: string): boolean {
    return this.#lines.has(endpoint);
  }
}

/** A SIP endpoint outside the cluster that sends what a test asks for, and keeps what it receives. */
export class ScriptedEndpoint {
  readonly endpoint: string;
  readonly heard: SipMessage[] = [];
  readonly #line: OutsideLine;

  /** `answer`: what it does with a request by itself. */
  constructor(
    outside: Outside,
    endpoint: string,
    answer: (request: SipRequest) => SipResponse | undefined = () => undefined,
  ) {
    this.endpoint = endpoint;
    this.#line = outside.attach(endpoint, (message, from) => {
      this.heard.push(message);
      const reply = message.kind === 'request' ? answer(message) : undefined;
      if (reply !== undefined) this.#line.send(from, reply);
    });
  }

  send(to: string, message: SipMessage): void {
    this.#line.send(to, message);
  }

  /** Sends a request of its own. */
  ask(to: string, method: SipMethod, more: Partial<SipRequest> = {}): SipRequest {
    const request = requestOf(method, { via: [this.endpoint], ...more });
    this.#line.send(to, request);
    return request;
  }

  /** Answers a request that it has received, to the address of the topmost Via. */
  reply(request: SipRequest, status: number, more: Partial<SipResponse> = {}): void {
    this.#line.send(request.via[0] as string, responseTo(request, status, more));
  }

  get requests(): SipRequest[] {
    return this.heard.filter((message): message is SipRequest => message.kind === 'request');
  }

  get responses(): SipResponse[] {
    return this.heard.filter((message): message is SipResponse => message.kind === 'response');
  }
}

/** A request with everything that one must have. */
export function requestOf(method: SipMethod, more: Partial<SipRequest> = {}): SipRequest {
  return {
    kind: 'request',
    uri: 'sip:1002@acme.root.test',
    maxForwards: 70,
    callid: 'call-1',
    from: { uri: 'sip:1001@acme.root.test', tag: 'f' },
    to: { uri: 'sip:1002@acme.root.test' },
    cseq: 1,
    method,
    via: [],
    ...more,
  };
}
