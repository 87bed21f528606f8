/** The recordings of calls that are over: listed, and deleted at all members of the group. */
import type { RoleScope } from '../../cluster/role.ts';
import type { InstanceEntry } from '../../model/cluster/cluster-map.ts';
import { done, type Outcome } from '../../model/fault.ts';
import type { BodyOf, ReplyOf } from '../../model/protocol/catalogue.ts';
import type { Cdr } from '../../model/protocol/messages/callstore.ts';
import { type CallRecording, deletedOf, fileNameOf, filesOf } from '../../model/recording/recording.ts';
import { isRecordOf } from './call-queries.ts';
import type { CallRecords } from './call-records.ts';
import { isOwn, type LiveCalls } from './live-calls.ts';

type Wanted = BodyOf<'callstore.recordings'>;

/**
 * They are kept in the records of the calls, so that each member of the group has them.
 * One that is deleted leaves a mark there, which outweighs what others still have of it.
 */
export class RecordingFiles {
  readonly #scope: RoleScope;
  readonly #calls: LiveCalls;
  readonly #records: CallRecords;
  readonly #others: readonly InstanceEntry[];

  constructor(scope: RoleScope, calls: LiveCalls, records: CallRecords) {
    this.#scope = scope;
    this.#calls = calls;
    this.#records = records;
    this.#others = scope.map.groupOf(scope.instance).filter((each) => each !== scope.instance);
  }

  readonly handlers = {
    'callstore.recordings': async (wanted: Wanted): Promise<Outcome<ReplyOf<'callstore.recordings'>>> => {
      const record = await this.#recordOf(wanted);
      return done({ isKnown: record !== undefined || this.#isLive(wanted), recordings: this.#filesOf(record) });
    },
    'callstore.recordings.delete': async ({
      names,
      ...wanted
    }: BodyOf<'callstore.recordings.delete'>): Promise<Outcome<ReplyOf<'callstore.recordings.delete'>>> => {
      const record = await this.#recordOf(wanted);
      const deleted = this.#filesOf(record)
        .map(fileNameOf)
        .filter((name) => names.includes(name));
      if (record !== undefined && deleted.length > 0) await this.#delete(record, deleted);
      return done({ deleted });
    },
    'callstore.recordings.deleted': async ({
      record,
    }: BodyOf<'callstore.recordings.deleted'>): Promise<Outcome<ReplyOf<'callstore.recordings.deleted'>>> => {
      await this.#records.put(record);
      return done({});
    },
  };

  #filesOf(record: Cdr | undefined): CallRecording[] {
    return filesOf(record?.recordings, this.#scope.clock.now());
  }

  /** Durable at all members in reach when it resolves: each may be asked next. One that misses it gets it when records are compared. */
  async #delete(record: Cdr, names: readonly string[]): Promise<void> {
    const recordings = record.recordings?.map((each) => (names.includes(fileNameOf(each)) ? deletedOf(each) : each));
    const left = { ...record, recordings };
    await this.#records.put(left);
    const { ask } = this.#scope;
    await Promise.all(
      this.#others.map(({ address }) => ask(address, 'callstore.recordings.deleted', { record: left })),
    );
  }

  async #recordOf({ domain, own, inviteid }: Wanted): Promise<Cdr | undefined> {
    const record = await this.#records.get(inviteid);
    return record !== undefined && isRecordOf(record, domain, own) ? record : undefined;
  }

  #isLive({ domain, own, inviteid }: Wanted): boolean {
    const live = this.#calls.find(domain, 'inviteid', [inviteid]);
    return live.some(({ participations }) => isOwn(participations, domain, own));
  }
}
