/** The placeholder for an actor that a chart spawns but was not provided: it ignores every event. */
import { type AnyActorLogic, fromTransition } from 'xstate';

export const unprovided: AnyActorLogic = fromTransition((state: undefined) => state, undefined);
