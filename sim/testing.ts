/**
 * Checks of state machines, also for machines of other projects: `import { checkMachine } from 'strowger/testing'`
 * (docs/reference/check.md). A machine is any XState 5 machine; only its transitions are executed.
 */

export type { Pick } from './check/kit/choices.ts';
export { type CounterExample, formatCounterExample } from './check/kit/counter-example.ts';
export type { ExploreBound } from './check/kit/explore.ts';
export { formatReport } from './check/kit/report-text.ts';
export {
  type CheckOptions,
  checkMachine,
  coverageOf as coverage,
  type MachineReport,
  type Verdict,
  type WayReport,
} from './check/machine/check-machine.ts';
export type { Decisions, Reach } from './check/machine/coverage.ts';
export { formatTable, type TableRow, tableOf } from './check/machine/event-table.ts';
export type { EventMaker, Here, MachineCheck, Model, Rule, Run, RunStep } from './check/machine/machine-check.ts';
export type { Persisted } from './check/player/moment.ts';
export { exploreExhaustively, type SystemReport } from './check/system/check-system.ts';
export type { Channel, OwnerEvent, Part, PartMessage, SystemCheck, View } from './check/system/system-check.ts';
