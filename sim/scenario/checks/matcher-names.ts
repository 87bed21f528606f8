/** Checks that an event matcher can match: its event, message, machine, state and place exist. */
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import type { ClusterMap, InstanceEntry, NodeEntry } from '../../../src/model/cluster/cluster-map.ts';
import { instanceStatuses } from '../../../src/model/cluster/states.ts';
import { type EventClass, events } from '../../../src/model/events/event-catalogue.ts';
import { catalogue } from '../../../src/model/protocol/catalogue.ts';
import { expectedText, hintText, nearest } from '../../../src/model/shapes/nearest.ts';
import { sipMethods } from '../../../src/model/sip/message.ts';
import { sourceRoles } from '../../../src/replication/stream-source.ts';
import { machines } from '../../check/machine-list.ts';
import { membersOf, unknownIn } from '../../faults/places.ts';
import type { InputError } from '../../input/read-value.ts';
import { oracles } from '../../oracles/all.ts';
import { deviceMachine } from '../../outside/endpoints/device-machine.ts';
import { partyMachine } from '../../outside/endpoints/party-machine.ts';
import { isOutside, namesOutside } from '../../outside/population.ts';
import { presenceMachine } from '../../outside/presence.ts';
import type { EventMatcher } from '../language/event-matcher.ts';
import { likeText } from '../language/values.ts';
import { unknownMethod, unknownPrefix } from './interface.ts';
import { type Names, placeNames } from './names.ts';

/** Names of events by class. */
export const eventNames: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(events).map(([of, declared]) => [of, Object.keys(declared)]),
);

/** The roles whose instances publish the events of each class. A callstore publishes `dlg_dead` for the calls of a lost b2b. */
const publishers: Readonly<Record<EventClass, readonly (typeof sourceRoles)[number][]>> = {
  callevents: ['b2b', 'callstore'],
  confevents: ['conf'],
  selectorevents: ['conf'],
  ivrevents: ['ivr'],
  registrarevents: ['sr'],
  modelevents: ['sr'],
};

/** The roles whose instances can publish an event, which is written with its class or without, in the order of `sourceRoles`. */
export function publishersOf(event: string): string[] {
  const classes = Object.entries(eventNames).filter(([of, names]) =>
    names.some((name) => event === name || event === `${of}.${name}`),
  );
  const roles = new Set(classes.flatMap(([of]) => publishers[of as EventClass]));
  return sourceRoles.filter((role) => roles.has(role));
}

/** Nodes, instances and sites are matched by `status`, not by `state`. */
const unseen: ReadonlySet<string> = new Set(['node', 'supervision', 'instance', 'site']);

/** The states of each observable machine; nested states as paths; `gone` at the end of the machine. */
export const machineStates: ReadonlyMap<string, readonly string[]> = new Map(
  [...machines.filter(({ id }) => !unseen.has(id)), partyMachine, deviceMachine, presenceMachine].map((machine) => [
    machine.id,
    [...statesIn((machine as AnyStateMachine).root), 'gone'],
  ]),
);

/** Log events of level warning and above. */
export const logNames: readonly string[] = [
  'ban.refused',
  'border.rule_problem',
  'bug',
  'dead_letter',
  'instance.crashed',
  'instance.given_up',
  'instance.stop_failed',
  'matcher.failed',
  'node.start_failed',
  'outside.bug',
];

function statesIn(parent: AnyStateNode): string[] {
  const states = Object.values(parent.states) as AnyStateNode[];
  return states.flatMap((state) => [state.path.join('.'), ...statesIn(state)]);
}

/** Names in an event matcher that the product or this cluster does not have. Paths are relative to the matcher. */
export function checkMatcher(matcher: EventMatcher, names: Names): InputError[] {
  const found: readonly (readonly [field: keyof EventMatcher, problem: string | undefined])[] = [
    ['event', matcher.event && eventProblem(matcher.event)],
    ['message', matcher.message && messageProblem(matcher.message)],
    ['machine', matcher.machine && oneOf('a machine', matcher.machine, [...machineStates.keys()])],
    ['state', matcher.state && stateProblem(matcher.state, matcher.machine)],
    ['log', matcher.log && oneOf('a line of the log', matcher.log, logNames)],
    ['answer', matcher.answer && unknownPrefix(matcher.answer)],
    ['oracle', matcher.oracle && oracleProblem(matcher.oracle)],
    ['method', matcher.method && methodProblem(matcher.method, matcher)],
    ['status', statusProblem(matcher)],
    ['at', matcher.at && placeProblem(matcher.at, matcher, names)],
  ];
  return found.flatMap(([field, message]) =>
    message === undefined || message === '' ? [] : [{ path: [field], message }],
  );
}

export function oracleProblem(name: string): string | undefined {
  return oneOf(
    'an oracle',
    name,
    oracles.map((oracle) => oracle.name),
  );
}

function oneOf(what: string, name: string, known: readonly string[]): string | undefined {
  return known.includes(name) ? undefined : expectedText(what, name, known);
}

function eventProblem(event: string): string | undefined {
  const names = Object.values(eventNames).flat();
  const full = Object.entries(eventNames).flatMap(([of, each]) => each.map((name) => `${of}.${name}`));
  if (names.includes(event) || full.includes(event)) return undefined;
  return oneOf('an event', event, event.includes('.') ? full : names);
}

function messageProblem(message: string): string | undefined {
  const types = Object.keys(catalogue);
  if (message === 'sip' || types.includes(message)) return undefined;
  const wanted = 'expected sip, or a type of docs/reference/protocol.md such as dialog.originate';
  return `${wanted}, got "${message}"${hintText(nearest(message, types))}`;
}

function stateProblem(state: string, machine: string | undefined): string | undefined {
  if (machine !== undefined) {
    const states = machineStates.get(machine);
    return states === undefined ? undefined : oneOf(`a state of the machine ${machine}`, state, states);
  }
  return oneOf('a state of a machine', state, [...new Set([...machineStates.values()].flat())]);
}

function methodProblem(method: string, { message, answer }: EventMatcher): string | undefined {
  if (answer !== undefined) return unknownMethod(method);
  if (message !== 'sip') return `expected "method" only of the message sip, not of ${message}`;
  return oneOf('a method of SIP', method, sipMethods);
}

function statusProblem({ status, message, answer }: EventMatcher): string | undefined {
  if (status === undefined) return undefined;
  if (message !== undefined && message !== 'sip') return `expected "status" only of the message sip, not of ${message}`;
  if (message === undefined && answer === undefined) {
    return oneOf('a status of a role instance', String(status), instanceStatuses);
  }
  return /^[1-6]\d\d$/.test(String(status)) ? undefined : `expected a number such as 200, got "${status}"`;
}

/** Each kind of observation has its own kind of place. */
function placeProblem(at: string, matcher: EventMatcher, names: Names): string | undefined {
  const { map } = names;
  if (matcher.answer !== undefined) return names.site(at);
  const mayBeOutside = matcher.message === 'sip' || matcher.state !== undefined;
  if (mayBeOutside && isOutside(map, at)) return undefined;
  if (names.isOpen(at)) {
    const known = [...placeNames(map), ...(mayBeOutside ? namesOutside(map) : [])];
    return likeText(at, known).length > 0 ? undefined : unknownPlace(at, mayBeOutside, map);
  }
  if (at === '*' || (unknownIn(map, at) !== undefined && !isAddress(at, map)))
    return unknownPlace(at, mayBeOutside, map);
  const roles = rolesSeen(matcher);
  if (roles.length === 0 || instancesAt(map, at).some(({ role }) => roles.includes(role))) return undefined;
  const what =
    matcher.event !== undefined
      ? `an instance that publishes ${matcher.event}`
      : 'an edge that exchanges SIP with the world outside';
  return `expected the place of ${what} (${roles.join(', ')}), got "${at}"`;
}

/** The roles whose instances can match; none: any role. */
function rolesSeen({ event, message }: EventMatcher): readonly string[] {
  if (event !== undefined) return publishersOf(event);
  return message === 'sip' ? ['sg', 'esg'] : [];
}

function isAddress(at: string, map: ClusterMap): boolean {
  return map.instances.has(at) || nodeAt(map, at) !== undefined;
}

function nodeAt(map: ClusterMap, at: string): NodeEntry | undefined {
  return [...map.nodes.values()].find(({ address }) => address === at);
}

/** The instances at a place or at an address. */
function instancesAt(map: ClusterMap, at: string): readonly InstanceEntry[] {
  const instance = map.instances.get(at);
  if (instance !== undefined) return [instance];
  const node = nodeAt(map, at);
  if (node !== undefined) return node.instances;
  const { nodes, instances } = membersOf(map, at);
  return [...nodes.flatMap((each) => each.instances), ...instances];
}

function unknownPlace(at: string, mayBeOutside: boolean, map: ClusterMap): string {
  const [sites, nodes] = [map.sites, map.nodes].map((all) => [...all.keys()].join(', '));
  const more = mayBeOutside ? ', a role, a role instance, a phone or a provider' : ', a role or a role instance';
  return `expected a site (${sites}), a node (${nodes})${more}, got "${at}"`;
}
