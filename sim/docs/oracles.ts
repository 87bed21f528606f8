/** The reference of the oracles: what must hold in every run. */
import { ClusterMap } from '../../src/model/cluster-map.ts';
import { topologySchema } from '../../src/model/topology/schema.ts';
import { oracles } from '../oracles/all.ts';
import { type Bounds, boundsOf } from '../oracles/bounds.ts';

/** What each bound is for. */
const reasons: Readonly<Record<keyof Bounds, string>> = {
  quickMs:
    'a message and its answer where nothing is broken: milliseconds in truth, but a process may be busy with others',
  promptMs: 'a few of them, one after the other',
  noticedMs: 'a node that is silent is missed everywhere, and its successors serve: pings, `takeoverMs`',
  toldMs: 'who listens has what was told, though it was lost on its way: twice `streamCheckMs`',
  letGoMs: 'what is left of a call whose other side was lost without a word: `sessionExpiresMs`, BYE, CANCEL',
  copiedMs: 'a copy of domain data has what the master has: `dataPullMs`',
  closedMs:
    'a ws instance knows which sessions are closed, though that was lost on its way once: twice `sessionSyncMs`',
  comparedMs: 'copies of registrations are alike: `bindingsCheckMs`',
};

/** A cluster with the timings that are used where a topology says nothing. */
const usual = new ClusterMap(
  topologySchema.parse({
    name: 'usual',
    sites: [
      {
        name: 'one',
        type: 'master_communication',
        domains: ['root.test'],
        nodes: [{ name: 'a', ip: '10.0.0.1', instances: [{ role: 'rpco', srvidx: 1 }] }],
      },
    ],
    domains: [{ name: 'root.test' }],
  }),
);

export function oraclesDocument(): string {
  const bounds = Object.entries(boundsOf(usual)) as [keyof Bounds, number][];
  return `# Oracles

Generated from \`sim/oracles\` by \`npm run docs\`. Each is one rule that must hold whatever is broken. All of them watch every
run of a scenario, in virtual time and live, from what passes between the instances, how their entities fare, what phones and
providers hear, and which faults stand; at quiet (no load, no call, everything mended) they look at what each instance holds,
and ask through every front. A scenario picks some by \`always: [name, …]\`.

A verdict is *pass*, *fail*, or *unknown*: the rule was never put to the test. What may take time is asked for only where the
world was calm for that long: no fault stood, nobody came or went, and all saw each other.

| Oracle | Rule |
|---|---|
${oracles.map(({ name, rule }) => `| ${name} | ${rule} |`).join('\n')}

What an oracle says nothing of, why, and what looks at that instead:

${oracles.flatMap(({ name, silence }) => (silence === undefined ? [] : [`- **${name}**: ${silence}`])).join('\n')}

Bounds, derived from the timings of the topology (here the defaults) and the [limits](limits.md):

| Bound | ms | For |
|---|---|---|
${bounds.map(([name, ms]) => `| ${name} | ${ms.toLocaleString('en')} | ${reasons[name]} |`).join('\n')}
`;
}
