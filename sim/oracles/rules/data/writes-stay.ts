/** Acknowledged changes are durable. */
import { childrenOf, entities, entityOf, isFileKind } from '../../../../src/model/entities/entities.ts';
import type { BodyOf } from '../../../../src/model/protocol/catalogue.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleContext, OracleMaker } from '../../oracle.ts';
import { byType, differingField, setLast } from '../kit/shared.ts';

type Change = BodyOf<'data.create'> | BodyOf<'data.patch'> | BodyOf<'data.delete'>;
type Item = Readonly<Record<string, unknown>> & { readonly ext: { readonly lwt: string } };

/** An item after its last acknowledged change. */
interface Written {
  readonly change: Change;
  readonly atMs: number;
  /** `undefined`: it was removed. */
  readonly item: Item | undefined;
  /** The result of a later change is unknown. */
  isUnsure: boolean;
}

const reads: ReadonlySet<string> = new Set(['data.get', 'data.list']);
/** Of refused items, the last ones. */
const mostRefused = 1_000;
interface Answer {
  readonly item?: Item;
  readonly items?: readonly Item[];
  /** Of a fault. */
  readonly code?: string;
  readonly definite?: boolean;
}

/** How many of the last changed items are requested at each front. */
const askedItems = 100;

export const writesStay: OracleMaker = {
  name: 'writes-stay',
  rule: 'Every acknowledged change of domain data shows in all later reads, at once at the master and within 35 s at every copy, through any crash. An item whose creation was refused is not there.',
  make: (context) => {
    const { map, stableMs, check, fail } = context;
    const { copiedMs } = boundsOf(map);
    const pending = new Map<string, { type: string; change: Change; atMs: number }>();
    const written = new Map<string, Written>();
    /** Items whose creation was refused. */
    const refused = new Map<string, true>();
    const expectUnmade = (from: string, id: unknown) => {
      if (refused.has(String(id))) fail(`${from} returns ${String(id)}, whose creation was refused`);
    };
    /** Each copy has what was acknowledged before this time: the cluster has been stable for long enough since. */
    let copiedUntilMs = 0;
    const acknowledge = (type: string, { change, atMs, item }: Pick<Written, 'change' | 'atMs' | 'item'>) => {
      written.delete(change.id);
      written.set(change.id, { change, atMs, item, isUnsure: false });
      if (type === 'data.delete') forgetChildren(written, change);
    };
    /** A change of the item, or of what it belongs to, that has no answer yet: reads may show it or not. */
    const isChanging = ({ id, parent }: Change) =>
      [...pending.values()].some(
        ({ type, change }) => !reads.has(type) && (change.id === id || (parent !== undefined && change.id === parent)),
      );
    /** The master must show what was acknowledged before the request, a copy what it had the time to receive. */
    const compareRead = (from: string, id: unknown, { item, askedMs }: { item: Item | undefined; askedMs: number }) => {
      const known = written.get(String(id));
      const isMaster = map.instances.get(from)?.role === 'mdc';
      if (known === undefined || known.isUnsure || known.atMs >= (isMaster ? askedMs : copiedUntilMs)) return;
      check();
      const wrong = difference(known, item);
      if (wrong !== undefined && !isChanging(known.change))
        fail(`${from} returns ${known.change.kind} ${known.change.id}: ${wrong}`);
    };
    const listeners: ObservationListeners = {
      'envelope.sent': byType(
        ['data.create', 'data.patch', 'data.delete', 'data.get', 'data.list'],
        ({ envelope: { id, re = '', kind, type, from, body }, atMs }) => {
          if (kind === 'tell') return;
          if (kind === 'ask') return void pending.set(id, { type, change: body as Change, atMs });
          const asked = pending.get(re);
          if (asked === undefined) return;
          const { change, atMs: askedMs } = asked;
          const { item, items = [], code, definite } = body as Answer;
          if (type === 'data.list') {
            for (const each of items) expectUnmade(from, each['id']);
            for (const each of items) if ('ext' in each) compareRead(from, each['id'], { item: each, askedMs });
            return;
          }
          const isMissing = kind === 'fault' && code === 'not_found';
          if (type === 'data.get' && kind === 'reply') expectUnmade(from, change.id);
          if (type === 'data.create' && kind === 'reply') refused.delete(change.id);
          if (type === 'data.create' && kind === 'fault' && definite === true && code !== 'conflict')
            setLast(refused, change.id, true, mostRefused);
          const isInPlace = isOfSamePlace(change, written.get(change.id)?.change);
          if (type === 'data.get' && isInPlace && (kind === 'reply' || isMissing))
            compareRead(from, change.id, { item, askedMs });
          if (type === 'data.get' || kind === 'fault' || isFileKind(change.kind)) return;
          acknowledge(asked.type, { change, atMs, item });
          pending.delete(re);
        },
      ),
      'ask.ended': ({ ask: { id }, fault }) => {
        const asked = pending.get(id);
        pending.delete(id);
        if (asked === undefined || reads.has(asked.type)) return;
        const known = written.get(asked.change.id);
        if (fault?.definite !== false) return;
        if (known !== undefined) known.isUnsure = true;
        // What belongs to it may be gone with it.
        if (asked.type === 'data.delete') forgetChildren(written, asked.change);
      },
    };
    const tick = (nowMs: number) => {
      if (stableMs() > copiedMs) copiedUntilMs = nowMs - copiedMs;
    };
    const atQuiescence = () => readAll(context, written);
    return {
      listeners,
      tick,
      atQuiescence,
    };
  },
};

/** An item is not there in another domain, or below another item. */
function isOfSamePlace(one: Change, other: Change | undefined): boolean {
  return one.domain === other?.domain && one.kind === other.kind && one.parent === other.parent;
}

/** Items that belong to an item are removed with it. */
function forgetChildren(written: Map<string, Written>, { kind, id }: Change): void {
  const kinds = new Set(childrenOf(entityOf(kind)).map((child) => child.kind));
  for (const [child, { change }] of written) if (kinds.has(change.kind) && change.parent === id) written.delete(child);
}

async function readAll({ map, questions, stableMs, check, fail }: OracleContext, all: ReadonlyMap<string, Written>) {
  if (stableMs() === 0) return;
  const domains = new Set(questions.domains);
  const known = [...all.values()].filter(({ change, isUnsure }) => !isUnsure && domains.has(change.domain));
  const asked = known.filter(({ change }) => entities.some(({ kind }) => kind === change.kind)).slice(-askedItems);
  const wrong = await questions.eventually(boundsOf(map).copiedMs, async () => {
    const found = questions.sites.flatMap((site) => asked.map((each) => readOne(site, each)));
    return (await Promise.all(found)).flat();
  });
  if (stableMs() === 0) return;
  check(asked.length);
  for (const what of wrong) fail(what);

  async function readOne(site: string, each: Written): Promise<string[]> {
    const { domain, kind, id } = each.change;
    const answer = await questions.ask({ site, domain, path: `${pathOf(each.change)}/${id}` });
    // A client may have changed it since.
    if (all.get(id) !== each || each.isUnsure) return [];
    if (answer === undefined || (answer.status !== 200 && answer.status !== 404)) return [];
    const what = difference(each, answer.status === 404 ? undefined : (answer.body as Item));
    return what === undefined ? [] : [`${site} shows of ${kind} ${id}: ${what}`];
  }
}

function pathOf({ kind, domain, parent = '' }: Change): string {
  return entityOf(kind)
    .path.replace(':domain_id', domain)
    .replace(/:[a-z_]+/, parent);
}

/** The item is older than acknowledged, or differs at the same time. A newer one was changed by another client. */
function difference({ change, item }: Written, read: Item | undefined): string | undefined {
  if (item === undefined) return read === undefined ? undefined : 'it exists, though its removal was acknowledged';
  if (read === undefined) return 'it is missing, though it was acknowledged';
  if (read.ext.lwt > item.ext.lwt) return undefined;
  if (read.ext.lwt < item.ext.lwt) return `it is as of ${read.ext.lwt}, though ${item.ext.lwt} was acknowledged`;
  const { fields, secrets = {}, live = [] } = entityOf(change.kind);
  // The platform sets these by itself, as time passes.
  const own = Object.entries(fields).flatMap(([name, each]) => ('mode' in each && each.mode === 'out' ? name : []));
  const others = new Set([...Object.keys(secrets), ...live, ...own]);
  const shown = Object.entries(read).filter(([name]) => !others.has(name));
  const other = differingField(Object.fromEntries(shown), item);
  return other === undefined ? undefined : `"${other}" is not as acknowledged`;
}
