/** XState's inspection events of the nodes of a world, as JSON lines. */
import type { InspectionEvent } from 'xstate';

/**
 * One line of JSON without its line end: `atMs`, `node`, `actor` (its system id), and by `kind`
 * - `actor`: the actor was created;
 * - `event`: it received `event` (the type) from the actor `from`, where that is known;
 * - `state`: it is in `status` and, of a chart, in `state` after `event`.
 * `undefined` for inspection events that say no more than these.
 */
export function inspectionLine(atMs: number, node: string, event: InspectionEvent): string | undefined {
  const common = { atMs, node, actor: nameOf(event.actorRef) };
  if (event.type === '@xstate.actor') return JSON.stringify({ ...common, kind: 'actor' });
  if (event.type === '@xstate.event') {
    const from = event.sourceRef === undefined ? {} : { from: nameOf(event.sourceRef) };
    return JSON.stringify({ ...common, kind: 'event', event: event.event.type, ...from });
  }
  if (event.type !== '@xstate.snapshot') return undefined;
  const { status, value } = event.snapshot as { readonly status: string; readonly value?: unknown };
  const state = value === undefined ? {} : { state: value };
  return JSON.stringify({ ...common, kind: 'state', status, ...state, event: event.event.type });
}

function nameOf(actor: object): string {
  const { systemId, id } = actor as { readonly systemId?: string; readonly id: string };
  return systemId ?? id;
}
