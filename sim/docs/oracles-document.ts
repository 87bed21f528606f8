/** The reference of the oracles: what must hold in every run. */
import { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import { topologySchema } from '../../src/model/topology/schema.ts';
import { oracles } from '../oracles/all.ts';
import { type Bounds, boundsOf } from '../oracles/bounds.ts';

/** What each bound is for. */
const reasons: Readonly<Record<keyof Bounds, string>> = {
  quickMs: 'a message and its answer while nothing is broken: milliseconds, but a process may be busy with others',
  promptMs: 'a few of them, one after the other',
  noticedMs: 'a node that is silent is missed everywhere, and its successors serve: pings, `takeoverMs`',
  streamCatchUpMs: 'a stream consumer has the items that were lost on their way: twice `streamCheckMs`',
  subscriberCatchUpMs:
    'a subscriber has an event that was lost between its source and callstore, and between callstore and the front: twice `streamCheckMs`, twice `followRenewMs`',
  orphanedCallMs: 'the rest of a call whose other side was lost silently: `sessionExpiresMs`, BYE, CANCEL',
  orphanedLegMs: 'the same of any leg: also of a participant whose INVITE is never answered, which rings, then CANCEL',
  copiedMs: 'a copy of domain data has what the master has: `dataPullMs`',
  closedMs: 'a ws instance knows which sessions are closed, though one message was lost: twice `sessionSyncMs`',
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

const kinds = { useCase: 'use case', drill: 'drill' } as const;

export function oraclesDocument(): string {
  const bounds = Object.entries(boundsOf(usual)) as [keyof Bounds, number][];
  return `# Oracles

Generated from \`sim/oracles\` by \`npm run docs\`. Each oracle is one rule that must hold in every run of a scenario, virtual and
live, whatever fails. Oracles observe the messages between instances, the states of entities, the messages of phones and providers,
and the active faults. When the cluster is quiescent (no load, no call, no active fault) they also read what each instance holds,
and send requests to every front. A scenario picks some by \`always: [name, …]\`. Those marked *use case* use the cluster themselves
then, with calls and changes of data: a campaign plays some in each run, and a scenario where
\`useCases\` or \`always\` asks for them. A *drill*
does the same while one thing is broken, and after; a campaign plays some in each run, and a scenario where \`drills\` says how many, or
\`always\` names them. Of the fault points only those fire then of which nothing is to be noticed, such as short pages.

A verdict is *pass*, *fail*, or *unknown*: the rule was never exercised. A rule that may take time is judged only when the cluster was
stable for that long: no fault was active, no instance started or ended, and all nodes reached each other.

| Oracle | Rule |
|---|---|
${oracles.map(({ name, rule, plays }) => `| ${name}${plays === undefined ? '' : ` (${kinds[plays]})`} | ${rule} |`).join('\n')}

What an oracle does not judge, why, and what judges it instead:

${oracles.flatMap(({ name, exclusions }) => (exclusions === undefined ? [] : [`- **${name}**: ${exclusions}`])).join('\n')}

Bounds, derived from the timings of the topology (here the defaults) and the [limits](limits.md):

| Bound | ms | For |
|---|---|---|
${bounds.map(([name, ms]) => `| ${name} | ${ms.toLocaleString('en')} | ${reasons[name]} |`).join('\n')}
`;
}
