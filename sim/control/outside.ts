import type { Hono } from 'hono';
import { z } from 'zod';
import { readQuery } from '../../src/http/requests.ts';
import { answerEmpty, answerJson } from '../../src/http/responses.ts';
import { FaultError, fault } from '../../src/model/fault.ts';
import { limits } from '../../src/model/limits.ts';
import { behaviourSchema } from '../../src/model/topology/schema.ts';
import type { Load } from '../outside/load.ts';
import type { OutsideWorld } from '../outside/outside.ts';
import { readOrders } from './access.ts';

/** The world outside in the control interface: phones, providers, behaviours of numbers, a load of calls. */

/** Limit of numbers with a set behaviour. */
const overridesMax = 10_000;

const callSchema = z.strictObject({
  from: z.string().describe('A phone or a provider'),
  to: z.string().describe('A number, or number@domain'),
});
const pressSchema = z.strictObject({
  name: z.string(),
  digits: z.string().regex(/^[0-9*#A-D]{1,32}$/, 'expected 1 to 32 of the digits 0-9 * # A-D'),
});
const hangUpSchema = z.object({ name: z.string() });
const loadSchema = z.strictObject({
  rate: z.number().min(0).max(1_000),
  holdingMs: z.number().min(0).optional(),
});

/** Adds the routes below `path` to `app`. */
export function outsideRoutes(app: Hono, path: string, { outside, load }: { outside: OutsideWorld; load: Load }): void {
  app.get(`${path}/phones`, () => answerJson(outside.phones()));
  app.get(`${path}/providers`, () => answerJson(outside.providers()));
  app.get(`${path}/sms`, () => answerJson(outside.sms.messages));
  app.post(`${path}/calls`, async (c) => {
    const { from, to } = await readOrders(c.req.raw, callSchema);
    return answerJson(orRefuse(() => outside.call(from, to)));
  });
  app.delete(`${path}/calls`, (c) => {
    const { name } = readQuery(c.req.url, hangUpSchema);
    orRefuse(() => outside.hangUp(name));
    return answerEmpty();
  });
  app.post(`${path}/digits`, async (c) => {
    const { name, digits } = await readOrders(c.req.raw, pressSchema);
    orRefuse(() => outside.press(name, digits));
    return answerEmpty();
  });
  numberRoutes(app, `${path}/numbers`, outside);
  app.get(`${path}/load`, () => answerJson(load.view));
  app.put(`${path}/load`, async (c) => {
    const wanted = await readOrders(c.req.raw, loadSchema);
    orRefuse(() => load.set(wanted));
    return answerEmpty();
  });
}

/** Behaviours that were set here. Those of the topology are not listed and cannot be cleared. */
function numberRoutes(app: Hono, path: string, outside: OutsideWorld): void {
  const clear = (domain: string, number: string) => orRefuse(() => outside.behave(domain, number, undefined));
  app.get(path, () => answerJson(outside.overrides));
  app.delete(path, () => {
    for (const { domain, number } of outside.overrides) clear(domain, number);
    return answerEmpty();
  });
  app.put(`${path}/:domain/:number`, async (c) => {
    const { domain, number } = c.req.param();
    const behaviour = await readOrders(c.req.raw, behaviourSchema);
    refuseNumber(number, outside);
    orRefuse(() => outside.behave(domain, number, behaviour));
    return answerEmpty();
  });
  app.delete(`${path}/:domain/:number`, (c) => {
    const { domain, number } = c.req.param();
    clear(domain, number);
    return answerEmpty();
  });
}

function refuseNumber(number: string, { overrides }: OutsideWorld): void {
  const most = limits.numberLetters;
  if (number.length > most) throw new FaultError(fault('invalid', `number: expected at most ${most} characters`));
  if (overrides.length < overridesMax) return;
  throw new FaultError(
    fault('conflict', `the behaviour of ${overridesMax} numbers is set, which is the limit: clear some`),
  );
}

/** An error about an unknown name is the client's fault. */
function orRefuse<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new FaultError(fault('invalid', error instanceof Error ? error.message : String(error)));
  }
}
