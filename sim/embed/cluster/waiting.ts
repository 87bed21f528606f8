/** Waits of a test: for an event of the platform, a message, a state, a count, or any condition. */
import { faultText, readValue } from '../../input/read-value.ts';
import { checkMatcher } from '../../scenario/checks/matcher-names.ts';
import { Names } from '../../scenario/checks/names.ts';
import { type EventMatcher, matcherSchema } from '../../scenario/language/event-matcher.ts';
import { EventMatchers, type Seen } from '../../scenario/run/event-matchers.ts';
import type { RecordedWorld } from '../recorded/recorded-world.ts';
import { durationMs } from './duration.ts';

/** What to wait for, as scenarios write it (docs/reference/scenarios.md): `{ state: 'dialog', machine: 'dialog' }`. */
export type Matcher = Partial<Omit<EventMatcher, 'status'>> & { readonly status?: string | number };

/** Fields that the data of an event must have: `{ dialogid: '…' }`. */
export type EventFields = Readonly<Record<string, unknown>>;

export interface WaitOptions {
  /** Longest wait in virtual time: `'5s'`, or milliseconds. Default 60 s. */
  readonly within?: string | number;
  /** Matches since this time count, in milliseconds since the epoch. Default: all since the cluster started. */
  readonly sinceMs?: number;
}

/** A match: when it was seen, and what. */
export type { Seen } from '../../scenario/run/event-matchers.ts';

const usualMs = 60_000;

/** The wait has ended without a match. */
export class NotSeen extends Error {}

export class Waiting {
  readonly #recorded: RecordedWorld;

  constructor(recorded: RecordedWorld) {
    this.#recorded = recorded;
  }

  /** Lets time pass until the matcher has matched as often as its `times` says. Returns the last match. */
  async seen(wanted: Matcher, fields: EventFields, { within = usualMs, sinceMs = 0 }: WaitOptions): Promise<Seen> {
    const { world, watch, observations } = this.#recorded;
    const matcher = this.#read(wanted);
    const found: Seen[] = [];
    const past = observations.all.filter(({ atMs }) => atMs >= sinceMs);
    const stop = new EventMatchers(world, watch).watch(
      matcher,
      (seen) => {
        if (hasFields(seen, fields)) found.push(seen);
      },
      past,
    );
    const times = matcher.times ?? 1;
    try {
      await world.runUntil(() => found.length >= times, durationMs(within));
    } finally {
      stop();
    }
    const last = found[times - 1];
    if (last !== undefined) return last;
    const count = times === 1 ? '' : `, only ${found.length} of ${times}`;
    throw new NotSeen(`not seen within ${durationMs(within)} ms${count}: ${textOf(wanted, fields)}`);
  }

  /** Lets time pass until a condition holds; it is asked after each event of the world. */
  async until(holds: () => boolean, { within = usualMs }: WaitOptions): Promise<void> {
    if (await this.#recorded.world.runUntil(holds, durationMs(within))) return;
    throw new NotSeen(`the condition does not hold within ${durationMs(within)} ms`);
  }

  #read(wanted: Matcher): EventMatcher {
    const read = readValue(matcherSchema, wanted);
    if (!read.isValid) throw new TypeError(read.faults.map((each) => faultText(each, 'matcher')).join('; '));
    const [problem] = checkMatcher(read.value, new Names(this.#recorded.world.map, { areOpen: false }));
    if (problem !== undefined) throw new TypeError(`${problem.path.join('.')}: ${problem.message}`);
    return read.value;
  }
}

function hasFields({ event }: Seen, fields: EventFields): boolean {
  const wanted = Object.entries(fields);
  if (wanted.length === 0) return true;
  const data = event?.data as EventFields | undefined;
  return data !== undefined && wanted.every(([name, value]) => data[name] === value);
}

function textOf(wanted: Matcher, fields: EventFields): string {
  const matcher = JSON.stringify(wanted);
  return Object.keys(fields).length === 0 ? matcher : `${matcher} with ${JSON.stringify(fields)}`;
}
