/** The generated documents, by file name. A test holds the copies in `docs/` equal to what is generated. */
import { basename } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { openApiOf } from '../../src/http/openapi/document.ts';
import { inVersion31 } from '../../src/http/openapi/version-31.ts';
import { routesOf } from '../../src/http/routes.ts';
import { topologySchema } from '../../src/model/topology/schema.ts';
import { scenarioSchema } from '../scenario/language/scenario.ts';
import { cliDocument } from './cli-document.ts';
import { dialPlanDocument } from './dial-plan-document.ts';
import { entitiesDocument } from './entities-document.ts';
import { fidelityDocument } from './fidelity-document.ts';
import { eventsDocument, eventsSchema } from './interface/events-document.ts';
import { interfaceDocument } from './interface/interface-document.ts';
import { socketProtocolDocument } from './interface/socket-protocol.ts';
import { libraryDocument } from './library-document.ts';
import { limitsDocument } from './limits-document.ts';
import { machinesDocument } from './machines-document.ts';
import { oraclesDocument } from './oracles-document.ts';
import { protocolDocument, protocolObjectsDocument, protocolSchema } from './protocol-document.ts';
import { scriptsDocument, scriptsSchema } from './scripts-document.ts';

/** `program`: the command line, which one of them is about. */
type MakeDocument = (program: Command) => string | Promise<string>;

/** By their path below `docs/`. */
export const documents: ReadonlyMap<string, MakeDocument> = new Map<string, MakeDocument>([
  ['reference/interface.md', interfaceDocument],
  ['reference/fidelity.md', fidelityDocument],
  ['reference/entities.md', entitiesDocument],
  ['reference/scripts.md', scriptsDocument],
  ['reference/scripts.schema.json', scriptsSchema],
  ['reference/web-socket.md', socketProtocolDocument],
  ['reference/events.md', eventsDocument],
  ['reference/events.schema.json', eventsSchema],
  ['reference/protocol.md', protocolDocument],
  ['reference/protocol-objects.md', protocolObjectsDocument],
  ['reference/protocol.schema.json', protocolSchema],
  ['reference/machines.md', machinesDocument],
  ['reference/limits.md', limitsDocument],
  ['reference/oracles.md', oraclesDocument],
  ['reference/library.md', libraryDocument],
  ['reference/dial-plan.md', dialPlanDocument],
  ['reference/cli.md', cliDocument],
  ['reference/topology.schema.json', () => jsonSchema(topologySchema)],
  ['reference/scenario.schema.json', () => jsonSchema(scenarioSchema)],
]);

/** Documents that `strowger docs NAME` prints, by name. `docs/` has no OpenAPI document, because a served cluster answers it. */
export const printedDocuments: ReadonlyMap<string, MakeDocument> = new Map([
  ...[...documents].map(([path, make]) => [basename(path), make] as const),
  ['openapi.json', () => openApiDocument('3.2')],
]);

export const openApiVersions = ['3.2', '3.1'] as const;

/** The OpenAPI document of the interface. */
export function openApiDocument(version: (typeof openApiVersions)[number]): string {
  const document = openApiOf(routesOf({ webApps: () => [] }));
  return `${JSON.stringify(version === '3.1' ? inVersion31(document) : document, null, 1)}\n`;
}

/** The schema of what an author writes, for editors. */
function jsonSchema(schema: z.ZodType): string {
  return `${JSON.stringify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), null, 2)}\n`;
}
