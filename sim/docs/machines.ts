/** Diagrams of the state machines, from the charts themselves. */
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { banMachine } from '../../src/machines/access/ban.ts';
import { sessionMachine } from '../../src/machines/access/session.ts';
import { suspectMachine } from '../../src/machines/access/suspect.ts';
import { announcementMachine } from '../../src/machines/call/announcement.ts';
import { dialogMachine } from '../../src/machines/call/dialog.ts';
import { holdMachine } from '../../src/machines/call/hold.ts';
import { ivrCallMachine } from '../../src/machines/call/ivr-call.ts';
import { recordingMachine } from '../../src/machines/call/recording.ts';
import { transferMachine } from '../../src/machines/call/transfer.ts';
import { failoverMachine } from '../../src/machines/cluster/failover.ts';
import { instanceMachine } from '../../src/machines/cluster/instance.ts';
import { leaseMachine } from '../../src/machines/cluster/lease.ts';
import { nodeMachine } from '../../src/machines/cluster/node.ts';
import { peerMachine } from '../../src/machines/cluster/peer.ts';
import { quorumMachine } from '../../src/machines/cluster/quorum.ts';
import { replicationMachine } from '../../src/machines/cluster/replication.ts';
import { supervisionMachine } from '../../src/machines/cluster/supervision.ts';
import { conferenceMachine } from '../../src/machines/conference/conference.ts';
import { participantMachine } from '../../src/machines/conference/participant.ts';
import { matcherMachine } from '../../src/machines/matcher.ts';
import { bindingMachine } from '../../src/machines/registration/binding.ts';
import { pingMachine } from '../../src/machines/registration/ping.ts';
import { registrationMachine } from '../../src/machines/registration/registration.ts';
import { scriptRunMachine } from '../../src/machines/script/script-run.ts';
import { clientMachine, inviteClientMachine } from '../../src/machines/sip/client-transaction.ts';
import { legMachine } from '../../src/machines/sip/leg.ts';
import { inviteServerMachine, serverMachine } from '../../src/machines/sip/server-transaction.ts';

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
