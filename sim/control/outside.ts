/** The part of the control interface that is about the world outside: phones, providers, how numbers behave, a load of calls. */
import type { Hono } from 'hono';
import { z } from 'zod';
import { answerEmpty, answerJson } from '../../src/http/answering.ts';
import { check } from '../../src/http/reading.ts';
import { FaultError, fault } from '../../src/model/fault.ts';
import { behaviourSchema } from '../../src/model/topology/schema.ts';
import type { OutsideWorld } from '../outside/outside.ts';
import type { Traffic } from '../outside/traffic.ts';
import { readOrders } from './reading.ts';

const callSchema = z.strictObject({
  from: z.string().describe('A phone or a provider'),
  to: z.string().describe('A number, or number@domain'),
});
const hangUpSchema = z.strictObject({ name: z.string() });
const loadSchema = z.strictObject({
  rate: z.number().min(0).max(1_000),
  holdingMs: z.number().min(0).optional(),
});

/** Adds the routes below `path` to `app`. */
export function outsideRoutes(app: Hono, path: string, outside: OutsideWorld): void {
  app.get(`${path}/phones`, () => answerJson(outside.phones()));
  app.get(`${path}/providers`, () => answerJson(outside.providers()));
  app.put(`${path}/numbers/:domain/:number`, async (c) => {
    const { domain, number } = c.req.param();
    const behaviour = await readOrders(c.req.raw, behaviourSchema);
    orRefuse(() => outside.behave(domain, number, behaviour));
    return answerEmpty();
  });
  app.delete(`${path}/numbers/:domain/:number`, (c) => {
    const { domain, number } = c.req.param();
    orRefuse(() => outside.behave(domain, number, undefined));
    return answerEmpty();
  });
  app.post(`${path}/calls`, async (c) => {
    const { from, to } = await readOrders(c.req.raw, callSchema);
    return answerJson(orRefuse(() => outside.call(from, to)));
  });
  app.delete(`${path}/calls`, (c) => {
    const { name } = check(hangUpSchema, c.req.query(), 'query');
    orRefuse(() => outside.hangUp(name));
    return answerEmpty();
  });
  loadRoute(app, path, outside);
}

/** One load at a time; a rate of 0 ends it. */
function loadRoute(app: Hono, path: string, outside: OutsideWorld): void {
  let traffic: Traffic | undefined;
  app.get(`${path}/load`, () => answerJson(traffic?.counts ?? {}));
  app.put(`${path}/load`, async (c) => {
    const { rate, ...more } = await readOrders(c.req.raw, loadSchema);
    traffic?.stop();
    traffic = undefined;
    if (rate > 0) {
      const holding = more.holdingMs === undefined ? {} : { holdingMs: more.holdingMs };
      traffic = orRefuse(() => outside.traffic({ rate, ...holding }));
      traffic.start();
    }
    return answerEmpty();
  });
}

/** What the world outside says of a name that it does not know is for whoever asked. */
function orRefuse<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new FaultError(fault('invalid', error instanceof Error ? error.message : String(error)));
  }
}
