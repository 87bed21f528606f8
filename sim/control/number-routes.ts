/** The behaviours of numbers, and the load of calls, in the control interface. */
import { z } from 'zod';
import { FaultError, fault } from '../../src/model/fault.ts';
import { limits } from '../../src/model/limits.ts';
import { behaviourSchema } from '../../src/model/topology/schema.ts';
import type { HostedWorld } from '../embed/hosting/worlds.ts';
import type { OutsideWorld } from '../outside/outside-world.ts';
import { type ControlRoute, orRefuse, route } from './route.ts';

/** Limit of numbers with a set behaviour. */
const overridesMax = 10_000;
const path = '/numbers/:domain/:number';

const loadSchema = z.strictObject({
  rate: z.number().min(0).max(1_000).describe('Calls a second; 0 ends the load'),
  holdingMs: z.number().min(0).optional().describe('Mean duration of a call'),
});
const count = z.int().min(0);
const loadView = loadSchema.extend({
  started: count.describe('Calls that were started'),
  answered: count.describe('Calls that were answered'),
  failed: count.describe('Calls that failed'),
  ended: count.describe('Calls that ended after an answer'),
  why: z.record(z.string(), count).describe('Failed calls by their reason'),
});
const overrideSchema = z.object({
  domain: z.string().describe('The domain of the number'),
  number: z.string().describe('The number'),
  behaviour: behaviourSchema.describe('How it reacts to calls'),
});

/** Behaviours that were set here. Those of the topology are not listed and cannot be cleared. */
export const numberRoutes: readonly ControlRoute[] = [
  route({
    method: 'GET',
    path: '/numbers',
    does: 'Lists the numbers whose behaviour was set here.',
    gives: z.array(overrideSchema),
    answer: ({ world }) => world.present.world.outside.overrides,
  }),
  route({
    method: 'DELETE',
    path: '/numbers',
    does: 'Makes all numbers behave by the topology and their digits again.',
    answer: async ({ world }) => {
      for (const { domain, number } of world.present.world.outside.overrides) await unset(world, domain, number);
    },
  }),
  route({
    method: 'PUT',
    path,
    does: 'Sets how a number reacts to calls.',
    body: behaviourSchema,
    answer: ({ world, params: { domain = '', number = '' }, body: behaviour }) => {
      refuseNumber(number, world.present.world.outside);
      return orRefuse(() => world.present.enter<'behave'>({ do: 'behave', domain, number, behaviour }));
    },
  }),
  route({
    method: 'DELETE',
    path,
    does: 'Makes a number behave by the topology and its digits again.',
    answer: ({ world, params: { domain = '', number = '' } }) => unset(world, domain, number),
  }),
  route({
    method: 'GET',
    path: '/load',
    does: 'Shows the load of calls and its counts; with a rate of 0, those of the last load.',
    gives: loadView,
    answer: ({ world }) => world.present.operator.load.view,
  }),
  route({
    method: 'PUT',
    path: '/load',
    does: 'Starts a load of calls in place of the one before; a rate of 0 ends it.',
    body: loadSchema,
    answer: ({ world, body }) => orRefuse(() => world.present.enter<'load'>({ do: 'load', ...body })),
  }),
];

function unset({ present }: HostedWorld, domain: string, number: string): Promise<void> {
  return orRefuse(() => present.enter<'unset'>({ do: 'unset', domain, number }));
}

function refuseNumber(number: string, { overrides }: OutsideWorld): void {
  const most = limits.numberChars;
  if (number.length > most) throw new FaultError(fault('invalid', `number: expected at most ${most} characters`));
  if (overrides.length < overridesMax) return;
  throw new FaultError(
    fault('conflict', `the behaviour of ${overridesMax} numbers is set, which is the limit: clear some`),
  );
}
