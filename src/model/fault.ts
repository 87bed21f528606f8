/**
 * Faults: an error as data. A fault says what went wrong in words for the one who asked, and whether what was asked
 * surely did not happen (`definite`) or may have happened.
 */

/**
 * - `invalid` bad input; `unauthorized` no session; `forbidden` a session without the right; `not_found`, `conflict`
 * - `changed` it is not what the one who asked expects it to be; `too_large` past a limit of what is kept
 * - `banned` the sender's address is banned
 * - `unreachable` who must serve can't be reached; `standby` it was reached but does not serve now
 * - `overloaded` a limit was met; `timeout` no answer within the deadline; `crashed` the instance that was asked has ended
 * - `broken` the instance that was asked has ended over this very message, or refuses one that ended it: a bug
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
  /** True: it surely did not happen. False: it may have happened. When in doubt, false. */
  readonly definite: boolean;
  /** What failed: the address of an instance or a node, or the name of a role of which none is in reach. */
  readonly origin?: string | undefined;
}

const indefinite: ReadonlySet<FaultCode> = new Set(['timeout', 'crashed', 'broken']);

/** A fault of `code`; `timeout`, `crashed` and `broken` are indefinite, every other is definite. */
export function fault(code: FaultCode, message: string, origin?: string): Fault {
  return { code, message, definite: !indefinite.has(code), ...(origin !== undefined && { origin }) };
}

/** What an operation came to: a value, or a fault. */
export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: Fault };

export function done<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

export function failed(reason: Fault): { readonly ok: false; readonly fault: Fault } {
  return { ok: false, fault: reason };
}

/** A fault on its way from a service to the front, which alone catches it. */
export class FaultError extends Error {
  readonly fault: Fault;
  /** Seconds after which another try makes sense. */
  readonly retryAfterSeconds: number | undefined;

  constructor(reason: Fault, options: { retryAfterSeconds?: number } = {}) {
    super(reason.message);
    this.name = 'FaultError';
    this.fault = reason;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}
