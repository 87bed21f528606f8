/**
 * The control interface of a served cluster: to break and mend it, and to tell the world outside how to behave, while one
 * looks. Not a part of the platform's interface: it listens on a port of its own. (chosen)
 */
import { Hono } from 'hono';
import { z } from 'zod';
import { answerEmpty, answerError, answerJson, answerThrown } from '../../src/http/answering.ts';
import { check } from '../../src/http/reading.ts';
import { FaultError, fault } from '../../src/model/fault.ts';
import type { Log } from '../../src/ports/log.ts';
import { checkFault } from '../scenario/fault-checks.ts';
import { faultSchema } from '../scenario/fault-schema.ts';
import { Inflictor } from '../scenario/inflictor.ts';
import { Names } from '../scenario/names.ts';
import type { World } from '../world/world.ts';
import { outsideRoutes } from './outside.ts';
import { readOrders } from './reading.ts';

export const controlPath = '/strowger/v1';

/** Answers every request to the control interface of `world`. */
export function createControl(world: World, log: Log): (request: Request) => Response | Promise<Response> {
  const app = new Hono();
  faultRoutes(app, world);
  outsideRoutes(app, controlPath, world.outside);
  app.notFound((c) => answerError(404, `no such path: ${c.req.path}; see docs/control.md`));
  app.onError((error) =>
    answerThrown(error, (bug) => {
      log.write('error', 'bug', { place: 'control', stack: String(bug instanceof Error ? bug.stack : bug) });
      return 'control';
    }),
  );
  return (request) => app.fetch(request);
}

/** Faults, by the verbs and in the form of scenario files. */
function faultRoutes(app: Hono, world: World): void {
  const inflictor = new Inflictor(world);
  const names = new Names(world.map, { areOpen: false });
  const path = `${controlPath}/faults`;
  app.get(path, () => answerJson([...inflictor.names]));
  app.post(path, async (c) => {
    const wanted = await readOrders(c.req.raw, faultSchema);
    const [problem] = checkFault(wanted, { names, standing: inflictor.names, path: [] });
    if (problem !== undefined) {
      throw new FaultError(fault('invalid', `${problem.path.join('.')}: ${problem.message}`));
    }
    await inflictor.inflict(wanted);
    return answerEmpty();
  });
  app.delete(path, async () => {
    await inflictor.inflict({ mend: '*' });
    return answerEmpty();
  });
  app.delete(`${path}/:name`, async (c) => {
    const { name } = check(z.object({ name: z.string() }), c.req.param(), 'path');
    if (!inflictor.names.has(name)) throw new FaultError(fault('not_found', `no fault that stands is named "${name}"`));
    await inflictor.inflict({ mend: name });
    return answerEmpty();
  });
}
