/**
 * Options of Node for processes that a test starts: what a process runs for some seconds costs a fifth less processor time when Node 20
 * optimizes later (ava.config.js has the same for the workers). Other versions have another compiler, and no such option.
 */
export const optimizingLate: readonly string[] = process.versions.node.startsWith('20.')
  ? ['--interrupt-budget=500000']
  : [];
