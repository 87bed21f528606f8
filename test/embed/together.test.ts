/** Many clusters of one process, driven in parallel. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { startCluster } from '../../sim/embed/test-cluster.ts';
import { holds, sized } from '../kit/property.ts';
import { test } from '../kit/test.ts';
import { writeFile } from '../topology/edits.ts';
import { credentials } from './kit.ts';

const worlds = sized(20, 50);

/** What a call needs, so that many start fast, and a second node, so that messages between nodes are in the trace. */
const twoNodes = `name: two
sites:
  - name: hq
    type: master_communication
    domains: [root.test]
    nodes:
      - name: h1
        ip: 10.1.0.1
        instances:
          - { role: ws, srvidx: 11 }
          - { role: rpco, srvidx: 12 }
          - { role: mdc, srvidx: 14, group: 14, order: 1 }
          - { role: sg, srvidx: 15 }
          - { role: b2b, srvidx: 16 }
          - { role: sr, srvidx: 17, group: 17, order: 1 }
          - { role: mware, srvidx: 18, group: 18, order: 1 }
          - { role: callstore, srvidx: 19, group: 19, order: 1 }
      - name: h2
        ip: 10.1.0.2
        instances:
          - { role: conf, srvidx: 21 }
domains:
  - name: root.test
  - name: acme.root.test
    users: [ { login: admin, pwd: admin, roles: [admin] } ]
    sipusers: [ { login: '1001', phonenumber: '1001' }, { login: '1002', phonenumber: '1002' } ]
`;

/** One thing that a test does; the same seed and plan always give the same trace. */
const stepArb = fc.constantFrom('call', 'advance', 'silence', 'lift', 'login', 'wrong login', 'reset');
const planArb = fc.record({
  seed: fc.nat({ max: 1_000 }),
  steps: fc.array(stepArb, { minLength: 1, maxLength: 6 }),
});
type Plan = typeof planArb extends fc.Arbitrary<infer P> ? P : never;

async function follow(topology: string, { seed, steps }: Plan): Promise<string> {
  await using cluster = await startCluster({ topology, seed, oracles: [] });
  for (const step of steps) {
    if (step === 'call')
      await cluster
        .phone('1001')
        .call('1002')
        .catch(() => {});
    if (step === 'advance') await cluster.clock.advance('500ms');
    if (step === 'silence') await cluster.faults.silence('acme.root.test/1002');
    if (step === 'lift') await cluster.faults.liftAll();
    if (step === 'login') await cluster.client({ ...credentials });
    if (step === 'wrong login') await cluster.client({ ...credentials, pwd: 'no' }).catch(() => {});
    if (step === 'reset') await cluster.reset();
    // Other clusters go on meanwhile.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return cluster.traceHash;
}

test(`${worlds} clusters in one process do not affect each other: each runs as it does alone`, async (t) => {
  const topology = writeFile(t, 'two.yaml', twoNodes);
  const plansArb = fc.array(planArb, { minLength: 5, maxLength: 5 });
  const isolated = fc.asyncProperty(plansArb, async (plans) => {
    const alone: string[] = [];
    for (const plan of plans) alone.push(await follow(topology, plan));
    const all = Array.from({ length: worlds }, (_, index) => index % plans.length);
    const together = await Promise.all(all.map((index) => follow(topology, plans[index] as Plan)));
    assert.deepEqual(
      together,
      all.map((index) => alone[index]),
    );
  });
  await holds(t, isolated, { numRuns: sized(1, 100) });
});
