/** The times of SIP transactions (RFC 3261 17, table 4), in milliseconds. */
export const sipTimings = {
  /** First retransmission; doubles. */
  t1Ms: 500,
  /** The longest pause between two of them, but for INVITE, which doubles on. */
  t2Ms: 4_000,
  /** 64 T1: how long an answer, or an ACK, is waited for, and how long answered requests are remembered. */
  patienceMs: 32_000,
  /** How soon a refresh that was refused is tried again (chosen). */
  refreshAgainMs: 5_000,
} as const;
