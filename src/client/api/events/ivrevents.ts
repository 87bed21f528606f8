// Generated from src/model/events by `npm run docs`.

/** The data of the events of class ivrevents, by name. */
export interface IvrEvents {
  /** A call has come to an IVR script, which begins. */
  readonly ivr_start: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Id of the run, as in `/rest/v1/journal/scripts`; Call-Id of the leg of ivr */
    readonly runid: string;
    /** Code of the IVR script */
    readonly scriptcode: string;
    /** Id of the call, as in `/rest/v1/uc/calls` */
    readonly inviteid: string;
    /** Domain of the script */
    readonly domain: string;
    /** Number that calls */
    readonly from: string;
    /** Number that is called */
    readonly to: string;
  };
  /** A component that acts on something outside of the script has ended. */
  readonly ivr_component: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Id of the run, as in `/rest/v1/journal/scripts`; Call-Id of the leg of ivr */
    readonly runid: string;
    /** Code of the IVR script */
    readonly scriptcode: string;
    /** Id of the call, as in `/rest/v1/uc/calls` */
    readonly inviteid: string;
    /** Domain of the script */
    readonly domain: string;
    /** Name of the component */
    readonly component: string;
    /** Its type, such as `menu` */
    readonly type: string;
    /** The branch at which the script continues */
    readonly branch: string;
  };
  /** The script and its call are over. */
  readonly ivr_stop: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Id of the run, as in `/rest/v1/journal/scripts`; Call-Id of the leg of ivr */
    readonly runid: string;
    /** Code of the IVR script */
    readonly scriptcode: string;
    /** Id of the call, as in `/rest/v1/uc/calls` */
    readonly inviteid: string;
    /** Domain of the script */
    readonly domain: string;
    /** `finished`: the script has ended by itself; `failed`: it has failed, or its call has ended before */
    readonly status: 'finished' | 'failed';
    /** Why it failed; may be empty */
    readonly problem: string;
  };
}
