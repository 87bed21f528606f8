/**
 * The control interface of a process: its worlds, and of each world its faults, phones, clock and past. It is not part of the
 * platform's interface: it listens on a port of its own. (chosen)
 */
import { Hono } from 'hono';
import { html } from 'hono/html';
import { z } from 'zod';
import { answerVersioned } from '../../src/http/file-answers.ts';
import { openApiOf } from '../../src/http/openapi/document.ts';
import { pageOf } from '../../src/http/openapi/page.ts';
import { icon } from '../../src/http/openapi/page-assets.ts';
import { answerError, answerMarkup, answerThrown } from '../../src/http/responses.ts';
import type { HttpHandler } from '../../src/ports/http-server.ts';
import type { Log } from '../../src/ports/log.ts';
import type { HostedWorld, Worlds } from '../embed/hosting/worlds.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { type ControlAccess, refusalOf } from './access.ts';
import { clockRoutes } from './clock-routes.ts';
import { deliveryRoutes } from './delivery-routes.ts';
import { endpointRoutes } from './endpoint-routes.ts';
import { controlExamples } from './examples.ts';
import { faultRoutes } from './fault-routes.ts';
import { journalRoutes } from './journal-routes.ts';
import { numberRoutes } from './number-routes.ts';
import { type ControlRoute, declarations, mount, route } from './route.ts';
import { scenarioRoutes } from './scenario-routes.ts';
import { worldRoutes } from './world-routes.ts';

export const controlPath = '/strowger/v1';

export interface ControlOptions {
  readonly worlds: Worlds;
  /** Of the main world, served under `/metrics`. */
  readonly metrics?: Metrics | undefined;
  readonly access: ControlAccess;
  readonly log: Log;
}

/** Answers every request to the control interface. */
export function createControl({ worlds, metrics, access, log }: ControlOptions): HttpHandler {
  const app = new Hono();
  mount(app, controlPath, controlRoutes(worlds), worlds);
  app.get('/favicon.ico', ({ req }) => answerVersioned(req.raw, 'image/svg+xml', icon));
  if (metrics !== undefined) app.get('/metrics', async () => metricsIn(metrics, worlds.main));
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

async function metricsIn(metrics: Metrics, { present }: HostedWorld): Promise<Response> {
  return new Response(await metrics.text(present), { headers: { 'content-type': metrics.contentType } });
}

/** The routes, with the document and the page that are made from them. */
export function controlRoutes(worlds: Worlds): ControlRoute[] {
  const routes = [
    ...worldRoutes(worlds),
    ...clockRoutes,
    ...faultRoutes,
    ...numberRoutes,
    ...endpointRoutes,
    ...deliveryRoutes,
    ...journalRoutes,
    ...scenarioRoutes(),
  ];
  const document = () => openApiOf(declarations(controlPath, [...routes, ...documents]), about);
  const documents: ControlRoute[] = [
    route({
      method: 'GET',
      path: '/openapi.json',
      isCommon: true,
      does: 'Returns the OpenAPI document of the control interface.',
      gives: z.looseObject({}),
      answer: document,
    }),
    route({
      method: 'GET',
      path: '/docs',
      isCommon: true,
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
    'Controls served worlds. It is not part of the interface of the platform. Paths without a world are about the main one. With a token, send `Authorization: Bearer …`.',
  path: controlPath,
  examples: controlExamples,
};

const page = {
  title: about.title,
  openApi: `${controlPath}/openapi.json`,
  introduction: html`<p>Controls served worlds. It is not part of the interface of the platform. Paths without a world are about the main
one, the world of the command line; <code>/worlds/NAME/…</code> is the same for another one. Errors have the same form.</p>
<pre>BASE=<span id="origin">…</span></pre>`,
};

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
