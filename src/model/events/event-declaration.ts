/** The declaration of an event of the web socket: its meaning, its place in the order, and the schema of its `data`. */
import { z } from 'zod';

export interface EventDeclaration {
  /** When the event is sent; one sentence for the reference document. */
  readonly when: string;
  /** Its place among the events of one object, for the reference document. */
  readonly order: string;
  /** Its `data`. */
  readonly data: z.ZodObject;
}

/** Fields that every event has. */
const stamp = {
  eventid: z.uuid().describe('Identifies the event; a client that reads an event twice knows it by this id'),
  eventts: z.iso.datetime().describe('When the source made the event'),
};

/** Declares an event; `fields` are in addition to `eventid` and `eventts`. */
export function event(when: string, order: string, fields: z.ZodRawShape): EventDeclaration {
  return { when, order, data: z.strictObject({ ...stamp, ...fields }) };
}
