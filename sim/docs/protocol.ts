/** The reference of the protocol between nodes and role instances, from the catalogue. */
import { z } from 'zod';
import { catalogue } from '../../src/model/protocol/catalogue.ts';
import type { MessageDeclaration } from '../../src/model/protocol/message.ts';

export function protocolDocument(): string {
  const entries = Object.entries(catalogue as Record<string, MessageDeclaration>);
  return `# Protocol

Generated from \`src/model/protocol/\` by \`npm run docs\`. Nodes and role instances exchange envelopes: JSON objects with
\`id\`, \`kind\` (\`tell\`, \`ask\`, \`reply\`, \`fault\`), \`type\`, \`from\`, \`to\`, \`re\` (the id that is answered), \`deadlineMs\` (absolute),
\`sentMs\` (both by the clock of who sent the frame), \`hops\` and \`body\`. An ask is answered once, by a reply or a fault; a tell is not answered.

${entries.map(([type, declaration]) => section(type, declaration)).join('\n')}`;
}

function section(
  type: string,
  { does, to, body, reply, deadlineMs, isForStandbys = false }: MessageDeclaration,
): string {
  const whoever = isForStandbys ? '; stand-bys answer it too' : '';
  const tells = deadlineMs === 0 ? 'tell' : `tell, dropped after ${deadlineMs} ms`;
  const kind = reply === undefined ? tells : `ask, at most ${deadlineMs} ms${whoever}`;
  const answer = reply === undefined ? '' : `\nReply:\n\n${schemaBlock(reply)}`;
  return `## ${type}

${does}

To: ${to.join(', ')}. Kind: ${kind}.

Body:

${schemaBlock(body)}${answer}`;
}

function schemaBlock(schema: z.ZodType): string {
  const { $schema: _, ...rest } = z.toJSONSchema(schema) as Record<string, unknown>;
  return `\`\`\`json\n${JSON.stringify(rest, null, 2)}\n\`\`\`\n`;
}
