/**
 * A proxy for the link from one node to another, between their processes. It is a real network that fails: a cut stops the bytes of a
 * direction, as lost packets do, and what was under way arrives when the cut ends; a broken half resets one of the two connections.
 */
import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import type { NodeEntry } from '../../src/model/cluster/cluster-map.ts';
import type { TrafficRules } from '../faults/rules.ts';

export interface LinkProxyOptions {
  /** The node that dials. */
  readonly from: NodeEntry;
  readonly to: NodeEntry;
  /** Where `to` listens. */
  readonly port: number;
  readonly rules: TrafficRules;
}

interface Half {
  readonly sender: NodeEntry;
  readonly receiver: NodeEntry;
  readonly source: Socket;
  readonly target: Socket;
  readonly waiting: Buffer[];
  /** Its source has ended; the target learns of it when bytes pass again. */
  isEnded: boolean;
  /** Its source was reset, and the target never learns of it. */
  isBroken: boolean;
}

const host = '127.0.0.1';

export class LinkProxy {
  readonly #options: LinkProxyOptions;
  readonly #server: Server;
  readonly #halves = new Set<Half>();
  readonly #stopListening: () => void;

  constructor(options: LinkProxyOptions) {
    this.#options = options;
    this.#server = createServer((socket) => this.#accept(socket));
    this.#stopListening = options.rules.onLifted(() => {
      for (const half of this.#halves) this.#flush(half);
    });
  }

  /** The names of its nodes: the one that dials first. */
  get ends(): readonly [from: string, to: string] {
    return [this.#options.from.name, this.#options.to.name];
  }

  /** Listens on a free port of this machine. */
  open(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(0, host, () => resolve((this.#server.address() as { port: number }).port));
    });
  }

  /**
   * Resets the connections of one node. The other one does not notice: what it sends gets lost until it gives the connection up, or the
   * returned function is called.
   */
  breakHalf(node: string): () => void {
    const broken = [...this.#halves].filter(({ sender }) => sender.name === node);
    for (const half of broken) {
      half.isBroken = true;
      half.source.resetAndDestroy();
    }
    return () => {
      for (const { target } of broken) target.destroy();
    };
  }

  close(): void {
    this.#stopListening();
    this.#server.close();
    for (const { source } of this.#halves) source.destroy();
  }

  #accept(near: Socket): void {
    const { from, to, port } = this.#options;
    const far = dial(port, host);
    const whole = { isEnded: false, isBroken: false };
    this.#relay({ sender: from, receiver: to, source: near, target: far, waiting: [], ...whole });
    this.#relay({ sender: to, receiver: from, source: far, target: near, waiting: [], ...whole });
  }

  #relay(half: Half): void {
    this.#halves.add(half);
    const { source } = half;
    source.setNoDelay(true);
    source.on('data', (bytes: Buffer) => {
      half.waiting.push(bytes);
      this.#flush(half);
    });
    // A reset is an end like any other here: the other side learns of it as soon as bytes pass.
    source.on('error', () => {});
    source.once('close', () => {
      half.isEnded = true;
      if (half.isBroken) this.#halves.delete(half);
      else this.#flush(half);
    });
  }

  /** Passes on what waits, unless a rule stops it. */
  #flush(half: Half): void {
    const { sender, receiver, source, target, waiting } = half;
    const { isDropped, isHeld, afterMs } = this.#options.rules.judge(sender, receiver, '');
    if (isDropped || isHeld) {
      source.pause();
      return;
    }
    source.resume();
    const bytes = waiting.splice(0);
    const { isEnded } = half;
    const pass = () => {
      if (!target.destroyed && bytes.length > 0) target.write(Buffer.concat(bytes));
      if (!isEnded) return;
      this.#halves.delete(half);
      target.destroy();
    };
    if (afterMs === 0) pass();
    else setTimeout(pass, afterMs);
  }
}
