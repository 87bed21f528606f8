/** Checks of the machines of registrations: of a provider account, of its pings, and of a device at sr. */
import { bindingMachine } from '../../../src/machines/registration/binding.ts';
import { pingMachine } from '../../../src/machines/registration/ping.ts';
import { registrationMachine } from '../../../src/machines/registration/registration.ts';
import { type Binding, isNewer } from '../../../src/model/binding.ts';
import type { Pick } from '../kit/choices.ts';
import { type AnyCheck, checkOf, type Model } from '../machine/machine-check.ts';

const provider = 'sip.telecom.test';

/** The target of an event, if it is plain. `tried`: the answered REGISTER had credentials. */
function nextOf(before: string, event: { readonly type: string }, tried: boolean): string | undefined {
  const { type, status = 0, expiresSeconds = 0 } = event as { type: string; status?: number; expiresSeconds?: number };
  const isHeld = before === 'wait_result' || before === 'registered';
  if (type === 'link.lost') return isHeld ? 'retry' : before;
  if (type === 'ping.failed') return before === 'registered' ? 'retry' : before;
  if (type !== 'response.received') return undefined;
  if (before !== 'wait_result') return before;
  if (status === 200 && expiresSeconds > 0) return 'registered';
  return (status === 401 || status === 407) && !tried ? 'wait_result' : 'retry';
}

/** Whether the provider may have a registration, by all answers so far. */
function registrationModel(): Model<typeof registrationMachine> {
  let mayHave = false;
  let tried = false;
  return ({ event, before, after, commands }) => {
    const isAsked = before === 'wait_result';
    const wanted = nextOf(before, event, tried);
    if (wanted !== undefined && wanted !== after) return `it is ${after}, not ${wanted}`;
    if (isAsked && event.type === 'response.received') tried = after === 'wait_result';
    if (event.type.startsWith('xstate.after')) tried = false;
    if (isAsked && event.type === 'response.received' && 'status' in event && event.status < 300)
      mayHave = (event.expiresSeconds ?? 1) > 0;
    if (isAsked && (event.type === 'link.lost' || event.type.startsWith('xstate.after'))) mayHave = true;
    if (event.type !== 'account.removed') return undefined;
    const isTold = commands.some(({ type }) => type === 'send.unregister');
    const must = isAsked || mayHave;
    return isTold === must
      ? undefined
      : `it ${isTold ? 'un-registers' : 'goes'}, but the provider ${must ? 'may have' : 'does not have'} it`;
  };
}

const registrationCheck = checkOf({
  machine: registrationMachine,
  input: (pick) => ({ registration: !pick.maybe() }),
  events: {
    'response.received': ({ pick }) => {
      const status = pick.from([200, 401, 503, 407]);
      const expiresSeconds = pick.from([60, 3_600, 0, 100_000]);
      return { status, expiresSeconds };
    },
    'link.lost': true,
    'ping.failed': true,
    'contact.replaced': true,
    'account.removed': true,
  },
  once: ['send.unregister'],
  last: 'send.unregister',
  longestMs: 3_600_000,
  rules: {
    'REGISTER is sent exactly when the machine waits for its answer': ({ last }) =>
      last.commands.every(({ type }) => type !== 'send.register' || last.after === 'wait_result'),
    'credentials answer a challenge, once': ({ steps }) => {
      const sent = steps.flatMap(({ commands }) => commands.filter((command) => command.type === 'send.register'));
      return !sent.some((command, index) => {
        const before = sent[index - 1];
        return (
          'withCredentials' in command &&
          command.withCredentials &&
          before !== undefined &&
          'withCredentials' in before &&
          before.withCredentials
        );
      });
    },
    'it waits for something unless it is disabled': ({ last }) =>
      last.isOver || last.after === 'disabled' || last.deadlines.length === 1,
  },
  model: registrationModel,
  finally: { events: [{ type: 'account.removed' }], waitMs: 0, states: ['detached'] },
  scenario: (event) => {
    if (event.type === 'ping.failed' || event.type === 'link.lost') return [{ fault: { silence: provider } }];
    if (event.type === 'response.received' && event.status === 503) return [{ fault: { silence: provider } }];
    return [];
  },
});

/** Three rounds in a row without an answer are reported, then counted anew. */
function pingModel(): Model<typeof pingMachine> {
  let failures = 0;
  return ({ event, before, after, commands }) => {
    const isChecking = before.endsWith('checking');
    if (event.type === 'address.changed') {
      failures = 0;
      const isRight = after === before.replace('resting', 'checking');
      return isRight ? undefined : `it is ${after} after a change of the address in ${before}`;
    }
    const wanted = event.type === 'response.received' ? 'ok.resting' : 'error.resting';
    if (isChecking && event.type !== 'account.removed' && after !== wanted) return `it is ${after}, not ${wanted}`;
    if (isChecking && event.type === 'response.received') failures = 0;
    if (isChecking && event.type.startsWith('xstate.after')) failures += 1;
    const isTold = commands.some(({ type }) => type === 'report.failed');
    const must = failures === 3;
    if (must) failures = 0;
    return isTold === must ? undefined : `after ${failures} failures it ${isTold ? 'reports' : 'reports nothing'}`;
  };
}

const pingCheck = checkOf({
  machine: pingMachine,
  input: (pick) => ({ ping: !pick.maybe() }),
  events: { 'response.received': true, 'address.changed': true, 'account.removed': true },
  longestMs: 30_000,
  rules: {
    'OPTIONS is sent exactly when a round begins': ({ last }) =>
      last.commands.every(({ type }) => type !== 'send.options' || last.after.endsWith('checking')),
    'it waits for something unless it is off': ({ last }) =>
      last.isOver || last.after === 'disabled.off' || last.deadlines.length === 1,
  },
  model: pingModel,
  finally: { events: [{ type: 'account.removed' }], waitMs: 0, states: ['gone'] },
  unreachable: {
    'disabled.checking × after answer [isLimitReached] → error': 'the first round follows no failure',
    'ok.checking × after answer [isLimitReached] → error': 'an answer resets the failures',
  },
  scenario: () => [{ fault: { silence: provider } }],
});

const longestMs = 600_000;

function copyOf(pick: Pick, atMs: number): Binding {
  const changedMs = atMs - pick.from([0, 1_000, 60_000, 700_000]);
  const isRemoved = pick.maybe();
  return {
    domain: 'd',
    login: 'l',
    userid: 'u',
    device: 'x',
    contact: 'c',
    path: 'p',
    callid: 'c',
    userAgent: '',
    ha1: '',
    cseq: pick.integer(1, 2),
    changedMs,
    isRemoved,
    expiresMs: changedMs + pick.from([60_000, 600_000, 0]),
  };
}

/** The newest copy counts; it is live until it expires or is removed. */
function bindingModel(input: { readonly binding: Binding }): Model<typeof bindingMachine> {
  let newest = input.binding;
  return ({ event, after, atMs, isOver }) => {
    if ('binding' in event && isNewer(event.binding, newest)) newest = event.binding;
    if (isOver) return undefined;
    const wanted = newest.isRemoved ? 'removed' : newest.expiresMs <= atMs ? 'expired' : 'registered';
    return after === wanted ? undefined : `it is ${after}, but the newest copy is ${wanted}`;
  };
}

const bindingCheck = checkOf({
  machine: bindingMachine,
  input: (pick, nowMs) => ({ binding: copyOf(pick, nowMs), atMs: nowMs, longestMs }),
  events: { 'copy.received': ({ pick, nowMs }) => ({ binding: copyOf(pick, nowMs), atMs: nowMs }) },
  stamp: (event, atMs) => ({ ...event, atMs }),
  longestMs,
  rules: {
    'registered and its end are reported in turns': ({ commands }) => {
      const heard = commands.map(({ type }) => type).filter((type) => type !== 'report.refreshed');
      return heard.every((type, index) => (type === 'report.registered') === (index % 2 === 0));
    },
    'a tombstone counts as absent': ({ last, commands }) => {
      const [heard] = commands.map(({ type }) => type).slice(-1);
      const isHeardOf = heard === 'report.registered' || heard === 'report.refreshed';
      return isHeardOf === (last.after === 'registered');
    },
    'one deadline runs': ({ last }) => last.isOver || last.deadlines.length === 1,
  },
  model: bindingModel,
  finally: { events: [], waitMs: 2 * longestMs, states: ['gone'] },
  scenario: () => [],
});

export const registrationChecks: readonly AnyCheck[] = [registrationCheck, pingCheck, bindingCheck];
