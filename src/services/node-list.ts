/**
 * Nodes as the interface shows them: a `supervisor` for each server, and a `role` node for each of its role instances.
 * (fields public; values of unreachable nodes chosen)
 */
import { unreachableFault } from '../cluster/messaging/ask-in-order.ts';
import type { RoleScope } from '../cluster/role.ts';
import type { NodeAddress } from '../model/cluster/address.ts';
import type { InstanceEntry, NodeEntry } from '../model/cluster/cluster-map.ts';
import { type Fault, FaultError, fault } from '../model/fault.ts';
import type { ReplyOf } from '../model/protocol/catalogue.ts';
import { isoTime } from '../model/time.ts';
import { InjectedCrash } from '../ports/instrumentation/fault-points.ts';
import type { LogLevel } from '../ports/log.ts';

/** The log level that is shown of a node out of reach: the one of a new node. */
const unknownLevel = 'debug';

export interface NodeRow {
  readonly name: string;
  readonly fullName: string;
  readonly ipAddress: string;
  readonly site: string;
  readonly server: string;
  readonly isSystem: boolean;
  readonly type: 'supervisor' | 'role';
  /** ISO 8601; null while unreachable. */
  readonly dtStart: string | null;
  readonly upTimeSec: number | null;
  /** `active`, `standby`, `starting`, `draining`, `stopped`, or `unreachable` from this site. */
  readonly status: string;
  readonly maxLogLevel: LogLevel;
  readonly roles: readonly string[];
  /** Null for a supervisor. */
  readonly srvIdx: number | null;
}

/** All nodes of the cluster, in topology order. */
export async function listNodes(scope: RoleScope): Promise<NodeRow[]> {
  const nodes = [...scope.map.nodes.values()];
  const described = await Promise.all(nodes.map((node) => describe(scope, node)));
  return nodes.flatMap((node, i) => rowsOf(scope, node, described[i]));
}

export async function findNode(scope: RoleScope, name: string): Promise<NodeRow> {
  const { node } = named(scope, name);
  const row = rowsOf(scope, node, await describe(scope, node)).find((each) => each.name === name);
  if (row === undefined) throw noSuch(name);
  return row;
}

/** Terminates a server or a role instance. Throws `unreachable` when it certainly still runs. */
export async function terminateNode(scope: RoleScope, name: string): Promise<void> {
  const { node, instance } = named(scope, name);
  if (instance === scope.instance) return terminateSelf(scope);
  const deadlineMs = scope.clock.now() + scope.map.topology.timings.edgeWaitMs;
  const outcome =
    instance === undefined
      ? await scope.ask(node.address, 'node.terminate', {}, { deadlineMs })
      : await scope.ask(node.address, 'instance.terminate', { name }, { deadlineMs });
  if (!outcome.ok) throw new FaultError(namingNode(outcome.fault, node.address, scope.instance.site));
}

/** Sets the log level of a server or a role instance. Throws `unreachable` if it was certainly not changed. */
export async function setLogLevel(scope: RoleScope, name: string, level: LogLevel): Promise<NodeRow> {
  const { node } = named(scope, name);
  const deadlineMs = scope.clock.now() + scope.map.topology.timings.edgeWaitMs;
  const outcome = await scope.ask(node.address, 'node.log_level', { name, level }, { deadlineMs });
  if (!outcome.ok) throw new FaultError(namingNode(outcome.fault, node.address, scope.instance.site));
  return findNode(scope, name);
}

/** Terminates the instance that answers, after its answer. */
function terminateSelf({ clock, crash }: RoleScope): void {
  clock.setTimer(0, () => crash(new InjectedCrash('terminated through the interface')));
}

type Description = ReplyOf<'node.describe'> | undefined;

async function describe({ ask, clock, map, view }: RoleScope, node: NodeEntry): Promise<Description> {
  if (!view.isReachable(node.name)) return undefined;
  const deadlineMs = clock.now() + map.topology.timings.edgeWaitMs;
  const outcome = await ask(node.address, 'node.describe', {}, { deadlineMs });
  return outcome.ok ? outcome.value : undefined;
}

function rowsOf({ clock }: RoleScope, node: NodeEntry, described: Description): NodeRow[] {
  const common = { ipAddress: node.ip, site: node.site, server: node.name };
  const life = (status: string | undefined, startedMs: number | undefined) => ({
    dtStart: startedMs ? isoTime(startedMs) : null,
    upTimeSec: startedMs ? Math.floor((clock.now() - startedMs) / 1_000) : null,
    status: status ?? 'unreachable',
  });
  const status = described?.status === 'serving' ? 'active' : described?.status;
  const supervisor = { name: node.name, fullName: `${node.name}@${node.ip}`, roles: [], srvIdx: null };
  const rows: NodeRow[] = [
    {
      ...supervisor,
      ...common,
      maxLogLevel: described?.maxLogLevel ?? unknownLevel,
      isSystem: true,
      type: 'supervisor',
      ...life(status, described?.startedMs),
    },
  ];
  for (const { name, role, srvidx } of node.instances) {
    const found = described?.instances.find((each) => each.name === name);
    const identity = { name, fullName: `${name}@${node.ip}`, roles: [role], srvIdx: srvidx };
    const maxLogLevel = found?.maxLogLevel ?? unknownLevel;
    rows.push({
      ...identity,
      ...common,
      maxLogLevel,
      isSystem: false,
      type: 'role',
      ...life(found?.status, found?.startedMs),
    });
  }
  return rows;
}

function named(scope: RoleScope, name: string): { node: NodeEntry; instance: InstanceEntry | undefined } {
  for (const node of scope.map.nodes.values()) {
    if (node.name === name) return { node, instance: undefined };
    const instance = node.instances.find((each) => each.name === name);
    if (instance !== undefined) return { node, instance };
  }
  throw noSuch(name);
}

function noSuch(name: string): FaultError {
  return new FaultError(fault('not_found', `no node named "${name}"`));
}

function namingNode(reason: Fault, address: NodeAddress, site: string): Fault {
  return reason.code === 'unreachable' ? unreachableFault(address, site) : reason;
}
