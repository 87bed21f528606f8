/**
 * The control interface of a served cluster: faults, the world outside, and of a cluster in virtual time its clock and its
 * past. It is not part of the platform's interface: it listens on a port of its own. (chosen)
 */
import { Hono } from 'hono';
import { html } from 'hono/html';
import { z } from 'zod';
import type { ActorTree } from '../../src/actors/actor-logic.ts';
import { openApiOf } from '../../src/http/openapi/document.ts';
import { pageOf } from '../../src/http/openapi/page.ts';
import { answerError, answerMarkup, answerThrown } from '../../src/http/responses.ts';
import type { HttpHandler } from '../../src/ports/http-server.ts';
import type { Log } from '../../src/ports/log.ts';
import type { OperatedCluster } from '../embed/recorded/operator.ts';
import type { RecordedCluster } from '../embed/recorded/recorded-cluster.ts';
import type { World } from '../world/world.ts';
import { type ControlAccess, refusalOf } from './access.ts';
import { faultRoutes } from './faults.ts';
import { outsideRoutes } from './outside.ts';
import { type ControlRoute, declarations, mount, route } from './route.ts';
import { virtualRoutes } from './virtual.ts';

export const controlPath = '/strowger/v1';

export interface ControlOptions {
  /** The cluster that runs; a reset replaces it. */
  readonly operated: () => OperatedCluster;
  /** The same cluster, if it runs in virtual time. */
  readonly virtual?: RecordedCluster | undefined;
  readonly access: ControlAccess;
  readonly log: Log;
}

/** Answers every request to the control interface of a cluster. */
export function createControl({ operated, virtual, access, log }: ControlOptions): HttpHandler {
  const app = new Hono();
  mount(app, controlPath, controlRoutes(operated, virtual));
  refuseOtherMethods(app);
  app.notFound((c) => answerError(404, `no such path: ${c.req.path}; see ${controlPath}/docs`));
  app.onError((error) =>
    answerThrown(error, (bug) => {
      log.write('error', 'bug', { place: 'control', stack: String(bug instanceof Error ? bug.stack : bug) });
      return 'control';
    }),
  );
  return (request, _sender, header) => refusalOf(request, header, access) ?? app.fetch(request);
}

/** The routes, with the document and the page that are made from them. */
export function controlRoutes(operated: () => OperatedCluster, virtual?: RecordedCluster): ControlRoute[] {
  const routes = [
    ...faultRoutes(operated),
    ...outsideRoutes(operated),
    ...virtualRoutes(virtual, () => operated().world.now()),
    route({
      method: 'GET',
      path: '/actors',
      does: 'Shows the actor tree of every node that runs.',
      gives: z.array(z.looseObject({ node: z.string(), site: z.string() })),
      answer: () => actorsOf(operated().world),
    }),
  ];
  const document = () => openApiOf(declarations(controlPath, [...routes, ...documents]), about);
  const documents: ControlRoute[] = [
    route({
      method: 'GET',
      path: '/openapi.json',
      does: 'Returns the OpenAPI document of the control interface.',
      gives: z.looseObject({}),
      answer: document,
    }),
    route({
      method: 'GET',
      path: '/docs',
      does: 'Shows the OpenAPI document as a page.',
      gives: z.string(),
      answer: () => answerMarkup(pageOf(document(), page)),
    }),
  ];
  return [...routes, ...documents];
}

const about = {
  title: 'Strowger: the control interface',
  description:
    'Controls a served cluster. It is not part of the interface of the platform. With a token, send `Authorization: Bearer …`.',
  path: controlPath,
};

const page = {
  title: about.title,
  openApi: `${controlPath}/openapi.json`,
  introduction: html`<p>Controls a served cluster. It is not part of the interface of the platform. Errors have the same form.</p>
<pre>BASE=<span id="origin">…</span></pre>`,
};

/** The actors of every node that runs, in the order of the topology. */
function actorsOf({ map, cluster }: World): { node: string; site: string; actors: ActorTree }[] {
  return [...map.nodes.values()].flatMap(({ name, site }) => {
    const node = cluster.node(name);
    return node === undefined ? [] : { node: name, site, actors: node.actorTree };
  });
}

/** Answers 405 for a path that has other methods. */
function refuseOtherMethods(app: Hono): void {
  const routes = [...app.routes];
  for (const path of new Set(routes.map((each) => each.path))) {
    const own = routes.filter((each) => each.path === path).map(({ method }) => method);
    const allow = (own.includes('GET') ? [...own, 'HEAD'] : own).join(', ');
    app.all(path, (c) =>
      answerError(405, `${c.req.method} is not a method of this path; expected one of ${allow}`, { allow }),
    );
  }
}
