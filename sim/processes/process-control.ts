/** The control interface of a cluster of processes: its nodes, real faults, and the control interface of each node. (chosen) */
import { Hono } from 'hono';
import { z } from 'zod';
import { answerEmpty, answerError, answerJson, answerThrown } from '../../src/http/responses.ts';
import { FaultError, fault } from '../../src/model/fault.ts';
import type { HttpHandler } from '../../src/ports/http-server.ts';
import type { Log } from '../../src/ports/log.ts';
import { type ControlAccess, readWritten, refusalOf } from '../control/access.ts';
import { Faults } from '../faults/faults.ts';
import { membersOf } from '../faults/places.ts';
import { faultSchema, type ScenarioFault } from '../scenario/language/faults.ts';
import { ListedFaults } from '../scenario/run/listed-faults.ts';
import type { ProcessCluster } from './process-cluster.ts';

export interface ProcessControlOptions {
  readonly cluster: ProcessCluster;
  readonly access: ControlAccess;
  readonly log: Log;
}

const base = '/strowger/v1';
const paths = `GET ${base}/nodes, GET ${base}/targets, GET, POST, DELETE ${base}/faults, ${base}/nodes/NODE/…`;

export function createProcessControl({ cluster, access, log }: ProcessControlOptions): HttpHandler {
  const app = new Hono();
  const { map, clock } = cluster;
  const faults = new ListedFaults({ map, cluster, faults: new Faults(cluster), now: () => clock.now() });
  app.get(`${base}/nodes`, () => answerJson(cluster.views));
  app.get(`${base}/targets`, () => answerJson(targetsOf(cluster)));
  app.get(`${base}/faults`, () => answerJson(faults.list()));
  app.post(`${base}/faults`, async (c) => {
    const { value, written } = await readWritten(c.req.raw, faultSchema);
    refuseSimulated(cluster, value);
    return answerJson(await faults.inject(written, 'body'));
  });
  app.delete(`${base}/faults`, async () => {
    await faults.liftAll();
    return answerEmpty();
  });
  app.delete(`${base}/faults/:id`, async (c) => {
    await faults.lift(c.req.param('id'));
    return answerEmpty();
  });
  app.all(`${base}/nodes/:node/*`, (c) => forward(cluster.controlOf(c.req.param('node')), c.req.raw, access));
  app.notFound((c) => answerError(404, `no such path: ${c.req.path}; expected one of ${paths}`));
  app.onError((error) =>
    answerThrown(error, (bug) => {
      log.write('error', 'bug', { place: 'control', stack: String(bug instanceof Error ? bug.stack : bug) });
      return 'control';
    }),
  );
  return (request, _sender, header) => refusalOf(request, header, access) ?? app.fetch(request);
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

const simulated = ['lose', 'duplicate'] as const;
const traffic = ['cut', 'hold', 'delay', 'flap'] as const;

/** Proxies pass bytes: what needs whole messages is refused, rather than done by half. */
function refuseSimulated({ map }: ProcessCluster, wanted: ScenarioFault): void {
  for (const verb of simulated) if (wanted[verb] !== undefined) refuse(verb, 'it needs frames, and these are bytes');
  for (const verb of traffic) {
    const on = wanted[verb];
    if (on === undefined) continue;
    if (on.messages !== undefined || on.kinds !== undefined) refuse(verb, 'messages and kinds need frames');
    for (const place of [on.from, on.to ?? []]) {
      const named = z.union([z.string(), z.array(z.string())]).safeParse(place);
      if (named.success && membersOf(map, named.data).instances.length > 0) refuse(verb, 'expected sites or nodes');
    }
  }
}

function refuse(verb: string, why: string): never {
  throw new FaultError(fault('invalid', `${verb}: not for a cluster of processes: ${why}`));
}
