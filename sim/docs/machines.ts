/** Diagrams of the state machines, from the charts themselves. */
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { announcementMachine } from '../../src/machines/announcement.ts';
import { banMachine } from '../../src/machines/ban.ts';
import { bindingMachine } from '../../src/machines/binding.ts';
import { clientMachine, inviteClientMachine } from '../../src/machines/client-transaction.ts';
import { conferenceMachine } from '../../src/machines/conference.ts';
import { dialogMachine } from '../../src/machines/dialog.ts';
import { failoverMachine } from '../../src/machines/failover.ts';
import { holdMachine } from '../../src/machines/hold.ts';
import { instanceMachine } from '../../src/machines/instance.ts';
import { ivrCallMachine } from '../../src/machines/ivr-call.ts';
import { leaseMachine } from '../../src/machines/lease.ts';
import { legMachine } from '../../src/machines/leg.ts';
import { matcherMachine } from '../../src/machines/matcher.ts';
import { nodeMachine } from '../../src/machines/node.ts';
import { participantMachine } from '../../src/machines/participant.ts';
import { peerMachine } from '../../src/machines/peer.ts';
import { pingMachine } from '../../src/machines/ping.ts';
import { quorumMachine } from '../../src/machines/quorum.ts';
import { recordingMachine } from '../../src/machines/recording.ts';
import { registrationMachine } from '../../src/machines/registration.ts';
import { replicationMachine } from '../../src/machines/replication.ts';
import { scriptRunMachine } from '../../src/machines/script-run.ts';
import { inviteServerMachine, serverMachine } from '../../src/machines/server-transaction.ts';
import { sessionMachine } from '../../src/machines/session.ts';
import { supervisionMachine } from '../../src/machines/supervision.ts';
import { suspectMachine } from '../../src/machines/suspect.ts';
import { transferMachine } from '../../src/machines/transfer.ts';

export const machines: readonly AnyStateMachine[] = [
  nodeMachine,
  supervisionMachine,
  instanceMachine('active-passive'),
  peerMachine(3),
  quorumMachine,
  failoverMachine,
  leaseMachine,
  replicationMachine,
  sessionMachine,
  suspectMachine,
  banMachine,
  registrationMachine,
  dialogMachine,
  transferMachine,
  holdMachine,
  recordingMachine,
  legMachine,
  // Where nothing gets lost: else the same, with a state for each time that a message is sent.
  inviteClientMachine({ isLossy: false, isWithin: true }),
  clientMachine({ isLossy: false }),
  inviteServerMachine({ isLossy: false }),
  serverMachine,
  pingMachine,
  bindingMachine,
  conferenceMachine,
  participantMachine,
  ivrCallMachine,
  announcementMachine,
  matcherMachine,
  scriptRunMachine,
];

export function machinesDocument(): string {
  return `# Machines

Generated from \`src/machines/\` by \`npm run docs\`. A label is an event; \`[guard]\` must hold; \`after delay\` is a deadline.
Events that a state ignores on purpose are not drawn; an event that no state expects is counted.

${machines.map((machine) => `## ${machine.id}\n\n\`\`\`mermaid\n${diagram(machine)}\n\`\`\`\n`).join('\n')}`;
}

function diagram(machine: AnyStateMachine): string {
  return ['stateDiagram-v2', ...stateLines(machine.root, '  ')].join('\n');
}

function stateLines(parent: AnyStateNode, indent: string): string[] {
  const lines: string[] = [];
  for (const target of parent.initial?.target ?? []) lines.push(`${indent}[*] --> ${nameOf(target)}`);
  for (const state of Object.values(parent.states) as AnyStateNode[]) {
    if (Object.keys(state.states).length > 0) {
      lines.push(`${indent}state ${nameOf(state)} {`, ...stateLines(state, `${indent}  `), `${indent}}`);
    }
    lines.push(...arrowLines(state, indent));
    if (state.type === 'final') lines.push(`${indent}${nameOf(state)} --> [*]`);
  }
  return lines;
}

function arrowLines(state: AnyStateNode, indent: string): string[] {
  const always = (state.always ?? []).map((transition) => ({ label: 'always', transition }));
  const all = [...state.transitions].flatMap(([event, transitions]) =>
    transitions.map((transition) => ({ label: labelOf(event), transition })),
  );
  return [...always, ...all].flatMap(({ label, transition }) =>
    (transition.target ?? []).map((target: AnyStateNode) => {
      const guard = typeof transition.guard === 'string' ? ` [${transition.guard}]` : '';
      return `${indent}${nameOf(state)} --> ${nameOf(target)} : ${label}${guard}`;
    }),
  );
}

function labelOf(event: string): string {
  return event.replace(/^xstate\.after\.([^.]+)\..*$/, 'after $1');
}

function nameOf(state: AnyStateNode): string {
  return state.path.join('_');
}
