/** What a chart spawns by a name for which nothing was provided: an actor that ignores every event. */
import { type AnyActorLogic, fromTransition } from 'xstate';

export const unprovided: AnyActorLogic = fromTransition((state: undefined) => state, undefined);
