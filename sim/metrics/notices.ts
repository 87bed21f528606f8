/** The lines of a served cluster's log about its state: nodes lost and found, restarts, faults, failed logins. */
import type { Log } from '../../src/ports/log.ts';
import { endedBy, repairs } from '../faults/verbs.ts';
import type { Listener, ObservationKind } from '../observation/observation.ts';
import type { World } from '../world/world.ts';

const sessionsPath = '/rest/v1/iam/sessions';

/** Writes them until the returned function is called: a cluster that stops loses all its nodes. */
export function writeNotices(world: World, log: Log): () => void {
  const lost = new LostNodes(log);
  const ended = new Set<string>();
  const crashed = new Set<string>();
  const on = <K extends ObservationKind>(kind: K, listener: Listener<K>) => world.observe(listener, { kinds: [kind] });
  const leaves = [
    world.observe<'entity.state'>(
      ({ owner, key, state, before }) => lost.see({ by: owner, node: key, state, before }),
      {
        kinds: ['entity.state'],
        types: ['peer'],
      },
    ),
    on('node.ended', ({ node, isGraceful }) => {
      ended.add(node);
      lost.forget(node);
      log.write('warn', 'node.ended', { node, graceful: isGraceful });
    }),
    on('node.started', ({ node }) => {
      if (ended.delete(node)) log.write('warn', 'node.restarted', { node });
    }),
    // The crash has a line of its own, which the node writes.
    on('instance.crashed', ({ instance }) => void crashed.add(instance)),
    on('instance.status', ({ instance, status }) => {
      const isBack = status === 'active' || status === 'standby';
      if (isBack && crashed.delete(instance)) log.write('warn', 'instance.restarted', { instance, status });
    }),
    on('fault.inflicted', ({ fault, verb, args }) =>
      log.write('warn', 'fault.injected', { fault, verb, args: shortened(JSON.stringify(args)) }),
    ),
    on('fault.mended', ({ fault, verb }) => {
      if (!isOverAtOnce(verb)) log.write('warn', 'fault.lifted', { fault, verb });
    }),
    on('front.answered', ({ method, path, status, front, sender }) => {
      if (method === 'POST' && path === sessionsPath && status === 401)
        log.write('warn', 'login.failed', { front, sender });
    }),
  ];
  return () => {
    for (const leave of leaves) leave();
  };
}

/** Such a fault is reported as lifted when it begins: another verb ends its effect. */
function isOverAtOnce(verb: string): boolean {
  return verb === 'mend' || verb in endedBy || repairs.has(verb);
}

interface SeenPeer {
  readonly by: string;
  readonly node: string;
  readonly state: string | undefined;
  readonly before?: string | undefined;
}

/** A node has one line when the first of its peers loses it, and one when all have found it again. */
class LostNodes {
  readonly #log: Log;
  /** For each lost node: the nodes that do not reach it. */
  readonly #lost = new Map<string, Set<string>>();

  constructor(log: Log) {
    this.#log = log;
  }

  see({ by, node, state = '', before = '' }: SeenPeer): void {
    const losers = this.#lost.get(node) ?? new Set();
    if (state.startsWith('lost') && !before.startsWith('lost')) {
      if (losers.size === 0) this.#log.write('warn', 'node.lost', { node, by });
      this.#lost.set(node, losers.add(by));
    } else if (state.startsWith('up') && losers.delete(by) && losers.size === 0) {
      this.#lost.delete(node);
      this.#log.write('warn', 'node.found', { node, by });
    }
  }

  /** A node that has ended misses no other. */
  forget(ended: string): void {
    for (const losers of this.#lost.values()) {
      for (const by of losers) if (by.split('/').at(-1) === ended) losers.delete(by);
    }
  }
}

const longest = 200;

function shortened(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}
