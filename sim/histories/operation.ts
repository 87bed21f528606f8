/** A history: the operations of several clients on one object, in the order of their calls and returns. */

export interface Operation<I = unknown, O = unknown> {
  readonly client: string;
  readonly input: I;
  /** `undefined`: without a definite answer. It took effect at some time after its call, or never. */
  readonly output: O | undefined;
  /** Position of the call in the order of all calls and returns. */
  readonly calledAt: number;
  /** Position of the return; infinite without a definite answer. */
  readonly returnedAt: number;
}

/** A sequential specification of an object. */
export interface SequentialModel<S, I, O> {
  readonly initial: S;
  /** The state after an operation; `undefined` if it cannot have this output in this state. */
  step(state: S, input: I, output: O | undefined): S | undefined;
  /** Whether the object is the same after it: the state after it is the state before it, or says more of the same object. */
  isRead(input: I): boolean;
  /** Equal for equal states. */
  keyOf(state: S): string;
}
