/** Checks that a fault affects the nodes of its process, where other processes run the rest of the cluster. */
import { membersOf } from '../../faults/places.ts';
import type { ScenarioFault } from '../language/faults.ts';
import type { WrittenPlace } from '../language/places.ts';
import type { Names } from './names.ts';

const onNodes = ['crash', 'restart', 'drain', 'pause', 'resume'] as const;
const onPlaces = ['skew', 'slowStore', 'fillStore'] as const;
const onTraffic = ['cut', 'hold', 'delay', 'lose', 'duplicate', 'flap'] as const;

/** Why a process that runs only the nodes `own` cannot inject a fault; `undefined` if it can. Its names exist. */
export function elsewhereProblem(fault: ScenarioFault, names: Names, own: readonly string[]): string | undefined {
  const foreign = (place: WrittenPlace) => nodesOf(names, place).filter((node) => !own.includes(node));
  const acting = [
    ...onNodes.map((verb) => ({ at: verb, place: fault[verb] })),
    ...onPlaces.map((verb) => ({ at: `${verb}.at`, place: fault[verb]?.at })),
    { at: 'halfOpen.from', place: fault.halfOpen?.from },
  ];
  for (const { at, place } of acting) {
    const others = place === undefined ? [] : foreign(place);
    if (others.length > 0) return `${at}: ${adviceFor(others, own)}`;
  }
  for (const verb of onTraffic) {
    const { from = '*', to = '*' } = fault[verb] ?? {};
    const nodes = [...nodesOf(names, from), ...nodesOf(names, to)];
    if (fault[verb] !== undefined && !nodes.some((node) => own.includes(node)))
      return `${verb}: ${adviceFor(nodes, own)}`;
  }
  return undefined;
}

function nodesOf(names: Names, place: WrittenPlace): string[] {
  const { nodes, instances } = membersOf(names.map, names.coveredBy(place));
  return [...new Set([...nodes.map(({ name }) => name), ...instances.map(({ node }) => node)])];
}

function adviceFor(others: readonly string[], own: readonly string[]): string {
  const named = others.slice(0, mostNames).join(', ');
  const more = others.length > mostNames ? ` and ${others.length - mostNames} more` : '';
  return `expected nodes of this process (${own.join(', ')}), got ${named}${more}, which other processes run: ask the control interface of those (strowger node ${others[0]} --control PORT)`;
}

const mostNames = 12;
