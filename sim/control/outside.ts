/** The world outside in the control interface: phones, providers, behaviours of numbers, a load of calls. */
import { z } from 'zod';
import { readQuery } from '../../src/http/requests.ts';
import { FaultError, fault } from '../../src/model/fault.ts';
import { limits } from '../../src/model/limits.ts';
import { behaviourSchema } from '../../src/model/topology/schema.ts';
import { addedPhoneShape } from '../embed/recorded/input.ts';
import type { OperatedCluster } from '../embed/recorded/operator.ts';
import type { OutsideWorld } from '../outside/outside.ts';
import { type ControlRoute, optional, orRefuse, route } from './route.ts';

/** Limit of numbers with a set behaviour. */
const overridesMax = 10_000;

const name = z.string().describe('A phone or a provider');
const callSchema = z.strictObject({
  from: name,
  to: z.string().describe('A number, or number@domain'),
  as: z.string().optional().describe('The number from which a provider calls'),
  hangupMs: z.number().min(0).optional().describe('Time from the answer to the hangup; default: never'),
});
const placedSchema = z.strictObject({ endpoint: z.string(), callid: z.string() });
const whoseSchema = z.union(
  [z.strictObject({ name }), placedSchema],
  'expected { name } for all calls of a phone or provider, or { endpoint, callid } for one call',
);
const rejectSchema = placedSchema.extend({ status: z.int().min(300).max(699).default(486) });
const transferSchema = placedSchema.extend({ to: z.string().describe('A URI, such as sip:1003@acme.root.test') });
const namedSchema = z.strictObject({ name });
const pressSchema = namedSchema.extend({
  digits: z.string().regex(/^[0-9*#A-D]{1,32}$/, 'expected 1 to 32 of the digits 0-9 * # A-D'),
});
const hangUpSchema = z.object({ name: z.string() });
const loadSchema = z.strictObject({
  rate: z.number().min(0).max(1_000).describe('Calls a second; 0 ends the load'),
  holdingMs: z.number().min(0).optional().describe('Mean duration of a call'),
});
const view = z.looseObject({});

export function outsideRoutes(operated: () => OperatedCluster): ControlRoute[] {
  return [...endpointRoutes(operated), ...callRoutes(operated), ...numberRoutes(operated), ...loadRoutes(operated)];
}

function endpointRoutes(operated: () => OperatedCluster): ControlRoute[] {
  const named = (verb: 'register' | 'unregister', does: string) =>
    route({
      method: 'POST',
      path: `/phones/${verb}`,
      does,
      body: namedSchema,
      answer: ({ body }) => orRefuse(() => operated().enter<typeof verb>({ do: verb, ...body })),
    });
  return [
    route({
      method: 'GET',
      path: '/phones',
      does: 'Lists the phones, with their registrations and calls.',
      gives: z.array(view),
      answer: () => operated().world.outside.phones(),
    }),
    route({
      method: 'GET',
      path: '/providers',
      does: 'Lists the providers, with their accounts and calls.',
      gives: z.array(view),
      answer: () => operated().world.outside.providers(),
    }),
    route({
      method: 'GET',
      path: '/sms',
      does: 'Lists the last short messages of scripts.',
      gives: z.array(z.looseObject({ domain: z.string(), to: z.string(), text: z.string(), sentMs: z.number() })),
      answer: () => operated().world.outside.sms.messages,
    }),
    route({
      method: 'POST',
      path: '/phones',
      does: 'Adds a phone, which registers at once: for a SIP user that was created while the cluster ran, or as its next device.',
      body: z.strictObject(addedPhoneShape),
      gives: z.object({ name: z.string().describe('The name of the phone') }),
      answer: async ({ body }) => ({
        name: await orRefuse(() => operated().enter<'addPhone'>({ do: 'addPhone', ...body })),
      }),
    }),
    named('register', 'A phone registers.'),
    named('unregister', 'A phone removes its registration.'),
    route({
      method: 'POST',
      path: '/phones/attend',
      does: 'Makes the incoming calls of a phone ring until they are answered, rejected or hung up here; `on: false` ends that.',
      body: namedSchema.extend({ on: z.boolean().default(true) }),
      answer: ({ body }) => orRefuse(() => operated().enter<'attend'>({ do: 'attend', ...body })),
    }),
  ];
}

function callRoutes(operated: () => OperatedCluster): ControlRoute[] {
  const command = (path: string, verb: 'talk' | 'hold' | 'hangUp', does: string) =>
    route({
      method: 'POST',
      path,
      does,
      body: whoseSchema,
      answer: ({ body }) =>
        orRefuse(() => operated().enter<typeof verb>({ do: verb, whose: 'name' in body ? body.name : body })),
    });
  return [
    route({
      method: 'POST',
      path: '/calls',
      does: 'A phone or a provider makes a call.',
      body: callSchema,
      gives: placedSchema,
      answer: ({ body }) => orRefuse(() => operated().enter<'call'>({ do: 'call', ...body })),
    }),
    route({
      method: 'DELETE',
      path: '/calls',
      does: 'A phone or a provider ends all its calls.',
      query: [optional('name', 'The phone or the provider')],
      answer: ({ url }) =>
        orRefuse(() => operated().enter<'hangUp'>({ do: 'hangUp', whose: readQuery(url, hangUpSchema).name })),
    }),
    route({
      method: 'POST',
      path: '/digits',
      does: 'A phone or a provider presses digits in all its calls.',
      body: pressSchema,
      answer: ({ body }) => orRefuse(() => operated().enter<'press'>({ do: 'press', ...body })),
    }),
    command('/calls/answer', 'talk', 'Answers ringing calls, or resumes held ones.'),
    command('/calls/hold', 'hold', 'Puts calls on hold.'),
    command('/calls/hangup', 'hangUp', 'Ends calls.'),
    route({
      method: 'POST',
      path: '/calls/reject',
      does: 'Refuses a call that has no final answer yet.',
      body: rejectSchema,
      answer: async ({ body: { status, ...call } }) => {
        const isRejected = await orRefuse(() => operated().enter<'reject'>({ do: 'reject', whose: call, status }));
        if (!isRejected) throw notThere('no such call, or it has a final answer');
      },
    }),
    route({
      method: 'POST',
      path: '/calls/transfer',
      does: 'Refers the other side of a call to a URI.',
      body: transferSchema,
      answer: async ({ body: { to, ...call } }) => {
        const isSent = await orRefuse(() => operated().enter<'transfer'>({ do: 'transfer', call, to }));
        if (!isSent) throw notThere('no such call');
      },
    }),
  ];
}

/** Behaviours that were set here. Those of the topology are not listed and cannot be cleared. */
function numberRoutes(operated: () => OperatedCluster): ControlRoute[] {
  const unset = (domain: string, number: string) =>
    orRefuse(() => operated().enter<'unset'>({ do: 'unset', domain, number }));
  const path = '/numbers/:domain/:number';
  return [
    route({
      method: 'GET',
      path: '/numbers',
      does: 'Lists the numbers whose behaviour was set here.',
      gives: z.array(z.object({ domain: z.string(), number: z.string(), behaviour: behaviourSchema })),
      answer: () => operated().world.outside.overrides,
    }),
    route({
      method: 'DELETE',
      path: '/numbers',
      does: 'Makes all numbers behave by the topology and their digits again.',
      answer: async () => {
        for (const { domain, number } of operated().world.outside.overrides) await unset(domain, number);
      },
    }),
    route({
      method: 'PUT',
      path,
      does: 'Sets how a number reacts to calls.',
      body: behaviourSchema,
      answer: ({ params: { domain = '', number = '' }, body: behaviour }) => {
        refuseNumber(number, operated().world.outside);
        return orRefuse(() => operated().enter<'behave'>({ do: 'behave', domain, number, behaviour }));
      },
    }),
    route({
      method: 'DELETE',
      path,
      does: 'Makes a number behave by the topology and its digits again.',
      answer: ({ params: { domain = '', number = '' } }) => unset(domain, number),
    }),
  ];
}

function loadRoutes(operated: () => OperatedCluster): ControlRoute[] {
  return [
    route({
      method: 'GET',
      path: '/load',
      does: 'Shows the load of calls and its counts; with a rate of 0, those of the last load.',
      gives: z.looseObject({ rate: z.number() }),
      answer: () => operated().operator.load.view,
    }),
    route({
      method: 'PUT',
      path: '/load',
      does: 'Starts a load of calls in place of the one before; a rate of 0 ends it.',
      body: loadSchema,
      answer: ({ body }) => orRefuse(() => operated().enter<'load'>({ do: 'load', ...body })),
    }),
  ];
}

function notThere(message: string): FaultError {
  return new FaultError(fault('not_found', message));
}

function refuseNumber(number: string, { overrides }: OutsideWorld): void {
  const most = limits.numberLetters;
  if (number.length > most) throw new FaultError(fault('invalid', `number: expected at most ${most} characters`));
  if (overrides.length < overridesMax) return;
  throw new FaultError(
    fault('conflict', `the behaviour of ${overridesMax} numbers is set, which is the limit: clear some`),
  );
}
