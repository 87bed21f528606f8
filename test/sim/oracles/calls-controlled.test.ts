/** Fronts that show, count and end a call as they should, and fronts that do not. */
import type { OracleRequest } from '../../../sim/oracles/questions.ts';
import { callsControlled } from '../../../sim/oracles/rules/use-cases/calls/calls-controlled.ts';
import type { PhoneView } from '../../../sim/outside/endpoints/phone.ts';
import { test } from '../../kit/test.ts';
import { signedIn, Trial } from './trial.ts';

const phones = ['1001', '1002'].map(
  (login): PhoneView => ({
    name: `acme.root.test/${login}`,
    endpoint: '10.0.0.1:5060',
    state: 'registered',
    isRegistered: true,
    gate: 'sg-213',
    isSilent: false,
    calls: [],
  }),
);

type Break = 'hidden' | 'uncounted' | 'unlisted' | 'kept' | 'unrecorded' | 'refused' | 'over' | undefined;

/** `broken`: what the front of north does wrong, or, of all fronts, that the call is refused, or over at once. */
function front(broken?: Break): (asked: OracleRequest) => unknown {
  let isLive = false;
  return ({ site, path, method = 'GET' }) => {
    const isWrong = (what: Break) => site === 'north' && broken === what;
    const gone = new Response('{}', { status: 404 });
    const call = { dialogid: 'd1', inviteid: 'i1', status: 'dialog' };
    if (method === 'INVITE') {
      isLive = broken !== 'refused';
      return isLive
        ? { result: 'ok', dialogid: 'd1', last_response: 'SIP/2.0 200 OK' }
        : new Response('{}', { status: 486 });
    }
    if (method === 'DELETE') {
      const wasLive = isLive && broken !== 'over';
      isLive = false;
      return wasLive ? { dialogid: 'd1', result: 'ok' } : gone;
    }
    if (path.includes('/sipuser_states')) return ['1001', '1002'].map((username) => ({ username, status: 'online' }));
    if (path.includes('/journal/')) return isWrong('unrecorded') ? gone : call;
    if (path.includes('countonly')) {
      const isCounted = (isLive && !isWrong('uncounted')) || isWrong('kept');
      return { count: isCounted ? 1 : 0 };
    }
    if (path.endsWith('/d1')) return isLive && !isWrong('hidden') ? call : gone;
    return isLive && !isWrong('unlisted') ? [call] : [];
  };
}

for (const [broken, verdict, problem] of [
  [undefined, 'pass', undefined],
  ['refused', 'unknown', undefined],
  ['over', 'pass', undefined],
  ['hidden', 'fail', /north, GET \/rest\/v1\/uc\/calls\/d1: expected .* got 404/],
  ['uncounted', 'fail', /north, GET .*countonly: expected 200 \{"count":1\}/],
  ['unlisted', 'fail', /north, GET \/rest\/v1\/uc\/calls: inviteid i1 is not in/],
  ['kept', 'fail', /north, GET .*countonly: expected 200 \{"count":0\}/],
  ['unrecorded', 'fail', /north, GET \/rest\/v1\/journal\/calls\/i1: expected/],
] as const) {
  test(`calls-controlled: ${broken ?? 'a call that all fronts show'}: ${verdict}`, async (t) => {
    const trial = await new Trial(callsControlled, { phones, answer: signedIn(front(broken)) }).quiesce();
    t.is(trial.verdict, verdict, trial.failures.join());
    if (problem !== undefined) t.regex(trial.failures.join(), problem);
  });
}
