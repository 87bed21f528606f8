/** The unanswered asks of a node. Each ends once: by its answer, or by a fault at its deadline. */
import { nodeOf } from '../../model/cluster/address.ts';
import type { Envelope } from '../../model/cluster/envelope.ts';
import { done, type Fault, failed, fault, faultCodes, type Outcome } from '../../model/fault.ts';
import { limits } from '../../model/limits.ts';
import { type AskType, type BodyOf, catalogue, type ReplyOf } from '../../model/protocol/catalogue.ts';
import type { Clock, Timer } from '../../ports/clock.ts';
import type { Probe } from '../../ports/instrumentation/probe.ts';
import type { Quarantine } from './quarantine.ts';
import type { Router } from './router.ts';

export type Ask = <T extends AskType>(
  to: string,
  type: T,
  body: BodyOf<T>,
  options?: { deadlineMs?: number },
) => Promise<Outcome<ReplyOf<T>>>;

interface Pending {
  readonly owner: string;
  readonly to: string;
  /** The start of the asked node, as it was known then. */
  readonly incarnation: number | undefined;
  readonly timer: Timer;
  readonly type: AskType;
  readonly body: unknown;
  readonly settle: (outcome: Outcome<never>) => void;
}

export interface AsksOptions {
  readonly clock: Clock;
  readonly quarantine: Quarantine;
  /** Identifies one start of a node; `undefined` when it is unreachable. */
  readonly incarnationOf: (node: string) => number | undefined;
  readonly probe?: Probe | undefined;
}

const nodeIsGone = fault('crashed', 'the asking node has stopped');

export class Asks {
  readonly #router: Router;
  readonly #clock: Clock;
  readonly #pending = new Map<string, Pending>();
  readonly #probe: Probe | undefined;
  readonly #quarantine: Quarantine;
  readonly #incarnationOf: AsksOptions['incarnationOf'];
  #isOver = false;

  constructor(router: Router, { clock, quarantine, incarnationOf, probe }: AsksOptions) {
    this.#router = router;
    this.#incarnationOf = incarnationOf;
    this.#clock = clock;
    this.#quarantine = quarantine;
    this.#probe = probe;
  }

  get open(): number {
    return this.#pending.size;
  }

  /** The number of open asks by the address of the asker. */
  openByOwner(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { owner } of this.#pending.values()) counts.set(owner, (counts.get(owner) ?? 0) + 1);
    return counts;
  }

  /** The ask function of an address of this node. `deadlineMs` is absolute; the deadline of the type applies too. */
  of(owner: string): Ask {
    return (to, type, body, options) => this.#ask(owner, to, type, body, options?.deadlineMs);
  }

  #ask<T extends AskType>(owner: string, to: string, type: T, body: BodyOf<T>, latestMs = Infinity) {
    return new Promise<Outcome<ReplyOf<T>>>((resolve) => {
      if (this.#isOver) return resolve(failed(nodeIsGone));
      if (this.#pending.size >= limits.openAsks) {
        resolve(failed(fault('overloaded', `${limits.openAsks} asks of this node are open: the limit is reached`)));
        return;
      }
      if (this.#quarantine.has('', type, body)) {
        const reason = fault('broken', `the same ${type} ended an instance before: it is not sent again`);
        return resolve(failed({ ...reason, definite: true }));
      }
      const nowMs = this.#clock.now();
      const deadlineMs = Math.min(latestMs, nowMs + catalogue[type].deadlineMs);
      const id = this.#router.nextId();
      const timer = this.#clock.setTimer(deadlineMs - nowMs, () =>
        this.#settle(id, failed(fault('timeout', `no answer from ${to} in time; it may have happened`, to))),
      );
      const incarnation = this.#incarnationOf(nodeOf(to));
      this.#pending.set(id, { owner, to, incarnation, timer, type, body, settle: resolve as Pending['settle'] });
      this.#router.send({ id, kind: 'ask', type, from: owner, to, deadlineMs, hops: 0, body });
    });
  }

  /** Handles an answer. False when no ask is open for it. */
  receive(envelope: Envelope): boolean {
    const id = envelope.re ?? '';
    const pending = this.#pending.get(id);
    if (pending === undefined || pending.type !== envelope.type) return false;
    if (envelope.kind === 'fault') {
      const reason = isFault(envelope.body) ? envelope.body : noAnswer(envelope);
      if (reason.code === 'broken') this.#quarantine.add('', pending.type, pending.body);
      return this.#settle(id, failed(reason));
    }
    // A body that was never on a wire has its compile-time type.
    if (envelope.hops === 0) return this.#settle(id, done(envelope.body as never));
    const reply = catalogue[pending.type].readReply(envelope.body);
    if (reply.success) return this.#settle(id, done(reply.data as never));
    return this.#settle(id, failed(noAnswer(envelope)));
  }

  /** Ends every ask of a stopped node, and refuses new ones. */
  abandonAll(): void {
    this.#isOver = true;
    for (const id of [...this.#pending.keys()]) this.#settle(id, failed(nodeIsGone));
  }

  /** Ends every ask to a node that is unreachable now, whose answer could not be routed back, or has started again, and forgotten it. */
  giveUp(): void {
    for (const [id, { to, incarnation }] of this.#pending) {
      const node = nodeOf(to);
      const now = this.#incarnationOf(node);
      if (now !== undefined && now === incarnation) continue;
      const what = now === undefined ? 'became unreachable' : 'has started again';
      this.#settle(id, failed(fault('timeout', `node ${node} ${what}; it may have happened`, to)));
    }
  }

  /** Ends every ask of an asker that stops, and still answers its own clients. */
  giveUpOf(asker: string): void {
    for (const [id, { owner, to }] of this.#pending) {
      if (owner !== asker) continue;
      this.#settle(id, failed(fault('timeout', `${owner} stops before the answer of ${to}; it may have happened`, to)));
    }
  }

  /** Ends every ask of a stopped asker. */
  abandon(owner: string): void {
    for (const [id, pending] of this.#pending) {
      if (pending.owner === owner) this.#settle(id, failed(fault('crashed', `${owner} has stopped`, owner)));
    }
  }

  #settle(id: string, outcome: Outcome<never>): boolean {
    const pending = this.#pending.get(id);
    if (pending === undefined) return false;
    this.#pending.delete(id);
    pending.timer.cancel();
    const { owner, to, type } = pending;
    this.#probe?.askEnded(nodeOf(owner), { id, owner, to, type }, outcome.ok ? undefined : outcome.fault);
    pending.settle(outcome);
    return true;
  }
}

function isFault(body: unknown): body is Fault {
  const { code, message, definite, origin, ageMs } = (body ?? {}) as Partial<Record<keyof Fault, unknown>>;
  const isCode = (faultCodes as readonly unknown[]).includes(code);
  const isText = typeof message === 'string' && (origin === undefined || typeof origin === 'string');
  const isAge = ageMs === undefined || typeof ageMs === 'number';
  return isCode && isText && isAge && typeof definite === 'boolean';
}

function noAnswer({ from }: Envelope): Fault {
  return fault('crashed', `${from} gave a malformed answer`, from);
}
