/** What can be seen in a world, by name: the events of the platform, the machines that show their states, lines of the log. */
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import type { CallEventName } from '../../src/roles/b2b/call-events.ts';
import { machines } from '../docs/machines.ts';
import { deviceMachine } from '../outside/device-machine.ts';
import { partyMachine } from '../outside/party-machine.ts';
import { presenceMachine } from '../outside/presence-machine.ts';

/** Keys, so that the compiler sees to it that none is missing. */
const callEvents: Readonly<Record<CallEventName, true>> = {
  invite: true,
  route_referred: true,
  referring_invite: true,
  dlg_init: true,
  dlg_call: true,
  fork_start: true,
  fork_redirect: true,
  fork_stop: true,
  dlg_start: true,
  refer: true,
  replaces_refer: true,
  dlg_end: true,
  dlg_stop: true,
  dlg_dead: true,
};

/** Names of events by their class. */
export const eventNames: Readonly<Record<string, readonly string[]>> = {
  callevents: Object.keys(callEvents),
  confevents: ['conf_start', 'conf_stop', 'part_start', 'part_stop'],
  registrarevents: ['register', 'refresh', 'unregister', 'expire'],
  modelevents: ['data_changed'],
  selectorevents: ['state_changed'],
};

/** Roles whose instances tell events. */
export const eventRoles: readonly string[] = ['b2b', 'conf', 'sr', 'callstore'];

/** The life of a node, of an instance and of a site is seen by its status, not as a state. */
const unseen: ReadonlySet<string> = new Set(['node', 'supervision', 'instance', 'site']);

/** The states of each machine that shows them; those within others by the way to them, `gone` when it is over. */
export const machineStates: ReadonlyMap<string, readonly string[]> = new Map(
  [...machines.filter(({ id }) => !unseen.has(id)), partyMachine, deviceMachine, presenceMachine].map((machine) => [
    machine.id,
    [...statesIn((machine as AnyStateMachine).root), 'gone'],
  ]),
);

/** Lines of the log that warn of something, or worse. */
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
