/** Counts the occurrences that the event matchers of a scenario describe. */
import type { ClusterMap, InstanceEntry } from '../../../src/model/cluster-map.ts';
import type { Envelope } from '../../../src/model/envelope.ts';
import type { StreamItem } from '../../../src/model/protocol/stream.ts';
import type { SipMessage } from '../../../src/model/sip/message.ts';
import type { Observation, ObservationOf, Wanted } from '../../oracles/observation.ts';
import type { Watch } from '../../oracles/watch.ts';
import { isPhoneNamed, isProviderNamed, phonesOf, providersOf } from '../../outside/population.ts';
import type { World } from '../../world/world.ts';
import type { Sight } from '../language/observations.ts';

/** `places`: the names under which observations refer to the place. */
type PlacedSight = Sight & { readonly places: readonly string[] | undefined };

/** The observations to subscribe to, and how many matches one of them has. */
interface Look {
  readonly wanted: Wanted;
  readonly count: (observation: Observation) => number;
}

export class Sights {
  readonly #world: World;
  readonly #watch: Watch | undefined;

  constructor(world: World, watch?: Watch) {
    this.#world = world;
    this.#watch = watch;
  }

  /** Calls `onSeen` for each match from now on. A condition that already holds (`settled`) counts at once. */
  watch(sight: Sight, onSeen: () => void): () => void {
    if (sight.oracle !== undefined) return this.#watchOracle(sight.oracle, onSeen);
    if (sight.settled !== undefined) return this.#watchSettled(onSeen);
    const { wanted, count } = lookOf({ ...sight, places: placesNamed(this.#world.map, sight.at) });
    return this.#world.observe((observation) => {
      for (let n = count(observation); n > 0; n -= 1) onSeen();
    }, wanted);
  }

  /** Calls `onSeen` once, when the matcher has matched as often as its `times` says. */
  await(sight: Sight, onSeen: () => void): () => void {
    let left = sight.times ?? 1;
    const stop = this.watch(sight, () => {
      left -= 1;
      if (left === 0) onSeen();
    });
    return stop;
  }

  #watchOracle(name: string, onSeen: () => void): () => void {
    return this.#watch?.onFailure((oracle) => oracle === name && onSeen()) ?? (() => {});
  }

  #watchSettled(onSeen: () => void): () => void {
    const { cluster, clock } = this.#world;
    let wasSettled = false;
    const look = () => {
      const isSettled = cluster.isSettled;
      if (isSettled && !wasSettled) onSeen();
      wasSettled = isSettled;
    };
    const first = clock.setTimer(0, look);
    const stop = cluster.onChange(look);
    return () => {
      first.cancel();
      stop();
    };
  }
}

function lookOf(sight: PlacedSight): Look {
  const { event, message, state, log, answer } = sight;
  if (event !== undefined) return lookForEvent(event, sight);
  if (message === 'sip') return look(['outside.sent'], (seen) => isMessage(seen, sight));
  if (message !== undefined)
    return { wanted: { kinds: ['envelope.sent'], types: [message] }, count: byEnvelope(sight) };
  if (state !== undefined) return look(['entity.state'], (seen) => isState(seen, sight));
  if (log !== undefined) return look(['logged'], (seen) => seen.event === log && isAt(sight, placesIn(seen.fields)));
  if (answer !== undefined) return look(['request.answered'], (seen) => isAnswer(seen, sight));
  return look(['instance.status'], ({ instance, status }) => status === sight.status && isAt(sight, [instance]));
}

function look<K extends Observation['kind']>(kinds: K[], isIt: (seen: ObservationOf<K>) => boolean): Look {
  return { wanted: { kinds }, count: (observation) => Number(isIt(observation as unknown as ObservationOf<K>)) };
}

/** A source sends each numbered item to several callstores; only the first counts. */
function lookForEvent(event: string, sight: PlacedSight): Look {
  const told = new Map<string, number>();
  const isIt = (item: StreamItem) => item.event?.name === event || `${item.event?.class}.${item.event?.name}` === event;
  return {
    wanted: { kinds: ['envelope.sent'], types: ['stream.told'] },
    count: (observation) => {
      if (observation.kind !== 'envelope.sent') return 0;
      const { from, body } = observation.envelope;
      const { epoch, items } = body as { epoch: number; items: readonly StreamItem[] };
      const source = `${from} ${epoch}`;
      const fresh = items.filter(({ n }) => n > (told.get(source) ?? 0));
      const last = fresh.at(-1);
      if (last !== undefined) told.set(source, last.n);
      return isAt(sight, [from]) ? fresh.filter(isIt).length : 0;
    },
  };
}

function byEnvelope(sight: PlacedSight): Look['count'] {
  return (observation) => {
    if (observation.kind !== 'envelope.sent') return 0;
    const { from, to, body } = observation.envelope satisfies Envelope;
    return Number(isAt(sight, [from, to]) && isSip((body ?? {}) as Partial<SipMessage>, sight));
  };
}

function isMessage({ from, to, message }: ObservationOf<'outside.sent'>, sight: PlacedSight): boolean {
  return isAt(sight, [from, to]) && isSip(message, sight);
}

function isSip(message: Partial<SipMessage>, { method, status }: Sight): boolean {
  if (method !== undefined && message.method !== method) return false;
  if (status === undefined) return method === undefined || message.kind !== 'response';
  return message.kind === 'response' && message.status === Number(status);
}

/** A state counts when the machine enters it, not when something happens in it. */
function isState(entity: ObservationOf<'entity.state'>, sight: PlacedSight): boolean {
  const { owner, machine, state = 'gone', before = '' } = entity;
  if (sight.machine !== undefined && machine !== sight.machine) return false;
  const isIn = (name: string) => name === sight.state || name.startsWith(`${sight.state}.`);
  return isIn(state) && !isIn(before) && isAt(sight, [owner]);
}

function isAnswer({ site, method, target, status }: ObservationOf<'request.answered'>, sight: PlacedSight): boolean {
  if (sight.method !== undefined && method !== sight.method) return false;
  if (sight.status !== undefined && status !== Number(sight.status)) return false;
  return target.startsWith(sight.answer ?? '') && isAt(sight, [site]);
}

function placesIn(fields: Readonly<Record<string, unknown>>): string[] {
  return Object.values(fields).filter((value) => typeof value === 'string');
}

/** Whether one of the addresses is at the named place: one of its parts, or its role. */
function isAt({ places }: PlacedSight, addresses: readonly string[]): boolean {
  if (places === undefined) return true;
  return addresses.some((address) => {
    const parts = address.split('/');
    const isNamed = (place: string) =>
      address === place || parts.includes(place) || parts.at(-1)?.startsWith(`${place}-`);
    return places.some(isNamed);
  });
}

/** The place of a phone or provider is its endpoint. */
function placesNamed(map: ClusterMap, at: string | undefined): readonly string[] | undefined {
  if (at === undefined) return undefined;
  const outside = [
    ...phonesOf(map).filter((phone) => isPhoneNamed(phone, at)),
    ...providersOf(map).filter((provider) => isProviderNamed(provider, at)),
  ];
  const numbered = [...map.instances.values()].filter(({ srvidx }) => String(srvidx) === at);
  return [at, ...numbered.map(({ name }) => name), ...outside.map(({ endpoint }) => endpoint), ...edgesNamed(map, at)];
}

/** Endpoints of the edges at a place. */
function edgesNamed(map: ClusterMap, at: string): string[] {
  const edges = [...map.instancesOf('sg'), ...map.instancesOf('esg')];
  const isThere = ({ address, name, role, site, node }: InstanceEntry) =>
    [address, name, role, site, node].some((each) => each === at);
  return edges.filter(isThere).map((edge) => map.endpointOf(edge));
}
