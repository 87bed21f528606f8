/** Counts the occurrences that the event matchers of a scenario describe. */
import type { ClusterMap, InstanceEntry } from '../../../src/model/cluster/cluster-map.ts';
import type { Envelope } from '../../../src/model/cluster/envelope.ts';
import type { PlatformEvent, StreamItem } from '../../../src/model/protocol/messages/stream.ts';
import type { SipMessage } from '../../../src/model/sip/message.ts';
import type { Observation, ObservationFilter, ObservationKind, ObservationOf } from '../../observation/observation.ts';
import type { OracleRunner } from '../../oracles/oracle-runner.ts';
import { isPhoneNamed, isProviderNamed, phonesOf, providersOf } from '../../outside/population.ts';
import type { World } from '../../world/world.ts';
import type { EventMatcher } from '../language/event-matcher.ts';

/** `places`: the names under which observations refer to the place. */
type PlacedMatcher = EventMatcher & { readonly places: readonly string[] | undefined };

/** A match: when it was seen, and what: an event of the platform, or else an observation. */
export interface Seen {
  readonly atMs: number;
  readonly event?: PlatformEvent | undefined;
  readonly observation?: Observation | undefined;
}

/** The observations to subscribe to, and the matches in one of them. */
interface Subscription {
  readonly wanted: ObservationFilter;
  readonly matchesIn: (observation: Observation) => readonly Seen[];
}

/** @internal */
export class EventMatchers {
  readonly #world: World;
  readonly #watch: OracleRunner | undefined;

  constructor(world: World, watch?: OracleRunner) {
    this.#world = world;
    this.#watch = watch;
  }

  /**
   * Calls `onSeen` for each match in `past` observations, then for each from now on. A condition that already holds
   * (`settled`) counts at once.
   */
  watch(matcher: EventMatcher, onSeen: (seen: Seen) => void, past: readonly Observation[] = []): () => void {
    const now = () => onSeen({ atMs: this.#world.now() });
    if (matcher.oracle !== undefined) return this.#watchOracle(matcher.oracle, now);
    if (matcher.settled !== undefined) return this.#watchSettled(now);
    const { wanted, matchesIn } = subscriptionOf({ ...matcher, places: placesNamed(this.#world.map, matcher.at) });
    const look = (observation: Observation) => {
      for (const seen of matchesIn(observation)) onSeen(seen);
    };
    for (const observation of past) if (isWanted(observation, wanted)) look(observation);
    return this.#world.observe<ObservationKind>(look, wanted);
  }

  /** Calls `onSeen` once, when the matcher has matched as often as its `times` says. */
  await(matcher: EventMatcher, onSeen: () => void): () => void {
    let left = matcher.times ?? 1;
    const stop = this.watch(matcher, () => {
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

function subscriptionOf(matcher: PlacedMatcher): Subscription {
  const { event, message, state, log, answer } = matcher;
  if (event !== undefined) return eventSubscription(event, matcher);
  if (message === 'sip') return look(['outside.sent'], (seen) => isMessage(seen, matcher));
  if (message !== undefined)
    return {
      wanted: { kinds: ['envelope.sent'], types: [message] },
      matchesIn: (observation) => (isEnvelope(observation, matcher) ? [seenIn(observation)] : []),
    };
  if (state !== undefined) return look(['entity.state'], (seen) => isState(seen, matcher));
  if (log !== undefined) return look(['logged'], (seen) => seen.event === log && isAt(matcher, placesIn(seen.fields)));
  if (answer !== undefined) return look(['request.answered'], (seen) => isAnswer(seen, matcher));
  return look(['instance.status'], ({ instance, status }) => status === matcher.status && isAt(matcher, [instance]));
}

function look<K extends Observation['kind']>(kinds: K[], isIt: (seen: ObservationOf<K>) => boolean): Subscription {
  return {
    wanted: { kinds },
    matchesIn: (observation) => (isIt(observation as unknown as ObservationOf<K>) ? [seenIn(observation)] : []),
  };
}

function seenIn(observation: Observation): Seen {
  return { atMs: observation.atMs, observation };
}

/** Whether a subscription would have received an observation. */
function isWanted(observation: Observation, { kinds, types }: ObservationFilter): boolean {
  if (kinds?.includes(observation.kind) === false) return false;
  return types === undefined || !('envelope' in observation) || types.includes(observation.envelope.type);
}

/** A source sends each numbered item to several callstores; only the first counts. */
function eventSubscription(event: string, matcher: PlacedMatcher): Subscription {
  const counted = new Map<string, number>();
  const isIt = (item: StreamItem) => item.event?.name === event || `${item.event?.class}.${item.event?.name}` === event;
  return {
    wanted: { kinds: ['envelope.sent'], types: ['stream.published'] },
    matchesIn: (observation) => {
      if (observation.kind !== 'envelope.sent') return [];
      const { atMs } = observation;
      const { from, body } = observation.envelope;
      const { epoch, items } = body as { epoch: number; items: readonly StreamItem[] };
      const source = `${from} ${epoch}`;
      const fresh = items.filter(({ n }) => n > (counted.get(source) ?? 0));
      const last = fresh.at(-1);
      if (last !== undefined) counted.set(source, last.n);
      return isAt(matcher, [from]) ? fresh.filter(isIt).map((item) => ({ atMs, event: item.event })) : [];
    },
  };
}

function isEnvelope(observation: Observation, matcher: PlacedMatcher): boolean {
  if (observation.kind !== 'envelope.sent') return false;
  const { from, to, body } = observation.envelope satisfies Envelope;
  return isAt(matcher, [from, to]) && isSip((body ?? {}) as Partial<SipMessage>, matcher);
}

function isMessage({ from, to, message }: ObservationOf<'outside.sent'>, matcher: PlacedMatcher): boolean {
  return isAt(matcher, [from, to]) && isSip(message, matcher);
}

function isSip(message: Partial<SipMessage>, { method, status }: EventMatcher): boolean {
  if (method !== undefined && message.method !== method) return false;
  if (status === undefined) return method === undefined || message.kind !== 'response';
  return message.kind === 'response' && message.status === Number(status);
}

/** A state counts when the machine enters it, not when something happens in it. */
function isState(entity: ObservationOf<'entity.state'>, matcher: PlacedMatcher): boolean {
  const { owner, machine, state = 'gone', before = '' } = entity;
  if (matcher.machine !== undefined && machine !== matcher.machine) return false;
  const isIn = (name: string) => name === matcher.state || name.startsWith(`${matcher.state}.`);
  return isIn(state) && !isIn(before) && isAt(matcher, [owner]);
}

function isAnswer(
  { site, method, target, status }: ObservationOf<'request.answered'>,
  matcher: PlacedMatcher,
): boolean {
  if (matcher.method !== undefined && method !== matcher.method) return false;
  if (matcher.status !== undefined && status !== Number(matcher.status)) return false;
  return target.startsWith(matcher.answer ?? '') && isAt(matcher, [site]);
}

function placesIn(fields: Readonly<Record<string, unknown>>): string[] {
  return Object.values(fields).filter((value) => typeof value === 'string');
}

/** Whether one of the addresses is at the named place: one of its parts, or its role. */
function isAt({ places }: PlacedMatcher, addresses: readonly string[]): boolean {
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
