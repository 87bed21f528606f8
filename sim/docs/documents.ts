/** The generated documents, by file name. A test holds the copies in `docs/` equal to what is generated. */
import { z } from 'zod';
import { topologySchema } from '../../src/model/topology/schema.ts';
import { scenarioSchema } from '../scenario/schema.ts';
import { entitiesDocument } from './entities.ts';
import { interfaceDocument } from './interface.ts';
import { limitsDocument } from './limits.ts';
import { machinesDocument } from './machines.ts';
import { protocolDocument } from './protocol.ts';

export const documents: ReadonlyMap<string, () => string> = new Map([
  ['interface.md', interfaceDocument],
  ['entities.md', entitiesDocument],
  ['protocol.md', protocolDocument],
  ['machines.md', machinesDocument],
  ['limits.md', limitsDocument],
  ['topology.schema.json', () => jsonSchema(topologySchema)],
  ['scenario.schema.json', () => jsonSchema(scenarioSchema)],
]);

/** The schema of what an author writes, for editors. */
function jsonSchema(schema: z.ZodType): string {
  return `${JSON.stringify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), null, 2)}\n`;
}
