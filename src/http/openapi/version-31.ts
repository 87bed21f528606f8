/**
 * The document in OpenAPI 3.1, for generators that cannot read 3.2. It has no place for methods such as LOOKUP: such an operation
 * is the `post` of a path with a fragment, `/rest/v1/uc/calls#LOOKUP`, and says its method in `x-strowger-method`. No server
 * answers such a POST.
 */
import type { Document, Json, OpenApiOperation, PathItem } from './document.ts';

/** A document without methods of its own. */
export interface Document31 extends Omit<Document, 'openapi' | 'paths'> {
  readonly openapi: '3.1.1';
  readonly paths: Readonly<Record<string, Json>>;
}

export function inVersion31({ info, paths, components, ...more }: Document): Document31 {
  const entries = Object.entries(paths).flatMap(([path, item]) => itemsOf(path, item));
  const description = `${String(info['description'])} ${note}`;
  const schemas = Object.entries(components.schemas).map(([name, schema]) => [name, withoutLoop(name, schema as Json)]);
  return {
    ...more,
    openapi: '3.1.1',
    info: { ...info, description },
    paths: Object.fromEntries(entries),
    components: { ...components, schemas: Object.fromEntries(schemas) as Json },
  };
}

/** Generators make types of schemas, and a type cannot be itself: a schema of any JSON allows anything. */
function withoutLoop(name: string, schema: Json): Json {
  const isLoop = JSON.stringify(schema).includes(`"#/components/schemas/${name}"`);
  return isLoop ? { description: 'Any JSON value' } : schema;
}

const note =
  'OpenAPI 3.1 has no place for methods such as LOOKUP. Their operations are the `post` of a path with a fragment, such as `/rest/v1/uc/calls#LOOKUP`: send them with the method in `x-strowger-method` to the path without the fragment. A POST there is another operation.';

function itemsOf(path: string, { additionalOperations = {}, ...item }: PathItem): [string, Json][] {
  const own = Object.entries(additionalOperations as Readonly<Record<string, OpenApiOperation>>);
  const plain: [string, Json][] = Object.keys(item).length === 0 ? [] : [[path, item]];
  return [
    ...plain,
    ...own.map(([method, operation]): [string, Json] => [
      `${path}#${method}`,
      { post: { ...operation, description: `Send it as ${method} ${path}.`, 'x-strowger-method': method } },
    ]),
  ];
}
