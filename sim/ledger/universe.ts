/** Everything that runs could reach, as far as it can be listed. */
import type { AnyStateNode } from 'xstate';
import { catalogue } from '../../src/model/protocol/catalogue.ts';
import { faultPoints } from '../../src/ports/instrumentation/fault-points.ts';
import { machines } from '../check/machine-list.ts';
import { faultMethods } from '../faults/verbs.ts';
import { oracles } from '../oracles/all.ts';
import { declaredOperations } from '../oracles/rules/kit/declared-operations.ts';

export const coverageKinds = {
  operations: 'operations of the interface',
  answers: 'operations with the status of an answer',
  messages: 'types of messages',
  states: 'states of machines',
  transitions: 'transitions of machines',
  troubled: 'transitions while a fault lasted, by its verb',
  faults: 'verbs of faults that struck',
  faultPoints: 'fault points that fired',
  events: 'rare events, logged or counted',
  oracles: 'oracles that were exercised',
} as const;

export type CoverageKind = keyof typeof coverageKinds;

/** The names of a kind that a run can reach; `undefined` where they cannot be listed. */
export function universeOf(kind: CoverageKind): readonly string[] | undefined {
  return namesOf(kind)?.filter((name) => isReachable(kind, name));
}

function namesOf(kind: CoverageKind): readonly string[] | undefined {
  switch (kind) {
    case 'operations':
      return [...declaredOperations().values()].flat().map(({ name }) => name);
    case 'messages':
      return Object.keys(catalogue);
    case 'states':
      return machines.flatMap(({ id, root }) => leavesOf(root, '').map((state) => `${id}: ${state}`));
    case 'transitions':
      return machines.flatMap(({ id, root }) => [...changesIn(root)].map((change) => `${id}: ${change}`));
    case 'faults':
      return faultMethods;
    case 'faultPoints':
      return Object.keys(faultPoints);
    case 'oracles':
      return oracles.map(({ name }) => name);
    default:
      return undefined;
  }
}

/** `before > after` for each transition in or below a node that changes the atomic state. */
function changesIn(node: AnyStateNode): Set<string> {
  const own = [...node.transitions.values()].flat().flatMap(({ target = [] }) => target.flatMap(entered));
  const before = leavesOf(node, node.path.join('.'));
  const changes = before.flatMap((from) => own.filter((to) => to !== from).map((to) => `${from} > ${to}`));
  return new Set([...changes, ...Object.values(node.states).flatMap((state) => [...changesIn(state)])]);
}

/** The atomic states that a node may be entered into. */
function entered(node: AnyStateNode): string[] {
  if (node.always !== undefined) return node.always.flatMap(({ target = [] }) => target.flatMap(entered));
  const initial = node.initial?.target ?? [];
  return initial.length === 0 ? [node.path.join('.')] : initial.flatMap(entered);
}

/** The atomic states, with the names of the states around them. A state that is left at once is not counted. */
function leavesOf(node: AnyStateNode, path: string): string[] {
  const inner = Object.entries(node.states);
  if (inner.length === 0) return path === '' || node.always !== undefined ? [] : [path];
  return inner.flatMap(([name, state]) => leavesOf(state, path === '' ? name : `${path}.${name}`));
}

/** By kind and name. A transition from or to a state of this list is unreachable as well. */
export const unreachable: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  states: {
    'session: expired': 'A session lives for an hour after its last use, and a run lasts for minutes.',
    'leg: expiring': 'A leg rings for ten minutes before, and ringing is limited to three.',
    'binding: gone': 'sr keeps what was registered for more than an hour, and a run lasts for minutes.',
    'matcher: reading': 'The simulated folder is read at once, so that no load is over before.',
  },
  transitions: {
    'registration: registered > wait_result': 'A provider grants an hour, of which nine tenths must pass.',
    'participant: calling > held': 'Simulated devices hold a call after they have answered it.',
    'participant: ringing > held': 'Simulated devices hold a call after they have answered it.',
    'ivr-call: settling > following':
      'Simulated devices call once for a REFER, and a refusal is reported when that call is over.',
    'ivr-call: settling > finishing':
      'Simulated devices call once for a REFER, and a refusal is reported when that call is over.',
  },
};

/** Whether a run can reach it, as far as is known. */
export function isReachable(kind: string, name: string): boolean {
  if (unreachable[kind]?.[name] !== undefined) return false;
  if (kind !== 'transitions') return true;
  const [machine, before, after] = name.split(/: | > /);
  return [before, after].every((state) => unreachable['states']?.[`${machine}: ${state}`] === undefined);
}
