/** The operations of the interface, as its OpenAPI document declares them. */
import { openApiOf } from '../../../../src/http/openapi/document.ts';
import { operationsIn } from '../../../../src/http/openapi/operations.ts';
import { routesOf } from '../../../../src/http/routes.ts';
import type { Schema } from './values.ts';

export interface ClientOperation {
  readonly method: string;
  /** Such as `/rest/v1/uc/calls/{dialogid}`. */
  readonly path: string;
  readonly isOpen: boolean;
  /** Only sessions of the master domain may use it. */
  readonly isOfMasterDomain: boolean;
  readonly query: readonly { readonly name: string; readonly schema: Schema }[];
  /** The JSON of its body. */
  readonly body: Schema | undefined;
  /** Media types of a body of bytes. */
  readonly media: readonly string[];
}

let all: readonly ClientOperation[] | undefined;

/** In the order of the document, which takes most of a second to make. */
export function clientOperations(): readonly ClientOperation[] {
  all ??= readOperations();
  return all;
}

function readOperations(): readonly ClientOperation[] {
  const document = openApiOf(routesOf({ webApps: () => [] }));
  const resolved = (schema: Schema): Schema => {
    const name =
      String(schema['$ref'] ?? '')
        .split('/')
        .at(-1) ?? '';
    return schema['$ref'] === undefined ? schema : (document.components.schemas[name] as Schema);
  };
  return operationsIn(document).map(({ method, path, operation }) => {
    const content = operation.requestBody?.content ?? {};
    const json = content['application/json'] as { readonly schema: Schema } | undefined;
    const query = operation.parameters.filter((each) => each.in === 'query');
    return {
      method,
      path,
      isOpen: operation.security.length === 0,
      isOfMasterDomain: operation['x-strowger-access'].includes('master domain'),
      query: query.map(({ name, schema }) => ({ name, schema })),
      body: json && resolved(json.schema),
      media: Object.keys(content).filter((type) => type !== 'application/json'),
    };
  });
}
