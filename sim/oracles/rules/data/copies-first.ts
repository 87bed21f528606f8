/** A change of domain data is acknowledged when the copies in reach have it. */

import { limits } from '../../../../src/model/limits.ts';
import type { BodyOf } from '../../../../src/model/protocol/catalogue.ts';
import type { OracleMaker } from '../../oracle.ts';
import { Reachability } from '../../reachability.ts';
import { byType, setLast, together } from '../kit/shared.ts';

/** A change that a master has sent to its copies. */
interface Sent {
  readonly by: string;
  readonly sequence: number;
  readonly atMs: number;
  /** The copies that serve and have not said that they have it. */
  readonly missing: Set<string>;
}

/** By then the mdc knows that an sdc serves, also over a slow link. */
const knownMs = 10_000;
/** Of changes and asks, the last ones. */
const mostKept = 1_000;

export const copiesFirst: OracleMaker = {
  name: 'copies-first',
  rule: 'An mdc answers that an item was made, changed or removed only when every sdc that serves and to which it has sent the change has said that it has it, or a quarter of a second after that.',
  exclusions: 'Copies that begin to serve just then.',
  make: ({ map, check, fail }) => {
    const reachability = new Reachability(map);
    /** By what was made of the item: several changes of one may be under way. */
    const sent = new Map<string, Sent>();
    /** The items of open changes, by the id of the ask. */
    const asked = new Map<string, string>();
    const isServing = (address: string, atMs: number) => {
      const instance = map.instances.get(address);
      return (
        instance !== undefined &&
        reachability.statusOf(instance) === 'active' &&
        reachability.standsMs(instance, atMs) > knownMs
      );
    };
    return {
      listeners: together(reachability.listeners, {
        'envelope.sent': {
          'data.changed': ({ envelope: { from, to, body }, atMs }) => {
            const { sequence, changes } = body as BodyOf<'data.changed'>;
            for (const change of changes) {
              const made = 'put' in change ? JSON.stringify(change.put.item) : change.gone.id;
              const before = sent.get(made);
              const isSame = before?.sequence === sequence && before.by === from;
              const one = isSame ? before : { by: from, sequence, atMs, missing: new Set<string>() };
              if (isServing(to, atMs)) one.missing.add(to);
              setLast(sent, made, one, mostKept);
            }
          },
          ...byType(
            ['data.create', 'data.patch', 'data.delete'],
            ({
              envelope: { id, kind, re = '', from, body },
              atMs,
            }: {
              envelope: { id: string; kind: string; re?: string; from: string; body: unknown };
              atMs: number;
            }) => {
              if (kind === 'ask') return setLast(asked, id, (body as BodyOf<'data.delete'>).id, mostKept);
              const { item } = body as { readonly item?: object };
              const one = sent.get(item === undefined ? (asked.get(re) ?? '') : JSON.stringify(item));
              asked.delete(re);
              if (kind !== 'reply' || one === undefined || one.by !== from) return;
              check();
              const [missing] = one.missing;
              if (missing !== undefined && atMs - one.atMs < limits.dataFollowMs)
                fail(
                  `${from} acknowledges change ${one.sequence} ${Math.round(atMs - one.atMs)} ms after it was sent to ${missing}, which has not followed`,
                );
            },
          ),
        },
        'envelope.delivered': {
          'data.followed': ({ envelope: { from, to, body } }) => {
            const { sequence } = body as BodyOf<'data.followed'>;
            for (const each of sent.values())
              if (each.by === to && each.sequence <= sequence) each.missing.delete(from);
          },
        },
      }),
    };
  },
};
