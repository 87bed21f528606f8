import type { Behaviour, TopologyDomain } from '../../src/model/topology/schema.ts';

/**
 * What a number does when it is called: as it was told, else by its last digits (choices, section 7). A pure function of the
 * number: tests need no set-up.
 */

/** What becomes of one call. Times are milliseconds; `undefined`: never. */
export interface Reaction {
  /** It does not react at all: as if nobody were there. */
  readonly isSilent: boolean;
  /** It rings so long after the INVITE. */
  readonly ringMs: number | undefined;
  /** It gives its final answer so long after it began to ring, or, where it does not ring, after the INVITE. */
  readonly answerMs: number | undefined;
  readonly status: number;
  /** Number or URI to which it redirects. */
  readonly redirect: string | undefined;
  /** It hangs up so long after it has answered. */
  readonly hangupMs: number | undefined;
}

/** After how long a number answers that nobody said anything about. */
const usualAnswerMs = 2_000;
const usualHangupMs = 5_000;

const usual: Reaction = {
  isSilent: false,
  ringMs: 0,
  answerMs: usualAnswerMs,
  status: 200,
  redirect: undefined,
  hangupMs: undefined,
};
const silent: Reaction = { ...usual, isSilent: true, ringMs: undefined, answerMs: undefined };

/** `told`: its behaviour from the topology or the control interface, which then alone decides. */
export function reactionOf(number: string, told?: Behaviour): Reaction {
  return told === undefined ? byLastDigits(number) : asTold(told);
}

/** Refuses at once. */
export function refusing(status: number): Reaction {
  return { ...usual, ringMs: undefined, answerMs: 0, status };
}

/** Answers at once, and stays. */
export const answering: Reaction = { ...usual, ringMs: undefined, answerMs: 0 };

/** Whether a call to it is answered in the end. */
export function isWilling({ isSilent, answerMs, status }: Reaction): boolean {
  return !isSilent && answerMs !== undefined && status < 300;
}

function byLastDigits(number: string): Reaction {
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

/** `ringMs` alone: it rings for ever. Refusals and redirections ring only where `ringMs` says so. */
function asTold({ ringMs, answerMs, hangupMs, reject, redirect, silent: isSilent = false }: Behaviour): Reaction {
  if (isSilent) return silent;
  const status = reject ?? (redirect === undefined ? 200 : 302);
  if (status >= 300) return { ...usual, ringMs, answerMs: answerMs ?? 0, status, redirect };
  const isRingingOnly = ringMs !== undefined && answerMs === undefined && hangupMs === undefined;
  const answer = isRingingOnly ? undefined : (answerMs ?? usualAnswerMs);
  return { ...usual, ringMs: ringMs ?? 0, answerMs: answer, hangupMs };
}

/** How numbers behave that somebody said something about: by the topology, and by who controls the world outside. */

/** How a number behaves since it was set here, in place of what the topology or its digits say. */
export interface NumberOverride {
  readonly domain: string;
  readonly number: string;
  readonly behaviour: Behaviour;
}

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

  /** Numbers that were set, the earliest first. */
  get overrides(): readonly NumberOverride[] {
    return [...this.#overrides.values()];
  }

  /** Says how a number behaves from now on; without a behaviour it does as before. */
  set(domain: string, number: string, behaviour: Behaviour | undefined): void {
    if (behaviour === undefined) this.#overrides.delete(keyOf(domain, number));
    else this.#overrides.set(keyOf(domain, number), { domain, number, behaviour });
  }

  /** What becomes of a call to a number. Where it redirects to a number, that is at `host`. */
  reactionTo(domain: string, number: string, host: string): Reaction {
    const key = keyOf(domain, number);
    const reaction = reactionOf(number, this.#overrides.get(key)?.behaviour ?? this.#fromTopology.get(key));
    const { redirect } = reaction;
    if (redirect === undefined || redirect.startsWith('sip:')) return reaction;
    return { ...reaction, redirect: `sip:${redirect}${redirect.includes('@') ? '' : `@${host}`}` };
  }
}

function keyOf(domain: string, number: string): string {
  return `${domain}/${number}`;
}
