/** The declaration of a message type: description, receivers, schemas and deadline. */
import type { z } from 'zod';
import type { RoleName } from '../cluster/roles.ts';
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
  /** Absent: a tell, which is not answered. */
  readonly reply: Reply;
  /** The maximum wait for the answer of an ask, and the lifetime of a tell, in milliseconds; 0: a tell that does not expire. */
  readonly deadlineMs: number;
  /** An ask that standby instances answer too. */
  readonly isForStandbys?: boolean;
  /** An ask that draining instances still answer: what they know must be read before they end. */
  readonly isWhileDraining?: boolean;
  /** Validates a body received over a link. */
  readonly readBody: (value: unknown) => ReadResult<z.output<Body>>;
  /** Validates a reply received over a link; fails for a tell. */
  readonly readReply: (value: unknown) => ReadResult<unknown>;
}

type AskText<To extends Receiver, Body extends z.ZodType, Reply extends z.ZodType> = {
  does: string;
  to: readonly To[];
  body: Body;
  reply: Reply;
  deadlineMs?: number;
  isForStandbys?: boolean;
  isWhileDraining?: boolean;
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
