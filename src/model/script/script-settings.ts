/** The settings of a domain for its scripts, and the limits that they make. (names public; meanings, defaults and where they are set chosen) */
import { z } from 'zod';

const longestSec = 86_400;

function limit(does: string, initial: number, most: number) {
  const wanted = `expected an integer from 0 to ${most}`;
  return z.int(wanted).min(0, wanted).max(most, wanted).default(initial).describe(does);
}

function code(does: string) {
  return z.string().max(100).default('').describe(`${does}; empty: none`);
}

/** Settings of a domain, in the topology. */
export const scriptSettings = {
  iam_external_svcscript_code: code('Code of the service script of external authentication'),
  iam_token_svcscript_code: code('Master domain: code of the service script that verifies external tokens of logins'),
  script_limit_component_count: limit('Components that a run may execute; 0: no limit', 10_000, 1_000_000),
  script_duration_sec: limit('Seconds that a run may take; 0: a day', 3_600, longestSec),
  script_pause_between_components: limit('Pause of a run between two components, in milliseconds', 0, 60_000),
  script_allow_global_variables: z
    .boolean('expected true or false')
    .default(false)
    .describe('Whether scripts may use global variables: `getglobal(name)`, `setglobal(name, value)`'),
  script_limit_site_count: limit('Scripts of the domain that may run at a site at once; 0: no limit', 0, 1_000),
};

export const scriptSettingsSchema = z.strictObject(scriptSettings);
type ScriptSettings = z.infer<typeof scriptSettingsSchema>;

const initialSettings = scriptSettingsSchema.parse({});

interface ScriptLimits {
  readonly componentCount: number;
  readonly durationSec: number;
  readonly pauseMs: number;
  readonly siteCount: number;
  readonly allowsGlobals: boolean;
}

interface DomainSettings {
  readonly domains: ReadonlyMap<string, { readonly opts: ScriptSettings }>;
}

/** The limits of a domain; of one that the topology does not have, the initial ones. */
export function scriptLimitsOf({ domains }: DomainSettings, domain: string): ScriptLimits {
  const opts = domains.get(domain)?.opts ?? initialSettings;
  return {
    componentCount: opts.script_limit_component_count,
    durationSec: opts.script_duration_sec || longestSec,
    pauseMs: opts.script_pause_between_components,
    siteCount: opts.script_limit_site_count,
    allowsGlobals: opts.script_allow_global_variables,
  };
}
