/** Nodes that may be silent, and where a drill asks meanwhile. */
import type { NodeEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import type { QuestionAnswer } from '../../../questions.ts';
import type { Judge } from '../../use-cases/kit/use-case.ts';
import type { Drill } from './drill.ts';

export interface SilentNode {
  readonly node: NodeEntry;
  /** Sites whose front is on another node, in the order of the topology. */
  readonly sites: readonly string[];
  /** Messages between sites may go through it. */
  readonly isGateway: boolean;
}

/** The node as one that may be silent; `undefined`: no other front is open. */
export function silentNode(drill: Drill, name: string): SilentNode | undefined {
  const node = drill.context.map.node(name);
  const sites = drill.sites.filter((site) => frontNodeOf(drill, site) !== name);
  if (sites.length === 0) return undefined;
  return { node, sites, isGateway: node.instances.some(({ role }) => role === 'rpco') };
}

/** All of them, in an order that differs from run to run. */
export function silentNodes(drill: Drill): SilentNode[] {
  return drill.turned([...drill.context.map.nodes.keys()].flatMap((name) => silentNode(drill, name) ?? []));
}

/** The node of the front that answers at a site. */
function frontNodeOf({ context: { map, statusOf } }: Drill, site: string): string | undefined {
  return map.instancesOf('ws').find((front) => front.site === site && statusOf(front) !== undefined)?.node;
}

export interface Timed {
  readonly answer: QuestionAnswer | undefined;
  readonly tookMs: number;
}

/** An answer, and how long it took. */
export async function timed(drill: Drill, ...asked: Parameters<Drill['ask']>): Promise<Timed> {
  const { now } = drill.context;
  const beganMs = now();
  const answer = await drill.ask(...asked);
  return { answer, tookMs: now() - beganMs };
}

/** The answer is right, and came in time. */
export function inTime({ tookMs }: Timed, mostMs: number, judge: Judge): Judge {
  return (answer) => judge(answer) ?? (tookMs <= mostMs ? undefined : `answered after ${tookMs} ms, at most ${mostMs}`);
}
