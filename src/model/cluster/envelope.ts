/**
 * The envelope: the only shape on the wire. A `tell` is not answered; an `ask` is, by a `reply` or a `fault` whose `re` is
 * the id of the ask. The receiver validates the body by the catalogue; routers ignore it.
 */
import { parseJson } from '../json.ts';
import { limits } from '../limits.ts';

export interface Envelope {
  readonly id: string;
  readonly kind: EnvelopeKind;
  readonly type: string;
  readonly from: string;
  readonly to: string;
  /** The id of the answered ask. */
  readonly re?: string;
  /** After this time the message is dropped (ms since the epoch, by the clock of the current node). */
  readonly deadlineMs?: number;
  /** When it was sent over the current link, by the clock of the sending node. Clocks of nodes may differ. */
  readonly sentMs?: number;
  /** Number of links crossed. */
  readonly hops: number;
  readonly body: unknown;
  /** Its place in a trace, in the form of `traceparent` of W3C Trace Context. */
  readonly trace?: string;
}

const kinds = ['tell', 'ask', 'reply', 'fault'] as const;
export type EnvelopeKind = (typeof kinds)[number];

/** The frame of an envelope. */
export function encode(envelope: Envelope): string {
  return JSON.stringify(envelope);
}

/** The envelope with the time of the link it is about to cross. One with a deadline needs it. */
export function sentAt(envelope: Envelope, sentMs: number): Envelope {
  return { ...envelope, sentMs };
}

/** Whether a value is the same after it was encoded and parsed, in names, order and values. In doubt it is not. */
export function isAsParsed(value: unknown, depth: number = limits.frameDepth): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== 'object') return typeof value === 'string' || typeof value === 'boolean';
  if (value === null) return true;
  if (depth === 0) return false;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) if (!isAsParsed(value[at], depth - 1)) return false;
    return true;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  for (const name in value) if (!isAsParsed((value as Record<string, unknown>)[name], depth - 1)) return false;
  return true;
}

/** The envelope in a frame, or why the frame is malformed. */
export function decode(frame: string): Envelope | { readonly malformed: string } {
  const read = parseJson(frame, limits.frameDepth);
  if (!read.ok) return { malformed: read.fault.message };
  return isEnvelope(read.value) ? read.value : { malformed: 'not an envelope' };
}

function isEnvelope(value: unknown): value is Envelope {
  if (typeof value !== 'object' || value === null) return false;
  const { id, kind, type, from, to, re, deadlineMs, sentMs, hops, trace } = value as Partial<
    Record<keyof Envelope, unknown>
  >;
  return (
    typeof id === 'string' &&
    (kinds as readonly unknown[]).includes(kind) &&
    typeof type === 'string' &&
    typeof from === 'string' &&
    typeof to === 'string' &&
    (re === undefined || typeof re === 'string') &&
    (deadlineMs === undefined || typeof deadlineMs === 'number') &&
    (sentMs === undefined || typeof sentMs === 'number') &&
    typeof hops === 'number' &&
    (trace === undefined || typeof trace === 'string')
  );
}
