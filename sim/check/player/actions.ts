/** The commands of a step and the deadlines that it sets, from the actions that XState would execute. */
import type { AnyActor, ExecutableActionObject } from 'xstate';
import type { Command, Event } from './moment.ts';

export type Timing =
  | { readonly cancel: string }
  /** A deadline without a name replaces none. */
  | { readonly set: string | undefined; readonly delayMs: number; readonly event: Event };

/** What a machine sends to itself: a deadline if it is delayed, else an immediate event. */
export const toSelf = 'xstate.sendTo self';

type Params = Readonly<Record<string, unknown>>;

export function readActions(actions: readonly ExecutableActionObject[]): {
  readonly commands: readonly Command[];
  readonly timing: readonly Timing[];
} {
  const commands: Command[] = [];
  const timing: Timing[] = [];
  for (const { type, params } of actions) {
    const given = (params ?? {}) as Params;
    const { delay } = given;
    // To itself, in a while.
    const isToSelf = type === toSelf && typeof delay === 'number';
    if (type === 'xstate.raise' || isToSelf) timing.push(...timerIn(given));
    else if (type === 'xstate.cancel') timing.push({ cancel: String(given['sendId']) });
    else commands.push(...ordersIn(type, given));
  }
  return { commands, timing };
}

function timerIn({ id, delay, event }: Params): Timing[] {
  if (typeof delay !== 'number') return [];
  if (!Number.isFinite(delay)) throw new RangeError(`a delay of ${delay} ms`);
  return [{ set: id === undefined ? undefined : String(id), delayMs: delay, event: event as Event }];
}

function inAWhile(delay: unknown): { readonly delayMs?: number } {
  return typeof delay === 'number' ? { delayMs: delay } : {};
}

function ordersIn(type: string, params: Params): Command[] {
  switch (type) {
    case 'xstate.emit':
      return [params['event'] as Command];
    case toSelf:
      return [];
    case 'xstate.sendTo':
      return [{ ...(params['event'] as Command), ...sentTo(params['to']), ...inAWhile(params['delay']) }];
    case 'xstate.spawnChild':
      return [{ type: 'start.child', ...sentTo(params['id']) }];
    case 'xstate.stopChild':
      return [{ type: 'stop.child', ...sentTo(params) }];
    default:
      if (type.startsWith('xstate.')) return [];
      return [Object.keys(params).length === 0 ? { type } : ({ type, params } as Command)];
  }
}

/** The receiver of a message: an actor is known by its id. */
function sentTo(target: unknown): { readonly to: string } {
  return { to: typeof target === 'string' ? target : String((target as Partial<AnyActor> | undefined)?.id ?? '?') };
}
