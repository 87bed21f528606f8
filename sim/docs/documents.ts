/** The generated documents, by file name. A test holds the copies in `docs/` equal to what is generated. */
import { z } from 'zod';
import { openApiOf } from '../../src/http/openapi/document.ts';
import { routesOf } from '../../src/http/routes.ts';
import { topologySchema } from '../../src/model/topology/schema.ts';
import { scenarioSchema } from '../scenario/language/scenario.ts';
import { entitiesDocument } from './entities.ts';
import { fidelityDocument } from './fidelity.ts';
import { interfaceDocument } from './interface.ts';
import { libraryDocument } from './library.ts';
import { limitsDocument } from './limits.ts';
import { machinesDocument } from './machines.ts';
import { oraclesDocument } from './oracles.ts';
import { protocolDocument } from './protocol.ts';

export const documents: ReadonlyMap<string, () => string> = new Map([
  ['interface.md', interfaceDocument],
  ['fidelity.md', fidelityDocument],
  ['entities.md', entitiesDocument],
  ['protocol.md', protocolDocument],
  ['machines.md', machinesDocument],
  ['limits.md', limitsDocument],
  ['oracles.md', oraclesDocument],
  ['library.md', libraryDocument],
  ['topology.schema.json', () => jsonSchema(topologySchema)],
  ['scenario.schema.json', () => jsonSchema(scenarioSchema)],
]);

/** Those that can be printed. The OpenAPI document is not kept in `docs/`: a cluster that is served gives it. */
export const printedDocuments: ReadonlyMap<string, () => string> = new Map([
  ...documents,
  ['openapi.json', openApiDocument],
]);

function openApiDocument(): string {
  return `${JSON.stringify(openApiOf(routesOf({ webApps: () => [] })), null, 1)}\n`;
}

/** The schema of what an author writes, for editors. */
function jsonSchema(schema: z.ZodType): string {
  return `${JSON.stringify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), null, 2)}\n`;
}
