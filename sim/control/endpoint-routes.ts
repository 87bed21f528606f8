/** Phones and providers in the control interface, and their calls. */

import { z } from 'zod';
import { readQuery } from '../../src/http/read-request.ts';
import { FaultError, fault } from '../../src/model/fault.ts';
import { digitsSchema } from '../../src/model/topology/schema.ts';
import { addedPhoneShape } from '../embed/recorded/input.ts';
import { type ControlRoute, optional, orRefuse, route } from './route.ts';

const name = z.string().describe('A phone or a provider: acme.root.test/1001, sip.telecom.test');
const endpoint = z.string().describe('The address of the phone or the provider, from its list');
const callid = z.string().describe('The Call-Id');
const callSchema = z.strictObject({
  from: name,
  to: z.string().describe('A number, or number@domain'),
  as: z.string().optional().describe('The number from which a provider calls'),
  hangupMs: z.number().min(0).optional().describe('Time from the answer to the hangup; default: never'),
});
const placedSchema = z.strictObject({ endpoint, callid });
const whoseSchema = z
  .union(
    [z.strictObject({ name }), placedSchema],
    'expected { name } for all calls of a phone or provider, or { endpoint, callid } for one call',
  )
  .describe('All calls of a phone or a provider, or one call');
const rejectSchema = placedSchema.extend({
  status: z.int().min(300).max(699).default(486).describe('The SIP status of the refusal; default 486'),
});
const transferSchema = placedSchema.extend({ to: z.string().describe('A URI, such as sip:1003@acme.root.test') });
const namedSchema = z.strictObject({ name });
const attendSchema = namedSchema.extend({
  on: z.boolean().default(true).describe('False: it behaves by its number again; default true'),
});
const pressSchema = namedSchema.extend({
  digits: digitsSchema.describe('The digits, in order'),
});
const hangUpSchema = z.object({ name: z.string() });

const callView = z
  .object({
    callid,
    state: z.string().describe('The state of its machine: pending, ringing, calling, talking …'),
    direction: z.enum(['in', 'out']).describe('Whether it came in or went out'),
    with: z.string().describe('URI of the other side'),
    name: z.string().optional().describe('Display name of the other side, if it has sent one'),
    isHolding: z.boolean().describe('Whether it holds the other side'),
    isHeld: z.boolean().describe('Whether the other side holds it'),
    hears: z.string().optional().describe('Name of the audio file that the other side plays'),
    digits: z.string().describe('The digits that it has received'),
  })
  .describe('A call in progress');
const isSilent = z.boolean().describe('Whether it receives and sends nothing');
const phoneView = z.object({
  name,
  endpoint,
  state: z.string().describe('State of its registration: off, registering, registered, resting, leaving'),
  isRegistered: z.boolean().describe('Whether it is registered'),
  gate: z.string().optional().describe('The sg through which it reaches the platform'),
  isSilent,
  calls: z.array(callView).describe('Its calls in progress'),
});
const providerView = z.object({
  name: z.string().describe('Its name, such as sip.telecom.test'),
  endpoint,
  isSilent,
  refusal: z.int().optional().describe('SIP status with which it refuses every REGISTER'),
  accounts: z
    .array(
      z.object({
        key: z.string().describe('The key of the account'),
        isRegistered: z.boolean().describe('Whether the platform is registered with it'),
        contact: z.string().optional().describe('Where the platform receives its calls'),
      }),
    )
    .describe('The accounts of the platform at this provider'),
  calls: z.array(callView).describe('Its calls in progress'),
});
const smsView = z.object({
  key: z.string().describe('The idempotency key: the same for each attempt'),
  domain: z.string().describe('The domain of the script that sent it'),
  run: z.string().describe('The id of the run, as in the journal of scripts'),
  component: z.string().describe('The name of the component'),
  to: z.string().describe('The number'),
  text: z.string().describe('The text'),
  sentMs: z.number().describe('When it was sent, in milliseconds since the epoch'),
  attempts: z.int().describe('How often a script has handed it over under its key; it is sent once'),
});

function registration(verb: 'register' | 'unregister', does: string): ControlRoute {
  return route({
    method: 'POST',
    path: `/phones/${verb}`,
    does,
    body: namedSchema,
    answer: ({ world, body }) => orRefuse(() => world.present.enter<typeof verb>({ do: verb, ...body })),
  });
}

/** `missing`: why there was no call for it. */
function callCommand(
  path: string,
  verb: 'talk' | 'hold',
  { does, missing }: { does: string; missing: string },
): ControlRoute {
  return route({
    method: 'POST',
    path,
    does,
    body: whoseSchema,
    canMiss: true,
    answer: async ({ world, body }) => {
      const isDone = await orRefuse(() => world.present.enter<typeof verb>({ do: verb, whose: whoseIn(body) }));
      if (!isDone) throw notThere(missing);
    },
  });
}

function whoseIn(body: z.infer<typeof whoseSchema>): string | z.infer<typeof placedSchema> {
  return 'name' in body ? body.name : body;
}

function notThere(message: string): FaultError {
  return new FaultError(fault('not_found', message));
}

export const endpointRoutes: readonly ControlRoute[] = [
  route({
    method: 'GET',
    path: '/phones',
    does: 'Lists the phones, with their registrations and calls.',
    gives: z.array(phoneView),
    answer: ({ world }) => world.present.world.outside.phones(),
  }),
  route({
    method: 'GET',
    path: '/providers',
    does: 'Lists the providers, with their accounts and calls.',
    gives: z.array(providerView),
    answer: ({ world }) => world.present.world.outside.providers(),
  }),
  route({
    method: 'GET',
    path: '/sms',
    does: 'Lists the last short messages of scripts.',
    gives: z.array(smsView),
    answer: ({ world }) => world.present.world.outside.sms.messages,
  }),
  route({
    method: 'POST',
    path: '/phones',
    does: 'Adds a phone, which registers at once: for a SIP user that was created while the cluster ran, or as its next device.',
    body: z.strictObject(addedPhoneShape),
    gives: z.object({ name: z.string().describe('The name of the phone') }),
    answer: async ({ world, body }) => ({
      name: await orRefuse(() => world.present.enter<'addPhone'>({ do: 'addPhone', ...body })),
    }),
  }),
  registration('register', 'A phone registers.'),
  registration('unregister', 'A phone removes its registration.'),
  route({
    method: 'POST',
    path: '/phones/attend',
    does: 'Makes the incoming calls of a phone ring until they are answered, rejected or hung up here; `on: false` ends that.',
    body: attendSchema,
    answer: ({ world, body }) => orRefuse(() => world.present.enter<'attend'>({ do: 'attend', ...body })),
  }),
  route({
    method: 'POST',
    path: '/calls',
    does: 'A phone or a provider makes a call.',
    body: callSchema,
    gives: placedSchema,
    answer: ({ world, body }) => orRefuse(() => world.present.enter<'call'>({ do: 'call', ...body })),
  }),
  route({
    method: 'DELETE',
    path: '/calls',
    does: 'A phone or a provider ends all its calls.',
    query: [optional('name', 'The phone or the provider')],
    answer: ({ world, url }) =>
      orRefuse(() => world.present.enter<'hangUp'>({ do: 'hangUp', whose: readQuery(url, hangUpSchema).name })),
  }),
  route({
    method: 'POST',
    path: '/digits',
    does: 'A phone or a provider presses digits in all its answered calls.',
    body: pressSchema,
    canMiss: true,
    answer: async ({ world, body }) => {
      const isPressed = await orRefuse(() => world.present.enter<'press'>({ do: 'press', ...body }));
      if (!isPressed) throw notThere(`${body.name} has no answered call`);
    },
  }),
  callCommand('/calls/answer', 'talk', {
    does: 'Answers ringing calls, or resumes held ones.',
    missing: 'no call to answer or to resume: it does not ring here, or is over',
  }),
  callCommand('/calls/hold', 'hold', {
    does: 'Puts calls on hold.',
    missing: 'no call to hold: it is not answered, or is over',
  }),
  route({
    method: 'POST',
    path: '/calls/hangup',
    does: 'Ends calls. A call that is over stays so.',
    body: whoseSchema,
    answer: ({ world, body }) => orRefuse(() => world.present.enter<'hangUp'>({ do: 'hangUp', whose: whoseIn(body) })),
  }),
  route({
    method: 'POST',
    path: '/calls/reject',
    does: 'Refuses a call that has no final answer yet.',
    body: rejectSchema,
    canMiss: true,
    answer: async ({ world, body: { status, ...call } }) => {
      const isRejected = await orRefuse(() => world.present.enter<'reject'>({ do: 'reject', whose: call, status }));
      if (!isRejected) throw notThere('no such call, or it has a final answer');
    },
  }),
  route({
    method: 'POST',
    path: '/calls/transfer',
    does: 'Refers the other side of an answered call to a URI.',
    body: transferSchema,
    canMiss: true,
    answer: async ({ world, body: { to, ...call } }) => {
      const isSent = await orRefuse(() => world.present.enter<'transfer'>({ do: 'transfer', call, to }));
      if (!isSent) throw notThere('no such call, or it is not answered');
    },
  }),
];
