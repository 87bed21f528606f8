// Generated from src/model/events by `npm run docs`.
import type { CallEvents } from './callevents.ts';
import type { ConfEvents } from './confevents.ts';
import type { IvrEvents } from './ivrevents.ts';
import type { ModelEvents } from './modelevents.ts';
import type { RegistrarEvents } from './registrarevents.ts';
import type { SelectorEvents } from './selectorevents.ts';

/** The data of every event, by class and name. */
export interface Events {
  readonly callevents: CallEvents;
  readonly confevents: ConfEvents;
  readonly selectorevents: SelectorEvents;
  readonly ivrevents: IvrEvents;
  readonly registrarevents: RegistrarEvents;
  readonly modelevents: ModelEvents;
}
