/** The control interface of a cluster of processes: that of any world, its processes, and the control interface of each. (chosen) */
import { Hono } from 'hono';
import { answerJson, answerThrown } from '../../src/http/responses.ts';
import { FaultError, fault } from '../../src/model/fault.ts';
import type { HttpHandler } from '../../src/ports/http-server.ts';
import type { Log } from '../../src/ports/log.ts';
import { type ControlAccess, refusalOf } from '../control/access.ts';
import { createControl } from '../control/control.ts';
import type { LiveHost } from '../embed/hosting/live-host.ts';
import { Worlds } from '../embed/hosting/worlds.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { ProcessCluster } from './process-cluster.ts';

export interface ProcessControlOptions {
  readonly host: LiveHost;
  readonly cluster: ProcessCluster;
  readonly metrics: Metrics;
  readonly access: ControlAccess;
  readonly log: Log;
}

const base = '/strowger/v1';
export function createProcessControl({ host, cluster, metrics, access, log }: ProcessControlOptions): HttpHandler {
  const app = new Hono();
  const worlds = new Worlds(host, () => Promise.reject(new FaultError(fault('conflict', noWorlds))));
  const control = createControl({ worlds, metrics, access, log });
  app.get(`${base}/nodes`, () => answerJson(cluster.views));
  app.get(`${base}/targets`, () => answerJson(targetsOf(cluster)));
  app.all(`${base}/nodes/:node/*`, (c) => forward(cluster.controlOf(c.req.param('node')), c.req.raw, access));
  app.onError((error) =>
    answerThrown(error, (bug) => {
      log.write('error', 'bug', { place: 'control', stack: String(bug instanceof Error ? bug.stack : bug) });
      return 'control';
    }),
  );
  return (request, sender, header) => {
    const { pathname } = new URL(request.url);
    if (!isOwn(pathname)) return control(request, sender, header);
    return refusalOf(request, header, access) ?? app.fetch(request);
  };
}

const noWorlds = 'the nodes of this cluster are processes, and it has no further worlds: strowger serve does';

/** Whether a path is about the processes; the others are those of every control interface. */
function isOwn(path: string): boolean {
  return path === `${base}/nodes` || path.startsWith(`${base}/nodes/`) || path === `${base}/targets`;
}

/** The targets of the HTTP service discovery of Prometheus: the nodes that run. */
function targetsOf({ views }: ProcessCluster) {
  return views.flatMap(({ node, site, control }) =>
    control === undefined ? [] : [{ targets: [new URL(control).host], labels: { node, site } }],
  );
}

/** `…/nodes/h1/phones` is `…/phones` of the control interface of h1; `…/nodes/h1/metrics` its metrics. */
async function forward(control: string, request: Request, { token }: ControlAccess): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const rest = pathname.slice(`${base}/nodes/`.length).replace(/^[^/]+\//, '');
  const path = rest === 'metrics' ? '/metrics' : `${base}/${rest}`;
  const body = request.body === null ? {} : { body: await request.text() };
  const type = request.headers.get('content-type');
  const headers = {
    ...(type !== null && { 'content-type': type }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const answer = await fetch(`${control}${path}${search}`, { method: request.method, headers, ...body });
  const answered = answer.headers.get('content-type');
  const given = answered === null ? {} : { headers: { 'content-type': answered } };
  return new Response(answer.status === 204 ? null : await answer.arrayBuffer(), { status: answer.status, ...given });
}
