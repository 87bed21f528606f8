/**
 * The envelope: the one shape on the wire. A `tell` is not answered; an `ask` is, by a `reply` or a `fault` whose `re`
 * is the id of the ask. Its body is checked by its receiver, against the catalogue; those who pass it on don't look.
 *
 * A frame says how much time is left, not until when: the clocks of two nodes need not agree.
 */
import type { Fault } from './fault.ts';

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
  /** Links crossed so far. */
  readonly hops: number;
  readonly body: unknown;
}

const kinds = ['tell', 'ask', 'reply', 'fault'] as const;
export type EnvelopeKind = (typeof kinds)[number];

export interface FaultEnvelope extends Envelope {
  readonly kind: 'fault';
  readonly body: Fault;
}

/** The frame of an envelope that leaves a node at `nowMs`. */
export function encode(envelope: Envelope, nowMs: number): string {
  const { deadlineMs, ...rest } = envelope;
  return JSON.stringify(deadlineMs === undefined ? rest : { ...rest, leftMs: deadlineMs - nowMs });
}

/** The envelope in a frame that comes to a node at `nowMs`, or why it is none. */
export function decode(frame: string, nowMs: number): Envelope | { readonly malformed: string } {
  let value: unknown;
  try {
    value = JSON.parse(frame);
  } catch {
    return { malformed: 'not JSON' };
  }
  if (!isFrame(value)) return { malformed: 'not an envelope' };
  const { leftMs, ...envelope } = value;
  return leftMs === undefined ? envelope : { ...envelope, deadlineMs: nowMs + leftMs };
}

/** An envelope as it is on the wire. */
type Frame = Omit<Envelope, 'deadlineMs'> & { readonly leftMs?: number };

function isFrame(value: unknown): value is Frame {
  if (typeof value !== 'object' || value === null) return false;
  const { id, kind, type, from, to, re, leftMs, hops } = value as Partial<Record<keyof Frame, unknown>>;
  return (
    typeof id === 'string' &&
    (kinds as readonly unknown[]).includes(kind) &&
    typeof type === 'string' &&
    typeof from === 'string' &&
    typeof to === 'string' &&
    (re === undefined || typeof re === 'string') &&
    (leftMs === undefined || typeof leftMs === 'number') &&
    typeof hops === 'number'
  );
}
