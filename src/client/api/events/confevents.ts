// Generated from src/model/events by `npm run docs`.

/** The data of the events of class confevents, by name. */
export interface ConfEvents {
  /** A conference begins. */
  readonly conf_start: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Id of the conference, as in `/rest/v1/uc/conferences` */
    readonly confid: string;
    /** Number of the room in hexadecimal notation; empty where the conference has no room */
    readonly confnum: string;
    /** Room: the last two digits of that number; empty where it has none */
    readonly room: string;
    /** Domain of the conference */
    readonly confdomain: string;
    /** When the conference began */
    readonly invitets: string;
    /** Whether the conference is recorded; always false: only calls are recorded */
    readonly isrec: boolean;
    /** Number of participants that were connected so far: 0 */
    readonly participants: number;
    /** Participants that have left so far: none */
    readonly participantsdata: readonly {
      /** Id of the participant, as in the path of a participant */
      readonly participantid: string;
      /** Call-Id of the leg */
      readonly callid: string;
      /** URI of the participant */
      readonly ruri: string;
      /** `in`: it called the conference; `out`: the conference called it */
      readonly direction: 'in' | 'out';
      /** When its leg began */
      readonly since: string;
      /** When it was connected; absent where it never was */
      readonly joined?: string | undefined;
      /** When its leg ended */
      readonly left: string;
    }[];
  };
  /** A participant is connected. */
  readonly part_start: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Id of the conference, as in `/rest/v1/uc/conferences` */
    readonly confid: string;
    /** Number of the room in hexadecimal notation; empty where the conference has no room */
    readonly confnum: string;
    /** Room: the last two digits of that number; empty where it has none */
    readonly room: string;
    /** Domain of the conference */
    readonly confdomain: string;
    /** When the conference began */
    readonly invitets: string;
    /** Whether the conference is recorded; always false: only calls are recorded */
    readonly isrec: boolean;
    /** Id of the participant, as in the path of a participant */
    readonly participantid: string;
    /** Call-Id of the leg */
    readonly callid: string;
    /** URI of the participant */
    readonly ruri: string;
  };
  /** A participant has left, or was called and did not join. */
  readonly part_stop: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Id of the conference, as in `/rest/v1/uc/conferences` */
    readonly confid: string;
    /** Number of the room in hexadecimal notation; empty where the conference has no room */
    readonly confnum: string;
    /** Room: the last two digits of that number; empty where it has none */
    readonly room: string;
    /** Domain of the conference */
    readonly confdomain: string;
    /** When the conference began */
    readonly invitets: string;
    /** Whether the conference is recorded; always false: only calls are recorded */
    readonly isrec: boolean;
    /** Id of the participant, as in the path of a participant */
    readonly participantid: string;
    /** Call-Id of the leg */
    readonly callid: string;
    /** URI of the participant */
    readonly ruri: string;
    /** `in`: it called the conference; `out`: the conference called it */
    readonly direction: 'in' | 'out';
    /** When its leg began */
    readonly since: string;
    /** When it was connected; absent where it never was */
    readonly joined?: string | undefined;
    /** When its leg ended */
    readonly left: string;
    /** How it ended. `bye`: BYE; `cancel`: CANCEL; `call_final`: a final answer; `conf_terminate`: a request or a stop of the server; `timeout`: no answer, or no participant; `error`: the leg was lost */
    readonly type: 'bye' | 'cancel' | 'call_final' | 'conf_terminate' | 'timeout' | 'error';
    /** The same in words; may be empty */
    readonly reason: string;
    /** What ended it: URI of a participant, `api`, or `platform` */
    readonly by: string;
  };
  /** The conference was over for 3 s. */
  readonly conf_stop: {
    /** Identifies the event; a client that reads an event twice knows it by this id */
    readonly eventid: string;
    /** When the source made the event */
    readonly eventts: string;
    /** Id of the conference, as in `/rest/v1/uc/conferences` */
    readonly confid: string;
    /** Number of the room in hexadecimal notation; empty where the conference has no room */
    readonly confnum: string;
    /** Room: the last two digits of that number; empty where it has none */
    readonly room: string;
    /** Domain of the conference */
    readonly confdomain: string;
    /** When the conference began */
    readonly invitets: string;
    /** Whether the conference is recorded; always false: only calls are recorded */
    readonly isrec: boolean;
    /** Number of participants that were connected */
    readonly participants: number;
    /** Each participant, with its times */
    readonly participantsdata: readonly {
      /** Id of the participant, as in the path of a participant */
      readonly participantid: string;
      /** Call-Id of the leg */
      readonly callid: string;
      /** URI of the participant */
      readonly ruri: string;
      /** `in`: it called the conference; `out`: the conference called it */
      readonly direction: 'in' | 'out';
      /** When its leg began */
      readonly since: string;
      /** When it was connected; absent where it never was */
      readonly joined?: string | undefined;
      /** When its leg ended */
      readonly left: string;
    }[];
    /** How it ended. `bye`: BYE; `cancel`: CANCEL; `call_final`: a final answer; `conf_terminate`: a request or a stop of the server; `timeout`: no answer, or no participant; `error`: the leg was lost */
    readonly type: 'bye' | 'cancel' | 'call_final' | 'conf_terminate' | 'timeout' | 'error';
    /** The same in words; may be empty */
    readonly reason: string;
    /** What ended it: URI of a participant, `api`, or `platform` */
    readonly by: string;
  };
}
