/** The faults of the control interface: the verbs and the form of scenario files. */
import type { Hono } from 'hono';
import { z } from 'zod';
import { answerEmpty, answerJson } from '../../src/http/responses.ts';
import { ListedFaults } from '../scenario/run/listed-faults.ts';
import type { World } from '../world/world.ts';
import { readOrders } from './access.ts';

/** Adds the routes below `path` to `app`. */
export function faultRoutes(app: Hono, path: string, world: World): void {
  const faults = new ListedFaults(world);
  app.get(path, () => answerJson(faults.list()));
  app.post(path, async (c) => answerJson(await faults.inject(await readOrders(c.req.raw, z.unknown()), 'body')));
  app.delete(path, async () => {
    await faults.liftAll();
    return answerEmpty();
  });
  app.delete(`${path}/:fault`, async (c) => {
    await faults.lift(c.req.param('fault'));
    return answerEmpty();
  });
}
