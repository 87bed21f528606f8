/** Every event that a web socket can subscribe to, by class and name. */
import { callevents } from './callevents.ts';
import { confevents, selectorevents } from './confevents.ts';
import type { EventDeclaration } from './event-declaration.ts';
import { ivrevents } from './ivrevents.ts';
import { modelevents, registrarevents } from './registrarevents.ts';

export const events = { callevents, confevents, selectorevents, ivrevents, registrarevents, modelevents };
export type EventClass = keyof typeof events;

/** All of them, by class and then by name. */
export const eventCatalogue: Readonly<Record<EventClass, Readonly<Record<string, EventDeclaration>>>> = events;

export const eventClasses = Object.keys(events) as [EventClass, ...EventClass[]];
