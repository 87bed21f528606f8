/** What the domain data say about selector meetings: an mware reads it at a directory in each round. */
import { askRole } from '../../../cluster/messaging/ask-in-order.ts';
import { activeDirectory, type RoleScope } from '../../../cluster/role.ts';
import { type ContactGroupItem, contactGroup } from '../../../model/entities/script-entities.ts';
import {
  groupIn,
  type SelectorHears,
  type SelectorItem,
  type SelectorParticipantItem,
  selectorTopology,
  selectorTopologyId,
} from '../../../model/entities/selector.ts';
import { selectorFile, soundFileAt } from '../../../model/entities/stored-file.ts';
import { limits } from '../../../model/limits.ts';
import type { EntityCollection } from '../../../model/protocol/messages/data.ts';

type Row = SelectorItem | SelectorParticipantItem | ContactGroupItem;

export class MeetingData {
  readonly #scope: RoleScope;

  constructor(scope: RoleScope) {
    this.#scope = scope;
  }

  /** The planned meetings of a domain; `undefined` if no directory answers. */
  async planned(domain: string): Promise<readonly SelectorItem[] | undefined> {
    return (await this.#rows({ kind: 'selector', domain })) as readonly SelectorItem[] | undefined;
  }

  /** The participants of a meeting; `undefined` if no directory answers. */
  async participants(domain: string, meeting: string): Promise<readonly SelectorParticipantItem[] | undefined> {
    const rows = await this.#rows({ kind: 'participant', domain, parent: meeting });
    return rows as readonly SelectorParticipantItem[] | undefined;
  }

  /** The numbers of the contact groups that participants name, by the code of the group; `undefined` if no directory answers. */
  async groups(
    domain: string,
    participants: readonly SelectorParticipantItem[],
  ): Promise<ReadonlyMap<string, readonly string[]> | undefined> {
    if (!participants.some((each) => groupIn(each) !== undefined)) return new Map();
    const rows = (await this.#rows({ kind: contactGroup.kind, domain })) as readonly ContactGroupItem[] | undefined;
    return rows && new Map(rows.map(({ code, members }) => [code, members]));
  }

  /** The audio topology as far as it was set explicitly; `undefined` if no directory answers. */
  async hears(domain: string, meeting: string): Promise<SelectorHears | undefined> {
    const directory = activeDirectory(this.#scope, domain);
    if (directory === undefined) return undefined;
    const id = selectorTopologyId(meeting);
    const row = { kind: selectorTopology.kind, domain, parent: meeting, id, isAdmin: true };
    const found = await this.#scope.ask(directory.address, 'data.get', row);
    if (!found.ok) return found.fault.code === 'not_found' ? {} : undefined;
    return (found.value.item['hears'] ?? {}) as SelectorHears;
  }

  /** The sound file of a meeting, if the domain has it; else empty; `undefined` if no directory answers. */
  async fileOf(domain: string, mediafile: string): Promise<string | undefined> {
    if (mediafile === '') return '';
    const directory = activeDirectory(this.#scope, domain);
    if (directory === undefined) return undefined;
    const location = soundFileAt(mediafile, selectorFile.kind);
    const found = await this.#scope.ask(directory.address, 'file.find', { domain, ...location });
    if (!found.ok) return undefined;
    return found.value.item === undefined ? '' : mediafile;
  }

  /** Removes an ended meeting with its participants. (public) */
  async remove(domain: string, id: string): Promise<void> {
    const deadlineMs = this.#scope.clock.now() + this.#scope.map.topology.timings.requestDeadlineMs;
    const question = { type: 'data.delete', body: { kind: 'selector', domain, id }, deadlineMs } as const;
    await askRole(this.#scope, { role: 'mdc', domain }, question);
  }

  /** The items of a collection; `undefined` if no directory answers. */
  async #rows(collection: EntityCollection): Promise<readonly Row[] | undefined> {
    const directory = activeDirectory(this.#scope, collection.domain);
    if (directory === undefined) return undefined;
    const { ask } = this.#scope;
    const params: [string, string][] = [['limit', String(limits.pageItems)]];
    const first = await ask(directory.address, 'data.list', { ...collection, params, isAdmin: true });
    if (!first.ok) return undefined;
    const items = [...first.value.items];
    for (let rest = first.value.rest; rest !== undefined; ) {
      const piece = await ask(rest.at, 'data.rest', { name: rest.name });
      if (!piece.ok) return undefined;
      items.push(...piece.value.items);
      rest = piece.value.rest;
    }
    return items as unknown as Row[];
  }
}
