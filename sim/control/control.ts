/**
 * The control interface of a served cluster: injects and lifts faults, and controls the world outside. It is not part
 * of the platform's interface: it listens on a port of its own. (chosen)
 */
import { Hono } from 'hono';
import type { ActorTree } from '../../src/actors/actor-logic.ts';
import { answerError, answerJson, answerThrown } from '../../src/http/responses.ts';
import type { HttpHandler } from '../../src/ports/http-server.ts';
import type { Log } from '../../src/ports/log.ts';
import type { Load } from '../outside/load.ts';
import type { World } from '../world/world.ts';
import { type ControlAccess, refusalOf } from './access.ts';
import { faultRoutes } from './faults.ts';
import { outsideRoutes } from './outside.ts';

export const controlPath = '/strowger/v1';

export interface ControlOptions {
  readonly world: World;
  readonly load: Load;
  readonly access: ControlAccess;
  readonly log: Log;
}

/** Answers every request to the control interface of a world. */
export function createControl({ world, load, access, log }: ControlOptions): HttpHandler {
  const app = new Hono();
  faultRoutes(app, `${controlPath}/faults`, world);
  outsideRoutes(app, controlPath, { outside: world.outside, load });
  app.get(`${controlPath}/actors`, () => answerJson(actorsOf(world)));
  refuseOtherMethods(app);
  app.notFound((c) => answerError(404, `no such path: ${c.req.path}; see docs/reference/control.md`));
  app.onError((error) =>
    answerThrown(error, (bug) => {
      log.write('error', 'bug', { place: 'control', stack: String(bug instanceof Error ? bug.stack : bug) });
      return 'control';
    }),
  );
  return (request, _sender, header) => refusalOf(request, header, access) ?? app.fetch(request);
}

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
  for (const path of new Set(routes.map((route) => route.path))) {
    const own = routes.filter((route) => route.path === path).map(({ method }) => method);
    const allow = (own.includes('GET') ? [...own, 'HEAD'] : own).join(', ');
    app.all(path, (c) =>
      answerError(405, `${c.req.method} is not a method of this path; expected one of ${allow}`, { allow }),
    );
  }
}
