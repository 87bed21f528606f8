/** The oracles of lists of what goes on. */
import type { OracleMaker } from '../../../sim/oracles/oracle.ts';
import { callsListed, conferencesListed } from '../../../sim/oracles/rules/shown/calls-listed.ts';
import { test } from '../../kit/test.ts';
import { Trial } from './trial.ts';

const [b2b, conf] = ['north/n1/b2b-214', 'north/n1/conf-215'] as const;
let id = 0;

function ask(trial: Trial, method: string, target: string, { sent, body }: { sent?: object; body?: unknown }): Trial {
  id += 1;
  const about = { id, site: 'hq', method, target };
  trial.see('request.received', { ...about, client: 'token', sent: sent && JSON.stringify(sent) });
  const answer = { status: 200, tookMs: 1, body: JSON.stringify(body), ageS: undefined };
  return trial.see('request.answered', { ...about, ...answer });
}

/** What an instance publishes in a cluster with a client of root.test. */
function published(maker: OracleMaker, from: string, ...items: readonly object[]): Trial {
  const trial = new Trial(maker).pass(60_000);
  const session = { sent: { domain: 'root.test', login: 'admin' }, body: { session_token: 'token' } };
  return publish(ask(trial, 'POST', '/rest/v1/iam/sessions', session).pass(60_000), from, ...items).pass(30_000);
}

function publish(trial: Trial, from: string, ...items: readonly object[]): Trial {
  trial.send({ type: 'stream.published', from, body: { epoch: 1, items } });
  return trial;
}

const dialog = { dialogid: 'd', inviteid: 'i', domains: ['root.test'], status: 'dialog', legs: [{ callid: 'c' }] };
const ended = { event: { class: 'callevents', name: 'dlg_end', data: { inviteid: 'i' } } };

test('calls-listed: a call that goes on is in the list of its domain', (t) => {
  const talk = () => published(callsListed, b2b, { dialog });
  const list = (trial: Trial, body: readonly object[] = []) => ask(trial, 'GET', '/rest/v1/uc/calls', { body });
  t.is(list(talk(), [{ dialogid: 'd' }]).verdict, 'pass');
  t.regex(list(talk()).failures.join(), /hq does not list call d of root.test/);
  t.is(list(publish(talk(), b2b, { gone: 'd' })).verdict, 'unknown');
  t.is(list(publish(talk(), b2b, ended)).verdict, 'unknown');
  const bye = talk();
  bye.send({ type: 'sip', body: { kind: 'request', method: 'BYE', callid: 'c' } });
  t.is(list(bye).verdict, 'unknown');
  t.is(list(talk().see('instance.status', { instance: b2b, status: 'starting' })).verdict, 'unknown');
  const cut = talk().see('fault.inflicted', { fault: 1, verb: 'cut', args: [] });
  cut.see('fault.mended', { fault: 1, verb: 'cut', args: [], isRefused: false });
  t.is(list(cut.pass(2_000)).verdict, 'unknown');
  t.is(list(cut.pass(60_000)).verdict, 'fail');
});

test('conferences-listed: a conference is in the list of its domain while a participant is there', (t) => {
  const event = (name: string, participantid?: string) => ({
    event: { class: 'confevents', name, domains: ['root.test'], data: { confid: 'f', participantid } },
  });
  const begun = (...more: readonly object[]) =>
    published(conferencesListed, conf, event('conf_start'), event('part_start', 'p'), ...more);
  const list = (trial: Trial, body: readonly object[] = []) => ask(trial, 'GET', '/rest/v1/uc/conferences', { body });
  t.is(list(begun(), [{ confid: 'f' }]).verdict, 'pass');
  t.regex(list(begun()).failures.join(), /hq does not list conference f of root.test/);
  t.is(list(begun(event('part_start', 'q'), event('part_stop', 'p'))).verdict, 'fail');
  t.is(list(begun(event('part_stop', 'p'))).verdict, 'unknown');
  t.is(list(published(conferencesListed, conf, event('conf_start'))).verdict, 'unknown');
});
