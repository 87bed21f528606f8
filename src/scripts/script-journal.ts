/** The journal of runs: the ones that an instance executes, and the last ones that have ended. */
import type { RoleScope } from '../cluster/role.ts';
import { done, type Outcome } from '../model/fault.ts';
import type { BodyOf, ReplyOf } from '../model/protocol/catalogue.ts';
import type { ScriptRun } from '../model/shapes/script-shapes.ts';
import type { RunRecord } from './run-record.ts';
import type { ScriptRuns } from './script-runs.ts';

/** Answers questions about runs. `runs`: undefined while the instance does not serve. */
export function scriptJournal({ instance: { site } }: RoleScope, runs: () => ScriptRuns | undefined) {
  const recordsOf = (domain: string) => runs()?.records(domain) ?? [];
  return {
    'script.runs': ({ domain }: BodyOf<'script.runs'>): Outcome<ReplyOf<'script.runs'>> =>
      done({ runs: recordsOf(domain).map((record) => shown(record, site)) }),
    'script.get': ({ domain, id }: BodyOf<'script.get'>): Outcome<ReplyOf<'script.get'>> => {
      const record = recordsOf(domain).find((each) => each.id === id);
      if (record === undefined) return done({ run: null });
      const { frames } = record;
      const steps = record.steps.map((step) => ({ ...step, at: Math.floor(step.at) }));
      return done({ run: { ...shown(record, site), steps, variables: { ...frames[0]?.variables } } });
    },
  };
}

/** Times in whole milliseconds, as all of the interface. */
function shown({ requester: { by }, ...record }: RunRecord, site: string): ScriptRun {
  const { id, kind, code, status, problem, startedMs, endedMs, passed } = record;
  const ended = endedMs === undefined ? {} : { endts: Math.floor(endedMs) };
  return {
    id,
    kind,
    code,
    by,
    site,
    status,
    startts: Math.floor(startedMs),
    passed,
    ...ended,
    ...(problem !== undefined && { problem }),
  };
}
