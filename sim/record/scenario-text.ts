/** Traffic as a scenario that `strowger run` takes. */
import { stringify } from 'yaml';
import type { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import { masked, type Played, type PlayedStep } from './played.ts';

export interface ScenarioAbout {
  readonly name: string;
  /** The platform that was recorded. */
  readonly target: string;
  /** The topology over which the scenario runs, and the site whose front gets the requests. */
  readonly topology: string;
  readonly map: ClusterMap;
  readonly site: string;
}

export function scenarioTextOf(played: Played, { name, target, topology, map, site }: ScenarioAbout): string {
  const sessions = played.sessions.map(({ name: session, domain, login }) => [
    session,
    { through: site, domain, login, pwd: passwordOf(map, domain, login) },
  ]);
  const seconds = Math.ceil(played.tookMs / 1_000) + patienceSeconds;
  const scenario = {
    name,
    why: `Recorded by strowger record in front of ${target}: the platform answers clients as it did then.`,
    topology,
    ...(sessions.length > 0 && { sessions: Object.fromEntries(sessions) }),
    steps: played.steps.flatMap((step) => stepsOf(step, site)),
    ...(played.events.length > 0 && {
      eventually: played.events.map((event) => ({ name: `${event} is sent`, within: `${seconds}s`, seen: { event } })),
    }),
  };
  return `${notes(played)}${stringify(scenario, { lineWidth: 120, aliasDuplicateObjects: false })}`;
}

/** Events may come later than in the recording. */
const patienceSeconds = 60;

function stepsOf({ method, target, as, body, status, expected, save, afterMs }: PlayedStep, site: string): object[] {
  const request = {
    through: site,
    ...(as !== undefined && { as }),
    ...(method !== 'GET' && { method }),
    path: target,
    ...(body !== undefined && { body }),
    ...(Object.keys(save).length > 0 && { save }),
  };
  const expect = { status, ...(expected !== undefined && { body: expected }) };
  const pause = afterMs === 0 ? [] : [{ wait: `${Math.round(afterMs / 1_000)}s` }];
  return [...pause, { request, expect }];
}

/** That of the topology: a recording keeps no password. */
function passwordOf(map: ClusterMap, domain: string, login: string): string {
  return map.domains.get(domain)?.users.find((user) => user.login === login)?.pwd ?? masked;
}

function notes({ leftOut }: Played): string {
  return leftOut.map((reason) => `# left out: ${reason}\n`).join('');
}
