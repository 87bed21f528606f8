// Generated from src/model/events by `npm run docs`.

/** The data of the events of class selectorevents, by name. */
export interface SelectorEvents {
  /** A selector meeting has entered a state. */
  readonly state_changed: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Id of the selector */
    readonly selectorid: string;
    /** Id of the conference of the meeting */
    readonly confid: string;
    /** The state, with a leading `$` */
    readonly state: '$connecting' | '$online' | '$terminating';
  };
  /** A participant of a selector meeting asks to speak, or no longer does. */
  readonly hand_changed: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Id of the selector */
    readonly selectorid: string;
    /** Id of the conference of the meeting */
    readonly confid: string;
    /** Id of the participant of the selector */
    readonly participantid: string;
    /** Whether it asks to speak */
    readonly is_hand_raised: boolean;
  };
}
