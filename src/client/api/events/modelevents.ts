// Generated from src/model/events by `npm run docs`.

/** The data of the events of class modelevents, by name. */
export interface ModelEvents {
  /** A SIP user is reachable, or is no longer: its first device has registered, or its last registration has ended. */
  readonly data_changed: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Collection that has changed */
    readonly collection: 'sipuser_states';
    /** Id of the SIP user */
    readonly id: string;
    /** Login of the SIP user */
    readonly username: string;
    /** `online`: at least one device is registered */
    readonly status: 'online' | 'offline';
  };
}
