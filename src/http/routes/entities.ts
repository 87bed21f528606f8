/** The operations of every entity, generated from its declaration. */
import { z } from 'zod';
import { withDeadline } from '../../cluster/messaging/deadline.ts';
import type { RoleScope } from '../../cluster/role.ts';
import { applyItem } from '../../model/collection/collection.ts';
import { entities } from '../../model/entities/entities.ts';
import { type Entity, type EntityItem, type OperationName, operationNames } from '../../model/entities/entity.ts';
import { shownAfterChange } from '../../model/entities/item.ts';
import { limits } from '../../model/limits.ts';
import type { EntityCollection } from '../../model/protocol/messages/data.ts';
import { withDevices } from '../../roles/registered-devices.ts';
import { createItem, deleteItem, listItems, lookUpItems, patchItem, showItem } from '../../services/domain-data.ts';
import { findDomain } from '../../services/domains.ts';
import {
  type Contract,
  type Exchange,
  identityOf,
  idsSchema,
  itemQuery,
  listOf,
  listQuery,
  maskedOf,
  type RouteDefinition,
} from '../contract.ts';
import { answerPage, listParams, missingSites } from '../lists.ts';
import { readBody, readCollectionQuery, readItemQuery } from '../read-request.ts';
import { ageHeader, answerEmpty, answerError, answerJson } from '../responses.ts';

interface Operation {
  readonly method: string;
  /** Whether it addresses one item, or the collection. */
  readonly isOfItem: boolean;
  readonly isChange: boolean;
  readonly does: (entity: Entity) => string;
  readonly contract: (entity: Entity) => Contract;
  readonly answer: (entity: Entity, exchange: Exchange) => Promise<Response>;
}

const keyWanted = `expected a key, as a JSON string in quotes of 1 to ${limits.textChars} characters`;
const keySchema = z.string(keyWanted).min(1, keyWanted).max(limits.textChars, keyWanted);

const operations: Readonly<Record<OperationName, Operation>> = {
  create: {
    method: 'POST',
    isOfItem: false,
    isChange: true,
    does: ({ noun }) => `Makes ${withArticle(noun)}; \`id\` may be given.`,
    contract: (entity) => ({ takes: { body: entity.create }, gives: { 200: changedOf(entity) }, refuses: [409] }),
    answer: async (entity, exchange) => {
      const collection = collectionIn(entity, exchange);
      const given = await readBody(exchange.request, entity.create);
      const scope = withDeadline(exchange.ws.scope);
      return answerChanged(entity, await createItem(scope, collection, given), { scope, collection });
    },
  },
  list: {
    method: 'GET',
    isOfItem: false,
    isChange: false,
    does: ({ nouns }) => `Lists ${nouns}, with a reduced set of fields.`,
    contract: ({ shape, item }) => ({
      takes: { query: listQuery(shape) },
      gives: { 200: listOf(item, shape) },
      refuses: [504],
    }),
    answer: async (entity, exchange) => {
      const collection = collectionIn(entity, exchange);
      readCollectionQuery(exchange.request.url, entity.shape);
      const params = listParams(exchange.request.url);
      const { listShares } = exchange.ws;
      // The wait for a share is part of the time of the request.
      const scope = withDeadline(exchange.ws.scope);
      return listShares.take(identityOf(exchange).session.user.id, limits.listPatienceMs, async () => {
        const { value, ageMs } = await listItems(scope, collection, { params, isAdmin: isAdmin(exchange) });
        return answerPage(scope, value, ageHeader(ageMs));
      });
    },
  },
  lookup: {
    method: 'LOOKUP',
    isOfItem: false,
    isChange: false,
    does: ({ nouns, lookup }) => `Finds ids of ${nouns} by ${lookup.map((name) => `\`${name}\``).join(' or ')}.`,
    contract: () => ({ takes: { body: keySchema }, gives: { 200: idsSchema }, refuses: [404] }),
    answer: async (entity, exchange) => {
      const collection = collectionIn(entity, exchange);
      const key = await readBody(exchange.request, keySchema);
      const { value, ageMs } = await lookUpItems(exchange.ws.scope, collection, key);
      const headers = ageHeader(ageMs);
      return value.length === 0 ? answerError(404, 'Lookup failed', headers) : answerJson(value, headers);
    },
  },
  get: {
    method: 'GET',
    isOfItem: true,
    isChange: false,
    does: ({ noun }) => `Shows ${withArticle(noun)}.`,
    contract: ({ item }) => ({ takes: { query: itemQuery }, gives: { 200: maskedOf(item) } }),
    answer: async (entity, exchange) => {
      const collection = collectionIn(entity, exchange);
      const query = readItemQuery(exchange.request.url, entity.shape);
      const which = { id: idIn(exchange), isAdmin: isAdmin(exchange) };
      const scope = withDeadline(exchange.ws.scope);
      const { value, ageMs } = await showItem(scope, collection, which);
      const { item, missing } = await withDevices(scope, collection, value);
      return answerJson(applyItem(item, query), { ...ageHeader(ageMs), ...missingSites(missing) });
    },
  },
  patch: {
    method: 'PATCH',
    isOfItem: true,
    isChange: true,
    does: ({ noun }) => `Changes ${withArticle(noun)}: objects are merged, arrays replaced.`,
    contract: (entity) => ({ takes: { body: entity.patch }, gives: { 200: changedOf(entity) }, refuses: [409] }),
    answer: async (entity, exchange) => {
      const collection = collectionIn(entity, exchange);
      const patch = await readBody(exchange.request, entity.patch);
      const scope = withDeadline(exchange.ws.scope);
      const item = await patchItem(scope, collection, { id: idIn(exchange), patch });
      return answerChanged(entity, item, { scope, collection });
    },
  },
  delete: {
    method: 'DELETE',
    isOfItem: true,
    isChange: true,
    does: ({ noun }) => `Removes ${withArticle(noun)}.`,
    contract: () => ({ gives: { 204: 'nothing' } }),
    answer: async (entity, exchange) => {
      await deleteItem(exchange.ws.scope, collectionIn(entity, exchange), idIn(exchange));
      return answerEmpty();
    },
  },
};

export const entityRoutes: readonly RouteDefinition[] = entities.flatMap((entity) =>
  [entity.path, ...(entity.aliases ?? [])].flatMap((base) => routesOf(entity, base)),
);

function routesOf(entity: Entity, base: string): RouteDefinition[] {
  return operationNames.flatMap((name): RouteDefinition[] => {
    const source = entity.operations[name];
    if (source === undefined) return [];
    const { method, isOfItem, isChange, does, contract, answer } = operations[name];
    const suffix = isOfItem ? '/:id' : '';
    const isAlias = base !== entity.path;
    const same = isAlias ? { sameAs: `${entity.path}${suffix}` } : {};
    return [
      {
        method,
        path: `${base}${suffix}`,
        does: does(entity),
        source,
        access: { domain: entity.domain, to: isChange ? 'change' : 'read' },
        ...same,
        ...contract(entity),
        answer: (exchange) => answer(entity, exchange),
      },
    ];
  });
}

/** The answer to a change. */
function changedOf({ item, omittedOnChange = [] }: Entity): z.ZodObject {
  const omitted = Object.fromEntries(omittedOnChange.map((name) => [name, true] as const));
  return item.omit(omitted as Record<string, true>);
}

/** The collection of a request: in the session's domain, or in the domain in the path, which must not be above it. */
function collectionIn({ kind, path, parent }: Entity, exchange: Exchange): EntityCollection {
  const { session } = identityOf(exchange);
  const { params, ws } = exchange;
  const isInPath = path.includes('/:domain_id/');
  const domain = isInPath ? findDomain(ws.scope.map, session, params['domain_id'] ?? '').name : session.domain;
  return parent === undefined ? { kind, domain } : { kind, domain, parent: (params[parent.param] ?? '').toLowerCase() };
}

/** `an integration channel`; a noun in `u` begins with a consonant's sound (`user`). */
function withArticle(noun: string): string {
  return `${/^[aeio]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}

function idIn({ params }: Exchange): string {
  return (params['id'] ?? '').toLowerCase();
}

function isAdmin(exchange: Exchange): boolean {
  return identityOf(exchange).session.user.roles.includes('admin');
}

async function answerChanged(
  entity: Entity,
  changed: Record<string, unknown>,
  { scope, collection }: { readonly scope: RoleScope; readonly collection: EntityCollection },
): Promise<Response> {
  const { item, missing } = await withDevices(scope, collection, changed);
  return answerJson(shownAfterChange(entity, item as EntityItem), missingSites(missing));
}
