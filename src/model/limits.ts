/**
 * Every limit of the product: its name and its default, in one place. Past a limit the answer is a clear refusal.
 * Sizes are bytes, times are milliseconds.
 */
export const limits = {
  /** A frame between nodes. */
  frameBytes: 1024 * 1024,
  /** What may wait for one peer. Past either bound its connection is lost. */
  peerQueueBytes: 8 * 1024 * 1024,
  peerQueueFrames: 10_000,
  /** Hops of an envelope between its sender and its receiver. */
  envelopeHops: 6,
  /** Asks of one node that wait for an answer. */
  openAsks: 10_000,
  /** Entities of one role instance. */
  entities: 100_000,
  /** Header bytes and body bytes of an HTTP request; connections of a front, and requests on each. */
  headerBytes: 16 * 1024,
  bodyBytes: 1024 * 1024,
  httpConnections: 2_000,
  requestsPerConnection: 100_000,
  headerTimeMs: 5_000,
  requestTimeMs: 15_000,
  /** Fields of a head, empty lines in front of it, digits of a chunk's size. */
  headerFields: 256,
  emptyLines: 4,
  chunkDigits: 8,
  /** How long a refused peer may keep its side open: closed over unread bytes, a connection loses the answer. */
  lingerMs: 2_000,
  /** Letters of an HTTP method token. */
  methodLetters: 32,
  /** Collections: page size, filter expression. */
  pageItemsDefault: 1_000,
  pageItems: 10_000,
  filterDepth: 16,
  filterNodes: 256,
  /** Letters of a `like` pattern, and names in an `order`. */
  likeLetters: 256,
  orderNames: 16,
  /** Restarts of a role instance within `restartWindowMs` before its supervisor gives up. */
  restarts: 5,
  restartWindowMs: 60_000,
  /** Sessions: life since last use, and how many a user may have. */
  sessionMs: 3_600_000,
  sessionsPerUser: 10,
  /** Login failures within the window that ban an address. */
  loginFailures: 5,
  loginWindowMs: 180_000,
  /** The longest ban that can be asked for, in seconds: a year. */
  banSeconds: 31_536_000,
} as const;
