/**
 * All limits of the product with their defaults. Above a limit, the answer is a clear refusal. Sizes are bytes, times are
 * milliseconds.
 */
export const limits = {
  /** A frame between nodes. */
  frameBytes: 1024 * 1024,
  /** Nesting of arrays and objects in the JSON of a client, and in a frame between nodes, which contains such JSON. */
  jsonDepth: 64,
  frameDepth: 96,
  /** Data queued for one peer. Above either limit its connection is closed. */
  peerQueueBytes: 8 * 1024 * 1024,
  peerQueueFrames: 10_000,
  /** Hops of an envelope from sender to receiver. */
  envelopeHops: 6,
  /** Asks that an instance remembers, so as to execute none twice. */
  receivedAsks: 2_000,
  /** Open asks of one node. */
  openAsks: 10_000,
  /** Entities of one role instance. */
  entities: 100_000,
  /** Header bytes and body bytes of an HTTP request. */
  headerBytes: 16 * 1024,
  bodyBytes: 1024 * 1024,
  /** Values in the JSON of a body, members of members included; an empty array or object counts twice. */
  jsonValues: 20_000,
  /** Connections of a front, those of one address, and requests on each. */
  httpConnections: 4_000,
  connectionsPerAddress: 2_000,
  requestsPerConnection: 100_000,
  /** Requests that a connection may send while an earlier one has no answer. */
  requestsInLine: 16,
  /** Time for a client to send a head and a body, and idle time of a connection between requests. */
  headerTimeMs: 5_000,
  requestTimeMs: 15_000,
  keepAliveMs: 5_000,
  /** Time for which a client may read nothing, and the minimum speed at which it must read. */
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
  /** Time for which a refused peer may keep its side open: closing with unread bytes would lose the answer. */
  lingerMs: 2_000,
  /** Bytes of a body that are read after an early answer; with more, the connection is closed after the answer. */
  drainedBytes: 64 * 1024,
  /** Characters of an HTTP method token. */
  methodChars: 32,
  /** Collections: page size, filter expression. */
  pageItemsDefault: 1_000,
  pageItems: 10_000,
  filterDepth: 16,
  filterNodes: 256,
  /** Characters of a `like` pattern, and names in an `order`. */
  likeChars: 256,
  orderNames: 16,
  /** Restarts of a role instance within `restartWindowMs` before its supervisor gives up. */
  restarts: 5,
  restartWindowMs: 60_000,
  /** Remembered messages that crashed an instance, and how long the same message is refused. */
  quarantined: 100,
  quarantineMs: 60_000,
  /** Sessions: lifetime since last use, maximum lifetime, and number per user. */
  sessionMs: 3_600_000,
  sessionMaxMs: 86_400_000,
  sessionsPerUser: 10,
  /**
   * Sessions known to a ws instance, with closed ones until their maximum lifetime ends. Above it, logins are refused. If
   * one user has more closed sessions, the oldest are replaced by one time, and all sessions opened before it are closed.
   */
  knownSessions: 100_000,
  closedSessionsPerUser: 1_000,
  /** Interval at which ws instances compare closed sessions, and the number in one answer. */
  sessionSyncMs: 10_000,
  sessionChangesPage: 1_000,
  /** Login failures within the window that ban an address. */
  loginFailures: 5,
  loginWindowMs: 180_000,
  /** Calls: live ones of a b2b, legs of a user agent, forks and redirects of a call. */
  dialogs: 50_000,
  legs: 100_000,
  forks: 50,
  redirects: 5,
  /**
   * Ringing time of a callee without its own limit, and the longest that a user or a meeting may set; duration of a call of parties
   * without a limit; hops of a request.
   */
  ringMs: 180_000,
  longestRingMs: 300_000,
  talkMs: 86_400_000,
  maxForwards: 70,
  /** Characters of a label, of a number and of a URI in a request; labels of a call; maximum ringing time of X, in seconds. */
  labelChars: 256,
  numberChars: 128,
  uriChars: 512,
  bindings: 100,
  callTimeoutSeconds: 300,
  /** Bytes of a list in one answer between instances; number of lists whose rest is kept, and for how long. */
  listBytes: 512 * 1024,
  keptLists: 200,
  keptListMs: 10_000,
  /** Lists of one user that an instance makes at a time, and how long others of the user wait for one of these. */
  listsOfUser: 4,
  listPatienceMs: 2_000,
  /** Recordings of a call; changes of the audible sides in all of them: later changes are left out of the sound. */
  recordings: 20,
  recordedChanges: 100,
  /** Record rules of a domain that apply: the first ones. */
  recordRules: 500,
  /** Participants of a conference, conferences of a conf instance. */
  participants: 250,
  conferences: 1_000,
  /** Audio topology of a selector meeting: pairs of a participant and one that it hears. */
  heardPairs: 5_000,
  /** Participants that have left, in the events of the end of a conference. */
  departedParticipants: 500,
  /** Items that a source of events keeps for consumers with gaps, and the number in one answer. */
  streamItems: 20_000,
  streamPage: 500,
  /** Bytes of such an answer. After this time without items, a source is asked for losses. */
  streamBytes: 256 * 1024,
  streamCheckMs: 15_000,
  /** Events that callstore keeps for followers; how long it pushes without a renewal, and the interval of renewals. */
  events: 10_000,
  followMs: 30_000,
  followRenewMs: 10_000,
  /** Call records that wait in memory while a disk is full. */
  lateRecords: 10_000,
  /** Call records that a callstore keeps, and the number that group members compare and exchange at once. */
  callRecords: 100_000,
  comparedRecords: 2_000,
  exchangedRecords: 200,
  /** Time for which an ended call may still produce events, and interval at which group members compare records. */
  endedCallMs: 60_000,
  compareMs: 60_000,
  /** Time for which a standby keeps calls of a lost b2b before it asks the active member about them. */
  orphanMs: 5_000,
  /** Time for which a newly active callstore may delay its answers. */
  reconcileMs: 1_000,
  /** Subscriptions of a web socket, of a user and of a front; their objects and events, of a user and of a front. */
  subscriptions: 100,
  userSubscriptions: 2_500,
  frontSubscriptions: 10_000,
  userSubscribedNames: 25_000,
  frontSubscribedNames: 100_000,
  /** Open sockets of a front and of one address; bytes queued for a slow reader before its socket is closed. */
  sockets: 2_000,
  socketsPerAddress: 1_000,
  socketQueueBytes: 256 * 1024,
  /** Messages of a socket that may be queued before reading pauses; messages processed per turn. */
  socketMessages: 50,
  sliceTurns: 100,
  /** A message on a web socket and its fragments; interval of pings; a subscription: names, lifetime, characters of its id. */
  socketMessageBytes: 64 * 1024,
  socketFragments: 1_024,
  socketPingMs: 30_000,
  subscriptionNames: 100,
  subscriptionSeconds: 86_400,
  subscriptionSecondsDefault: 3_600,
  subscriptionIdChars: 256,
  /** Maximum difference of clocks of nodes: beyond it, copies older than a removal could restore a binding. */
  clockSkewMs: 300_000,
  /** Ended registrations of one user that outweigh older copies: above it no new device can register. */
  endedBindings: 100,
  /** Registrations of devices: number in one message, interval of comparisons, timeout of a probe. */
  bindingsPage: 500,
  bindingsCheckMs: 60_000,
  deviceProbeMs: 3_000,
  /** Messages that an instance of sg or esg forwards per second. */
  sgPackets: 3_000,
  /**
   * Domain data: characters of a text, a comment, a name in a list and a pattern; values of a list, and characters of its
   * JSON.
   */
  textChars: 1_000,
  commentChars: 10_000,
  nameChars: 100,
  patternChars: 500,
  listItems: 100,
  listChars: 16_384,
  /**
   * Regular expressions of users: instructions of the program of one, and of those of all border rules together; characters
   * of a text that they are matched with, bytes of the states that one keeps, and how many a process keeps compiled.
   */
  expressionSteps: 1_000,
  borderSteps: 4_000,
  matchedChars: 256,
  expressionBytes: 128 * 1024,
  expressions: 1_000,
  /** Border rules, and the characters of all their patterns: they fit into one answer between instances. */
  borderRules: 1_000,
  borderChars: 128 * 1024,
  /** Rows of a database. */
  dataRows: 1_000_000,
  /** Queued changes of domain data, and changes kept for followers. */
  dataWrites: 2_000,
  dataLogChanges: 10_000,
  /** How long a change waits for the reachable sdc instances, and the interval of checks for lost changes. */
  dataFollowMs: 250,
  dataPullMs: 30_000,
  /** How long requests wait for domain data that is not loaded yet, and the interval of retries for a locked store. */
  dataReadyMs: 1_000,
  dataRetryMs: 100,
  /** A slice of long work: steps (about ten nanoseconds each) and time; and how long before its deadline a search ends. */
  sliceSteps: 200_000,
  sliceMs: 10,
  searchMarginMs: 200,
  /** Rows that a key of a filter may lead to; with more, all rows are scanned. */
  foundByKey: 1_000,
  /** Files: one of them, its name; those of a domain, and all of its bytes; parts of a request. */
  fileBytes: 64 * 1024 * 1024,
  fileNameChars: 200,
  domainFiles: 1_000,
  domainFileBytes: 128 * 1024 * 1024,
  fileParts: 100,
  /** Contents of files that an mdc keeps, of all domains, uploads under way included. */
  keptFileBytes: 384 * 1024 * 1024,
  /** A piece of a file between instances and in stores: the same size for reading and writing. */
  filePieceBytes: 128 * 1024,
  /** Concurrent uploads of an mdc, those of one domain, and the time that one may take. */
  uploads: 100,
  uploadsOfDomain: 50,
  uploadTimeMs: 600_000,
  /** How long unreferenced contents and unfinished uploads are kept, for readers. */
  fileGraceMs: 120_000,
  /** An archive of a role application: its bytes when packed, its bytes when unpacked, the bytes of one unpacked file. */
  archiveBytes: 24 * 1024 * 1024,
  unpackedBytes: 96 * 1024 * 1024,
  unpackedFileBytes: 32 * 1024 * 1024,
  /** Files of an archive, and the bytes of all their names. */
  archiveFiles: 1_000,
  archiveNameBytes: 96 * 1024,
  /** How many times more an archive may be unpacked than packed, where it is more than a mebibyte. */
  archiveRatio: 200,
  /** Folders within each other in an archive. */
  archiveFolders: 32,
  /** All archives that a ws instance processes at once: bytes received, and bytes being unpacked; and those of one domain. */
  archiveBytesAtOnce: 64 * 1024 * 1024,
  archiveBytesAtOnceOfDomain: 32 * 1024 * 1024,
  unpackedBytesAtOnce: 192 * 1024 * 1024,
  unpackedBytesAtOnceOfDomain: 96 * 1024 * 1024,
  /** The metadata of such an archive, and the delay that reading it may add to a session. */
  metadataBytes: 4 * 1024,
  webAppsMs: 500,
  /** Bytes of the components of a script. */
  scriptBytes: 256 * 1024,
  /** Bytes of the body of a request to a script. */
  scriptBodyBytes: 256 * 1024,
  /** Components of a script. */
  scriptComponents: 500,
  /** Characters of an expression of a script. */
  scriptChars: 20_000,
  /** Characters of code whose syntax is checked when a script is stored. */
  scriptParsedChars: 10_000,
  /** Runs of scripts of an instance at once, and ended runs that it keeps. */
  scriptRuns: 1_000,
  scriptRunsKept: 1_000,
  /** Characters of JSON that the runs of an instance hold: all live ones, those of a domain, ended ones. */
  scriptMemoryChars: 32 * 1024 * 1024,
  scriptDomainChars: 8 * 1024 * 1024,
  scriptKeptChars: 8 * 1024 * 1024,
  /** Scripts within each other. */
  scriptDepth: 10,
  /** Steps of a run that are kept, and the characters of the note of one. */
  scriptSteps: 200,
  scriptNoteChars: 500,
  /** Characters of the JSON of the variables of a run. */
  scriptVariableChars: 256 * 1024,
  /** The longest pause of a script. */
  scriptWaitSeconds: 86_400,
  /** Digits that a call of an IVR script keeps until its script collects them. */
  dtmfDigits: 32,
  /** Names and values of the headers of an answer that a script sets; clients take 16 KiB of headers at most, usually. */
  scriptHeaderChars: 8_192,
  /** External authentication: flows that a front remembers, for how long, their steps, characters of fields, wait for a script. */
  externalFlows: 10_000,
  externalFlowMs: 600_000,
  externalSteps: 16,
  externalFieldChars: 8_192,
  externalWaitMs: 10_000,
  /** One evaluation: steps of QuickJS (functions entered, turns of loops, 32 bytes copied), nested calls in it, memory, stack. */
  sandboxFuel: 3_000_000,
  sandboxDepth: 3_000,
  sandboxBytes: 8 * 1024 * 1024,
  sandboxStackBytes: 256 * 1024,
  /** The memory of the engine itself, which all evaluations share one after the other. */
  sandboxEngineBytes: 32 * 1024 * 1024,
  /** Maximum duration of a selector meeting, in seconds. (public) */
  meetingSec: 9_800,
  /** Maximum duration of a ban, in seconds: a year. */
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
