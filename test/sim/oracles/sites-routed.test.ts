/** The oracle of sites that reach each other by the master site. */
import { sitesRouted } from '../../../sim/oracles/rules/routes/sites-routed.ts';
import { test } from '../../kit/test.ts';
import { Trial } from './trial.ts';

const ask = { id: 'a1', owner: 'north/n1/mware-214', to: 'south/s1/callstore-316', type: 'callstore.list' };
const unreachable = { code: 'unreachable', message: 'no way', definite: true, origin: 'here' } as const;
const noticedMs = 60_000;

function cut(to: string): Trial {
  const between = { from: 'north', to };
  return new Trial(sitesRouted).see('fault.inflicted', { fault: 1, verb: 'cut', args: [between] });
}

const asks = (trial: Trial, isReached: boolean) =>
  trial.see('ask.ended', { node: 'n1', ask, fault: isReached ? undefined : unreachable }).verdict;

test('sites-routed: an instance that is not reached while only the direct way is cut fails', (t) => {
  t.is(asks(cut('south').pass(noticedMs), true), 'pass');
  t.is(asks(cut('south').pass(noticedMs), false), 'fail');
});

test('sites-routed: what is not noticed yet, the master site, and what else is broken say nothing', (t) => {
  t.is(asks(cut('south').pass(1_000), false), 'unknown');
  t.is(asks(cut('hq').pass(noticedMs), false), 'unknown');
  const other = cut('south').see('fault.inflicted', { fault: 2, verb: 'lose', args: [{ from: 'hq' }] });
  t.is(asks(other.pass(noticedMs), false), 'unknown');
  const ended = cut('south').see('fault.mended', { fault: 1, verb: 'cut', args: [], isRefused: false });
  t.is(asks(ended.pass(noticedMs), false), 'unknown');
  const crashed = cut('south')
    .pass(noticedMs)
    .see('instance.crashed', { instance: ask.to, reason: 'a test', cause: 'injected' });
  t.is(asks(crashed.pass(100), false), 'unknown');
});
