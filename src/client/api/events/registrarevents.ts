// Generated from src/model/events by `npm run docs`.

/** The data of the events of class registrarevents, by name. */
export interface RegistrarEvents {
  /** A device that was not registered has registered. */
  readonly register: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Login of the SIP user */
    readonly login: string;
    /** Domain of the SIP user */
    readonly domain: string;
    /** Contact URI of the device */
    readonly contact: string;
    /** Identifies the device among those of the SIP user */
    readonly device: string;
    /** Seconds until the registration ends; 0 where it has ended */
    readonly expires: number;
    /** User-Agent header of the device */
    readonly useragent: string;
  };
  /** A registered device has registered again. */
  readonly refresh: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Login of the SIP user */
    readonly login: string;
    /** Domain of the SIP user */
    readonly domain: string;
    /** Contact URI of the device */
    readonly contact: string;
    /** Identifies the device among those of the SIP user */
    readonly device: string;
    /** Seconds until the registration ends; 0 where it has ended */
    readonly expires: number;
    /** User-Agent header of the device */
    readonly useragent: string;
  };
  /** A registration was removed: by the device, by a change of the SIP user, or because the device did not answer. */
  readonly unregister: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Login of the SIP user */
    readonly login: string;
    /** Domain of the SIP user */
    readonly domain: string;
    /** Contact URI of the device */
    readonly contact: string;
    /** Identifies the device among those of the SIP user */
    readonly device: string;
    /** Seconds until the registration ends; 0 where it has ended */
    readonly expires: number;
    /** User-Agent header of the device */
    readonly useragent: string;
  };
  /** A registration has expired: the device did not refresh it in time. */
  readonly expire: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Login of the SIP user */
    readonly login: string;
    /** Domain of the SIP user */
    readonly domain: string;
    /** Contact URI of the device */
    readonly contact: string;
    /** Identifies the device among those of the SIP user */
    readonly device: string;
    /** Seconds until the registration ends; 0 where it has ended */
    readonly expires: number;
    /** User-Agent header of the device */
    readonly useragent: string;
  };
}
