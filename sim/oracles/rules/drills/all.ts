/** All drills, in the order in which a run plays them. */

import type { OracleMaker } from '../../oracle.ts';
import { accountsDoubled } from './accounts/accounts-doubled.ts';
import { accountsMoved } from './accounts/accounts-moved.ts';
import { accountsRetried } from './accounts/accounts-retried.ts';
import { acksLost } from './calls/acks-lost.ts';
import { b2bsLost } from './calls/b2bs-lost.ts';
import { callstoresReplaced } from './calls/callstores-replaced.ts';
import { conferencesLost } from './calls/conferences-lost.ts';
import { cutsRepeated } from './calls/cuts-repeated.ts';
import { deathsPresumed } from './calls/deaths-presumed.ts';
import { edgesRestarted } from './calls/edges-restarted.ts';
import { endsInterrupted } from './calls/ends-interrupted.ts';
import { gatesGone } from './calls/gates-gone.ts';
import { gatesLost } from './calls/gates-lost.ts';
import { ivrsReplaced } from './calls/ivrs-replaced.ts';
import { meetingsTakenOver } from './calls/meetings-taken-over.ts';
import { messagesCrossed } from './calls/messages-crossed.ts';
import { offersDelayed } from './calls/offers-delayed.ts';
import { transfersInterrupted } from './calls/transfers-interrupted.ts';
import { clocksSet } from './platform/clocks-set.ts';
import { copiesReplaced } from './platform/copies-replaced.ts';
import { devicesReached } from './platform/devices-reached.ts';
import { directoriesReplaced } from './platform/directories-replaced.ts';
import { durationsKept } from './platform/durations-kept.ts';
import { effectsInterrupted } from './platform/effects-interrupted.ts';
import { frontsReplaced } from './platform/fronts-replaced.ts';
import { nodesDrained } from './platform/nodes-drained.ts';
import { recordsDelayed } from './platform/records-delayed.ts';
import { registrarsReplaced } from './platform/registrars-replaced.ts';
import { registrarsReturned } from './platform/registrars-returned.ts';
import { requestsInterrupted } from './platform/requests-interrupted.ts';
import { scriptsResumed } from './platform/scripts-resumed.ts';
import { serversStopped } from './platform/servers-stopped.ts';
import { sourcesRestarted } from './platform/sources-restarted.ts';
import { addressesSilenced } from './silence/addresses-silenced.ts';
import { crowdsDelayed } from './silence/crowds-delayed.ts';
import { endsDelayed } from './silence/ends-delayed.ts';
import { gapsNotified } from './silence/gaps-notified.ts';
import { instancesSilenced } from './silence/instances-silenced.ts';
import { lossesUnheard } from './silence/losses-unheard.ts';
import { mastersSilenced } from './silence/masters-silenced.ts';
import { meetingsSilenced } from './silence/meetings-silenced.ts';
import { messagesLate } from './silence/messages-late.ts';
import { ownersSilenced } from './silence/owners-silenced.ts';
import { recordsUnheard } from './silence/records-unheard.ts';
import { registrationsOvertaken } from './silence/registrations-overtaken.ts';
import { resumptionsDelayed } from './silence/resumptions-delayed.ts';
import { roomsSilenced } from './silence/rooms-silenced.ts';
import { transfersCrossed } from './silence/transfers-crossed.ts';
import { bansKept } from './sites/bans-kept.ts';
import { detoursTaken } from './sites/detours-taken.ts';
import { disksLost } from './sites/disks-lost.ts';
import { filesAcrossCuts } from './sites/files-across-cuts.ts';
import { filesCopied } from './sites/files-copied.ts';
import { frontsRestarted } from './sites/fronts-restarted.ts';
import { halvesSplit } from './sites/halves-split.ts';
import { loginsOvertaken } from './sites/logins-overtaken.ts';
import { logoutsMissed } from './sites/logouts-missed.ts';
import { registrationsAcrossCuts } from './sites/registrations-across-cuts.ts';
import { sessionsAcrossCuts } from './sites/sessions-across-cuts.ts';
import { sitesCut } from './sites/sites-cut.ts';
import { storesReopened } from './sites/stores-reopened.ts';
import { streamsContinued } from './sites/streams-continued.ts';

import { crashesForgiven } from './unnoticed/crashes-forgiven.ts';
import { delaysUnnoticed } from './unnoticed/delays-unnoticed.ts';
import { disksUnnoticed } from './unnoticed/disks-unnoticed.ts';
import { holdsUnnoticed } from './unnoticed/holds-unnoticed.ts';
import { repeatsUnnoticed } from './unnoticed/repeats-unnoticed.ts';
import { restartsUnnoticed } from './unnoticed/restarts-unnoticed.ts';
import { standbysUnnoticed } from './unnoticed/standbys-unnoticed.ts';
import { takeoversUnnoticed } from './unnoticed/takeovers-unnoticed.ts';

export const allDrills: readonly OracleMaker[] = [
  callstoresReplaced,
  devicesReached,
  sitesCut,
  sessionsAcrossCuts,
  registrationsAcrossCuts,
  filesAcrossCuts,
  detoursTaken,
  b2bsLost,
  directoriesReplaced,
  copiesReplaced,
  clocksSet,
  registrarsReplaced,
  registrarsReturned,
  conferencesLost,
  meetingsTakenOver,
  scriptsResumed,
  effectsInterrupted,
  transfersInterrupted,
  gatesLost,
  frontsReplaced,
  frontsRestarted,
  recordsDelayed,
  requestsInterrupted,
  accountsDoubled,
  accountsMoved,
  accountsRetried,
  nodesDrained,
  ivrsReplaced,
  recordsUnheard,
  registrationsOvertaken,
  resumptionsDelayed,
  instancesSilenced,
  durationsKept,
  edgesRestarted,
  offersDelayed,
  ownersSilenced,
  roomsSilenced,
  mastersSilenced,
  messagesLate,
  endsInterrupted,
  deathsPresumed,
  sourcesRestarted,
  storesReopened,
  bansKept,
  cutsRepeated,
  meetingsSilenced,
  gatesGone,
  halvesSplit,
  filesCopied,
  logoutsMissed,
  streamsContinued,
  disksLost,
  serversStopped,
  gapsNotified,
  lossesUnheard,
  acksLost,
  messagesCrossed,
  endsDelayed,
  transfersCrossed,
  loginsOvertaken,
  crowdsDelayed,
  addressesSilenced,
  takeoversUnnoticed,
  standbysUnnoticed,
  crashesForgiven,
  delaysUnnoticed,
  disksUnnoticed,
  holdsUnnoticed,
  restartsUnnoticed,
  repeatsUnnoticed,
];
