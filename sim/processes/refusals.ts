/**
 * The faults that a cluster of processes does not have. Between its nodes are proxies, which pass bytes: there are no messages to
 * choose from, to lose or to copy.
 */
import type { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import { FaultError, fault } from '../../src/model/fault.ts';
import { Faults, type NodeTraffic } from '../faults/faults.ts';
import { type FaultPlace, membersOf, unknownIn } from '../faults/places.ts';
import type { ScenarioFault } from '../scenario/language/fault-schema.ts';
import { candidatesOf, type WrittenPlace } from '../scenario/language/places.ts';
import { leavesIn, type ScenarioStep } from '../scenario/language/steps.ts';

const whole = ['lose', 'duplicate'] as const;
const traffic = ['cut', 'hold', 'delay', 'flap', ...whole] as const;
type TrafficVerb = (typeof traffic)[number];

/** Why there is no such fault in a cluster of processes; `undefined` if there is. */
function refusalOf(map: ClusterMap, verb: TrafficVerb, between: NodeTraffic): string | undefined {
  const no = (why: string) => `${verb}: not for a cluster of processes: ${why}`;
  if (whole.some((each) => each === verb)) return no('it needs whole messages, and a proxy passes bytes');
  if (between.messages !== undefined || between.kinds !== undefined)
    return no('"messages" and "kinds" need whole messages, and a proxy passes bytes');
  const places = [between.from, between.to ?? []].filter((place) => unknownIn(map, place) === undefined);
  const isByEnds = places.some((place) => membersOf(map, place).instances.length > 0);
  return isByEnds
    ? no('expected sites or nodes, because role instances share the connections of their node')
    : undefined;
}

/** Why a scenario cannot run in a cluster of processes: its faults that need messages, each once. */
export function refusalsIn(map: ClusterMap, steps: readonly ScenarioStep[]): string[] {
  const faults = leavesIn(steps).flatMap(({ fault: written }) => written ?? []);
  return [...new Set(faults.flatMap((written) => refusalsOf(map, written)))];
}

function refusalsOf(map: ClusterMap, written: ScenarioFault): string[] {
  return traffic.flatMap((verb) => {
    const on = written[verb];
    if (on === undefined) return [];
    const place = (each: WrittenPlace): FaultPlace => candidatesOf(map, each);
    const between = { ...on, from: place(on.from), to: on.to === undefined ? undefined : place(on.to) };
    return refusalOf(map, verb, between) ?? [];
  });
}

/** The verbs of faults. One that proxies cannot do is refused. */
export class ProcessFaults extends Faults {
  readonly #map: ClusterMap;

  constructor(...[world, outside]: ConstructorParameters<typeof Faults>) {
    super(world, outside);
    this.#map = world.map;
  }

  override cut(between: NodeTraffic) {
    this.#refuse('cut', between);
    return super.cut(between);
  }

  override hold(between: NodeTraffic) {
    this.#refuse('hold', between);
    return super.hold(between);
  }

  override delay(between: NodeTraffic, afterMs: number) {
    this.#refuse('delay', between);
    return super.delay(between, afterMs);
  }

  override flap(between: NodeTraffic, everyMs: number) {
    this.#refuse('flap', between);
    return super.flap(between, everyMs);
  }

  override lose(between: NodeTraffic, probability: number) {
    this.#refuse('lose', between);
    return super.lose(between, probability);
  }

  override duplicate(between: NodeTraffic, probability: number) {
    this.#refuse('duplicate', between);
    return super.duplicate(between, probability);
  }

  #refuse(verb: TrafficVerb, between: NodeTraffic): void {
    const refusal = refusalOf(this.#map, verb, between);
    if (refusal !== undefined) throw new FaultError(fault('invalid', refusal));
  }
}
