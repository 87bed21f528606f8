/** The state machines of the platform, as they run where nothing gets lost: scenarios wait for their states, and documents draw them. */
import type { AnyStateMachine } from 'xstate';
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
