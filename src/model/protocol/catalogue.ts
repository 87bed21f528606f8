/** The protocol: every message type between nodes and role instances, declared once. */
import type { z } from 'zod';
import { callstoreMessages } from './callstore.ts';
import { conferenceMessages } from './conference.ts';
import { dataMessages } from './data.ts';
import { dialogMessages } from './dialog.ts';
import { directoryMessages } from './directory.ts';
import { edgeMessages, signallingMessages } from './edge.ts';
import { fileMessages } from './files.ts';
import type { MessageDeclaration, Receiver } from './message.ts';
import { matcherMessages, mwareMessages } from './mware.ts';
import { nodeMessages, peerMessages } from './peer.ts';
import { registrarMessages } from './registrar.ts';
import { scriptMessages } from './script.ts';
import { sessionMessages } from './session.ts';
import { streamMessages } from './stream.ts';

export const catalogue = {
  ...peerMessages,
  ...nodeMessages,
  ...edgeMessages,
  ...sessionMessages,
  ...directoryMessages,
  ...dataMessages,
  ...fileMessages,
  ...signallingMessages,
  ...registrarMessages,
  ...dialogMessages,
  ...conferenceMessages,
  ...streamMessages,
  ...callstoreMessages,
  ...mwareMessages,
  ...scriptMessages,
  ...matcherMessages,
};

type Catalogue = typeof catalogue;
export type MessageType = keyof Catalogue;

export type BodyOf<T extends MessageType> = z.infer<Catalogue[T]['body']>;
export type ReplyOf<T extends MessageType> =
  Catalogue[T] extends MessageDeclaration<Receiver, z.ZodType, infer R>
    ? R extends z.ZodType
      ? z.infer<R>
      : never
    : never;

/** The types with an answer, and the types without. */
export type AskType = { [T in MessageType]: Catalogue[T]['reply'] extends z.ZodType ? T : never }[MessageType];
export type TellType = Exclude<MessageType, AskType>;

/** The types that a receiver must handle. */
export type TypesFor<R extends Receiver> = {
  [T in MessageType]: R extends Catalogue[T]['to'][number] ? T : never;
}[MessageType];

/** The declaration of a type that came from outside, if there is such a type. */
export function declarationOf(type: string): MessageDeclaration | undefined {
  return Object.hasOwn(catalogue, type) ? (catalogue as Record<string, MessageDeclaration>)[type] : undefined;
}
