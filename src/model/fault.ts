/**
 * Faults: errors as data. A fault says what went wrong, and whether the request certainly did not happen (`definite`) or
 * may have happened.
 */

/**
 * - `invalid` bad input; `unauthorized` no session; `forbidden` insufficient access; `not_found`, `conflict`
 * - `changed` the precondition does not hold; `too_large` above a limit of stored data
 * - `banned` the sender's address is banned
 * - `unreachable` the required instance can't be reached; `standby` it was reached but is not active
 * - `overloaded` a limit is reached; `timeout` no answer within the deadline; `crashed` the asked instance has ended
 * - `broken` the asked instance crashed on this message, or refuses one that crashed it before: a bug
 */
export const faultCodes = [
  'invalid',
  'unauthorized',
  'forbidden',
  'not_found',
  'conflict',
  'changed',
  'too_large',
  'banned',
  'unreachable',
  'standby',
  'overloaded',
  'timeout',
  'crashed',
  'broken',
] as const;

export type FaultCode = (typeof faultCodes)[number];

export interface Fault {
  readonly code: FaultCode;
  readonly message: string;
  /** True: it certainly did not happen. False: it may have happened. When in doubt, false. */
  readonly definite: boolean;
  /** What failed: the address of an instance or node, or the name of a role without a reachable instance. */
  readonly origin?: string | undefined;
  /** Of what was not found in a copy: by how much the copy may be behind. */
  readonly ageMs?: number | undefined;
}

const indefinite: ReadonlySet<FaultCode> = new Set(['timeout', 'crashed', 'broken']);

/** A fault of `code`; `timeout`, `crashed` and `broken` are indefinite, all others definite. */
export function fault(code: FaultCode, message: string, origin?: string): Fault {
  return { code, message, definite: !indefinite.has(code), ...(origin !== undefined && { origin }) };
}

/** The result of an operation: a value or a fault. */
export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: Fault };

export function done<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

export function failed(reason: Fault): { readonly ok: false; readonly fault: Fault } {
  return { ok: false, fault: reason };
}

/** Carries a fault from a service to the front, which alone catches it. */
export class FaultError extends Error {
  readonly fault: Fault;
  /** Seconds after which a retry makes sense. */
  readonly retryAfterSeconds: number | undefined;

  constructor(reason: Fault, options: { retryAfterSeconds?: number } = {}) {
    super(reason.message);
    this.name = 'FaultError';
    this.fault = reason;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** The value of an operation that succeeded; throws a `FaultError` with the fault of one that did not. */
export function unwrap<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new FaultError(outcome.fault);
  return outcome.value;
}

/** What was not found, perhaps in a copy that may be behind by `ageMs`. */
export function notFoundInCopy(message: string, ageMs: number | undefined): Fault {
  return { ...fault('not_found', message), ...(ageMs !== undefined && { ageMs }) };
}
