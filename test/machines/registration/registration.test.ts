/** The registration of a provider account. */

import { type RegistrationEvent, registrationMachine } from '../../../src/machines/registration/registration.ts';
import { machineTable } from '../../kit/machine-table.ts';
import { type Walk, walk } from '../../kit/machine-walk.ts';
import { test } from '../../kit/test.ts';

const answered = (status: number, expiresSeconds?: number): RegistrationEvent =>
  expiresSeconds === undefined
    ? { type: 'response.received', status }
    : { type: 'response.received', status, expiresSeconds };
const accepted: RegistrationEvent = answered(200, 100);
const refused: RegistrationEvent = answered(503);
const linkLost: RegistrationEvent = { type: 'link.lost' };
const pingFailed: RegistrationEvent = { type: 'ping.failed' };
const replaced: RegistrationEvent = { type: 'contact.replaced' };
const removed: RegistrationEvent = { type: 'account.removed' };
const register = { type: 'send.register', withCredentials: false } as const;
const credentials = { type: 'send.register', withCredentials: true } as const;
const unregister = { type: 'send.unregister' } as const;
const lines = ['SIP/2.0 200 OK', 'Expires: 100'];
const tried = { hasTriedCredentials: true };
const maybe = { mayBeRegistered: true };

machineTable(test, 'a registration', {
  machine: registrationMachine,
  events: {
    'response.received': true,
    'link.lost': true,
    'ping.failed': true,
    'contact.replaced': true,
    'account.removed': true,
  },
  context: {
    isRegistering: true,
    expiresMs: 0,
    retryMs: 30_000,
    hasTriedCredentials: false,
    mayBeRegistered: false,
    lastResponse: [],
  },
  rows: [
    ['disabled', accepted, 'disabled', []],
    ['disabled', linkLost, 'disabled', []],
    ['disabled', pingFailed, 'disabled', []],
    ['disabled', replaced, 'disabled', []],
    ['disabled', removed, 'detached', []],

    [
      'wait_result',
      { type: 'response.received', status: 200, expiresSeconds: 100, lines },
      'registered',
      [],
      {
        before: { retryMs: 240_000, ...tried },
        after: { expiresMs: 100_000, retryMs: 30_000, hasTriedCredentials: false, ...maybe, lastResponse: lines },
      },
    ],
    ['wait_result', answered(200, 86_400), 'registered', [], { after: { expiresMs: 3_600_000 } }],
    ['wait_result', answered(200, 0), 'retry', [], { before: maybe, after: { mayBeRegistered: false } }],
    ['wait_result', answered(200, -5), 'retry', [], { after: { mayBeRegistered: false } }],
    ['wait_result', answered(299), 'registered', [], { after: { expiresMs: 3_600_000, lastResponse: [] } }],
    ['wait_result', answered(401), 'wait_result', [credentials], { after: tried }],
    ['wait_result', answered(407), 'wait_result', [credentials], { after: tried }],
    ['wait_result', answered(401), 'retry', [], { before: tried }],
    ['wait_result', answered(407), 'retry', [], { before: tried }],
    ['wait_result', answered(403), 'retry', []],
    ['wait_result', answered(503), 'retry', [], { after: { mayBeRegistered: false } }],
    ['wait_result', answered(503), 'retry', [], { before: maybe, after: maybe }],
    ['wait_result', answered(603), 'retry', []],
    ['wait_result', linkLost, 'retry', [], { after: maybe }],
    ['wait_result', pingFailed, 'wait_result', []],
    ['wait_result', replaced, 'wait_result', []],
    ['wait_result', removed, 'detached', [unregister]],

    ['registered', accepted, 'registered', []],
    ['registered', linkLost, 'retry', []],
    ['registered', pingFailed, 'retry', []],
    ['registered', replaced, 'wait_result', [register]],
    ['registered', removed, 'detached', [unregister]],

    ['retry', accepted, 'retry', []],
    ['retry', linkLost, 'retry', []],
    ['retry', pingFailed, 'retry', []],
    ['retry', replaced, 'retry', []],
    ['retry', removed, 'detached', []],
    ['retry', removed, 'detached', [unregister], { before: maybe }],
  ],
  input: { registration: true },
  deadlines: [
    [[], 'wait_result', 32_000, 'retry', []],
    [[refused], 'retry', 30_000, 'wait_result', [register]],
    [[linkLost], 'retry', 30_000, 'wait_result', [register]],
    [[accepted], 'registered', 90_000, 'wait_result', [register]],
    [[answered(200)], 'registered', 3_240_000, 'wait_result', [register]],
    [[answered(401), accepted], 'registered', 90_000, 'wait_result', [register]],
    [[accepted, linkLost], 'retry', 30_000, 'wait_result', [register]],
    [[accepted, pingFailed], 'retry', 30_000, 'wait_result', [register]],
    [[accepted, 90_000], 'wait_result', 32_000, 'retry', []],
    [[20_000, answered(401)], 'wait_result', 32_000, 'retry', []],
    [[answered(200, 0)], 'retry', 30_000, 'wait_result', [register]],
    [[answered(200, 1)], 'registered', 5_000, 'wait_result', [register]],
    [[answered(200, 86_400)], 'registered', 3_240_000, 'wait_result', [register]],
  ],
});

/** Refuses every REGISTER. Answers how long it was until each next one. */
function refuseTimes(times: number, registration: Walk<typeof registrationMachine>): number[] {
  return Array.from({ length: times }, () => {
    registration.send(refused);
    const refusedMs = registration.clock.now();
    registration.clock.runNext();
    return registration.clock.now() - refusedMs;
  });
}

test('an account without registration is disabled from the start and never registers', (t) => {
  const registration = walk(registrationMachine, { input: { registration: false } });
  t.is(registration.state, 'disabled');
  t.is(registration.clock.pending, 0);
  t.deepEqual(registration.commands, []);
});

test('an account with registration registers as soon as it starts', (t) => {
  const registration = walk(registrationMachine, { input: { registration: true } });
  t.is(registration.state, 'wait_result');
  t.deepEqual(registration.commands, [register]);
});

test('refused again and again it retries after 30 s, doubling up to 600 s', (t) => {
  const registration = walk(registrationMachine, { input: { registration: true } });
  t.deepEqual(refuseTimes(7, registration), [30_000, 60_000, 120_000, 240_000, 480_000, 600_000, 600_000]);
});

test('an unanswered REGISTER counts as refused: 32 s, then the retry, which doubles as well', (t) => {
  const registration = walk(registrationMachine, { input: { registration: true } });
  registration.pass(600_000);
  t.deepEqual(registration.ordersMs, [0, 62_000, 154_000, 306_000, 578_000]);
});

test('once registered, the next retry waits the shortest again', (t) => {
  const registration = walk(registrationMachine, { input: { registration: true } });
  refuseTimes(4, registration);
  registration.send(accepted);
  registration.send(linkLost);
  registration.pass(30_000);
  t.is(registration.state, 'wait_result');
  t.deepEqual(refuseTimes(2, registration), [60_000, 120_000]);
});

test('credentials are sent once for each REGISTER: a second challenge is a refusal, the next REGISTER may be challenged', (t) => {
  const registration = walk(registrationMachine, { input: { registration: true } });
  registration.send(answered(401));
  registration.send(answered(407));
  t.is(registration.state, 'retry');
  registration.pass(30_000);
  registration.send(answered(407));
  t.deepEqual(registration.commands, [register, credentials, register, credentials]);
  registration.send(accepted);
  registration.pass(90_000);
  registration.send(answered(401));
  t.deepEqual(registration.commands.slice(4), [register, credentials]);
});

test('an account that is removed leaves no timer behind', (t) => {
  for (const before of [[], [refused], [accepted], [answered(401)]]) {
    const registration = walk(registrationMachine, { input: { registration: true } });
    for (const event of before) registration.send(event);
    registration.send(removed);
    t.is(registration.status, 'done');
    t.is(registration.clock.pending, 0);
  }
});

test('an account that is removed while it waits to try again is unregistered where the provider may have it', (t) => {
  const ends: [string, readonly (RegistrationEvent | number)[], boolean][] = [
    ['refused', [refused], false],
    ['unanswered', [32_000], true],
    ['the link went', [linkLost], true],
    ['registered, then refused', [accepted, 90_000, refused], true],
    ['registered, then the ping failed', [accepted, pingFailed], true],
    ['granted nothing', [accepted, 90_000, answered(200, 0)], false],
  ];
  for (const [title, before, isSent] of ends) {
    const registration = walk(registrationMachine, { input: { registration: true } });
    for (const step of before) typeof step === 'number' ? registration.pass(step) : registration.send(step);
    t.is(registration.state, 'retry', title);
    registration.send(removed);
    t.is(registration.commands.at(-1)?.type === 'send.unregister', isSent, title);
  }
});

test('whatever life a provider grants, an hour sees no more than 720 REGISTERs', (t) => {
  for (const seconds of [-1, 0, 1, 2, 5]) {
    const registration = walk(registrationMachine, { input: { registration: true } });
    for (let passedMs = 0; passedMs < 3_600_000; passedMs += 100) {
      if (registration.state === 'wait_result') registration.send(answered(200, seconds));
      registration.pass(100);
    }
    t.true(registration.commands.length <= 721, `${seconds} s: ${registration.commands.length}`);
  }
});
