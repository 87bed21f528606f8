/** Who hears whom in a selector meeting: as was set, and for participants of whom nothing was set by what they are. (chosen) */
import type { SelectorHears } from './entities/selector-topology.ts';

export interface Attendee {
  readonly id: string;
  readonly topology_type: 'listener' | 'speaker' | 'assistant';
}

/** Listeners hear speakers, speakers each other and assistants, and assistants everybody; nobody hears itself. */
const heardBy: Readonly<Record<Attendee['topology_type'], readonly Attendee['topology_type'][]>> = {
  listener: ['speaker'],
  speaker: ['speaker', 'assistant'],
  assistant: ['listener', 'speaker', 'assistant'],
};

/** For each participant whom it hears. Who was set and is no participant any more does not count. */
export function hearsOf(attendees: readonly Attendee[], set: SelectorHears): SelectorHears {
  const ids = new Set(attendees.map(({ id }) => id));
  return Object.fromEntries(
    attendees.map((attendee) => {
      const given = Object.hasOwn(set, attendee.id) ? set[attendee.id] : undefined;
      return [attendee.id, given?.filter((id) => ids.has(id)) ?? heardByDefault(attendee, attendees)] as const;
    }),
  );
}

function heardByDefault({ id, topology_type }: Attendee, attendees: readonly Attendee[]): string[] {
  const types = heardBy[topology_type];
  return attendees.filter((other) => other.id !== id && types.includes(other.topology_type)).map((other) => other.id);
}

/** What is wrong with what is to be set, if something is. */
export function problemOfHears(attendees: readonly Attendee[], given: SelectorHears): string | undefined {
  const ids = new Set(attendees.map(({ id }) => id));
  for (const [hearer, heard] of Object.entries(given)) {
    const stranger = [hearer, ...heard].find((id) => !ids.has(id));
    if (stranger !== undefined) return `hears: expected ids of participants of this meeting, got ${stranger}`;
    if (heard.includes(hearer)) return `hears.${hearer}: expected others, for nobody hears itself`;
    if (new Set(heard).size < heard.length) return `hears.${hearer}: expected each id once`;
  }
  return undefined;
}
