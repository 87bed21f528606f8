/**
 * A device and the registrars of two sites: REGISTER through either gate over a lossy transport, and copies between the
 * sites, lost or late as well. A registrar acts like b2b and sr; the bindings are the real machines.
 */
import { assign, emit, enqueueActions, setup } from 'xstate';
import { bindingMachine } from '../../../src/machines/registration/binding.ts';
import type { Binding } from '../../../src/model/binding.ts';
import { limits } from '../../../src/model/limits.ts';
import { type DeviceCommand, deviceMachine } from '../../outside/endpoints/device-machine.ts';
import { type Part, type PartMessage, reliably, type SystemCheck, type View } from '../system/system-check.ts';

const sites = ['here', 'there'] as const;
type Site = (typeof sites)[number];
const longestMs = 3_600_000;

interface Response {
  readonly type: 'response.arrived';
  readonly round: number;
  readonly status: number;
  readonly expiresSeconds: number;
}
type AgentEvent = { type: 'request.sent'; request: Sent } | Response;
type AgentOrder = { type: 'answer'; status: number; expiresSeconds: number } | { type: 'send'; request: Sent };

/** A REGISTER, and its site. */
interface Sent extends Register {
  readonly site: Site;
}

/** The transaction of the last REGISTER: it is retransmitted until the answer, or ends with 408 (RFC 3261 17.1.2). */
const agentMachine = setup({
  types: {
    context: {} as { readonly request: Sent | undefined; readonly again: number },
    events: {} as AgentEvent,
    emitted: {} as AgentOrder,
  },
  actions: {
    keep: assign(({ event }) => ({ request: 'request' in event ? event.request : undefined, again: 0 })),
    send: enqueueActions(({ context: { request }, enqueue }) => {
      if (request !== undefined) enqueue.emit({ type: 'send', request });
    }),
    count: assign({ again: ({ context }) => context.again + 1 }),
    pass: emit(({ event }) => ({ type: 'answer', status: statusIn(event), expiresSeconds: secondsIn(event) })),
    giveUp: emit({ type: 'answer', status: 408, expiresSeconds: 0 }),
  },
  guards: {
    isMeant: ({ context, event }) => 'round' in event && event.round === context.request?.round,
    isSpent: ({ context }) => context.again >= 3,
  },
  delays: { pause: 8_000 },
}).createMachine({
  id: 'agent',
  context: { request: undefined, again: 0 },
  initial: 'idle',
  states: {
    idle: { on: { 'request.sent': { target: 'waiting', actions: 'keep' } } },
    waiting: {
      entry: 'send',
      after: {
        pause: [
          { guard: 'isSpent', target: 'idle', actions: 'giveUp' },
          { target: 'waiting', reenter: true, actions: 'count' },
        ],
      },
      on: {
        'request.sent': { target: 'waiting', reenter: true, actions: 'keep' },
        'response.arrived': { guard: 'isMeant', target: 'idle', actions: 'pass' },
      },
    },
  },
});

const statusIn = (event: AgentEvent) => ('status' in event ? event.status : 0);
const secondsIn = (event: AgentEvent) => ('expiresSeconds' in event ? event.expiresSeconds : 0);

/** The sites compare their copies now and then. */
const comparingMachine = setup({
  actions: { compare: emit({ type: 'compare' }) },
  delays: { check: limits.bindingsCheckMs },
}).createMachine({
  id: 'comparing',
  initial: 'waiting',
  states: { waiting: { after: { check: { target: 'waiting', reenter: true, actions: 'compare' } } } },
});

interface Register {
  readonly type: 'register' | 'unregister';
  readonly round: number;
  readonly withCredentials: boolean;
  readonly seconds: number;
}

/** A site's copy of the binding, live or not. */
function copyAt(view: View, site: Site): Binding | undefined {
  const state = view.state(site);
  return state === 'none' || state === 'gone'
    ? undefined
    : (view.context(site) as { readonly binding: Binding }).binding;
}

/** How b2b and sr of a site handle a REGISTER. */
function serve(site: Site, request: Register, view: View): PartMessage[] {
  const { round, type, withCredentials, seconds } = request;
  const { nowMs } = view;
  const answer = (status: number, expiresSeconds = 0): PartMessage => ({
    to: 'agent',
    event: { type: 'response.arrived', round, status, expiresSeconds } as Response,
  });
  if (!withCredentials) return [answer(401)];
  const known = copyAt(view, site);
  if (known !== undefined && known.cseq >= round) {
    const isRepeated = known.cseq === round;
    return [type === 'unregister' ? answer(200) : isRepeated ? answer(200, seconds) : answer(500)];
  }
  const isRemoved = type === 'unregister';
  const changedMs = Math.max(nowMs, (known?.changedMs ?? 0) + 1);
  const expiresMs = isRemoved ? nowMs : nowMs + seconds * 1_000;
  const names = {
    domain: 'd',
    login: 'l',
    userid: 'u',
    device: 'x',
    contact: 'c',
    path: 'p',
    callid: 'c',
    userAgent: '',
    ha1: '',
  };
  const binding: Binding = { ...names, cseq: round, changedMs, expiresMs, isRemoved };
  const copy = { type: 'copy.received', binding, atMs: nowMs };
  const other = site === 'here' ? 'there' : 'here';
  return [reliably(site, copy), { to: other, event: copy }, answer(200, isRemoved ? 0 : seconds)];
}

function onCommand(command: DeviceCommand | AgentOrder | { type: 'compare' }, view: View): readonly PartMessage[] {
  const round = rounds(view);
  switch (command.type) {
    case 'send.register':
    case 'send.unregister': {
      const { gate, withCredentials } = command;
      const type = command.type === 'send.register' ? 'register' : 'unregister';
      const seconds = 'seconds' in command ? command.seconds : 0;
      const request: Sent = { type, round, withCredentials, seconds, site: sites[gate] ?? 'here' };
      return [reliably('agent', { type: 'request.sent', request })];
    }
    case 'send':
      return [{ to: command.request.site, event: command.request }];
    case 'answer':
      return [reliably('device', { ...command, type: 'response.received', jitter: 0.5 })];
    case 'compare':
      return sites.flatMap((site) => {
        const binding = copyAt(view, site === 'here' ? 'there' : 'here');
        return binding === undefined ? [] : [reliably(site, { type: 'copy.received', binding, atMs: view.nowMs })];
      });
    default:
      return [];
  }
}

function rounds(view: View): number {
  return view.count('device', 'send.register') + view.count('device', 'send.unregister');
}

function onArrival({ to, event }: PartMessage, view: View): readonly PartMessage[] {
  if (event.type === 'register' || event.type === 'unregister') return serve(to as Site, event as Register, view);
  return [reliably(to, event.type === 'copy.received' ? { ...event, atMs: view.nowMs } : event)];
}

const registrar: Part = {
  machine: bindingMachine,
  spawn: { on: 'copy.received', input: (event, nowMs) => ({ ...(event as object), atMs: nowMs, longestMs }) },
};

const relative = {
  cseq: rounds,
  round: rounds,
  changedMs: nowOf,
  expiresMs: nowOf,
  atMs: nowOf,
};

function nowOf({ nowMs }: View): number {
  return nowMs;
}

export const clientSystem: SystemCheck = {
  name: 'client+registrar',
  parts: {
    device: {
      machine: deviceMachine,
      input: { gates: 2 },
      ownerEvents: [
        { event: { type: 'register.wanted' }, times: 2 },
        { event: { type: 'unregister.wanted' }, times: 1 },
      ],
    },
    agent: { machine: agentMachine },
    here: registrar,
    there: registrar,
    comparing: { machine: comparingMachine },
  },
  onCommand: ({ command, view }) => onCommand(command as DeviceCommand | AgentOrder | { type: 'compare' }, view),
  onArrival,
  channel: { losses: 1, duplicates: 1, inFlight: 3, latencyMs: 10_000 },
  rules: {
    'it considers itself registered only at a registrar that granted it': (view) =>
      view.state('device') !== 'registered' || sites.some((site) => copyAt(view, site) !== undefined),
  },
  agree: (view) => {
    const device = view.state('device');
    const [here, there] = sites.map((site) => view.state(site) === 'registered');
    const wanted = device === 'registered' ? here && there : device === 'off' && !here && !there;
    return wanted || `the device is ${device}, the binding ${view.state('here')} here and ${view.state('there')} there`;
  },
  scenario: (move) => {
    if (move === 'device is sent unregister.wanted') return [{ fault: { silence: 'acme.root.test/1001' } }];
    if (move === 'device is sent register.wanted') return [{ fault: { revive: 'acme.root.test/1001' } }];
    return move.startsWith('lost: ') ? [{ fault: { loseOutside: { probability: 0.5 } } }] : [];
  },
  relative: { agent: { round: rounds }, here: relative, there: relative },
  bound: { depth: 14, states: 12_000, healedWithinMs: 600_000 },
};
