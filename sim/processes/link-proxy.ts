/**
 * A proxy for the link from one node to another, between their processes. It is a real network that fails: a cut stops the bytes of a
 * direction, as lost packets do, and what was under way arrives when the cut ends; a broken half resets one of the two connections.
 * Each direction is a stream as in TCP: bytes never overtake each other, its end comes behind them and leaves the other direction
 * open, and a receiver that does not read slows its sender down.
 */
import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import type { NodeEntry } from '../../src/model/cluster/cluster-map.ts';
import type { TrafficEffect, TrafficRules } from '../faults/rules.ts';

export interface LinkProxyOptions {
  /** The node that dials. */
  readonly from: NodeEntry;
  readonly to: NodeEntry;
  /** Where `to` listens. */
  readonly port: number;
  readonly rules: TrafficRules;
}

/** Bytes under way, or the end of their stream. */
interface UnderWay {
  /** When it arrives, in ms of `performance.now`, unless something before it is later. */
  readonly dueMs: number;
  readonly bytes: number;
  readonly arrive: () => void;
}

interface Half {
  readonly sender: NodeEntry;
  readonly receiver: NodeEntry;
  readonly source: Socket;
  readonly target: Socket;
  readonly underWay: UnderWay[];
  bytesUnderWay: number;
  timer: NodeJS.Timeout | undefined;
  /** Its source was reset here, and the target does not learn of it. */
  isBroken: boolean;
}

/** So many bytes are under way in a half at most: beyond, its source is not read. */
const windowBytes = 4 << 20;
const host = '127.0.0.1';

export class LinkProxy {
  readonly #options: LinkProxyOptions;
  readonly #server: Server;
  readonly #halves = new Set<Half>();
  readonly #stopListening: () => void;

  constructor(options: LinkProxyOptions) {
    this.#options = options;
    this.#server = createServer({ allowHalfOpen: true }, (socket) => this.#accept(socket));
    this.#stopListening = options.rules.onLifted(() => {
      for (const half of this.#halves) this.#pass(half);
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
    for (const half of this.#halves) {
      half.isBroken = true;
      half.source.destroy();
      this.#forget(half);
    }
  }

  #accept(near: Socket): void {
    const { from, to, port } = this.#options;
    const far = dial({ port, host, allowHalfOpen: true });
    this.#relay({ sender: from, receiver: to, source: near, target: far });
    this.#relay({ sender: to, receiver: from, source: far, target: near });
  }

  #relay(ends: Pick<Half, 'sender' | 'receiver' | 'source' | 'target'>): void {
    const half: Half = { ...ends, underWay: [], bytesUnderWay: 0, timer: undefined, isBroken: false };
    const { source, target } = half;
    this.#halves.add(half);
    source.setNoDelay(true);
    source.on('data', (bytes: Buffer) => this.#send(half, () => void target.write(bytes), bytes.length));
    source.once('end', () => this.#send(half, () => void target.end()));
    // The cause of a reset is of no interest: `close` has it as well.
    source.on('error', () => {});
    source.once('close', (hadError: boolean) => {
      if (half.isBroken) this.#forget(half);
      else if (hadError || !source.readableEnded) this.#send(half, () => void target.resetAndDestroy());
      else this.#pass(half);
    });
    target.on('drain', () => this.#pass(half));
  }

  #send(half: Half, arrive: () => void, bytes = 0): void {
    const { afterMs } = this.#effectOn(half);
    half.underWay.push({ dueMs: performance.now() + afterMs, bytes, arrive });
    half.bytesUnderWay += bytes;
    this.#pass(half);
  }

  /** Lets arrive what is due, unless a rule stops it or the receiver does not read. */
  #pass(half: Half): void {
    const { source, target, underWay } = half;
    clearTimeout(half.timer);
    const { isDropped, isHeld } = this.#effectOn(half);
    const isStopped = () => isDropped || isHeld || target.writableNeedDrain;
    for (
      let [next] = underWay;
      next !== undefined && !isStopped() && next.dueMs <= performance.now();
      [next] = underWay
    ) {
      underWay.shift();
      half.bytesUnderWay -= next.bytes;
      next.arrive();
    }
    if (isStopped() || half.bytesUnderWay >= windowBytes) source.pause();
    else source.resume();
    const [next] = underWay;
    if (next === undefined && source.closed) this.#forget(half);
    else if (next !== undefined && !isStopped())
      half.timer = setTimeout(() => this.#pass(half), Math.ceil(next.dueMs - performance.now()));
  }

  #effectOn({ sender, receiver }: Half): TrafficEffect {
    return this.#options.rules.effectOn(sender, receiver, '');
  }

  #forget(half: Half): void {
    clearTimeout(half.timer);
    this.#halves.delete(half);
  }
}
