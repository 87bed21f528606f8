/** All use cases, in the order in which a run plays them. */
import { callsAdjusted } from './calls/calls-adjusted.ts';
import { callsControlled } from './calls/calls-controlled.ts';
import { callsTransferred } from './calls/calls-transferred.ts';
import { commandsCrossed } from './calls/commands-crossed.ts';
import { conferencesControlled } from './calls/conferences-controlled.ts';
import { ownBranch } from './calls/own-branch.ts';
import { providersConnected } from './calls/providers-connected.ts';
import { recordingsServed } from './calls/recordings-served.ts';
import { trunksContended } from './calls/trunks-contended.ts';
import { trunksReturned } from './calls/trunks-returned.ts';
import { usersLimited } from './calls/users-limited.ts';
import { conferencesCrossed } from './conferences/conferences-crossed.ts';
import { conferencesHeard } from './conferences/conferences-heard.ts';
import { conferencesShown } from './conferences/conferences-shown.ts';
import { meetingsCalled } from './conferences/meetings-called.ts';
import { meetingsChanged } from './conferences/meetings-changed.ts';
import { meetingsCrossed } from './conferences/meetings-crossed.ts';
import { meetingsHeld } from './conferences/meetings-held.ts';
import { meetingsPlanned } from './conferences/meetings-planned.ts';
import { movesCrossed } from './conferences/moves-crossed.ts';
import { ownConferences } from './conferences/own-conferences.ts';
import { announcementsMatched } from './dialogs/announcements-matched.ts';
import { callsRefused } from './dialogs/calls-refused.ts';
import { callsRinging } from './dialogs/calls-ringing.ts';
import { devicesCalled } from './dialogs/devices-called.ts';
import { domainsCrossed } from './dialogs/domains-crossed.ts';
import { eventsPublished } from './dialogs/events-published.ts';
import { numbersModified } from './dialogs/numbers-modified.ts';
import { ownCallsControlled } from './dialogs/own-calls.ts';
import { partiesMoved } from './dialogs/parties-moved.ts';
import { rulesRecorded } from './dialogs/rules-recorded.ts';
import { seatsTaken } from './dialogs/seats-taken.ts';
import { usersCalled } from './dialogs/users-called.ts';
import { bordersGuarded } from './edges/borders-guarded.ts';
import { dashboardsCounted } from './edges/dashboards-counted.ts';
import { dashboardsShown } from './edges/dashboards-shown.ts';
import { edgesScoped } from './edges/edges-scoped.ts';
import { matchersReloaded } from './edges/matchers-reloaded.ts';
import { nodesShown } from './edges/nodes-shown.ts';
import { changesCrossed } from './entities/changes-crossed.ts';
import { fieldsBounded, masterFieldsBounded } from './entities/fields-bounded.ts';
import { keysFound } from './entities/keys-found.ts';
import { listsQueried } from './entities/lists-queried.ts';
import { secretsHidden } from './entities/secrets-hidden.ts';
import { devicesProbed } from './events/devices-probed.ts';
import { devicesPublished } from './events/devices-published.ts';
import { ownCallsHeard } from './events/own-calls-heard.ts';
import { registrationsHeard } from './events/registrations-heard.ts';
import { subscriptionsKept } from './events/subscriptions-kept.ts';
import type { UseCaseMaker } from './kit/use-case.ts';
import { addressesBanned } from './platform/addresses-banned.ts';
import { devicesRegistered } from './platform/devices-registered.ts';
import { entitiesKept, masterEntitiesKept } from './platform/entities-kept.ts';
import { filesServed } from './platform/files-served.ts';
import { filesUploaded } from './platform/files-uploaded.ts';
import { masterMetadataServed, metadataServed } from './platform/metadata-served.ts';
import { masterRightsKept, rightsKept } from './platform/rights-kept.ts';
import { sessionsOpened } from './platform/sessions-opened.ts';
import { crowdsServed } from './requests/crowds-served.ts';
import { limitsKept } from './requests/limits-kept.ts';
import { requestsRefused } from './requests/requests-refused.ts';
import { scopesSelected } from './requests/scopes-selected.ts';
import { callersConferenced } from './scripts/callers-conferenced.ts';
import { callersHeld } from './scripts/callers-held.ts';
import { callersServed } from './scripts/callers-served.ts';
import { scriptsAnswer } from './scripts/scripts-answer.ts';
import { scriptsBranched } from './scripts/scripts-branched.ts';
import { scriptsCommand } from './scripts/scripts-command.ts';
import { scriptsTransfer } from './scripts/scripts-transfer.ts';
import { tokensAccepted } from './scripts/tokens-accepted.ts';
import { usersAuthenticated } from './scripts/users-authenticated.ts';
import { webhooksSent } from './scripts/webhooks-sent.ts';
import { appsOpened } from './sessions/apps-opened.ts';
import { attemptsBanned } from './sessions/attempts-banned.ts';
import { browsersServed } from './sessions/browsers-served.ts';
import { loginsCrossed } from './sessions/logins-crossed.ts';
import { loginsLimited } from './sessions/logins-limited.ts';
import { sessionsDescribed } from './sessions/sessions-described.ts';
import { sessionsExpired } from './sessions/sessions-expired.ts';
import { sessionsSwitched } from './sessions/sessions-switched.ts';

export const allUseCases: readonly UseCaseMaker[] = [
  filesServed,
  addressesBanned,
  callsControlled,
  ownBranch,
  devicesRegistered,
  entitiesKept,
  masterEntitiesKept,
  rightsKept,
  masterRightsKept,
  sessionsOpened,
  usersLimited,
  providersConnected,
  conferencesControlled,
  conferencesShown,
  meetingsHeld,
  ownConferences,
  devicesPublished,
  subscriptionsKept,
  callsTransferred,
  commandsCrossed,
  movesCrossed,
  eventsPublished,
  callsRefused,
  callsRinging,
  domainsCrossed,
  usersCalled,
  partiesMoved,
  rulesRecorded,
  ownCallsControlled,
  callsAdjusted,
  recordingsServed,
  scriptsAnswer,
  filesUploaded,
  scriptsBranched,
  usersAuthenticated,
  callersServed,
  callersHeld,
  edgesScoped,
  bordersGuarded,
  dashboardsShown,
  dashboardsCounted,
  nodesShown,
  matchersReloaded,
  metadataServed,
  masterMetadataServed,
  fieldsBounded,
  masterFieldsBounded,
  listsQueried,
  loginsCrossed,
  loginsLimited,
  attemptsBanned,
  sessionsDescribed,
  sessionsSwitched,
  browsersServed,
  appsOpened,
  scopesSelected,
  requestsRefused,
  limitsKept,
  secretsHidden,
  keysFound,
  registrationsHeard,
  changesCrossed,
  crowdsServed,
  devicesCalled,
  devicesProbed,
  trunksContended,
  trunksReturned,
  conferencesCrossed,
  sessionsExpired,
  numbersModified,
  tokensAccepted,
  announcementsMatched,
  callersConferenced,
  meetingsChanged,
  meetingsCrossed,
  webhooksSent,
  conferencesHeard,
  seatsTaken,
  meetingsCalled,
  meetingsPlanned,
  scriptsCommand,
  scriptsTransfer,
  ownCallsHeard,
];
