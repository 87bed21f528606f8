/**
 * A copy of what one mdc group has of some domains. It consumes the changes that mdc publishes, pulls the changes that it missed, and keeps
 * what it has in the store of its node, so that it can be read while the master is away.
 */
import type { RoleScope } from '../../cluster/role.ts';
import type { InstanceEntry } from '../../model/cluster/cluster-map.ts';
import { limits } from '../../model/limits.ts';
import type { BodyOf, ReplyOf } from '../../model/protocol/catalogue.ts';
import type { DataRow, DataRowChange } from '../../model/protocol/messages/data.ts';
import { Pace } from '../../ports/pace.ts';
import { StoreClosed, type Stores, StoreUnwritable } from '../../ports/store.ts';
import { CatchUp, type Pull, pullPages } from '../../replication/catch-up.ts';
import type { Contents } from '../../storage/contents.ts';
import type { Database, DatabasePosition } from '../../storage/database.ts';
import { CopyProgress } from './copy-progress.ts';
import { DatabaseLease } from './database-lease.ts';
import { FileCopies } from './files/file-copies.ts';
import type { DomainData } from './reads.ts';
import { type Revocations, revocationsOf } from './revocations.ts';

export interface ReplicaOptions {
  readonly scope: RoleScope;
  readonly stores: Stores;
  /** The members of the mdc group. */
  readonly masters: readonly InstanceEntry[];
  /** It has become readable. */
  readonly onReady: () => void;
  readonly onRevocations: (revocations: Revocations) => void;
  /** There are other rows to read. */
  readonly onChanged: (changes: readonly DataRowChange[] | 'all') => void;
}

/** The database while it is open. */
interface Open {
  readonly database: Database;
  readonly contents: Contents;
  readonly files: FileCopies;
}

export class Replica {
  readonly #options: ReplicaOptions;
  readonly #pace: Pace;
  readonly #lease: DatabaseLease;
  readonly #catchUp: CatchUp;
  readonly #progress: CopyProgress;
  #open: Open | undefined;
  /** The master that was asked last, and what to add to a time of it, so that it is not later by the own clock (ms). */
  #clockOf: { readonly master: string; readonly shiftMs: number } | undefined;

  constructor(options: ReplicaOptions) {
    const { scope, stores, masters } = options;
    this.#options = options;
    this.#pace = new Pace(scope.clock);
    this.#progress = new CopyProgress({
      onCommit: ({ n, changes, asOfMs }) =>
        this.#follow(changes, { sequence: n, ...(asOfMs !== undefined && { asOfMs }) }),
      onGap: () => this.#catchUp.noticeGap(),
    });
    this.#catchUp = new CatchUp({
      scope,
      source: () => (this.#open === undefined ? undefined : this.#activeMaster()),
      pull: (master, pull) => this.#pull(master, pull),
      delaysMs: { retry: limits.dataReadyMs, check: limits.dataPullMs, gone: Number.POSITIVE_INFINITY },
    });
    const name = `${scope.instance.name}-${masters[0]?.group ?? 0}`;
    this.#lease = new DatabaseLease({ scope, stores, name, onReady: (...opened) => this.#begin(...opened) });
  }

  /** The data that can be read, if any. */
  get data(): DomainData | undefined {
    if (this.#open === undefined) return undefined;
    const { database, contents } = this.#open;
    const { position } = database;
    if (position === undefined) return undefined;
    return { database, contents, ageMs: Math.max(0, this.#options.scope.clock.now() - (position.asOfMs ?? 0)) };
  }

  get masters(): readonly InstanceEntry[] {
    return this.#options.masters;
  }

  /** Looks which master is in reach; another one than before is asked at once. */
  look(): void {
    this.#catchUp.look();
    this.#open?.files.look();
  }

  /** Takes a change that a master has published, and acknowledges it where nothing before it is missing. */
  receive({ database, sequence, changes, atMs }: BodyOf<'data.changed'>, from: string): void {
    const { scope } = this.#options;
    if (scope.faultPoints.fires('data.unheard')) return;
    const upTo = this.#progress.receive(database, { n: sequence, changes, asOfMs: this.#asOfMs(from, atMs) });
    if (upTo !== undefined) scope.tell(from, 'data.followed', { database, sequence: upTo });
  }

  end(): void {
    this.#catchUp.stop();
    this.#pace.giveUp();
    this.#open?.files.end();
    this.#lease.end();
  }

  #begin(database: Database, contents: Contents): void {
    const { scope, onReady, onChanged } = this.#options;
    const files = new FileCopies({ scope, database, contents, master: () => this.#activeMaster() });
    this.#open = { database, contents, files };
    const { position } = database;
    if (position !== undefined) {
      this.#progress.moveTo(position);
      onReady();
      onChanged('all');
    }
    this.look();
  }

  /** False: the master did not answer, or what it answered can't be kept now. */
  async #pull(master: InstanceEntry, pull: Pull): Promise<boolean> {
    const { scope } = this.#options;
    const asOfMs = scope.clock.now();
    const answer = await this.#ask(master, pull);
    if (answer === undefined || this.#open === undefined) return false;
    const { database: id, sequence, isWhole, atMs, changes } = answer;
    this.#clockOf = { master: master.address, shiftMs: asOfMs - atMs };
    const isFirst = this.#open.database.position === undefined;
    const position = { database: id, sequence, asOfMs, filled: [...scope.instance.domains] };
    try {
      if (!isWhole) this.#followAll(changes, position);
      else if (!this.#isPast(position)) await this.#refill(this.#open.database, changes, position);
    } catch (error) {
      if (error instanceof StoreUnwritable || this.#isOver(error)) return false;
      throw error;
    }
    if (isFirst) this.#options.onReady();
    scope.tell(master.address, 'data.followed', { database: id, sequence });
    return true;
  }

  /** A change may come late: it says of the copy what was true when it was published. */
  #asOfMs(master: string, atMs: number): number | undefined {
    if (this.#clockOf?.master !== master) return undefined;
    const known = this.#open?.database.position?.asOfMs ?? 0;
    return Math.max(known, Math.min(this.#options.scope.clock.now(), atMs + this.#clockOf.shiftMs));
  }

  /** What has changed since the own position; all of it, where the master does not know that any more. */
  async #ask(master: InstanceEntry, pull: Pull) {
    const { scope } = this.#options;
    const position = this.#open?.database.position;
    const domains = [...scope.instance.domains];
    const since = position !== undefined &&
      this.#isOfItsDomains(position) && { since: { database: position.database, sequence: position.sequence } };
    const answer = await scope.ask(master.address, 'data.changes', { domains, ...since });
    if (!answer.ok || pull.isOver) return undefined;
    const changes = await this.#allOf(master, pull, answer.value);
    return changes && { ...answer.value, changes };
  }

  async #allOf(
    { address }: InstanceEntry,
    pull: Pull,
    { changes: first, rest: name }: ReplyOf<'data.changes'>,
  ): Promise<DataRowChange[] | undefined> {
    const changes = [...first];
    let rest = name;
    if (rest === undefined) return changes;
    const isRead = await pullPages(
      pull,
      () => this.#options.scope.ask(address, 'data.changes.rest', { name: rest as string }),
      (piece) => {
        for (const change of piece.changes) changes.push(change);
        rest = piece.rest;
        return rest === undefined ? 'done' : 'more';
      },
    );
    return isRead ? changes : undefined;
  }

  /** Takes what was pulled, unless everything up to there was received meanwhile: the rows of an answer are as they were then. */
  #followAll(changes: readonly DataRowChange[], position: DatabasePosition): void {
    if (this.#isPast(position)) return;
    this.#follow(changes, position);
    this.#progress.moveTo(position);
  }

  /** Whether everything up to this position, and more, is shown. */
  #isPast(position: DatabasePosition): boolean {
    const own = this.#open?.database.position;
    return own !== undefined && this.#isOfItsDomains(own) && this.#progress.isPast(position);
  }

  /** A copy of other domains than it should have now is of no use. */
  #isOfItsDomains({ filled }: DatabasePosition): boolean {
    return filled?.join() === this.#options.scope.instance.domains.join();
  }

  #follow(changes: readonly DataRowChange[], { sequence, asOfMs, ...rest }: Omit<DatabasePosition, 'database'>): void {
    const before = this.#open?.database.position;
    if (this.#open === undefined || before === undefined) return;
    const { database, files } = this.#open;
    const revocations = revocationsOf(database, changes);
    const position = { ...before, ...rest, sequence, ...(asOfMs !== undefined && { asOfMs }) };
    database.follow(changes, position).catch((error: unknown) => this.#fail(error));
    this.#revoke(revocations, asOfMs);
    this.#options.onChanged(changes);
    files.changed(changes);
  }

  async #refill(database: Database, changes: readonly DataRowChange[], position: DatabasePosition): Promise<void> {
    const rows = changes.flatMap((change): DataRow[] => ('put' in change ? [change.put] : []));
    const kept = new Set(rows.map(({ item }) => item.id));
    const gone = Array.from(database.rows())
      .filter(({ item }) => !kept.has(item.id))
      .map(({ kind, domain, item }) => ({ gone: { kind, domain, id: item.id } }));
    const revocations = revocationsOf(database, [...changes, ...gone]);
    this.#progress.startFilling();
    try {
      await database.refill(rows, position, this.#pace);
    } finally {
      this.#progress.stopFilling();
    }
    this.#revoke(revocations, position.asOfMs);
    this.#options.onChanged('all');
    this.#open?.files.changed('all');
    // What was received while it was filled is not in it.
    this.#progress.resetTo(position);
  }

  #revoke(revocations: Revocations, asOfMs: number | undefined): void {
    const { scope, onRevocations } = this.#options;
    const agoMs = asOfMs === undefined ? 0 : Math.max(0, scope.clock.now() - asOfMs);
    onRevocations({ ...revocations, agoMs });
  }

  /** A store that fails is a crash; one that was closed has had its time. */
  #fail(error: unknown): void {
    if (!this.#isOver(error)) this.#options.scope.crash(error);
  }

  #isOver(error: unknown): boolean {
    return this.#lease.isOver || error instanceof StoreClosed;
  }

  #activeMaster(): InstanceEntry | undefined {
    const { scope, masters } = this.#options;
    return masters.find((each) => scope.view.statusOf(each) === 'active');
  }
}
