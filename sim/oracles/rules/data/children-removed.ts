/** What belongs to an item of the domain data is removed with it. */
import type { Envelope } from '../../../../src/model/cluster/envelope.ts';
import type { BodyOf } from '../../../../src/model/protocol/catalogue.ts';
import type { OracleMaker } from '../../oracle.ts';
import { setLast } from '../kit/shared.ts';

/** The last ones. */
const mostKept = 5_000;

export const childrenRemoved: OracleMaker = {
  name: 'children-removed',
  rule: 'An mdc removes what belongs to an item in the same change as the item, and makes nothing that belongs to a removed one, whatever is broken.',
  exclusions: 'Items whose removal may have been among changes that no sdc in reach was sent.',
  make: ({ map, check, fail }) => {
    /** The parents of items that mdc instances have published, by the id of the child. */
    const parents = new Map<string, string>();
    const removed = new Map<string, true>();
    /** The last change that was sent, by database and the domains of its follower: what has no follower in reach is not sent. */
    const sent = new Map<string, number>();
    const take = ({ from, to }: Envelope, { database, sequence, changes }: BodyOf<'data.changed'>) => {
      const follower = map.instancesOf('sdc').find(({ address }) => address === to);
      const key = `${database} ${follower?.domains.join()}`;
      const last = sent.get(key);
      if (last === undefined || sequence > last + 1) parents.clear();
      sent.set(key, Math.max(last ?? 0, sequence));
      for (const change of changes) {
        if (!('put' in change)) continue;
        const { kind, parent, item } = change.put;
        removed.delete(item.id);
        if (parent === undefined) continue;
        check();
        if (removed.has(parent)) fail(`${from} makes ${kind} ${item.id} of the removed item ${parent}`);
        setLast(parents, item.id, parent, mostKept);
      }
      const gone = new Set(changes.flatMap((change) => ('gone' in change ? [change.gone.id] : [])));
      for (const id of gone) {
        setLast(removed, id, true, mostKept);
        parents.delete(id);
      }
      if (gone.size === 0) return;
      for (const [id, parent] of parents) {
        if (!gone.has(parent)) continue;
        parents.delete(id);
        fail(`${from} removes the item ${parent}, and not ${id}, which belongs to it`);
      }
    };
    return {
      listeners: {
        'envelope.sent': {
          'data.changed': ({ envelope }) => take(envelope, envelope.body as BodyOf<'data.changed'>),
        },
      },
    };
  },
};
