/** What must hold in a topology beyond its schema, the items of entities in it included. */
import { documentKinds, isFileKind, isKind } from '../../src/model/entities/entities.ts';
import type { Entity, EntityItem } from '../../src/model/entities/entity.ts';
import { createdItem } from '../../src/model/entities/item.ts';
import { expectedText } from '../../src/model/shapes/nearest.ts';
import { checkTopology } from '../../src/model/topology/checks.ts';
import type { Topology, TopologyDomain } from '../../src/model/topology/schema.ts';
import { type InputError, readValue } from '../input/read-value.ts';

/** All faults of a topology that its schema accepts. */
export function checkWhole(topology: Topology): readonly InputError[] {
  const items = topology.domains.flatMap((domain, index) =>
    checkItems(domain).map(({ path, message }) => ({ path: ['domains', index, 'items', ...path], message })),
  );
  return [...checkTopology(topology), ...items];
}

/** `created`: the item, if it is valid. */
interface CheckedItem {
  readonly entity: Entity;
  readonly path: InputError['path'];
  readonly parent: unknown;
  readonly faults: readonly InputError[];
  readonly created?: EntityItem;
}

function checkItems(domain: TopologyDomain): InputError[] {
  const kinds = documentKinds.map(({ kind }) => kind);
  const unknown = Object.keys(domain.items)
    .filter((kind) => !isKind(kind) || isFileKind(kind))
    .map((kind) => ({ path: [kind], message: expectedText('the kind of an entity', kind, kinds) }));
  const checked = documentKinds.flatMap((entity) =>
    (domain.items[entity.kind] ?? []).map((entry, index) => checkItem(entity, entry, [entity.kind, index])),
  );
  return [...unknown, ...checked.flatMap(({ faults }) => faults), ...clashes(domain, checked), ...orphans(checked)];
}

function checkItem(entity: Entity, { parent, ...values }: Readonly<Record<string, unknown>>, path: InputError['path']) {
  const checked = { entity, path, parent };
  const read = readValue(entity.create, values);
  if (!read.isValid)
    return { ...checked, faults: read.faults.map((each) => ({ ...each, path: [...path, ...each.path] })) };
  const { id = '', ...given } = read.value as Readonly<Record<string, unknown>>;
  const created = createdItem(entity, String(id), { given, atMs: 0 });
  const problem = entity.rule(created);
  return { ...checked, created, faults: problem === undefined ? [] : [{ path, message: problem }] };
}

/** Values that must be unique in the domain; the users of the topology count. */
function clashes({ users, sipusers }: TopologyDomain, checked: readonly CheckedItem[]): InputError[] {
  const taken = new Set([
    ...users.map(({ login }) => `user login ${login}`),
    ...sipusers.flatMap(({ login, phonenumber }) => [`sipuser login ${login}`, `sipuser phonenumber ${phonenumber}`]),
  ]);
  return checked.flatMap(({ entity: { kind, unique }, path, created }) =>
    ['id', ...unique].flatMap((name) => {
      const value = created?.[name] ?? '';
      const key = `${kind} ${name} ${String(value)}`;
      if (value === '' || !taken.has(key)) {
        if (value !== '') taken.add(key);
        return [];
      }
      return [{ path: [...path, name], message: `${JSON.stringify(value)} is taken; expected a unique ${name}` }];
    }),
  );
}

/** Items that name no parent, or one that is not there. */
function orphans(checked: readonly CheckedItem[]): InputError[] {
  const ids = new Set(checked.map(({ entity, created }) => `${entity.kind}/${created?.id ?? ''}`));
  return checked.flatMap(({ entity, path, parent }) => {
    const kind = entity.parent?.kind;
    if (kind === undefined) {
      return parent === undefined ? [] : [{ path: [...path, 'parent'], message: 'expected nothing: it has no parent' }];
    }
    if (typeof parent === 'string' && ids.has(`${kind}/${parent}`)) return [];
    return [{ path: [...path, 'parent'], message: `expected the id of a ${kind} among the items of this domain` }];
  });
}
