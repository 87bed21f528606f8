/** The reference of the protocol between nodes and role instances, from the catalogue. */
import { z } from 'zod';
import { catalogue } from '../../src/model/protocol/catalogue.ts';
import { fieldMeanings } from '../../src/model/protocol/field-meanings.ts';
import type { MessageDeclaration } from '../../src/model/protocol/message.ts';
import { cdrSchema, dialogSchema, shownCdrSchema } from '../../src/model/protocol/messages/callstore.ts';
import { conferenceRecordSchema } from '../../src/model/protocol/messages/conference.ts';
import { rowChangeSchema, rowSchema } from '../../src/model/protocol/messages/data.ts';
import {
  callRequestSchema,
  callResultSchema,
  dialogRecordSchema,
  legIdentitySchema,
} from '../../src/model/protocol/messages/dialog.ts';
import { borderRuleRecordSchema, sipUserRecordSchema } from '../../src/model/protocol/messages/directory.ts';
import { accountSchema } from '../../src/model/protocol/messages/edge.ts';
import { expectsSchema } from '../../src/model/protocol/messages/files.ts';
import { digestSchema } from '../../src/model/protocol/messages/peer.ts';
import { bindingSchema } from '../../src/model/protocol/messages/registrar.ts';
import {
  sessionChangeSchema,
  sessionRecordSchema,
  userRecordSchema,
} from '../../src/model/protocol/messages/session.ts';
import { eventSchema, forwardedEventSchema, streamItemSchema } from '../../src/model/protocol/messages/stream.ts';
import { recordingSchema } from '../../src/model/recording/recording.ts';
import {
  challengeSchema,
  credentialsSchema,
  partySchema,
  referredBySchema,
  referToSchema,
  replacesSchema,
  sipRequestSchema,
  sipResponseSchema,
} from '../../src/model/sip/message.ts';
import { fieldRows, fieldsWithoutMeaning, fieldTable, type TableOptions, typeText } from './field-table.ts';

/** Objects that several messages have, with the titles of their sections. */
const shapes: ReadonlyMap<z.core.$ZodType, string> = new Map<z.core.$ZodType, string>([
  [dialogRecordSchema, 'dialog record'],
  [dialogSchema, 'dialog'],
  [recordingSchema, 'recording'],
  [cdrSchema, 'call record'],
  [shownCdrSchema, 'shown call record'],
  [callRequestSchema, 'call request'],
  [callResultSchema, 'call result'],
  [legIdentitySchema, 'leg identity'],
  [conferenceRecordSchema, 'conference record'],
  [eventSchema, 'event'],
  [streamItemSchema, 'stream item'],
  [forwardedEventSchema, 'sent event'],
  [bindingSchema, 'binding'],
  [sipUserRecordSchema, 'sip user record'],
  [borderRuleRecordSchema, 'border rule record'],
  [accountSchema, 'account'],
  [userRecordSchema, 'user record'],
  [sessionRecordSchema, 'session record'],
  [sessionChangeSchema, 'session change'],
  [rowSchema, 'row'],
  [rowChangeSchema, 'row change'],
  [expectsSchema, 'precondition of a file'],
  [digestSchema, 'digest'],
  [sipRequestSchema, 'sip request'],
  [sipResponseSchema, 'sip response'],
  [partySchema, 'sip party'],
  [replacesSchema, 'replaces'],
  [referToSchema, 'refer-to'],
  [referredBySchema, 'referred-by'],
  [challengeSchema, 'challenge'],
  [credentialsSchema, 'credentials'],
]);

const messages = Object.entries(catalogue as Record<string, MessageDeclaration>);

export function protocolDocument(): string {
  const areas = [...new Set(messages.map(areaOf))];
  return `# Protocol

Generated from \`src/model/protocol/\` by \`npm run docs\`. Nodes and role instances exchange envelopes: JSON objects with these fields.

| field | type | meaning |
|---|---|---|
| \`id\` | string | Identifies the envelope |
| \`kind\` | \`tell\`, \`ask\`, \`reply\`, \`fault\` | An ask is answered once, by a reply or a fault; a tell is not answered |
| \`type\` | string | Type of the message |
| \`from\`, \`to\` | string | Addresses, such as \`north/n2/esg-221\` |
| \`re\` | string, optional | Id of the envelope that is answered |
| \`deadlineMs\` | number, optional | When the message is dropped, milliseconds since the epoch |
| \`sentMs\` | number, optional | When the frame was sent, by the same clock as \`deadlineMs\` |
| \`hops\` | integer | Number of nodes that have forwarded it |
| \`body\` | object | As below |

A field of a reply has a \`→\`. Objects that several messages have are in [protocol-objects.md](protocol-objects.md). The same as
JSON Schema: [protocol.schema.json](protocol.schema.json).

${areas.map(area).join('\n')}`;
}

export function protocolObjectsDocument(): string {
  return `# Objects of the protocol

Generated from \`src/model/protocol/\` by \`npm run docs\`: the objects that several messages of the [protocol](protocol.md) have.

${[...shapes].map(([schema, title]) => `## ${title}\n\n${fieldTable(schema, optionsFor(title))}`).join('\n')}`;
}

/** Every message as JSON Schema: its body under its type, its reply under \`type:reply\`. */
export function protocolSchema(): string {
  const definitions = messages.flatMap(([type, { does, body, reply }]) => [
    [type, { description: does, ...schemaOf(body) }],
    ...(reply === undefined ? [] : [[`${type}:reply`, schemaOf(reply)]]),
  ]);
  const schema = 'https://json-schema.org/draft/2020-12/schema';
  return `${JSON.stringify({ $schema: schema, $defs: Object.fromEntries(definitions) }, null, 1)}\n`;
}

/** Fields of messages whose meaning is said nowhere. */
export function messageFieldsWithoutMeaning(): string[] {
  const parts = [
    ...messages.flatMap(([type, { body, reply }]) =>
      [body, ...(reply === undefined ? [] : [reply])].map((each) => [type, each] as const),
    ),
    ...[...shapes].map(([schema, title]) => [title, schema] as const),
  ];
  return parts.flatMap(([of, schema]) => fieldsWithoutMeaning(schema, optionsFor(of)).map((path) => `${of}: ${path}`));
}

function optionsFor(of: string): TableOptions {
  return { shapes, meaningOf: (name) => fieldMeanings[`${of}:${name}`] ?? fieldMeanings[name] };
}

type Entry = readonly [type: string, declaration: MessageDeclaration];

/** The area of a message: its type up to the first dot. */
function areaOf([type]: Entry): string {
  return type.replace(/\..*/, '');
}

function area(name: string): string {
  const entries = messages.filter((each) => areaOf(each) === name);
  return `## ${name}

| message | what it does | to | kind |
|---|---|---|---|
${entries.map(overviewRow).join('\n')}

| message | field | type | meaning |
|---|---|---|---|
${entries.flatMap(fieldLines).join('\n')}
`;
}

function overviewRow([
  type,
  { does, to, reply, deadlineMs, isForStandbys = false, isWhileDraining = false },
]: Entry): string {
  const tell = deadlineMs === 0 ? 'tell' : `tell, dropped after ${deadlineMs} ms`;
  const more = `${isForStandbys ? '; standbys answer it too' : ''}${isWhileDraining ? '; also while draining' : ''}`;
  const ask = `ask, at most ${deadlineMs} ms${more}`;
  return `| \`${type}\` | ${does} | ${to.join(', ')} | ${reply === undefined ? tell : ask} |`;
}

function fieldLines([type, { body, reply }]: Entry): string[] {
  const lines = [...partLines(type, body, ''), ...(reply === undefined ? [] : partLines(type, reply, '→ '))];
  const all = lines.length === 0 ? ['none | |'] : lines;
  return all.map((line, n) => `| ${n === 0 ? `**\`${type}\`**` : ''} | ${line} |`);
}

function partLines(type: string, schema: z.ZodType, mark: string): string[] {
  const { def } = (schema as unknown as z.core.$ZodTypes)._zod;
  const options: readonly z.core.$ZodType[] = def.type === 'union' ? def.options : [schema];
  const titles = options.filter((each) => shapes.has(each)).map((each) => typeText(each, { shapes }));
  if (titles.length > 0) return [`${mark}*all* | ${titles.join(' or ')} |`];
  return fieldRows(schema, optionsFor(type)).map((row) => `${mark}\`${row.path}\` | ${row.type} | ${row.meaning}`);
}

function schemaOf(schema: z.ZodType): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema) as Record<string, unknown>;
  return rest;
}
