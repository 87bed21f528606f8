/**
 * Points in the platform at which something unlikely may happen that it must bear. A simulation makes it happen more often;
 * everywhere else it does not.
 */
export const faultPoints = {
  'instance.dies': 'An instance dies when it begins to serve.',
  'stream.unheard': 'callstore does not hear items that a source tells: it must notice and ask.',
  'stream.short_page': 'A source gives its past one item at a time.',
  'list.short_piece': 'A list that would fit into one answer is given item by item.',
  'events.unheard': 'ws does not hear events that are pushed to it: it must notice and ask.',
  'session.untold': 'ws does not tell the others of a session: they must ask for it.',
  'registrar.untold': 'sr does not tell a copy of a registration: it must be found when copies are compared.',
  'data.unheard': 'sdc does not hear of a change: it must notice and ask.',
  'data.all_anew': 'mdc does not know any more what has changed since a moment, and tells all.',
} as const;

export type FaultPoint = keyof typeof faultPoints;

/** Whether something unlikely happens now, at a named point of the platform. */

export interface FaultPoints {
  fires(point: FaultPoint): boolean;
}

/** Nothing unlikely happens by itself. */
export const noFaultPoints: FaultPoints = { fires: () => false };

/** The crash of an instance that was asked for, unlike one of a defect. */
export class InjectedCrash extends Error {}
