/**
 * What a role gives the engine to run scripts with. mware runs service scripts, ivr runs IVR scripts: each has a handler for
 * every kind of component with an effect that its scripts may contain. To add a component: declare its kind in
 * `src/model/script`, and give the role a handler of its type.
 */
import type { Fault, Outcome } from '../model/fault.ts';
import type { ScriptRequester } from '../model/protocol/messages/script.ts';
import type { Component, ScriptKind } from '../model/script/component.ts';
import type { ComponentFailure } from '../model/script/component-failure.ts';

/** An effect that a handler performs. */
export interface EffectCall {
  readonly run: { readonly id: string; readonly kind: ScriptKind; readonly domain: string; readonly code: string };
  readonly requester: ScriptRequester;
  readonly component: string;
  /** The fields of the component with their defaults; expressions are evaluated. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Idempotency key: the same for every attempt at this effect, after a failover too, and for no other effect. */
  readonly key: string;
  /** An earlier attempt may have had the effect. */
  readonly isRepeated: boolean;
}

/** How the run goes on: at a branch of the component, with a value for the variable that its field `result` names. */
export interface EffectResult {
  readonly branch: string;
  readonly value?: unknown;
}

/** The result of an effect that has failed. */
export function effectFailure(failure: ComponentFailure): EffectResult {
  return { branch: 'failed', value: failure };
}

/** The result of an effect with wrong values: what was expected. */
export function invalidEffect(problem: string): EffectResult {
  return effectFailure({ problem, code: 'invalid' });
}

/** The result of an effect that a fault ended. `indefinite`: it may have happened. */
export function faultyEffect({ definite, message, code }: Fault): EffectResult {
  return { branch: definite ? 'failed' : 'indefinite', value: { problem: message, code } satisfies ComponentFailure };
}

/**
 * Performs an effect. A rejection is a bug and fails the run. An effect may take as long as it needs: when the run ends
 * before it, its result is dropped. `isWanted`: whether the run still waits for it, so that another attempt makes sense.
 */
export type EffectHandler = (call: EffectCall, isWanted: () => boolean) => Promise<EffectResult>;

/** By the type of the component. */
export type EffectHandlers = Readonly<Record<string, EffectHandler>>;

/** Finds the components of a script by its code; `undefined` where the domain has no such script. */
export type FindScript = (
  domain: string,
  kind: ScriptKind,
  code: string,
) => Promise<Outcome<readonly Component[] | undefined>>;
