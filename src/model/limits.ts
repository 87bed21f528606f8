/**
 * Every limit of the product: its name and its default, in one place. Past a limit the answer is a clear refusal.
 * Sizes are bytes, times are milliseconds.
 */
export const limits = {
  /** A frame between nodes. */
  frameBytes: 1024 * 1024,
  /** How deep arrays and objects nest in the JSON of a client, and in a frame between nodes, which holds such JSON. */
  jsonDepth: 64,
  frameDepth: 96,
  /** What may wait for one peer. Past either bound its connection is lost. */
  peerQueueBytes: 8 * 1024 * 1024,
  peerQueueFrames: 10_000,
  /** Hops of an envelope between its sender and its receiver. */
  envelopeHops: 6,
  /** Asks of one node that wait for an answer. */
  openAsks: 10_000,
  /** Entities of one role instance. */
  entities: 100_000,
  /** Header bytes and body bytes of an HTTP request; connections of a front, those of one address, and requests on each. */
  headerBytes: 16 * 1024,
  bodyBytes: 1024 * 1024,
  /** Values in the JSON of a body, members of members included. */
  jsonValues: 20_000,
  httpConnections: 4_000,
  connectionsPerAddress: 2_000,
  requestsPerConnection: 100_000,
  /** Requests that a connection may have sent behind one that has no answer yet. */
  requestsInLine: 16,
  /** How long a client may take to send a head and a body, and how long a connection may be idle between requests. */
  headerTimeMs: 5_000,
  requestTimeMs: 15_000,
  keepAliveMs: 5_000,
  /** How long a client may take nothing of what it was sent, and how fast it has to take it at least. */
  writeTimeMs: 30_000,
  writeBytesPerSecond: 8 * 1024,
  /**
   * What a front has sent and clients have not taken yet, of one address and of all, answers and events together. A text that
   * waits takes up to three times its bytes of memory.
   */
  unreadBytes: 128 * 1024 * 1024,
  unreadBytesPerAddress: 64 * 1024 * 1024,
  /** Fields of a head, empty lines in front of it, digits of a chunk's size. */
  headerFields: 256,
  emptyLines: 4,
  chunkDigits: 8,
  /** How long a refused peer may keep its side open: closed over unread bytes, a connection loses the answer. */
  lingerMs: 2_000,
  /** Bytes of a body that are read past an answer which came before them; with more the answer ends the connection. */
  drainedBytes: 64 * 1024,
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
  /** Messages over which an instance ended, and how long the same message is refused. */
  quarantined: 100,
  quarantineMs: 60_000,
  /** Sessions: life since last use, longest life, and how many a user may have. */
  sessionMs: 3_600_000,
  sessionMaxMs: 86_400_000,
  sessionsPerUser: 10,
  /**
   * Sessions that a ws instance knows, with those that were closed within their longest life. Past it logins are refused. Of one
   * user no more closed ones are kept apart: then those opened first are kept as one time, and all opened before it are over.
   */
  knownSessions: 100_000,
  closedSessionsPerUser: 1_000,
  /** How often ws instances ask each other for closed sessions, and how many go into one answer. */
  sessionSyncMs: 10_000,
  sessionChangesPage: 1_000,
  /** Login failures within the window that ban an address. */
  loginFailures: 5,
  loginWindowMs: 180_000,
  /** Calls: live ones of a b2b, legs of a user agent, forks and redirects of a call, length of a label. */
  dialogs: 50_000,
  legs: 100_000,
  forks: 50,
  redirects: 5,
  /** How long a callee without a limit of its own may ring, and how long a call of parties without one may last. */
  ringMs: 180_000,
  talkMs: 86_400_000,
  maxForwards: 70,
  labelLetters: 256,
  /** Letters of a number and of a URI in a request; labels of a call; how long X may be asked to ring, in seconds. */
  numberLetters: 128,
  uriLetters: 512,
  bindings: 100,
  callTimeoutSeconds: 300,
  /** Bytes of a list that go into one answer between instances; lists of which the rest is kept; for how long. */
  listBytes: 512 * 1024,
  keptLists: 200,
  keptListMs: 10_000,
  /** Recordings of a call; how often in all of them it may change who is heard, further changes are not in the sound. */
  recordings: 20,
  recordedChanges: 100,
  /** Record rules of a domain that count: those that come first. */
  recordRules: 500,
  /** Participants of a conference, conferences of a conf instance. */
  participants: 250,
  conferences: 1_000,
  /** Who hears whom in a selector meeting: how many are heard, by all participants together. */
  heardPairs: 5_000,
  /** Participants that have left, as the end of a conference tells of them. */
  departedParticipants: 500,
  /** Items that a source of events keeps for those who missed some, and how many go into one answer. */
  streamItems: 20_000,
  streamPage: 500,
  /** Bytes of such an answer. After this time of silence a source is asked whether something was lost. */
  streamBytes: 256 * 1024,
  streamCheckMs: 15_000,
  /** Events that callstore keeps for followers; how long it pushes to one that does not ask again, and how often one does. */
  events: 10_000,
  followMs: 30_000,
  followRenewMs: 10_000,
  /** Records of calls that wait in memory while a disk is full. */
  lateRecords: 10_000,
  /** Records of calls that a callstore keeps, and how many of them members of a group compare and exchange at once. */
  callRecords: 100_000,
  comparedRecords: 2_000,
  exchangedRecords: 200,
  /** How long a call that is over may still tell something, and how often members of a group compare records. */
  endedCallMs: 60_000,
  compareMs: 60_000,
  /** How long calls of a b2b that is gone may be left before a member that stands by asks why. */
  orphanMs: 5_000,
  /** How long callstore, beginning to serve, may let those wait who ask it. */
  reconcileMs: 1_000,
  /** Subscriptions of a web socket, of a user and of a front; their objects and events, of a user and of a front. */
  subscriptions: 100,
  userSubscriptions: 2_500,
  frontSubscriptions: 10_000,
  userSubscribedNames: 25_000,
  frontSubscribedNames: 100_000,
  /** Open sockets of a front and of one address; what may wait for one that reads slowly before it is closed. */
  sockets: 2_000,
  socketsPerAddress: 1_000,
  socketQueueBytes: 256 * 1024,
  /** Messages of a socket that wait for their turn before it is read from again; turns of sockets in a row. */
  socketMessages: 50,
  sliceTurns: 100,
  /** A message on a web socket and its fragments, how often it is pinged; what a subscription may ask for: names, life, letters of its id. */
  socketMessageBytes: 64 * 1024,
  socketFragments: 1_024,
  socketPingMs: 30_000,
  subscriptionNames: 100,
  subscriptionSeconds: 86_400,
  subscriptionSecondsDefault: 3_600,
  subscriptionIdLetters: 256,
  /** How far the clocks of nodes may differ before copies that are older than a removal could come back. */
  clockSkewMs: 300_000,
  /** Registrations of devices: how many go into one message, how often copies are compared, how long a probe waits. */
  /** Registrations of one user that are over and still outweigh older copies: past it no new device registers. */
  endedBindings: 100,
  bindingsPage: 500,
  bindingsCheckMs: 60_000,
  deviceProbeMs: 3_000,
  /** Messages that an instance of sg or esg passes on within a second. */
  sgPackets: 3_000,
  /** Domain data: letters of a text, a comment, a name in a list and a pattern; values of a list, and letters of its JSON. */
  textLetters: 1_000,
  commentLetters: 10_000,
  nameLetters: 100,
  patternLetters: 500,
  listItems: 100,
  listLetters: 16_384,
  /**
   * Regular expressions of users: instructions of the program of one, and of those of all border rules together; letters
   * of a text that they are matched with, bytes of the states that one keeps, and how many a process keeps compiled.
   */
  expressionSteps: 1_000,
  borderSteps: 4_000,
  matchedLetters: 256,
  expressionBytes: 128 * 1024,
  expressions: 1_000,
  /** Border rules, and the letters of their patterns together: what one answer between instances holds. */
  borderRules: 1_000,
  borderLetters: 128 * 1024,
  /** Rows of a database. */
  dataRows: 1_000_000,
  /** Changes of domain data that wait for their turn, and those that are kept for who follows. */
  dataWrites: 2_000,
  dataLogChanges: 10_000,
  /** How long a change waits for the sdc instances in reach, and how often one looks whether it missed any. */
  dataFollowMs: 250,
  dataPullMs: 30_000,
  /** How long those wait who ask for domain data that is not there yet, and how often a locked store is tried again. */
  dataReadyMs: 1_000,
  dataRetryMs: 100,
  /** Steps of long work (about ten nanoseconds each), and how long, before others have their turn; how long before its deadline a search ends. */
  sliceSteps: 200_000,
  sliceMs: 10,
  searchMarginMs: 200,
  /** Rows that a key of a filter may lead to; with more all rows are looked at, one by one. */
  foundByKey: 1_000,
  /** Files: one of them, its name; those of a domain, and all of its bytes; parts of a request. */
  fileBytes: 64 * 1024 * 1024,
  fileNameLetters: 200,
  domainFiles: 1_000,
  domainFileBytes: 128 * 1024 * 1024,
  fileParts: 100,
  /** Contents of files that an mdc keeps, of all domains, with those that are still being written. */
  keptFileBytes: 384 * 1024 * 1024,
  /** A piece of a file, between instances and in stores, which have to be read with the same; uploads under way at an mdc, and their time. */
  filePieceBytes: 128 * 1024,
  uploads: 100,
  uploadsOfDomain: 50,
  uploadTimeMs: 600_000,
  /** How long what no file has any more is kept for those who read it, and what was not brought to its end. */
  fileGraceMs: 120_000,
  /**
   * Archives of role applications: packed, unpacked, one file of it, the letters of all its names; how many times more
   * it may be unpacked than packed, where it is more than a mebibyte; folders within each other.
   */
  archiveBytes: 24 * 1024 * 1024,
  unpackedBytes: 96 * 1024 * 1024,
  unpackedFileBytes: 32 * 1024 * 1024,
  archiveFiles: 1_000,
  archiveNameBytes: 96 * 1024,
  archiveRatio: 200,
  archiveFolders: 32,
  /** Of all archives that a ws instance reads at once: bytes received, and bytes being unpacked; and those of one domain. */
  archiveBytesAtOnce: 64 * 1024 * 1024,
  archiveBytesAtOnceOfDomain: 32 * 1024 * 1024,
  unpackedBytesAtOnce: 192 * 1024 * 1024,
  unpackedBytesAtOnceOfDomain: 96 * 1024 * 1024,
  /** What such an archive says of its application, and how long a session is held up by the look for it. */
  metadataBytes: 4 * 1024,
  webAppsMs: 500,
  /** How long a selector meeting lasts at most, in seconds. (public) */
  meetingSec: 9_800,
  /** The longest ban that can be asked for, in seconds: a year. */
  banSeconds: 31_536_000,
} as const;

/** The limits of an HTTP server that its operator can set: how many clients it serves, and for how long it waits for them. */

export const httpLimitNames = [
  'httpConnections',
  'connectionsPerAddress',
  'requestsPerConnection',
  'headerTimeMs',
  'requestTimeMs',
  'keepAliveMs',
  'writeTimeMs',
  'writeBytesPerSecond',
  'unreadBytes',
  'unreadBytesPerAddress',
  'sockets',
  'socketsPerAddress',
  'socketQueueBytes',
] as const satisfies readonly (keyof typeof limits)[];

export type HttpLimitName = (typeof httpLimitNames)[number];
export type HttpLimits = Readonly<Record<HttpLimitName, number>>;

/** The defaults, with `set` in their place. */
export function httpLimits(set: Partial<HttpLimits> = {}): HttpLimits {
  return { ...limits, ...set };
}
