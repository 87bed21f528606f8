/** The systems of interacting machines, in the order in which they are explored and printed. */

import type { ExploreBound } from '../kit/explore.ts';
import type { ScenarioStep } from '../machine/machine-check.ts';
import { callstoresSystem } from '../replicated/replicated-callstores.ts';
import { domainDataSystem } from '../replicated/replicated-data.ts';
import { sessionsSystem } from '../replicated/replicated-sessions.ts';
import { streamsSystem } from '../replicated/replicated-streams.ts';
import { exploreExhaustively, type SystemReport } from '../system/check-system.ts';
import { type DataCheck, type DataMessage, type DataState, exploreData } from '../system/data-system.ts';
import type { SystemCheck } from '../system/system-check.ts';
import { accountSystem } from './account-system.ts';
import { callSystems } from './call-system.ts';
import { conferenceSystem } from './conference-system.ts';
import { recordedHoldSystem } from './recording-system.ts';
import { clientSystem } from './registration-system.ts';
import { takeoverSystem } from './takeover-system.ts';
import { inviteSystem, requestSystem } from './transaction-system.ts';

/** A system that is explored, under its name in `strowger check`. */
export interface ExploredSystem {
  readonly name: string;
  /** `bound`: overrides the system's own. */
  explore(bound?: Partial<ExploreBound>): SystemReport;
  /** A move as steps of a scenario. */
  scenario(move: string): readonly ScenarioStep[];
}

function exploredOf(check: SystemCheck): ExploredSystem {
  return {
    name: check.name,
    explore: (bound) => exploreExhaustively(check, bound),
    scenario: check.scenario ?? (() => []),
  };
}

function exploredDataOf<M extends DataMessage, S extends DataState<M>>(check: DataCheck<M, S>): ExploredSystem {
  return { name: check.name, explore: (bound) => exploreData(check, bound), scenario: () => [] };
}

export const exploredSystems: readonly ExploredSystem[] = [
  ...callSystems,
  ...[
    inviteSystem,
    requestSystem,
    recordedHoldSystem,
    accountSystem,
    clientSystem,
    conferenceSystem,
    takeoverSystem(),
  ].map(exploredOf),
  exploredDataOf(sessionsSystem()),
  exploredDataOf(domainDataSystem()),
  exploredDataOf(streamsSystem()),
  exploredDataOf(callstoresSystem()),
];
