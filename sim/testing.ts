/**
 * Checks of state machines, for those of others as well: `import { checkMachine } from 'strowger/testing'` (docs/check.md).
 * A machine is any XState 5 machine; nothing of it is executed but its transitions.
 */
export {
  type CheckOptions,
  checkMachine,
  coverageOf as coverage,
  type MachineReport,
  type Verdict,
  type WayReport,
} from './check/check-machine.ts';
export { exploreExhaustively, type SystemReport } from './check/check-system.ts';
export type { Pick } from './check/choices.ts';
export { type CounterExample, formatCounterExample } from './check/counter-example.ts';
export type { Reach } from './check/coverage.ts';
export type { Decisions } from './check/decided.ts';
export type { ExploreBound } from './check/explore.ts';
export type { FactMaker, Here, MachineCheck, Model, Rule, Run, RunStep } from './check/machine-check.ts';
export type { Persisted } from './check/player.ts';
export { formatReport } from './check/report-text.ts';
export type { Channel, Letter, Part, SystemCheck, Told, View } from './check/system-check.ts';
export { formatTable, type TableRow, tableOf } from './check/table.ts';
