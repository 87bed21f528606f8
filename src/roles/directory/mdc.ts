/**
 * The mdc role: the domain data of the platform, in a database that the instances of its group share at the master site.
 * The active one alone has it open; the one that takes over opens it, so that nothing acknowledged is lost.
 */

import type { Handlers, Role, RoleScope } from '../../cluster/role.ts';
import type { Envelope } from '../../model/cluster/envelope.ts';
import { done, failed, fault, type Outcome } from '../../model/fault.ts';
import type { BodyOf, ReplyOf } from '../../model/protocol/catalogue.ts';
import type { DataRowChange } from '../../model/protocol/messages/data.ts';
import type { Stores } from '../../ports/store.ts';
import type { Contents } from '../../storage/contents.ts';
import type { Database, DatabasePosition } from '../../storage/database.ts';
import { storeNameOf } from '../../storage/keys.ts';
import { Pieces } from '../pieces.ts';
import { ChangePublisher, isAffectedBy } from './change-publisher.ts';
import { DatabaseLease } from './database-lease.ts';
import { FileKeeper } from './files/file-contents.ts';
import { fileReadingHandlers } from './files/file-index.ts';
import { FileWriter } from './files/file-writing.ts';
import { fillWithFixtures } from './initial-data.ts';
import {
  type DomainData,
  type DomainDataProvider,
  figuresOf,
  readingHandlers,
  WaitingRequests,
  withData,
} from './reads.ts';
import { revocationsOf, sendRevocations } from './revocations.ts';
import { notifyReaders } from './rules.ts';
import { scriptHandlers } from './script-data.ts';
import { Writer } from './writer.ts';

/** The database while it is open. */
interface Open extends DomainData {
  readonly writer: Writer;
  readonly files: FileWriter;
  readonly keeper: FileKeeper;
}

export function createMdc(scope: RoleScope, siteStores: Stores): Role<'mdc'> {
  return new Mdc(scope, siteStores);
}

class Mdc implements Role<'mdc'> {
  readonly handlers: Handlers<'mdc'>;
  readonly #scope: RoleScope;
  readonly #stores: Stores;
  readonly #publisher: ChangePublisher;
  readonly #pieces: Pieces<DataRowChange>;
  readonly #waiting = new WaitingRequests();
  readonly #provider: DomainDataProvider;
  #lease: DatabaseLease | undefined;
  #open: Open | undefined;

  constructor(scope: RoleScope, stores: Stores) {
    this.#scope = scope;
    this.#stores = stores;
    this.#publisher = new ChangePublisher(scope);
    scope.counters.detail(() => (this.#open === undefined ? new Map() : figuresOf(this.#open.database)));
    this.#pieces = new Pieces(scope);
    this.#provider = {
      of: () => this.#open,
      shared: () => this.#open,
      onNextChange: (look) => this.#waiting.add(look),
    };
    this.handlers = {
      ...readingHandlers(scope, this.#provider),
      ...fileReadingHandlers(scope, this.#provider),
      ...scriptHandlers(scope, this.#provider),
      'data.create': (body, envelope) => this.#write(body, ({ writer }) => writer.create(body, envelope)),
      'data.patch': (body, envelope) => this.#write(body, ({ writer }) => writer.patch(body, envelope)),
      'data.delete': (body, envelope) => this.#write(body, ({ writer }) => writer.remove(body, envelope)),
      'file.write': (body) => this.#write(body, ({ files }) => files.write(body)),
      'file.commit': (body, envelope) => this.#write(body, ({ files }) => files.commit(body, envelope)),
      'file.remove': (body, envelope) => this.#write(body, ({ files }) => files.remove(body, envelope)),
      'data.changes': (body) =>
        withData(scope, this.#provider, scope.map.masterDomain, (data) => this.#changes(data, body)),
      'data.changes.rest': ({ name }) => this.#rest(name),
      'data.followed': (body, envelope) => this.#followed(body, envelope),
    };
  }

  serve(): void {
    const { map, instance, clock, random } = this.#scope;
    this.#lease = new DatabaseLease({
      scope: this.#scope,
      stores: this.#stores,
      name: storeNameOf(instance),
      prepare: (database, contents, pace) =>
        fillWithFixtures(database, { map, domains: instance.domains, contents, clock, random, pace }),
      onReady: (database, contents) => this.#begin(database, contents),
    });
  }

  standBy(): void {
    this.#end();
  }

  stop(): void {
    this.#end();
  }

  #begin(database: Database, contents: Contents): void {
    const keeper = new FileKeeper({ scope: this.#scope, database, contents });
    const publish = (sequence: number, changes: readonly DataRowChange[]) => {
      notifyReaders(this.#scope, changes);
      keeper.changed(changes);
      return this.#publisher.publish({ ...positionOf(database), sequence }, changes);
    };
    const before = (changes: readonly DataRowChange[]) =>
      sendRevocations(this.#scope, revocationsOf(database, changes), () => true);
    const writer = new Writer({ scope: this.#scope, database, publish, before });
    const files = new FileWriter({ scope: this.#scope, database, contents, writer, keeper });
    this.#open = { database, contents, writer, files, keeper };
    const { sequence } = positionOf(database);
    this.#scope.log.write('info', 'data.open', { sequence, rows: database.size });
    this.#waiting.call();
    notifyReaders(this.#scope, 'all');
  }

  #end(): void {
    this.#open?.keeper.end();
    this.#open = undefined;
    this.#lease?.end();
    this.#lease = undefined;
  }

  #write<T>(
    { domain }: { domain: string },
    work: (open: Open) => Promise<Outcome<T>>,
  ): Outcome<T> | Promise<Outcome<T>> {
    return withData(this.#scope, this.#provider, domain, (data) => work(data as Open));
  }

  #changes({ database }: DomainData, { domains, since }: BodyOf<'data.changes'>): Outcome<ReplyOf<'data.changes'>> {
    const { database: id, sequence } = positionOf(database);
    const isForgotten = this.#scope.faultPoints.fires('data.all_anew');
    const recent = since?.database === id && !isForgotten ? database.changesSince(since.sequence) : undefined;
    const all = recent ?? Array.from(database.rows(), (row) => ({ put: row }));
    const { items: changes, rest } = this.#pieces.first(all.filter((change) => isAffectedBy(domains, change)));
    const isWhole = recent === undefined;
    const atMs = this.#scope.clock.now();
    return done({ database: id, sequence, isWhole, atMs, changes, ...(rest !== undefined && { rest }) });
  }

  #rest(name: string): Outcome<ReplyOf<'data.changes.rest'>> {
    const piece = this.#pieces.next(name);
    if (piece === undefined)
      return failed(fault('overloaded', 'the rest of the changes has expired: ask for them again'));
    const { items: changes, rest } = piece;
    return done({ changes, ...(rest !== undefined && { rest }) });
  }

  #followed({ database, sequence }: BodyOf<'data.followed'>, { from }: Envelope): void {
    if (this.#open?.database.position?.database === database) this.#publisher.acknowledged(from, sequence);
  }
}

function positionOf({ position }: Database): DatabasePosition {
  if (position === undefined) throw new Error('a database that is open was filled');
  return position;
}
