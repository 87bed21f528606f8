/**
 * The messages that a node itself answers: pings (by its peers actor), lease claims of split sites, status queries,
 * commands to terminate.
 */
import { nodeOf } from '../model/cluster/address.ts';
import type { Envelope } from '../model/cluster/envelope.ts';
import { done, failed, fault, type Outcome } from '../model/fault.ts';
import { type AskType, type BodyOf, catalogue, type ReplyOf, type TypesFor } from '../model/protocol/catalogue.ts';
import type { Clock } from '../ports/clock.ts';
import type { LogLevel } from '../ports/log.ts';
import type { Arbiter } from './membership/arbiter.ts';
import type { PeersEvent } from './membership/peers.ts';
import type { Router } from './messaging/router.ts';

export interface NodeRequestsOptions {
  readonly clock: Clock;
  readonly router: Router;
  readonly toPeers: (event: PeersEvent) => void;
  readonly arbiter: Arbiter;
  readonly describe: () => ReplyOf<'node.describe'>;
  readonly terminate: () => void;
  readonly terminateInstance: (name: string) => boolean;
  readonly setLogLevel: (name: string, level: LogLevel) => void;
}

type NodeType = TypesFor<'node'>;
type NodeHandlers = {
  readonly [T in NodeType]: (body: BodyOf<T>, from: string) => T extends AskType ? Outcome<ReplyOf<T>> : void;
};

export class NodeRequests {
  readonly #clock: Clock;
  readonly #router: Router;
  readonly #handlers: NodeHandlers;

  constructor(options: NodeRequestsOptions) {
    const { clock, router, toPeers, arbiter, describe, terminate, terminateInstance, setLogLevel } = options;
    this.#clock = clock;
    this.#router = router;
    this.#handlers = {
      'peer.ping': (body, from) => toPeers({ type: 'peer.ping', from, body }),
      'peer.pong': (body, from) => toPeers({ type: 'peer.pong', from, body }),
      'peer.digest': (body, from) => toPeers({ type: 'peer.digest', from, body }),
      'quorum.claim': (body) => arbiter.claim(body),
      'node.describe': () => done(describe()),
      'node.terminate': () => {
        terminate();
        return done({});
      },
      'node.log_level': ({ name, level }) => {
        setLogLevel(name, level);
        return done({});
      },
      'instance.terminate': ({ name }) =>
        terminateInstance(name) ? done({}) : failed(fault('not_found', `instance ${name} is not running`)),
    };
  }

  receive(envelope: Envelope): void {
    if (!Object.hasOwn(this.#handlers, envelope.type)) return this.#router.deadLetter(envelope, 'unknown_type');
    const type = envelope.type as NodeType;
    // An ask that waited while the node was suspended: its asker has been answered.
    if (envelope.deadlineMs !== undefined && envelope.deadlineMs <= this.#clock.now()) {
      return this.#router.deadLetter(envelope, 'too_late');
    }
    const read = catalogue[type].readBody(envelope.body);
    if (!read.success) {
      this.#router.deadLetter(envelope, 'bad_body');
      return this.#router.refuse(envelope, 'invalid', `${envelope.to} can't read this ${type}`);
    }
    const handle = this.#handlers[type] as (body: unknown, from: string) => Outcome<unknown> | undefined;
    const outcome = handle(read.data, nodeOf(envelope.from));
    if (outcome !== undefined) this.#router.answer(envelope, outcome);
  }
}
