/**
 * Checks of the machines of the world outside: a device that registers, a call of an endpoint, and the presence of an
 * endpoint.
 */
import { deviceMachine } from '../../outside/endpoints/device-machine.ts';
import { partyDelaysMs, partyMachine } from '../../outside/endpoints/party-machine.ts';
import { presenceMachine } from '../../outside/presence.ts';
import { type AnyCheck, checkOf, type Model } from '../machine/machine-check.ts';
import { eventName } from '../player/chart.ts';

const phone = 'acme.root.test/1001';
const jitter = 0.5;

interface Expected {
  readonly after: string;
  /** Whether the request that is sent, if any, has credentials. */
  readonly withCredentials?: boolean;
}

/** The reaction of a device to an event: `tried`: it has sent credentials in this attempt. */
function expectedOf(before: string, event: { readonly type: string }, tried: boolean): Expected | undefined {
  const { type, status = 0, expiresSeconds = 0 } = event as { type: string; status?: number; expiresSeconds?: number };
  const isRequesting = before === 'registering' || before === 'leaving';
  if (type === 'register.wanted') return before === 'registering' ? { after: before } : anew('registering');
  if (type === 'gate.doubted') return before === 'registered' ? anew('registering') : { after: before };
  if (type === 'binding.lost') return { after: before === 'registered' ? 'resting' : before };
  if (type === 'unregister.wanted')
    return before === 'off' || before === 'leaving' ? { after: before } : anew('leaving');
  if (type !== 'response.received') return type === 'start' ? undefined : anew('registering');
  if (!isRequesting) return { after: before };
  const isGranted = before === 'registering' && status < 300 && expiresSeconds > 0;
  if (isGranted) return { after: 'registered' };
  if (status === 401 && !tried) return { after: before, withCredentials: true };
  return { after: before === 'leaving' ? 'off' : 'resting' };
}

function anew(after: string): Expected {
  return { after, withCredentials: false };
}

/** Its gate, and whether it has sent credentials; each refresh begins with the preferred gate. */
function deviceModel({ gates }: { readonly gates: number }): Model<typeof deviceMachine> {
  let tried = false;
  let gate = 0;
  return ({ event, before, after, commands }) => {
    const expected = expectedOf(before, event, tried);
    if (expected === undefined) return undefined;
    if (before === 'registering' && expected.after === 'resting') gate = (gate + 1) % gates;
    if (event.type.startsWith('xstate.after.refresh') || (before === 'off' && after === 'registering')) gate = 0;
    if (expected.withCredentials !== undefined) tried = expected.withCredentials;
    if (expected.after === 'registered' || expected.after === 'off') tried = false;
    if (after !== expected.after) return `it is ${after}, not ${expected.after}`;
    const [sent] = commands.filter((command) => 'gate' in command);
    const wanted = expected.withCredentials === undefined ? 'none' : `${expected.withCredentials} ${gate}`;
    const given = sent === undefined ? 'none' : `${sent.withCredentials} ${sent.gate}`;
    return given === wanted ? undefined : `it sends ${given} (credentials, gate), not ${wanted}`;
  };
}

const deviceCheck = checkOf({
  machine: deviceMachine,
  input: (pick) => ({ gates: pick.integer(1, 3) }),
  events: {
    'register.wanted': true,
    'unregister.wanted': true,
    'response.received': ({ pick }) => ({
      status: pick.from([200, 401, 503, 403, 423]),
      expiresSeconds: pick.from([60, 3_600, 0, 7_200]),
      jitter,
    }),
    'gate.doubted': true,
    'binding.lost': () => ({ jitter }),
  },
  longestMs: 7_200_000,
  rules: {
    'a request is sent exactly when the device waits for its answer': ({ last }) =>
      last.commands.every(({ type }) =>
        type === 'send.register' ? last.after === 'registering' : last.after === 'leaving',
      ),
    'it never registers by a gate that it does not have': ({ commands, last }) =>
      commands.every((command) => !('gate' in command) || command.gate < last.context.gates),
    'it waits for something between two requests': ({ last }) =>
      last.deadlines.length === (last.after === 'registered' || last.after === 'resting' ? 1 : 0),
    'a device that is off has no registration that it knows of': ({ last }) =>
      last.after !== 'off' || !last.context.isBound,
    'credentials follow a challenge only': ({ last }) =>
      last.commands.every(
        (command) =>
          !('withCredentials' in command && command.withCredentials) || last.event.type === 'response.received',
      ),
  },
  model: deviceModel,
  finally: {
    events: [{ type: 'unregister.wanted' }, { type: 'response.received', status: 408, jitter }],
    waitMs: 0,
    states: ['off'],
  },
  scenario: ({ type }) => (type === 'gate.doubted' ? [{ dial: { from: phone, to: '1005' } }] : []),
});

/** The wanted state of an endpoint call, and the command that leads to it, unless it is there already. */
const partyAnswers: Readonly<Record<string, string>> = {
  'pending end.wanted': 'leaving end',
  'ringing end.wanted': 'leaving end',
  'settling end.wanted': 'leaving end',
  'calling end.wanted': 'leaving end',
  'talking end.wanted': 'leaving end',
  'pending reject.wanted': 'settling settle',
  'ringing reject.wanted': 'settling settle',
  'pending talk.wanted': 'settling answer',
  'ringing talk.wanted': 'settling answer',
  'settling talk.wanted': 'settling resume',
  'settling hold.wanted': 'settling hold',
  'talking talk.wanted': 'talking resume',
  'talking hold.wanted': 'talking hold',
  'idle replaced': 'settling answer',
  'idle placed': 'calling call',
  'calling challenged': 'calling call.again',
  'calling answered': 'talking ',
  'settling answered': 'talking ',
  'pending after ring': 'ringing ring',
  'ringing after answer': 'settling settle',
  'calling after patience': 'leaving end',
  'talking after hangup': 'leaving end',
};

function partyModel(): Model<typeof partyMachine> {
  return ({ event, before, after, commands }) => {
    if (event.type === 'over' && before !== 'idle')
      return after === 'over' ? undefined : `it is ${after}, though its leg has ended`;
    const wanted = partyAnswers[`${before} ${eventName(event.type)}`];
    const given = `${after} ${commands.map(({ type }) => type).join()}`;
    return wanted === undefined || given === wanted ? undefined : `it goes to ${given}, not ${wanted}`;
  };
}

const once = 'a call begins once, and its user agent reports what its state allows';

const partyCheck = checkOf({
  machine: partyMachine,
  events: {
    invited: true,
    replaced: true,
    placed: true,
    challenged: true,
    answered: true,
    over: true,
    'talk.wanted': true,
    'hold.wanted': true,
    'end.wanted': true,
    'reject.wanted': true,
  },
  once: ['ring', 'settle', 'answer', 'call', 'end'],
  longestMs: partyDelaysMs.patience,
  rules: {
    'it gives one final answer at most': ({ count }) => count('settle') + count('answer') <= 1,
    'it rings before it settles, not after': ({ commands }) => {
      const types = commands.map(({ type }) => type);
      return !types.includes('ring') || !types.slice(0, types.indexOf('ring')).some((type) => type !== 'call');
    },
  },
  model: partyModel,
  finally: { events: [{ type: 'end.wanted' }, { type: 'over' }], waitMs: 0, states: ['idle', 'over'] },
  undecided: {
    idle: {
      events: ['challenged', 'answered', 'over', 'talk.wanted', 'hold.wanted', 'end.wanted', 'reject.wanted'],
      why: once,
    },
    pending: { events: ['invited', 'replaced', 'placed', 'challenged', 'answered'], why: once },
    ringing: { events: ['invited', 'replaced', 'placed', 'challenged', 'answered'], why: once },
    settling: { events: ['invited', 'replaced', 'placed', 'challenged'], why: once },
    calling: { events: ['invited', 'replaced', 'placed'], why: once },
    talking: { events: ['invited', 'replaced', 'placed', 'challenged', 'answered'], why: once },
    leaving: { events: ['invited', 'replaced', 'placed', 'challenged'], why: once },
  },
  unreachable: {
    'pending × after refuse → settling':
      'both delays of the chart are 0, ring first; the reaction of a call has one of them',
  },
  scenario: ({ type }) => {
    if (type === 'placed') return [{ dial: { from: phone, to: '1005' } }];
    return type === 'end.wanted' ? [{ hangUp: phone }] : [];
  },
});

const presenceCheck = checkOf({
  machine: presenceMachine,
  events: { silence: true, revive: true, flap: ({ pick }) => ({ everyMs: pick.from([1_000, 30_000]) }) },
  rules: {
    'it is silenced and revived in turns': ({ commands }) =>
      commands.every(({ type }, index) => (type === 'fall.silent') === (index % 2 === 0)),
    'its presence is that of its last command': ({ last, commands }) =>
      (commands.at(-1)?.type === 'fall.silent') === (last.after === 'silent' || last.after === 'down'),
  },
  finally: { events: [{ type: 'revive' }], waitMs: 0, states: ['present'] },
  scenario: ({ type }) => [{ fault: { [type === 'flap' ? 'silence' : type]: phone } }],
});

export const outsideChecks: readonly AnyCheck[] = [deviceCheck, partyCheck, presenceCheck];
