/**
 * Named points at which the platform must tolerate an unlikely event. A simulation makes these events more frequent; in
 * live operation they are not injected.
 */
export const faultPoints = {
  'instance.dies': 'An instance crashes when it becomes active.',
  'stream.unheard': 'callstore loses published items of a source: it must detect the gap and fetch them.',
  'stream.short_page': 'A source returns its history one item at a time.',
  'records.short_page': 'A callstore compares its records with those of another member one at a time.',
  'registrar.short_page': 'sr sends another sr its registrations one at a time.',
  'session.short_page': 'ws sends another ws instance closed sessions one at a time.',
  'list.short_piece': 'A list that fits into one answer is returned item by item.',
  'events.unheard': 'ws loses events that are pushed to it: it must detect the gap and fetch them.',
  'session.untold': 'ws does not send a session to the other ws instances: they must ask for it.',
  'registrar.untold': 'sr does not send a registration to a copy: comparing the copies must reveal it.',
  'data.unheard': 'sdc loses a change: it must detect the gap and fetch it.',
  'script.dies_before_saving': 'The instance of a run crashes when it comes to an effect, before it stores that.',
  'script.dies_before_effect':
    'The instance of a run crashes when it has stored that an effect follows, before it performs it.',
  'script.dies_after_effect': 'The instance of a run crashes after an effect, before it stores the outcome.',
  'data.all_anew': 'mdc has no longer the changes since a version, and sends a full copy.',
} as const;

export type FaultPoint = keyof typeof faultPoints;

export interface FaultPoints {
  /** Whether the event of a fault point occurs now. */
  fires(point: FaultPoint): boolean;
}

/** Injects no events. */
export const noFaultPoints: FaultPoints = { fires: () => false };

/** A crash of an instance that was asked for, by a simulation or through the interface, as opposed to the crash of a bug. */
export class InjectedCrash extends Error {}
