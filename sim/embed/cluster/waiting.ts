/** Waits of a test: for an event of the platform, a message, a state, a count, or any condition. */
import { systemClock } from '../../../src/adapters/system-clock.ts';
import type { Events } from '../../../src/client/api/events.ts';
import type { EventClass, EventData, EventName } from '../../../src/client/event-stream.ts';
import { eventCatalogue } from '../../../src/model/events/event-catalogue.ts';
import type { PlatformEvent } from '../../../src/model/protocol/messages/stream.ts';
import { expectedText } from '../../../src/model/shapes/nearest.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { faultText, readValue } from '../../input/read-value.ts';
import { checkMatcher } from '../../scenario/checks/matcher-names.ts';
import { Names } from '../../scenario/checks/names.ts';
import { type EventMatcher, matcherSchema } from '../../scenario/language/event-matcher.ts';
import { duration } from '../../scenario/language/fault-schema.ts';
import { EventMatchers, type Seen } from '../../scenario/run/event-matchers.ts';
import type { OperatedCluster } from '../recorded/operator.ts';
import type { RecordedWorld } from '../recorded/recorded-world.ts';

/** What to wait for, as scenarios write it (docs/reference/scenarios.md): `{ state: 'talking', machine: 'dialog' }`. */
export type Matcher = Partial<Omit<EventMatcher, 'event' | 'status'>> & {
  readonly event?: AnyEventName | (string & Record<never, never>) | undefined;
  readonly status?: string | number;
};

/** An event with or without its class: `callevents.dlg_start`, `dlg_start`. */
export type AnyEventName = EventName | { [C in EventClass]: keyof Events[C] & string }[EventClass];

/** Fields that the data of an event must have. */
export type FieldsOf<N extends string> = { readonly [K in keyof EventData<N>]?: EventData<N>[K] | undefined };

/** Fields that the data of an event must have: `{ dialogid: '…' }`. */
export type EventFields = Readonly<Record<string, unknown>>;

export interface WaitOptions {
  /** Longest wait: `'5s'`, or milliseconds. Default 60 s. */
  readonly within?: string | number | undefined;
  /** Matches since this time count, in milliseconds since the epoch. Default: all since the cluster started. */
  readonly sinceMs?: number | undefined;
}

/** A match: when it was seen, and what. */
export type { Seen } from '../../scenario/run/event-matchers.ts';

/** An event that was seen: when, and what. */
export interface SeenEvent<N extends string> {
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  readonly event: Omit<PlatformEvent, 'data'> & { readonly data: EventData<N> };
}

/** What a test waits for. It may ask the cluster: time passes while it does. */
export type Condition = () => boolean | Promise<boolean>;

const usualMs = 60_000;
/** A condition that asks the cluster. */
const askedEveryMs = 100;

/** How long a wait lasts at most. */
export function withinMs({ within = usualMs }: Pick<WaitOptions, 'within'>): number {
  return durationMs(within);
}

/** The wait has ended without a match. */
export class NotSeen extends Error {
  override readonly name = 'NotSeen';
}

/** Waits that let virtual time pass. @internal */
export class Waiting {
  readonly #recorded: RecordedWorld;

  constructor(recorded: RecordedWorld) {
    this.#recorded = recorded;
  }

  /** Lets time pass until the matcher has matched as often as its `times` says. Returns the last match. */
  async seen(wanted: Matcher, fields: EventFields, { within = usualMs, sinceMs }: WaitOptions): Promise<Seen> {
    const matches = new Matches(this.#recorded, wanted, { fields, sinceMs });
    try {
      await this.#recorded.world.runUntil(() => matches.last !== undefined, durationMs(within));
      return matches.result(within);
    } finally {
      matches.stop();
    }
  }

  /** Lets time pass until a condition holds. It is asked after each event of the world; one that returns a promise, at intervals. */
  async until(holds: Condition, { within = usualMs }: WaitOptions): Promise<void> {
    if (typeof holds !== 'function') throw new TypeError(`expected a function, got ${JSON.stringify(holds)}`);
    const { world } = this.#recorded;
    const endMs = world.now() + durationMs(within);
    for (let leftMs = endMs - world.now(); ; leftMs = endMs - world.now()) {
      const asked = holds();
      if (await asked) return;
      if (leftMs > 0 && asked instanceof Promise) await world.wait(Math.min(askedEveryMs, leftMs));
      else if (leftMs > 0 && (await world.runUntil(() => Boolean(holds()), leftMs))) return;
      else throw new NotSeen(`the condition does not hold within ${durationMs(within)} ms`);
    }
  }
}

/**
 * Waits until the matcher has matched as often as its `times` says, and moves no time: of a virtual cluster something
 * else must. `within` is time of this computer.
 * @internal
 */
export async function noticed(
  cluster: OperatedCluster,
  wanted: Matcher,
  { fields, within = usualMs, sinceMs, clock = systemClock }: WaitOptions & { fields: EventFields; clock?: Clock },
): Promise<Seen> {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const matches = new Matches(cluster, wanted, { fields, sinceMs, onLast: () => end() });
  const deadline = clock.setTimer(durationMs(within), end);
  try {
    await ended;
    return matches.result(within);
  } finally {
    deadline.cancel();
    matches.stop();
  }
}

/** The matches of a matcher, from its begin. */
class Matches {
  readonly stop: () => void;
  readonly #found: Seen[] = [];
  readonly #times: number;
  readonly #text: string;

  constructor(cluster: OperatedCluster, wanted: Matcher, { fields, sinceMs = 0, onLast = () => {} }: MatchOptions) {
    const { world, watch, observations } = cluster;
    const matcher = read(cluster, wanted);
    assertFields(matcher, fields);
    this.#times = matcher.times ?? 1;
    this.#text = textOf(wanted, fields);
    const past = observations.all.filter(({ atMs }) => atMs >= sinceMs);
    const onSeen = (seen: Seen) => {
      if (!hasFields(seen, fields)) return;
      this.#found.push(seen);
      if (this.#found.length === this.#times) onLast();
    };
    this.stop = new EventMatchers(world, watch).watch(matcher, onSeen, past);
  }

  /** The match that ends the wait. */
  get last(): Seen | undefined {
    return this.#found[this.#times - 1];
  }

  /** The same. Throws `NotSeen` if there is none. */
  result(within: string | number): Seen {
    if (this.last !== undefined) return this.last;
    const count = this.#times === 1 ? '' : `, only ${this.#found.length} of ${this.#times}`;
    throw new NotSeen(`not seen within ${durationMs(within)} ms${count}: ${this.#text}`);
  }
}

interface MatchOptions {
  readonly fields: EventFields;
  readonly sinceMs: number | undefined;
  readonly onLast?: () => void;
}

function read({ world, watch }: OperatedCluster, wanted: Matcher): EventMatcher {
  const given = readValue(matcherSchema, wanted);
  if (!given.isValid) throw new TypeError(given.faults.map((each) => faultText(each, 'matcher')).join('; '));
  const [problem] = checkMatcher(given.value, new Names(world.map, { areOpen: false }));
  if (problem !== undefined) throw new TypeError(`${problem.path.join('.')}: ${problem.message}`);
  if (given.value.oracle !== undefined && watch === undefined)
    throw new TypeError('oracle: expected another matcher, since no oracles observe this cluster');
  return given.value;
}

/** A field that the event never has, or that has no value, would never match. */
function assertFields({ event = '' }: EventMatcher, fields: EventFields): void {
  const [of, name] = event.includes('.') ? event.split('.') : [undefined, event];
  const declared = Object.entries(eventCatalogue).flatMap(([each, events]) =>
    of === undefined || each === of ? Object.keys(events[name ?? '']?.data.shape ?? {}) : [],
  );
  for (const [field, value] of Object.entries(fields)) {
    if (!declared.includes(field))
      throw new TypeError(`fields: ${expectedText(`fields of ${event || 'an event'}`, field, declared)}`);
    if (value === undefined) throw new TypeError(`fields.${field}: expected a value, got undefined`);
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

/** `'250ms'`, `'3s'`, `'1.5m'`, `'1h'`, or a number of milliseconds. */
export type Duration = string | number;

/** In milliseconds. Throws a `TypeError` that says what was expected. */
export function durationMs(given: Duration): number {
  if (typeof given === 'number' && given >= 0 && Number.isFinite(given)) return given;
  const read = duration.safeParse(given);
  if (read.success) return read.data;
  throw new TypeError(`expected a duration such as '3s', or milliseconds from 0, got ${JSON.stringify(given)}`);
}
