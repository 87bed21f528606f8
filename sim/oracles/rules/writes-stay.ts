/** What was acknowledged has happened, and stays. */
import { childrenOf, entities, entityOf, isFileKind } from '../../../src/model/entities/entities.ts';
import type { BodyOf } from '../../../src/model/protocol/catalogue.ts';
import { boundsOf } from '../bounds.ts';
import type { Hears, OracleContext, OracleMaker } from '../oracle.ts';

type Change = BodyOf<'data.create'> | BodyOf<'data.patch'> | BodyOf<'data.delete'>;
type Item = Readonly<Record<string, unknown>> & { readonly ext: { readonly lwt: string } };

/** An item as its last acknowledged change has left it. */
interface Written {
  readonly change: Change;
  /** `undefined`: it is gone. */
  readonly item: Item | undefined;
  /** A later change may have happened: nobody knows. */
  isUnsure: boolean;
}

/** So many of the items that were written last are asked for at each front. */
const askedItems = 100;

export const writesStay: OracleMaker = {
  name: 'writes-stay',
  rule: 'Every change of domain data that was acknowledged is seen in all later reads, at once at the master and within 35 s at every copy, whatever crashes.',
  make: (context) => {
    const { map, check, fail } = context;
    const pending = new Map<string, { type: string; change: Change }>();
    const written = new Map<string, Written>();
    const acknowledge = (type: string, change: Change, item: Item | undefined) => {
      written.delete(change.id);
      written.set(change.id, { change, item, isUnsure: false });
      if (type === 'data.delete') forgetChildren(written, change);
    };
    const compareRead = (from: string, item: Item & { id?: unknown }) => {
      if (map.instances.get(from)?.role !== 'mdc') return;
      const known = written.get(String(item.id));
      if (known === undefined || known.isUnsure) return;
      check();
      const wrong = difference(known, item);
      if (wrong !== undefined) fail(`${from} tells of ${known.change.kind} ${known.change.id}: ${wrong}`);
    };
    const hears: Hears = {
      'envelope.sent': ({ envelope: { id, re = '', kind, type, from, body } }) => {
        if (kind === 'ask' && type !== 'data.get') pending.set(id, { type, change: body as Change });
        if (kind !== 'reply') return;
        const { item } = body as { item?: Item };
        const asked = pending.get(re);
        if (type === 'data.get' && item !== undefined) compareRead(from, item);
        else if (asked !== undefined && !isFileKind(asked.change.kind)) acknowledge(asked.type, asked.change, item);
        pending.delete(re);
      },
      'ask.ended': ({ ask: { id }, fault }) => {
        const asked = pending.get(id);
        if (asked === undefined) return;
        pending.delete(id);
        const known = written.get(asked.change.id);
        if (known !== undefined && fault?.definite === false) known.isUnsure = true;
      },
    };
    const atQuiet = () => readAll(context, written);
    return { hears, atQuiet, types: ['data.create', 'data.patch', 'data.delete', 'data.get'] };
  },
};

/** What belongs to an item goes with it. */
function forgetChildren(written: Map<string, Written>, { kind, id }: Change): void {
  const kinds = new Set(childrenOf(entityOf(kind)).map((child) => child.kind));
  for (const [child, { change }] of written) if (kinds.has(change.kind) && change.parent === id) written.delete(child);
}

async function readAll({ map, questions, calmMs, check, fail }: OracleContext, all: ReadonlyMap<string, Written>) {
  if (calmMs() === 0) return;
  const domains = new Set(questions.domains);
  const known = [...all.values()].filter(({ change, isUnsure }) => !isUnsure && domains.has(change.domain));
  const asked = known.filter(({ change }) => entities.some(({ kind }) => kind === change.kind)).slice(-askedItems);
  const wrong = await questions.eventually(boundsOf(map).copiedMs, async () => {
    const found = questions.sites.flatMap((site) => asked.map((each) => readOne(site, each)));
    return (await Promise.all(found)).flat();
  });
  if (calmMs() === 0) return;
  check(asked.length);
  for (const what of wrong) fail(what);

  async function readOne(site: string, each: Written): Promise<string[]> {
    const { domain, kind, id } = each.change;
    const answer = await questions.ask({ site, domain, path: `${pathOf(each.change)}/${id}` });
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

/** What is older than it was acknowledged, or different at the same time. What is newer somebody else has changed. */
function difference({ change, item }: Written, read: Item | undefined): string | undefined {
  if (item === undefined) return read === undefined ? undefined : 'it is there, though its removal was acknowledged';
  if (read === undefined) return 'it is not there, though it was acknowledged';
  if (read.ext.lwt > item.ext.lwt) return undefined;
  if (read.ext.lwt < item.ext.lwt) return `it is as of ${read.ext.lwt}, though ${item.ext.lwt} was acknowledged`;
  const { secrets = {}, omittedOnChange = [] } = entityOf(change.kind);
  const names = Object.keys(item).filter((name) => !(name in secrets) && !omittedOnChange.includes(name));
  const other = names.find((name) => name in read && JSON.stringify(read[name]) !== JSON.stringify(item[name]));
  return other === undefined ? undefined : `"${other}" is not as it was acknowledged`;
}
