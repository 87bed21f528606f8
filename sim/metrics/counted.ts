/** The counters of a world: each observation of some kinds adds one. They begin at zero with each world. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { InstanceEntry } from '../../src/model/cluster/cluster-map.ts';
import { declaredOf } from '../oracles/rules/kit/declared-operations.ts';
import type { World } from '../world/world.ts';
import { ActiveFaults, activeFaultKinds } from './active-faults.ts';

/** Paths without a route have one name, so that a client cannot add series. */
const noOperation = 'other';
const secondsBuckets = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30];

/** Counts what is observed in `world` into `registry`. Returns the function that stops it. */
export function countObservations(registry: Registry, world: World): () => void {
  const ofNodes = [countRequests, countMessages, countElections, countCrashes];
  // Nodes that are processes count for themselves: their supervisor counts what only it sees.
  const counts = world.here === undefined ? [countFaults] : [...ofNodes, countFaults];
  const stops = counts.flatMap((count) => count(registry, world));
  return () => {
    for (const stop of stops) stop();
  };
}

function countRequests(registry: Registry, world: World): (() => void)[] {
  const requests = new Counter({
    name: 'strowger_http_requests_total',
    help: 'Requests at the fronts by operation and status; status 0: the connection was dropped instead of an answer.',
    labelNames: ['site', 'operation', 'status'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'strowger_http_request_duration_seconds',
    help: 'Time from a request to its answer, by the clock of the cluster.',
    labelNames: ['operation'],
    buckets: secondsBuckets,
    registers: [registry],
  });
  return [
    world.observe<'front.answered'>(
      ({ site, method, path, status, tookMs }) => {
        const operation = declaredOf(method === 'HEAD' ? 'GET' : method, path)?.name ?? noOperation;
        requests.inc({ site, operation, status });
        durations.observe({ operation }, tookMs / 1_000);
      },
      { kinds: ['front.answered'] },
    ),
  ];
}

function countMessages(registry: Registry, world: World): (() => void)[] {
  const fanOuts = counter(registry, 'fan_outs', 'Operations that asked several instances at once, by message.', 'type');
  const unanswered = counter(registry, 'fan_out_unanswered', 'Instances that gave no answer to a fan-out.', 'type');
  const asks = new Counter({
    name: 'strowger_asks_total',
    help: 'Asks between instances that have ended, by message and outcome: ok, or the code of a fault.',
    labelNames: ['type', 'outcome'],
    registers: [registry],
  });
  const dead = counter(registry, 'dead_letters', 'Messages that were dropped, by reason.', 'reason');
  const events = counter(registry, 'rare_events', 'Rare events that an instance or a node counted, by name.', 'event');
  return [
    world.observe<'fan-out.ended'>(
      (ended) => {
        fanOuts.inc({ type: ended.type });
        unanswered.inc({ type: ended.type }, ended.unanswered);
      },
      { kinds: ['fan-out.ended'] },
    ),
    world.observe<'ask.ended'>(({ ask: { type }, fault }) => asks.inc({ type, outcome: fault?.code ?? 'ok' }), {
      kinds: ['ask.ended'],
    }),
    world.observe<'envelope.dead'>(({ reason }) => dead.inc({ reason }), { kinds: ['envelope.dead'] }),
    world.observe<'counted'>(({ name }) => events.inc({ event: name }), { kinds: ['counted'] }),
  ];
}

function countElections(registry: Registry, world: World): (() => void)[] {
  const elections = counter(
    registry,
    'elections',
    'Standby members of a group that became active. Beyond the first of a group, each is a failover.',
    'instance',
  );
  const standby = new Set(standbyIn(world));
  return [
    world.observe<'instance.status'>(
      ({ instance, status }) => {
        if (status === 'active' && standby.has(instance)) elections.inc({ instance });
        if (status === 'standby') standby.add(instance);
        else standby.delete(instance);
      },
      { kinds: ['instance.status'] },
    ),
  ];
}

function countCrashes(registry: Registry, world: World): (() => void)[] {
  const crashes = crashesIn(registry);
  return [
    world.observe<'instance.crashed'>(({ instance: address, cause }) => crashes.inc({ address, cause }), {
      kinds: ['instance.crashed'],
    }),
  ];
}

/** Faults, and the nodes that end by them or by themselves. */
function countFaults(registry: Registry, world: World): (() => void)[] {
  const crashes = crashesIn(registry);
  const active = new Gauge({ name: 'strowger_faults_active', help: 'Injected faults.', registers: [registry] });
  const faults = new ActiveFaults();
  return [
    world.observe<'node.ended'>(
      ({ node, isGraceful }) => {
        const address = `${world.map.nodes.get(node)?.site}/${node}`;
        if (!isGraceful) crashes.inc({ address, cause: faults.hasEnded(node) ? 'injected' : 'bug' });
      },
      { kinds: ['node.ended'] },
    ),
    world.observe<(typeof activeFaultKinds)[number]>(
      (observation) => {
        faults.see(observation);
        active.set(faults.size);
      },
      { kinds: activeFaultKinds },
    ),
  ];
}

function crashesIn(registry: Registry): Counter<'address' | 'cause'> {
  const name = 'strowger_crashes_total';
  const known = registry.getSingleMetric(name) as Counter<'address' | 'cause'> | undefined;
  return (
    known ??
    new Counter({
      name,
      help: 'Role instances and nodes that crashed; cause: bug, or injected by a fault.',
      labelNames: ['address', 'cause'],
      registers: [registry],
    })
  );
}

/** The addresses of the instances that are on standby now. */
function standbyIn({ map, here }: World): string[] {
  const isStandby = ({ node, name }: InstanceEntry) => here?.node(node)?.instance(name)?.status === 'standby';
  return [...map.instances.values()].filter(isStandby).map(({ address }) => address);
}

function counter<L extends string>(registry: Registry, name: string, help: string, label: L): Counter<L> {
  return new Counter({ name: `strowger_${name}_total`, help, labelNames: [label], registers: [registry] });
}
