/** The protocol: every message type between nodes and role instances, declared once. */
import type { z } from 'zod';
import type { MessageDeclaration, Receiver } from './message.ts';
import { callstoreMessages } from './messages/callstore.ts';
import { conferenceMessages } from './messages/conference.ts';
import { dataMessages } from './messages/data.ts';
import { dialogMessages } from './messages/dialog.ts';
import { directoryMessages } from './messages/directory.ts';
import { edgeMessages, signallingMessages } from './messages/edge.ts';
import { fileMessages } from './messages/files.ts';
import { matcherMessages, mwareMessages } from './messages/mware.ts';
import { nodeMessages, peerMessages } from './messages/peer.ts';
import { registrarMessages } from './messages/registrar.ts';
import { scriptMessages } from './messages/script.ts';
import { sessionMessages } from './messages/session.ts';
import { streamMessages } from './messages/stream.ts';

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

/** The types with an answer. */
export const askTypes = Object.entries<MessageDeclaration>(catalogue).flatMap(([type, { reply }]) =>
  reply === undefined ? [] : [type as AskType],
);

/** The types that a receiver must handle. */
export type TypesFor<R extends Receiver> = {
  [T in MessageType]: R extends Catalogue[T]['to'][number] ? T : never;
}[MessageType];

/** The declaration of a type that came from outside, if there is such a type. */
export function declarationOf(type: string): MessageDeclaration | undefined {
  return Object.hasOwn(catalogue, type) ? (catalogue as Record<string, MessageDeclaration>)[type] : undefined;
}
