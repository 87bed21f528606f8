/**
 * The reaction of a number to a call: as configured, else by its last digits (chosen). A pure function of
 * the number, so that tests need no set-up.
 */
import type { Behaviour, TopologyDomain } from '../../src/model/topology/schema.ts';

/** The reaction to one call. Times are milliseconds; `undefined`: never. */
export interface CallReaction {
  /** No reaction at all. */
  readonly isSilent: boolean;
  /** Whether it sends no 100: its first answer is the ringing or a final one. */
  readonly isUntried?: boolean;
  /** Time from the INVITE to the ringing. */
  readonly ringMs: number | undefined;
  /** Time from the ringing to the final answer, or from the INVITE if it does not ring. */
  readonly answerMs: number | undefined;
  readonly status: number;
  /** What it plays while it rings. */
  readonly announcement: string | undefined;
  /** Number or URI of a redirection. */
  readonly redirect: string | undefined;
  /** Time from the answer to the hangup. */
  readonly hangupMs: number | undefined;
  readonly inCallActions: InCallActions;
}

/** What it does in each of its calls, each so long after the answer. */
export interface InCallActions {
  readonly presses: NonNullable<Behaviour['presses']>;
  readonly says: NonNullable<Behaviour['says']>;
}

const noInCallActions: InCallActions = { presses: [], says: [] };

/** Default time to the answer. */
const usualAnswerMs = 2_000;
const usualHangupMs = 5_000;

const usual: CallReaction = {
  isSilent: false,
  ringMs: 0,
  answerMs: usualAnswerMs,
  status: 200,
  redirect: undefined,
  announcement: undefined,
  hangupMs: undefined,
  inCallActions: noInCallActions,
};
const silent: CallReaction = { ...usual, isSilent: true, ringMs: undefined, answerMs: undefined };

/** `configured`: the behaviour from the topology or the control interface; if present it alone decides. */
export function reactionOf(number: string, configured?: Behaviour): CallReaction {
  if (configured === undefined) return byLastDigits(number);
  const reaction = asConfigured(configured);
  return configured.trying === false ? { ...reaction, isUntried: true } : reaction;
}

/** Refuses at once. */
export function refusing(status: number): CallReaction {
  return { ...usual, ringMs: undefined, answerMs: 0, status };
}

/** Answers at once, and stays. */
export const answering: CallReaction = { ...usual, ringMs: undefined, answerMs: 0 };

/** Rings until it is answered, refused or hung up by a command. */
export const attended: CallReaction = { ...usual, answerMs: undefined };

/** Whether the number answers calls. */
export function isWilling({ isSilent, answerMs, status }: CallReaction): boolean {
  return !isSilent && answerMs !== undefined && status < 300;
}

function byLastDigits(number: string): CallReaction {
  const [, status] = /\*([3-6]\d\d)$/.exec(number) ?? [];
  if (status !== undefined) return refusing(Number(status));
  const [, tens, ones] = /(\d)(\d)$/.exec(number) ?? [];
  if (tens === '0') return { ...usual, answerMs: Number(ones) * 1_000 };
  switch (`${tens}${ones}`) {
    case '11':
      return { ...answering, hangupMs: usualHangupMs };
    case '12':
      return silent;
    case '13':
      return { ...usual, answerMs: undefined };
    case '14':
      return { ...refusing(302), redirect: `${number.slice(0, -2)}01` };
    default:
      return usual;
  }
}

/** `ringMs` alone rings for ever. Refusals and redirections ring only with a `ringMs`. */
function asConfigured({
  ringMs,
  answerMs,
  hangupMs,
  reject,
  redirect,
  announcement,
  silent: isSilent = false,
  presses = [],
  says = [],
}: Behaviour): CallReaction {
  if (isSilent) return silent;
  const status = reject ?? (redirect === undefined ? 200 : 302);
  if (status >= 300) {
    const rings = ringMs ?? (announcement === undefined ? undefined : 0);
    return {
      ...usual,
      ringMs: rings,
      answerMs: answerMs ?? (announcement === undefined ? 0 : usualAnswerMs),
      status,
      redirect,
      announcement,
    };
  }
  const isRingingOnly = ringMs !== undefined && answerMs === undefined && hangupMs === undefined;
  const answer = isRingingOnly ? undefined : (answerMs ?? usualAnswerMs);
  return { ...usual, ringMs: ringMs ?? 0, answerMs: answer, hangupMs, announcement, inCallActions: { presses, says } };
}

/** A behaviour that was set at run time; it overrides the topology and the digits. */
export interface NumberOverride {
  readonly domain: string;
  readonly number: string;
  readonly behaviour: Behaviour;
}

/** With the URI of the target of a redirection; `host` is that of a number. */
export function completedFor(host: string, reaction: CallReaction): CallReaction {
  const { redirect } = reaction;
  if (redirect === undefined || redirect.startsWith('sip:')) return reaction;
  return { ...reaction, redirect: `sip:${redirect}${redirect.includes('@') ? '' : `@${host}`}` };
}

/** Configured behaviours of numbers: from the topology, and from the control interface. */
export class Behaviours {
  readonly #fromTopology: ReadonlyMap<string, Behaviour>;
  readonly #overrides = new Map<string, NumberOverride>();

  constructor(domains: readonly Pick<TopologyDomain, 'name' | 'numbers'>[]) {
    this.#fromTopology = new Map(
      domains.flatMap(({ name, numbers }) =>
        Object.entries(numbers).map(([number, behaviour]) => [keyOf(name, number), behaviour] as const),
      ),
    );
  }

  /** Overridden numbers, the earliest first. */
  get overrides(): readonly NumberOverride[] {
    return [...this.#overrides.values()];
  }

  /** Sets the behaviour of a number; without one, removes the override. */
  set(domain: string, number: string, behaviour: Behaviour | undefined): void {
    if (behaviour === undefined) this.#overrides.delete(keyOf(domain, number));
    else this.#overrides.set(keyOf(domain, number), { domain, number, behaviour });
  }

  /** What a number does in each of its calls. */
  inCallActionsOf(domain: string, number: string): InCallActions {
    return reactionOf(number, this.#configured(domain, number)).inCallActions;
  }

  /** The reaction of a number to a call. `host` completes the target of a redirection. */
  reactionTo(domain: string, number: string, host: string): CallReaction {
    return completedFor(host, reactionOf(number, this.#configured(domain, number)));
  }

  #configured(domain: string, number: string): Behaviour | undefined {
    const key = keyOf(domain, number);
    return this.#overrides.get(key)?.behaviour ?? this.#fromTopology.get(key);
  }
}

function keyOf(domain: string, number: string): string {
  return `${domain}/${number}`;
}
