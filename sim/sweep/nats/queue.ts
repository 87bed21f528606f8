/**
 * The queue of sweeps on a NATS server with JetStream: tasks in a work queue, results and objects of each sweep. A task and a
 * result have a subject of their own, which takes one message: so a task is queued once, and its result counts once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AckPolicy,
  type Consumer,
  DiscardPolicy,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
} from '@nats-io/jetstream';
import { type ObjectStore, Objm } from '@nats-io/obj';
import { connect, type NatsConnection, nanos } from '@nats-io/transport-node';
import { packed, type QueuedResult, type QueuedTask } from './protocol.ts';

const tasks = 'STROWGER_TASKS';
const results = 'STROWGER_RESULTS';
/** Results and objects of a sweep whose coordinator never returns. */
const keptMs = 14 * 24 * 3_600_000;
const connectMs = 5_000;

/** Whether a message was accepted; false: its subject has one already. */
export type Accepted = Promise<boolean>;

export class Queue {
  readonly #connection: NatsConnection;
  readonly #js: JetStreamClient;
  readonly #manager: JetStreamManager;

  private constructor(connection: NatsConnection, manager: JetStreamManager) {
    this.#connection = connection;
    this.#js = jetstream(connection);
    this.#manager = manager;
  }

  /** Connects, and makes the streams where they are missing. Throws a one-line error if that fails. */
  static async open(url: string): Promise<Queue> {
    const connection = await connected(url);
    try {
      const manager = await jetstreamManager(connection);
      const once = { max_msgs_per_subject: 1, discard: DiscardPolicy.New, discard_new_per_subject: true };
      const retention = RetentionPolicy.Workqueue;
      await ensured(manager, { name: tasks, subjects: ['strowger.task.>'], retention, ...once });
      await ensured(manager, { name: results, subjects: ['strowger.result.>'], max_age: nanos(keptMs), ...once });
      return new Queue(connection, manager);
    } catch (error) {
      await connection.close();
      throw new Error(`--nats ${shown(url)}: expected a server with JetStream (nats-server -js): ${messageOf(error)}`);
    }
  }

  /** Resolves when the connection has ended for good. */
  get ended(): Promise<unknown> {
    return this.#connection.closed();
  }

  addTask(task: QueuedTask): Accepted {
    return this.#publish(`strowger.task.${task.build}.${task.sweep}.${task.id}`, task);
  }

  addResult({ sweep, id }: QueuedTask, result: QueuedResult): Accepted {
    return this.#publish(`strowger.result.${sweep}.${id}`, result);
  }

  /** The tasks of a build. A task that is not acknowledged within `leaseMs` is delivered again. */
  async tasksFor(build: string, leaseMs: number): Promise<Consumer> {
    const name = `build-${build}`;
    await this.#manager.consumers.add(tasks, {
      name,
      durable_name: name,
      ack_policy: AckPolicy.Explicit,
      ...{ ack_wait: nanos(leaseMs), max_deliver: -1, max_ack_pending: -1, filter_subject: `strowger.task.${build}.>` },
    });
    return this.#js.consumers.get(tasks, name);
  }

  /** The results of a sweep, from the first. */
  resultsOf(sweep: string): Promise<Consumer> {
    return this.#js.consumers.get(results, { filter_subjects: `strowger.result.${sweep}.>` });
  }

  /** The ids of the tasks of a sweep that have results. */
  async resultIds(sweep: string): Promise<Set<string>> {
    const { state } = await this.#manager.streams.info(results, { subjects_filter: `strowger.result.${sweep}.>` });
    return new Set(Object.keys(state.subjects ?? {}).map((subject) => subject.split('.').at(-1) ?? ''));
  }

  /** Builds that have tasks in the queue, with their number. */
  async waiting(): Promise<Map<string, number>> {
    const { state } = await this.#manager.streams.info(tasks, { subjects_filter: 'strowger.task.>' });
    const counts = new Map<string, number>();
    for (const subject of Object.keys(state.subjects ?? {})) {
      const [, , build = ''] = subject.split('.');
      counts.set(build, (counts.get(build) ?? 0) + 1);
    }
    return counts;
  }

  /** The objects of a sweep: scenarios and artefacts. */
  objectsOf(sweep: string): Promise<ObjectStore> {
    return new Objm(this.#js).create(`strowger-sweep-${sweep}`, { ttl: nanos(keptMs) });
  }

  /** Removes what the server keeps of a sweep. */
  async remove(sweep: string, build: string): Promise<void> {
    await this.#manager.streams.purge(tasks, { filter: `strowger.task.${build}.${sweep}.>` });
    await this.#manager.streams.purge(results, { filter: `strowger.result.${sweep}.>` });
    await (await this.objectsOf(sweep)).destroy();
  }

  close(): Promise<void> {
    return this.#connection.drain();
  }

  async #publish(subject: string, value: unknown): Accepted {
    try {
      await this.#js.publish(subject, packed(value));
      return true;
    } catch (error) {
      if (/maximum messages per subject exceeded/.test(messageOf(error))) return false;
      throw error;
    }
  }
}

/** How long an object is waited for before it is read again, and how often it is read. */
const [readMs, mostReads] = [10_000, 3];

/**
 * The bytes of an object; `null`: there is none. Where it is stored again while it is read, the library waits for ever for the
 * bytes of the first: then it is read again. Throws when it cannot be read.
 */
export async function readObject(
  objects: Pick<ObjectStore, 'getBlob'>,
  name: string,
  { waitMs = readMs }: { readonly waitMs?: number } = {},
): Promise<Uint8Array | null> {
  for (let reads = 0; reads < mostReads; reads++) {
    const waited = new AbortController();
    const late = sleep(waitMs, 'late' as const, { signal: waited.signal });
    late.catch(() => 'in time');
    const read = await Promise.race([objects.getBlob(name), late]).finally(() => waited.abort());
    if (read !== 'late') return read;
  }
  throw new Error(`the object "${name}" was not read in ${(mostReads * waitMs) / 1_000} s`);
}

async function connected(url: string): Promise<NatsConnection> {
  try {
    const { host, protocol, username, password } = new URL(url.includes('://') ? url : `nats://${url}`);
    const user = decodeURIComponent(username);
    const pass = decodeURIComponent(password);
    return await connect({
      servers: host,
      timeout: connectMs,
      maxReconnectAttempts: -1,
      ...(protocol === 'tls:' && { tls: {} }),
      // A user without a password is a token.
      ...(user !== '' && (pass === '' ? { token: user } : { user, pass })),
    });
  } catch (error) {
    throw new Error(`--nats ${shown(url)}: expected a NATS server there: ${messageOf(error)}`);
  }
}

async function ensured(
  manager: JetStreamManager,
  wanted: Parameters<JetStreamManager['streams']['add']>[0],
): Promise<void> {
  try {
    await manager.streams.info(wanted.name);
  } catch {
    // Most often there is none; where the server does not answer, this fails as well.
    await manager.streams.add(wanted);
  }
}

/** The URL without its credentials. */
function shown(url: string): string {
  return url.replace(/\/\/[^/]*@/, '//…@');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
