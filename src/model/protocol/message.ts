/** How a message type is declared: once, with its prose, its receivers, its schemas and its deadline. */
import type { z } from 'zod';
import type { RoleName } from '../roles.ts';
import { type ReadResult, readerOf } from './quick-look.ts';

export type Receiver = RoleName | 'node';

export interface MessageDeclaration<
  To extends Receiver = Receiver,
  Body extends z.ZodType = z.ZodType,
  Reply extends z.ZodType | undefined = z.ZodType | undefined,
> {
  /** One sentence for the reference document. */
  readonly does: string;
  readonly to: readonly To[];
  readonly body: Body;
  /** Absent: a tell, which nobody answers. */
  readonly reply: Reply;
  /** How long an ask of this type waits at most, and a tell counts, in milliseconds; 0: a tell that always counts. */
  readonly deadlineMs: number;
  /** An ask that an instance answers also while it stands by. */
  readonly isForStandbys?: boolean;
  /** Reads a body that came over a link. */
  readonly readBody: (value: unknown) => ReadResult<z.output<Body>>;
  /** Reads a reply that came over a link; of a tell there is none. */
  readonly readReply: (value: unknown) => ReadResult<unknown>;
}

type AskText<To extends Receiver, Body extends z.ZodType, Reply extends z.ZodType> = {
  does: string;
  to: readonly To[];
  body: Body;
  reply: Reply;
  deadlineMs?: number;
  isForStandbys?: boolean;
};

/** Declares a message that is answered. */
export function ask<To extends Receiver, Body extends z.ZodType, Reply extends z.ZodType>(
  text: AskText<To, Body, Reply>,
): MessageDeclaration<To, Body, Reply> {
  return { deadlineMs: 2_000, ...text, readBody: readerOf(text.body), readReply: readerOf(text.reply) };
}

/** Declares a message that is not answered. */
export function tell<To extends Receiver, Body extends z.ZodType>(text: {
  does: string;
  to: readonly To[];
  body: Body;
  deadlineMs?: number;
}): MessageDeclaration<To, Body, undefined> {
  return { deadlineMs: 0, ...text, reply: undefined, readBody: readerOf(text.body), readReply: noReply };
}

const noReply = () => ({ success: false });
