/**
 * A copy of what one mdc group has of some domains: it follows what mdc tells, asks for what it missed, and keeps what it
 * has in the store of its node, so that it can be read while the master is away.
 */

import type { RoleScope } from '../../cluster/role.ts';
import type { InstanceEntry } from '../../model/cluster-map.ts';
import { limits } from '../../model/limits.ts';
import type { BodyOf, ReplyOf } from '../../model/protocol/catalogue.ts';
import type { Row, RowChange } from '../../model/protocol/data.ts';
import type { Timer } from '../../ports/clock.ts';
import { StoreClosed, type Stores, StoreUnwritable } from '../../ports/store.ts';
import type { Contents } from '../../storage/contents.ts';
import type { Database, Position } from '../../storage/database.ts';
import { Pace } from '../../storage/pace.ts';
import { type Endings, endingsOf } from './endings.ts';
import { FileCopies } from './file-copies.ts';
import type { Held } from './held.ts';
import { Tenure } from './tenure.ts';

export interface ReplicaOptions {
  readonly scope: RoleScope;
  readonly stores: Stores;
  /** The members of the mdc group. */
  readonly masters: readonly InstanceEntry[];
  /** It has become readable. */
  readonly onReady: () => void;
  readonly onEnding: (endings: Endings) => void;
  /** There are other rows to read. */
  readonly onChanged: (changes: readonly RowChange[] | 'all') => void;
}

export class Replica {
  readonly #options: ReplicaOptions;
  readonly #pace: Pace;
  readonly #tenure: Tenure;
  #database: Database | undefined;
  #contents: Contents | undefined;
  #files: FileCopies | undefined;
  #isPulling = false;
  /** Something was missed while it pulled. */
  #isBehind = false;
  /** The master that was active when it last looked. */
  #master: string | undefined;
  #next: Timer | undefined;

  constructor(options: ReplicaOptions) {
    const { scope, stores, masters } = options;
    this.#options = options;
    this.#pace = new Pace(scope.clock);
    const name = `${scope.instance.name}-${masters[0]?.group ?? 0}`;
    this.#tenure = new Tenure({ scope, stores, name, onReady: (...opened) => this.#begin(...opened) });
  }

  /** What there is to read, if anything. */
  get held(): Held | undefined {
    const [database, contents] = [this.#database, this.#contents];
    const position = database?.position;
    if (database === undefined || contents === undefined || position === undefined) return undefined;
    return { database, contents, ageMs: Math.max(0, this.#options.scope.clock.now() - (position.asOfMs ?? 0)) };
  }

  get masters(): readonly InstanceEntry[] {
    return this.#options.masters;
  }

  /** Looks which master is in reach; another one than before is asked at once. */
  look(): void {
    const master = this.#activeMaster()?.address;
    const isNew = master !== undefined && master !== this.#master;
    this.#master = master;
    if (isNew) this.#pull();
  }

  /** Takes a change that a master tells. */
  hear({ database, sequence, changes }: BodyOf<'data.changed'>, from: string): void {
    if (this.#options.scope.faultPoints.fires('data.unheard')) return;
    const position = this.#database?.position;
    if (position?.database !== database || sequence > position.sequence + 1 || this.#isPulling) return this.#pull();
    if (sequence > position.sequence) {
      this.#follow(changes, { ...position, sequence, asOfMs: this.#options.scope.clock.now() });
    }
    this.#options.scope.tell(from, 'data.followed', { database, sequence });
  }

  end(): void {
    this.#pace.giveUp();
    this.#files?.end();
    this.#tenure.end();
  }

  #begin(database: Database, contents: Contents): void {
    const { scope } = this.#options;
    this.#database = database;
    this.#contents = contents;
    this.#files = new FileCopies({ scope, database, contents, master: () => this.#activeMaster() });
    if (database.position !== undefined) {
      this.#options.onReady();
      this.#options.onChanged('all');
    }
    this.look();
    if (!this.#isPulling) this.#pull();
  }

  /** Asks for what it missed, now, or again when it is done with that. */
  #pull(): void {
    this.#isBehind = true;
    const database = this.#database;
    if (database === undefined || this.#isPulling) return;
    this.#isPulling = true;
    this.#next?.cancel();
    this.#pullAll(database).then(
      (isDone) => {
        this.#isPulling = false;
        this.#files?.fetch();
        // While no master is in reach there is nobody to ask: one that comes is seen.
        if (this.#activeMaster() === undefined) return;
        const pauseMs = isDone ? limits.dataPullMs : limits.dataReadyMs;
        this.#next = this.#options.scope.clock.setTimer(pauseMs, () => this.#pull());
      },
      (error: unknown) => this.#fail(error),
    );
  }

  async #pullAll(database: Database): Promise<boolean> {
    while (this.#isBehind) {
      this.#isBehind = false;
      if (!(await this.#pullOnce(database))) return false;
    }
    return true;
  }

  /** False: no master answered, or what it answered can't be kept now. */
  async #pullOnce(database: Database): Promise<boolean> {
    const { scope } = this.#options;
    const master = this.#activeMaster();
    if (master === undefined) return false;
    const asOfMs = scope.clock.now();
    const { position } = database;
    const domains = [...scope.instance.domains];
    // A copy of other domains than it should have now is of no use.
    const isAlike = position?.filled?.join() === domains.join();
    const since = isAlike && { since: { database: position.database, sequence: position.sequence } };
    const answer = await scope.ask(master.address, 'data.changes', { domains, ...since });
    if (!answer.ok) return false;
    const changes = await this.#allOf(master.address, answer.value);
    if (changes === undefined || this.#tenure.isOver) return false;
    const { database: id, sequence, isWhole } = answer.value;
    const now = { database: id, sequence, asOfMs, filled: domains };
    try {
      if (isWhole) await this.#refill(database, changes, now);
      else this.#follow(changes, now);
    } catch (error) {
      if (error instanceof StoreUnwritable) return false;
      throw error;
    }
    if (position === undefined) this.#options.onReady();
    scope.tell(master.address, 'data.followed', { database: id, sequence });
    return true;
  }

  async #allOf(
    address: string,
    { changes: first, rest: name }: ReplyOf<'data.changes'>,
  ): Promise<RowChange[] | undefined> {
    const changes = [...first];
    for (let rest = name; rest !== undefined; ) {
      const piece = await this.#options.scope.ask(address, 'data.changes.rest', { name: rest });
      if (!piece.ok) return undefined;
      for (const change of piece.value.changes) changes.push(change);
      rest = piece.value.rest;
    }
    return changes;
  }

  #follow(changes: readonly RowChange[], position: Position): void {
    const database = this.#database;
    if (database === undefined) return;
    const endings = endingsOf(database, changes);
    database.follow(changes, position).catch((error: unknown) => this.#fail(error));
    this.#options.onEnding(endings);
    this.#options.onChanged(changes);
    this.#files?.heard(changes);
  }

  async #refill(database: Database, changes: readonly RowChange[], position: Position): Promise<void> {
    const rows = changes.flatMap((change): Row[] => ('put' in change ? [change.put] : []));
    const kept = new Set(rows.map(({ item }) => item.id));
    const gone = Array.from(database.rows())
      .filter(({ item }) => !kept.has(item.id))
      .map(({ kind, domain, item }) => ({ gone: { kind, domain, id: item.id } }));
    const endings = endingsOf(database, [...changes, ...gone]);
    await database.refill(rows, position, this.#pace);
    this.#options.onEnding(endings);
    this.#options.onChanged('all');
    this.#files?.heard('all');
  }

  /** A store that fails is a crash; one that was closed has had its time. */
  #fail(error: unknown): void {
    if (!this.#tenure.isOver && !(error instanceof StoreClosed)) this.#options.scope.crash(error);
  }

  #activeMaster(): InstanceEntry | undefined {
    const { scope, masters } = this.#options;
    return masters.find((each) => scope.view.statusOf(each) === 'active');
  }
}
