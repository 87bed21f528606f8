/** A web socket of a client in the process of the cluster: the events and methods of the standard `WebSocket`. */
import type { VirtualSocket } from '../../world/virtual/virtual-socket.ts';
import type { RecordedWorld } from '../recorded/recorded-world.ts';

export interface SocketAddress {
  readonly site: string;
  readonly target: string;
  readonly headers: [string, string][];
}

const [connecting, open, closing, closed] = [0, 1, 2, 3];

export class ClusterSocket extends EventTarget {
  readonly url: string;
  readyState = connecting;
  readonly #recorded: RecordedWorld;
  readonly #number: number;

  /** @internal */
  constructor(recorded: RecordedWorld, { site, target, headers }: SocketAddress) {
    super();
    this.url = `ws://${site}.virtual${target}`;
    this.#recorded = recorded;
    this.#number = recorded.nextSocket();
    const opening = recorded.openSocket({ do: 'open', socket: this.#number, site, target, headers });
    opening.then(
      (answer) => this.#opened(answer),
      (error: unknown) => this.#refused(String(error)),
    );
  }

  send(text: string): void {
    if (this.readyState === connecting) throw new Error('the web socket is not open yet');
    if (this.readyState === open) void this.#recorded.sendText({ do: 'send', socket: this.#number, text });
  }

  close(): void {
    if (this.readyState >= closing) return;
    this.readyState = closing;
    void this.#recorded.enter<'close'>({ do: 'close', socket: this.#number });
  }

  #opened(answer: VirtualSocket | Response): void {
    if (answer instanceof Response) return this.#refused(`the handshake was answered ${answer.status}`);
    answer.listen({
      message: (text) => this.#emit(new MessageEvent('message', { data: text })),
      end: ({ code, reason }) => this.#close(code, reason),
    });
    this.readyState = open;
    this.#emit(new Event('open'));
  }

  #refused(message: string): void {
    this.#emit(Object.assign(new Event('error'), { message }));
    this.#close(1006, '');
  }

  #close(code: number, reason: string): void {
    this.readyState = closed;
    this.#emit(Object.assign(new Event('close'), { code, reason, wasClean: code !== 1006 }));
  }

  /** Listeners run between two events of the world, so that what they do is an input of its own. */
  #emit(event: Event): void {
    this.#recorded.world.time.soon(() => this.dispatchEvent(event));
  }
}
