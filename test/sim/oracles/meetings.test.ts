import { meetingsBegin } from '../../../sim/oracles/rules/interface/meetings-begin.ts';
import { meetingsEnd } from '../../../sim/oracles/rules/interface/meetings-end.ts';
import { meetingsShown } from '../../../sim/oracles/rules/shown/meetings-shown.ts';
import { test } from '../../kit/test.ts';
import { Trial } from './trial.ts';

const selectors = '/rest/v1/uc/selectors';

interface Request {
  readonly method?: string;
  readonly target: string;
  readonly body?: object;
}

let ids = 0;

function ask(trial: Trial, { method = 'POST', target, body = {} }: Request): Trial {
  ids += 1;
  const about = { id: ids, site: 'hq', method, target };
  trial.see('request.received', { ...about, client: 'one', sent: '{}' });
  const text = JSON.stringify(body);
  return trial.see('request.answered', { ...about, status: 200, tookMs: 1, body: text, ageS: undefined });
}

/** A meeting that is to begin at once, with a participant. */
function planned({ enabled = true, number = '1002' }: { readonly enabled?: boolean; readonly number?: string } = {}) {
  const trial = new Trial(meetingsBegin).pass(60_000);
  ask(trial, { target: selectors, body: { id: 'm', enabled, timestartutc: '1970-01-01T00:01:02.000Z' } });
  return ask(trial, { target: `${selectors}/m/participants`, body: { id: 'p', number } });
}

function begin(trial: Trial): Trial {
  const event = { class: 'selectorevents', name: 'state', data: { selectorid: 'm', state: '$connecting' } };
  trial.send({ type: 'stream.published', from: 'hq/h1/conf-1', body: { epoch: 1, items: [{ n: 1, event }] } });
  return trial;
}

test('meetings-begin: passes when a meeting begins at its time, fails when it does not', (t) => {
  t.is(begin(planned().pass(4_000)).pass(10_000).verdict, 'pass');
  t.regex(planned().pass(10_000).failures.join(), /meeting m has not begun/);
});

test('meetings-begin: a meeting that is disabled, changed, without a number or amid faults need not begin', (t) => {
  t.is(planned({ enabled: false }).pass(10_000).verdict, 'unknown');
  t.is(planned({ number: 'group#1' }).pass(10_000).verdict, 'unknown');
  const changed = ask(planned(), { method: 'PATCH', target: `${selectors}/m`, body: { id: 'm' } });
  t.is(changed.pass(10_000).verdict, 'unknown');
  const broken = planned().see('fault.inflicted', { fault: 1, verb: 'cut', args: [] });
  t.is(broken.pass(10_000).verdict, 'unknown');
});

test('meetings-begin: a participant that is a group with a number counts, unless the group was changed', (t) => {
  const groups = '/rest/v1/domain/contactgroups';
  const grouped = (members: readonly string[], isChanged = false) => {
    const trial = new Trial(meetingsBegin).pass(60_000);
    ask(trial, { target: groups, body: { id: 'g', code: 'sales', members } });
    if (isChanged)
      ask(trial, { method: 'PATCH', target: `${groups}/g`, body: { id: 'g', code: 'sales', members: [] } });
    ask(trial, { target: selectors, body: { id: 'm', enabled: true, timestartutc: '1970-01-01T00:01:02.000Z' } });
    return ask(trial, { target: `${selectors}/m/participants`, body: { id: 'p', number: 'group#sales' } });
  };
  t.regex(grouped(['1002']).pass(10_000).failures.join(), /meeting m has not begun/);
  t.is(begin(grouped(['1002']).pass(4_000)).verdict, 'pass');
  t.is(grouped([]).pass(10_000).verdict, 'unknown');
  t.is(grouped(['1002'], true).pass(10_000).verdict, 'unknown');
});

/** A meeting of eight seconds, whose conference has begun. */
function running(calldurationsec = 8): Trial {
  const trial = new Trial(meetingsEnd).pass(60_000);
  return state(ask(trial, { target: selectors, body: { id: 'm', calldurationsec } }), '$connecting');
}

function state(trial: Trial, name: string): Trial {
  const event = { class: 'selectorevents', name: 'state_changed', data: { selectorid: 'm', state: name } };
  trial.send({ type: 'stream.published', from: 'hq/h1/conf-1', body: { epoch: 1, items: [{ n: 1, event }] } });
  return trial;
}

test('meetings-end: fails for a meeting that goes on after its time, unless it has none or something was broken', (t) => {
  t.is(state(running().pass(9_000), '$terminating').pass(20_000).verdict, 'pass');
  t.regex(running().pass(30_000).failures.join(), /meeting m goes on/);
  t.is(running(0).pass(30_000).verdict, 'unknown');
  t.is(running().see('fault.inflicted', { fault: 1, verb: 'cut', args: [] }).pass(30_000).verdict, 'unknown');
  const changed = ask(running(), { method: 'PATCH', target: `${selectors}/m`, body: { id: 'm' } });
  t.is(changed.pass(30_000).verdict, 'unknown');
});

/** What a client is shown of a meeting whose conference has published these states, a moment later. */
function shown(item: object, ...states: readonly string[]): Trial {
  const trial = new Trial(meetingsShown).pass(60_000);
  for (const name of states) state(trial, name);
  const body = { id: 'm', enabled: true, timestartutc: '1970-01-01T00:00:30.000Z', ...item };
  return ask(trial.pass(4_000), { method: 'GET', target: `${selectors}/m`, body });
}

for (const [what, verdict, item, states] of [
  ['online once a participant is connected', 'pass', { state: 'online' }, ['$connecting', '$online']],
  ['connecting before', 'pass', { state: 'connecting' }, ['$connecting']],
  ['online before', 'fail', { state: 'online' }, ['$connecting']],
  ['online, without a conference', 'fail', { state: 'online' }, []],
  ['waiting while its conference goes on', 'fail', { state: 'waiting' }, ['$connecting', '$online']],
  ['online after its end', 'fail', { state: 'online' }, ['$connecting', '$online', '$terminating']],
  ['terminating after its end', 'pass', { state: 'terminating' }, ['$connecting', '$online', '$terminating']],
  ['initing before its time', 'fail', { state: 'initing', timestartutc: '1970-01-01T01:00:00.000Z' }, []],
  ['initing, and disabled', 'fail', { state: 'initing', enabled: false }, []],
  ['initing at its time', 'pass', { state: 'initing' }, []],
] as const) {
  test(`meetings-shown: a meeting is shown as ${what}: ${verdict}`, (t) => {
    t.is(shown(item, ...states).verdict, verdict);
  });
}
