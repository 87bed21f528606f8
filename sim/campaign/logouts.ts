/**
 * Logouts across a cut: in some runs a site is cut off, a session that its front knows is closed elsewhere, and the fronts that know
 * of it restart. Faults that strike anywhere bring that about in fewer than one run of twenty-five.
 */
import type { ClusterMap } from '../../src/model/cluster-map.ts';
import type { Chance } from './chance.ts';

type Data = Record<string, unknown>;

export interface LogoutStory {
  readonly session: Data;
  readonly steps: readonly { readonly atMs: number; readonly step: Data }[];
}

/** In so many runs. */
const share = 1 / 3;
/** By then fronts have noticed who is cut off; so long after the logout they restart. */
const noticedMs = 5_000;
const restartMs = 200;
const mendMs = 3_000;

/** The session, and what happens from `fromMs` on; nothing in the other runs. `mends`: the cut ends with the story. */
export function drawLogout(
  map: ClusterMap,
  chance: Chance,
  { fromMs, mends }: { fromMs: number; mends: boolean },
): LogoutStory | undefined {
  const fronts = map.instancesOf('ws');
  const sites = [...new Set(fronts.map(({ site }) => site))];
  if (sites.length < 2 || !chance.is(share)) return undefined;
  const away = chance.one(sites);
  const through = chance.one(sites.filter((site) => site !== away));
  const knowing = fronts.filter(({ site }) => site !== away).map(({ name }) => name);
  const name = 'logout-cut';
  const request = { through, as: 'leaver', method: 'DELETE', path: '/rest/v1/iam/sessions/current' };
  const closedMs = fromMs + noticedMs;
  return {
    session: { through: away, domain: map.masterDomain, login: 'admin', pwd: 'admin' },
    steps: [
      { atMs: fromMs, step: { fault: { cut: { from: away }, name } } },
      { atMs: closedMs, step: { request } },
      ...knowing.map((crash) => ({ atMs: closedMs + restartMs, step: { fault: { crash } } })),
      ...(mends ? [{ atMs: closedMs + mendMs, step: { fault: { mend: name } } }] : []),
    ],
  };
}
