/** The link port: WebSockets, and the simulated network. */

import type { ExecutionContext } from 'ava';
import { PauseGate } from '../../../sim/faults/gate.ts';
import { RuledLink } from '../../../sim/faults/ruled-link.ts';
import { TrafficRules } from '../../../sim/faults/rules.ts';
import { SimulatedNetwork } from '../../../sim/ports/network.ts';
import { SeededRandom } from '../../../sim/ports/random.ts';
import { VirtualClock } from '../../../sim/ports/virtual-clock.ts';
import { systemClock } from '../../../src/adapters/system-clock.ts';
import { systemRandom } from '../../../src/adapters/system-random.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { test } from '../../kit/test.ts';
import { type LinksUnderTest, linkContract, type NodeName, nodeNames } from './contract.ts';
import { meshOf } from './mesh.ts';
import { makeWsLink, untilReal } from './ws-kit.ts';

function simulatedLinks(seed: number, { isRuled = false } = {}): LinksUnderTest {
  const clock = new VirtualClock(0);
  const random = new SeededRandom(seed).stream('network');
  const map = meshOf(nodeNames);
  const network = new SimulatedNetwork({ map, clock, random, onFrame: () => {} });
  const rules = new TrafficRules();
  const ruled = (self: NodeName) =>
    new PauseGate().link(new RuledLink({ link: network.linkOf(self), rules, map, self, clock }));
  return {
    make: (name) => (isRuled ? ruled(name) : network.linkOf(name)),
    mediumBytes: 0,
    async until(isReached) {
      for (;;) {
        await new Promise((resolve) => setImmediate(resolve));
        if (isReached()) return;
        if (!clock.runNext()) throw new Error('nothing is left to happen, and it has not come to pass');
      }
    },
  };
}

/** No farewell is cut short, however busy the machine is. */
const patientClock: Clock = {
  now: () => systemClock.now(),
  setTimer: (delayMs, fire) => systemClock.setTimer(delayMs < 100 ? delayMs : 100 * delayMs, fire),
};

function wsLinks(t: ExecutionContext): LinksUnderTest {
  const urls = new Map<string, string>();
  const make = (name: NodeName) => {
    const place = nodeNames.indexOf(name);
    return makeWsLink(t, {
      self: name,
      dials: nodeNames.slice(place + 1),
      awaits: nodeNames.slice(0, place),
      urlOf: (peer) => urls.get(peer),
      clock: patientClock,
      jitter: systemRandom.stream('jitter'),
      onListening: (url) => urls.set(name, url),
    });
  };
  return { make, mediumBytes: 32 * 1024 * 1024, until: untilReal };
}

linkContract(test, 'ws', wsLinks);
for (const seed of [1, 2, 3]) linkContract(test, `simulated, seed ${seed}`, () => simulatedLinks(seed));
linkContract(test, 'behind a gate and under rules', () => simulatedLinks(4, { isRuled: true }));
