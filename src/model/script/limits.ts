/** The limits of a domain for its scripts. */
import type { ClusterMap } from '../cluster/cluster-map.ts';

const longestSec = 86_400;

export interface ScriptLimits {
  readonly componentCount: number;
  readonly durationSec: number;
  readonly pauseMs: number;
  readonly siteCount: number;
  readonly allowsGlobals: boolean;
}

export function scriptLimitsOf({ domains }: ClusterMap, domain: string): ScriptLimits {
  const { opts } = domains.get(domain) ?? {};
  return {
    componentCount: opts?.script_limit_component_count ?? 10_000,
    durationSec: opts?.script_duration_sec || longestSec,
    pauseMs: opts?.script_pause_between_components ?? 0,
    siteCount: opts?.script_limit_site_count ?? 0,
    allowsGlobals: opts?.script_allow_global_variables ?? false,
  };
}
