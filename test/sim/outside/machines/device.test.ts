/** The registration of a phone. */

import {
  type DeviceContext,
  type DeviceEvent,
  deviceMachine,
} from '../../../../sim/outside/endpoints/device-machine.ts';
import { machineTable } from '../../../kit/machine-table.ts';
import { walk } from '../../../kit/machine-walk.ts';
import { test } from '../../../kit/test.ts';

const wanted: DeviceEvent = { type: 'register.wanted' };
const unwanted: DeviceEvent = { type: 'unregister.wanted' };
const doubted: DeviceEvent = { type: 'gate.doubted' };
const lost: DeviceEvent = { type: 'binding.lost', jitter: 0.5 };
const answered = (status: number, expiresSeconds?: number, jitter = 0): DeviceEvent => ({
  type: 'response.received',
  status,
  ...(expiresSeconds !== undefined && { expiresSeconds }),
  jitter,
});
const granted = answered(200, 100);
const register = (gate = 0, withCredentials = false, seconds = 3_600) =>
  ({ type: 'send.register', gate, withCredentials, seconds }) as const;
const unregister = (gate = 0, withCredentials = false) => ({ type: 'send.unregister', gate, withCredentials }) as const;

const context: DeviceContext = {
  gates: 3,
  gate: 0,
  hasTriedCredentials: false,
  isBound: false,
  wantedSeconds: 3_600,
  expiresMs: 0,
  backoffMs: 1_000,
  pauseMs: 0,
};
const atSecond = { before: { gate: 1, hasTriedCredentials: true } };
const tried = { before: { hasTriedCredentials: true } };
const unbound = { before: { isBound: true }, after: { isBound: false } };

machineTable(test, 'a device', {
  machine: deviceMachine,
  events: {
    'register.wanted': true,
    'unregister.wanted': true,
    'response.received': true,
    'gate.doubted': true,
    'binding.lost': true,
  },
  context,
  rows: [
    ['off', wanted, 'registering', [register()], atSecond],
    ['off', unwanted, 'off', []],
    ['off', granted, 'off', []],
    ['off', doubted, 'off', []],
    ['off', lost, 'off', []],

    ['registering', wanted, 'registering', []],
    ['registering', doubted, 'registering', []],
    ['registering', lost, 'registering', [], unbound],
    ['registering', unwanted, 'leaving', [unregister(1)], atSecond],
    [
      'registering',
      granted,
      'registered',
      [],
      {
        before: { backoffMs: 32_000, hasTriedCredentials: true },
        after: { isBound: true, expiresMs: 100_000, backoffMs: 1_000, hasTriedCredentials: false },
      },
    ],
    ['registering', answered(200), 'registered', [], { after: { expiresMs: 3_600_000 } }],
    ['registering', answered(200, 86_400), 'registered', [], { after: { expiresMs: 3_600_000 } }],
    ['registering', answered(401), 'registering', [register(1, true)], { before: { gate: 1 } }],
    ['registering', answered(407), 'registering', [register(0, true)]],
    ['registering', answered(401), 'resting', [], { ...tried, after: { gate: 1, pauseMs: 1_000, backoffMs: 2_000 } }],
    ['registering', answered(200, 0), 'resting', [], { after: { isBound: false } }],
    ['registering', answered(408), 'resting', [], { before: { isBound: true }, after: { isBound: true, gate: 1 } }],
    ['registering', answered(503), 'resting', [], { before: { gate: 2 }, after: { gate: 0 } }],
    [
      'registering',
      answered(503, undefined, 0.5),
      'resting',
      [],
      { before: { backoffMs: 60_000 }, after: { pauseMs: 45_000, backoffMs: 60_000 } },
    ],
    ['registering', answered(423, 7_200), 'resting', [], { after: { wantedSeconds: 7_200 } }],
    ['registering', answered(423, 60), 'resting', [], { after: { wantedSeconds: 3_600 } }],
    [
      'registering',
      answered(403),
      'resting',
      [],
      { before: { isBound: true }, after: { isBound: false, pauseMs: 60_000 } },
    ],
    ['registering', answered(404), 'resting', [], { after: { pauseMs: 60_000, backoffMs: 60_000 } }],

    ['registered', wanted, 'registering', [register()], atSecond],
    ['registered', doubted, 'registering', [register(1)], atSecond],
    ['registered', unwanted, 'leaving', [unregister(1)], atSecond],
    ['registered', granted, 'registered', []],
    [
      'registered',
      lost,
      'resting',
      [],
      { before: { isBound: true, gate: 1 }, after: { isBound: false, gate: 1, pauseMs: 750 } },
    ],

    ['resting', wanted, 'registering', [register(1)], atSecond],
    ['resting', unwanted, 'leaving', [unregister(1)], atSecond],
    ['resting', granted, 'resting', []],
    ['resting', doubted, 'resting', []],
    ['resting', lost, 'resting', [], unbound],

    ['leaving', wanted, 'registering', [register(1)], atSecond],
    ['leaving', unwanted, 'leaving', []],
    ['leaving', doubted, 'leaving', []],
    ['leaving', lost, 'leaving', [], unbound],
    ['leaving', answered(401), 'leaving', [unregister(0, true)]],
    [
      'leaving',
      answered(401),
      'off',
      [],
      { before: { hasTriedCredentials: true, isBound: true }, after: { isBound: false } },
    ],
    ['leaving', answered(200, 0), 'off', [], { before: { isBound: true }, after: { isBound: false } }],
    ['leaving', answered(408), 'off', []],
  ],
  input: { gates: 3 },
  deadlines: [
    [[wanted, granted], 'registered', 90_000, 'registering', [register()]],
    [[wanted, answered(200, 1)], 'registered', 5_000, 'registering', [register()]],
    [[wanted, answered(200)], 'registered', 3_240_000, 'registering', [register()]],
    [[wanted, answered(503), 1_000, granted], 'registered', 90_000, 'registering', [register()]],
    [[wanted, granted, lost], 'resting', 750, 'registering', [register()]],
    [[wanted, answered(503)], 'resting', 1_000, 'registering', [register(1)]],
    [[wanted, answered(408), 1_000, answered(408)], 'resting', 2_000, 'registering', [register(2)]],
    [[wanted, answered(408, undefined, 0.5)], 'resting', 750, 'registering', [register(1)]],
    [[wanted, answered(423, 7_200)], 'resting', 1_000, 'registering', [register(1, false, 7_200)]],
  ],
});

test('a phone without an answer tries its gates in turn, after 1, 2, 4 … and at last each 60 s', (t) => {
  const device = walk(deviceMachine, { input: { gates: 3 } });
  device.send(wanted);
  for (let passedMs = 0; passedMs < 300_000; passedMs += 100) {
    if (device.state === 'registering') device.send(answered(408));
    device.pass(100);
  }
  t.deepEqual(device.ordersMs, [0, 1_000, 3_000, 7_000, 15_000, 31_000, 63_000, 123_000, 183_000, 243_000]);
  t.deepEqual(
    device.commands.map((command) => ('gate' in command ? command.gate : undefined)),
    [0, 1, 2, 0, 1, 2, 0, 1, 2, 0],
  );
});

test('a phone whose password is wrong asks once a minute and not oftener', (t) => {
  const device = walk(deviceMachine, { input: { gates: 1 } });
  device.send(wanted);
  for (let passedMs = 0; passedMs < 600_000; passedMs += 100) {
    if (device.state === 'registering') device.send(device.commands.length % 2 === 1 ? answered(401) : answered(403));
    device.pass(100);
  }
  t.is(device.commands.length, 20);
});
