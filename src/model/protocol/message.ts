/** How a message type is declared: once, with its prose, its receivers, its schemas and its deadline. */
import type { z } from 'zod';
import type { RoleName } from '../roles.ts';

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
  /** How long an ask of this type waits at most, in milliseconds. */
  readonly deadlineMs: number;
  /** An ask that an instance answers also while it stands by. */
  readonly isForStandbys?: boolean;
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
  return { deadlineMs: 2_000, ...text };
}

/** Declares a message that is not answered. */
export function tell<To extends Receiver, Body extends z.ZodType>(text: {
  does: string;
  to: readonly To[];
  body: Body;
}): MessageDeclaration<To, Body, undefined> {
  return { ...text, reply: undefined, deadlineMs: 0 };
}
