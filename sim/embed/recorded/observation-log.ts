/** The newest observations of a world, for waits that look back and for the journal. */
import { catalogue } from '../../../src/model/protocol/catalogue.ts';
import type { Observation, ObservationKind } from '../../observation/observation.ts';
import type { World } from '../../world/world.ts';

/** Limits of what is kept, in observations and in the letters of their texts. Beyond one of them the oldest fifth is dropped. */
const usualMost = 50_000;
const mostChars = 32 * 1024 * 1024;

/** Of a longer text, such as a piece of a file, only so many letters are kept. */
const textChars = 8 * 1024;
const shownChars = 200;

const kinds: readonly ObservationKind[] = [
  'entity.state',
  'instance.status',
  'instance.crashed',
  'logged',
  'request.received',
  'request.answered',
  'outside.sent',
  'fault.inflicted',
  'fault.mended',
  'node.started',
  'node.ended',
];

/** Pings say nothing about requests and calls, and are the most of all messages. */
const messages = Object.keys(catalogue).filter((type) => !type.startsWith('peer.'));

interface Kept {
  readonly observation: Observation;
  readonly letters: number;
}

export class ObservationLog {
  readonly #kept: Kept[] = [];
  readonly #stops: readonly (() => void)[];
  readonly #most: number;
  #letters = 0;
  #dropped = 0;

  constructor(world: Pick<World, 'observe'>, most = usualMost) {
    this.#most = most;
    const keep = (observation: Observation) => this.#keep(observation);
    this.#stops = [
      world.observe<ObservationKind>(keep, { kinds }),
      world.observe(keep, { kinds: ['envelope.sent'], types: messages }),
    ];
  }

  /** The oldest first. */
  get all(): readonly Observation[] {
    return this.#kept.map(({ observation }) => observation);
  }

  /** How many observations are no longer kept. */
  get dropped(): number {
    return this.#dropped;
  }

  stop(): void {
    for (const stop of this.#stops) stop();
  }

  #keep(observation: Observation): void {
    const kept = withoutLongTexts(observation);
    this.#kept.push(kept);
    this.#letters += kept.letters;
    while (this.#kept.length > this.#most || this.#letters > mostChars) this.#drop();
  }

  #drop(): void {
    const old = this.#kept.splice(0, Math.ceil(this.#kept.length / 5));
    for (const { letters } of old) this.#letters -= letters;
    this.#dropped += old.length;
  }
}

/** Long texts are those of messages, requests and answers. */
function withoutLongTexts(observation: Observation): Kept {
  const texts = new Texts();
  switch (observation.kind) {
    case 'envelope.sent': {
      const body = texts.shortened(observation.envelope.body);
      if (body === observation.envelope.body) return { observation, letters: texts.letters };
      return { observation: { ...observation, envelope: { ...observation.envelope, body } }, letters: texts.letters };
    }
    case 'request.received':
    case 'request.answered':
      return { observation: texts.shortened(observation) as Observation, letters: texts.letters };
    default:
      return { observation, letters: 0 };
  }
}

class Texts {
  /** Of the names and texts that were kept so far; a value of another type counts as one. */
  letters = 0;

  /** The same value, or a copy of what has a long text in it. */
  shortened(value: unknown): unknown {
    if (typeof value === 'string') return this.#text(value);
    this.letters += 1;
    if (typeof value !== 'object' || value === null) return value;
    const members = value as Record<string, unknown>;
    let copy: Record<string, unknown> | undefined;
    for (const name of Object.keys(members)) {
      this.letters += name.length;
      const kept = this.shortened(members[name]);
      if (kept === members[name]) continue;
      copy ??= (Array.isArray(value) ? [...value] : { ...members }) as Record<string, unknown>;
      copy[name] = kept;
    }
    return copy ?? value;
  }

  #text(text: string): string {
    const kept = text.length <= textChars ? text : `${copied(text.slice(0, shownChars))}… (${text.length} characters)`;
    this.letters += kept.length;
    return kept;
  }
}

/** The runtime keeps the whole of a text as long as a part of it is used. */
function copied(part: string): string {
  return Buffer.from(part).toString();
}
