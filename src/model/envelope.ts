/**
 * The envelope: the one shape on the wire. A `tell` is not answered; an `ask` is, by a `reply` or a `fault` whose `re`
 * is the id of the ask. Its body is checked by its receiver, against the catalogue; those who pass it on don't look.
 */
import { parseJson } from './json.ts';
import { limits } from './limits.ts';

export interface Envelope {
  readonly id: string;
  readonly kind: EnvelopeKind;
  readonly type: string;
  readonly from: string;
  readonly to: string;
  /** The id of the ask that this answers. */
  readonly re?: string;
  /** Nobody works on it past this time (ms since the epoch, by the clock of the node where it is). */
  readonly deadlineMs?: number;
  /** When it was sent over the link on which it came, by the clock of who sent it. Nodes' clocks need not agree. */
  readonly sentMs?: number;
  /** Links crossed so far. */
  readonly hops: number;
  readonly body: unknown;
}

const kinds = ['tell', 'ask', 'reply', 'fault'] as const;
export type EnvelopeKind = (typeof kinds)[number];

/** The frame of an envelope. What has a deadline must say when it is sent. */
export function encode(envelope: Envelope, sentMs?: number): string {
  if (sentMs === undefined) return JSON.stringify(envelope);
  // One that is passed on has another time already.
  if (envelope.sentMs !== undefined) return JSON.stringify({ ...envelope, sentMs });
  // Put in front, which is cheaper than a copy of the envelope.
  return `{"sentMs":${sentMs},${JSON.stringify(envelope).slice(1)}`;
}

/** The envelope in a frame, or why it is none. */
export function decode(frame: string): Envelope | { readonly malformed: string } {
  const read = parseJson(frame, limits.frameDepth);
  if (!read.ok) return { malformed: read.fault.message };
  return isEnvelope(read.value) ? read.value : { malformed: 'not an envelope' };
}

function isEnvelope(value: unknown): value is Envelope {
  if (typeof value !== 'object' || value === null) return false;
  const { id, kind, type, from, to, re, deadlineMs, sentMs, hops } = value as Partial<Record<keyof Envelope, unknown>>;
  return (
    typeof id === 'string' &&
    (kinds as readonly unknown[]).includes(kind) &&
    typeof type === 'string' &&
    typeof from === 'string' &&
    typeof to === 'string' &&
    (re === undefined || typeof re === 'string') &&
    (deadlineMs === undefined || typeof deadlineMs === 'number') &&
    (sentMs === undefined || typeof sentMs === 'number') &&
    typeof hops === 'number'
  );
}
