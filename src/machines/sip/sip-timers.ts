/** Timers of SIP transactions (RFC 3261, table 4), in milliseconds, and the chain of states in which a message is sent again. */

export const sipTimings = {
  /** T1: the first pause before a message is sent again; it doubles. */
  t1Ms: 500,
  /** T2: the longest pause, but for INVITE, which doubles on. */
  t2Ms: 4_000,
  /** 64 T1 (timers B, F, H): how long an answer or an ACK is waited for. */
  patienceMs: 32_000,
  /** Timers D, I, J and L: how long a transaction that is over absorbs repeated messages. Longer than in RFC 3261. (chosen) */
  lingerMs: 32_000,
  /** How soon a refresh that was refused is tried again. (chosen) */
  refreshAgainMs: 5_000,
} as const;

/** The deadlines of transaction machines: pauses between retransmissions, the whole patience, and the time after the end. */
export const transactionDelaysMs = {
  pause500: 500,
  pause1000: 1_000,
  pause2000: 2_000,
  pause4000: 4_000,
  pause8000: 8_000,
  pause16000: 16_000,
  patience: sipTimings.patienceMs,
  linger: sipTimings.lingerMs,
} as const;
export type TransactionDelay = keyof typeof transactionDelaysMs;
export type Pause = Exclude<TransactionDelay, 'linger'>;

/** The pauses of timer A: it doubles until timer B is over. The last one is what is left of 64 T1. */
const doubling: readonly Pause[] = [
  ...(['pause500', 'pause1000', 'pause2000', 'pause4000', 'pause8000', 'pause16000'] as const),
  'pause500',
];
/** The pauses of timers E and G: they double up to T2, until timer F or H is over. */
const bounded: readonly Pause[] = [
  ...(['pause500', 'pause1000', 'pause2000'] as const),
  ...new Array<Pause>(7).fill('pause4000'),
  'pause500',
];

export type Pacing = 'doubling' | 'bounded' | 'steady' | 'none';

/** `steady`: after a provisional answer to a request other than INVITE, every T2. `none`: over a way that loses nothing. */
export const pausesOf: Readonly<Record<Pacing, readonly Pause[]>> = {
  doubling,
  bounded,
  steady: new Array<Pause>(8).fill('pause4000'),
  none: ['patience'],
};

/**
 * States `0`, `1` …, one for each time that the message was sent: after the pause of a state `again` happens and the next one
 * follows, after the last pause `over`. So the machine has no counter, and the pauses add up to its patience exactly.
 */
export function resending<const Again extends string, const Over extends object>(
  pacing: Pacing,
  again: Again,
  over: Over,
) {
  const pauses = pausesOf[pacing];
  const states = pauses.map((pause, sent) => {
    const next = sent + 1 === pauses.length ? over : { target: `${sent + 1}`, actions: again };
    return [`${sent}`, { after: { [pause]: next } }] as const;
  });
  return { initial: '0', states: Object.fromEntries(states) };
}
