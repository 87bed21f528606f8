/** The oracle `records-sound`, over records as the product writes them, and with one of them spoilt. */

import { recordsSound } from '../../../sim/oracles/rules/data/records-sound.ts';
import { SeededRandom } from '../../../sim/ports/random.ts';
import { SimulatedStores } from '../../../sim/ports/store.ts';
import { VirtualClock } from '../../../sim/ports/virtual-clock.ts';
import { test } from '../../kit/test.ts';
import { Trial } from './trial.ts';

const closed = '{"type":"closed","key":"k","user":"u","openedMs":1}';
const rows: readonly { what: string; store: string; key: string; value: string; verdict: 'pass' | 'fail' }[] = [
  { what: 'a logout', store: 'ws-11', key: 'closed/k', value: closed, verdict: 'pass' },
  { what: 'a logout of another session', store: 'ws-11', key: 'closed/x', value: closed, verdict: 'fail' },
  { what: 'global variables', store: 'scripts-11', key: 'global/a', value: '{"visits":3}', verdict: 'pass' },
  { what: 'a variable that is no object', store: 'scripts-11', key: 'global/a', value: '3', verdict: 'fail' },
  { what: 'a ban', store: 'bans-11', key: '10.1.1.1', value: '{"ip":"10.1.1.1","untilMs":1}', verdict: 'pass' },
  {
    what: 'a ban of another address',
    store: 'bans-11',
    key: '10.1.1.2',
    value: '{"ip":"10.1.1.1","untilMs":1}',
    verdict: 'fail',
  },
  { what: 'rows without a head', store: 'data-133', key: 'l/000000000000001', value: '[]', verdict: 'fail' },
  { what: 'an unknown store', store: 'queues-3', key: 'a', value: 'b', verdict: 'fail' },
];

for (const { what, store, key, value, verdict } of rows) {
  test(`records-sound: ${what}: ${verdict}`, async (t) => {
    const stores = new SimulatedStores({
      clock: new VirtualClock(0),
      random: new SeededRandom(1).stream('faults'),
      latencyMs: 0,
    });
    await (await stores.of('n1').open(store)).write([{ put: key, value }]);
    const trial = new Trial(recordsSound, { disk: stores.onDisk() });
    await trial.quiesce();
    t.is(trial.verdict, verdict, trial.failures.join());
  });
}
