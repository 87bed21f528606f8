/** User-interface metadata: what clients draw their configuration pages from. (paths documented, content chosen) */
import { z } from 'zod';
import { formSchema, navSchema, tabSchema } from '../../model/shapes/metadata.ts';
import { chosen } from '../../model/source.ts';
import { type MetadataFiles, metadataFor, type Wanted } from '../../services/metadata.ts';
import { answerJsonText } from '../answering.ts';
import { type Exchange, identityOf, type Route } from '../route.ts';

const base = '/rest/v1/metadata/entities';
const common = { method: 'GET', source: 'documented', access: 'session' } as const;

export function metadataRoutes(files: MetadataFiles): readonly Route[] {
  const answer = (exchange: Exchange, of?: Wanted['of']) => {
    const { domain } = identityOf(exchange).session;
    return answerJsonText(
      metadataFor(exchange.ws.scope.map, files, {
        domain,
        ...(of !== undefined && { of }),
      }),
    );
  };
  const ofClass = (file: 'tab.json' | 'form.json', schema: z.ZodObject, does: string): Route => ({
    ...common,
    path: `${base}/:class/${file}`,
    does,
    gives: { 200: orFile(schema) },
    refuses: [404],
    answer: (exchange) => answer(exchange, { kind: exchange.params['class'] ?? '', file }),
  });
  return [
    {
      ...common,
      path: `${base}/nav.json`,
      does: 'Shows the navigation panel: the classes of entities that the domain has, in groups.',
      gives: { 200: orFile(navSchema) },
      answer: (exchange) => answer(exchange),
    },
    ofClass('tab.json', tabSchema, 'Shows what the list of a class has: columns, order, operations.'),
    ofClass('form.json', formSchema, 'Shows what the edit window of a class has: fields and what they may be.'),
  ];
}

function orFile(schema: z.ZodObject): z.ZodType {
  return z.union([schema, z.unknown().describe('Any JSON: a file of the metadata folder, as it is')]).meta(chosen);
}
