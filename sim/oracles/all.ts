/** All oracles, in the order of the documents. */
import type { OracleMaker } from './oracle.ts';
import { accountsAnswered } from './rules/access/accounts-answered.ts';
import { accountsKept } from './rules/access/accounts-kept.ts';
import { accountsRegistered } from './rules/access/accounts-registered.ts';
import { accountsReleased } from './rules/access/accounts-released.ts';
import { bansEnd } from './rules/access/bans-end.ts';
import { bansLast } from './rules/access/bans-last.ts';
import { bansShown } from './rules/access/bans-shown.ts';
import { logoutsHold } from './rules/access/logouts-hold.ts';
import { sessionsBound } from './rules/access/sessions-bound.ts';
import { sessionsEnd } from './rules/access/sessions-end.ts';
import { sessionsLimited } from './rules/access/sessions-limited.ts';
import { sessionsRevoked } from './rules/access/sessions-revoked.ts';
import { callersKnown } from './rules/calls/callers-known.ts';
import { callsAgree } from './rules/calls/calls-agree.ts';
import { callsLast } from './rules/calls/calls-last.ts';
import { callsProgress } from './rules/calls/calls-progress.ts';
import { callsServed } from './rules/calls/calls-served.ts';
import { callsStop } from './rules/calls/calls-stop.ts';
import { callsThroughGates } from './rules/calls/calls-through-gates.ts';
import { endsExplained } from './rules/calls/ends-explained.ts';
import { eventsInOrder } from './rules/calls/events-in-order.ts';
import { meetingsCall, oneMeeting } from './rules/calls/one-meeting.ts';
import { oneRecordACall } from './rules/calls/one-record-a-call.ts';
import { participantsLeave } from './rules/calls/participants-leave.ts';
import { subscribersHear } from './rules/calls/subscribers-hear.ts';
import { transfersEnd } from './rules/calls/transfers-end.ts';
import { transfersReported } from './rules/calls/transfers-reported.ts';
import { asksAnswered } from './rules/cluster/asks-answered.ts';
import { asksEnd } from './rules/cluster/asks-end.ts';
import { fanOutOnce } from './rules/cluster/fan-out-once.ts';
import { leasesWait } from './rules/cluster/leases-wait.ts';
import { lwtForward } from './rules/cluster/lwt-forward.ts';
import { noBugs } from './rules/cluster/no-bugs.ts';
import { nothingGrows } from './rules/cluster/nothing-grows.ts';
import { nothingLeft } from './rules/cluster/nothing-left.ts';
import { oneActive } from './rules/cluster/one-active.ts';
import { oneHome } from './rules/cluster/one-home.ts';
import { requestsAnswered } from './rules/cluster/requests-answered.ts';
import { sourcesRead } from './rules/cluster/sources-read.ts';
import { standbysWait } from './rules/cluster/standbys-wait.ts';
import { statusesSpread } from './rules/cluster/statuses-spread.ts';
import { tiesClaimed } from './rules/cluster/ties-claimed.ts';
import { changesFollowed } from './rules/data/changes-followed.ts';
import { childrenRemoved } from './rules/data/children-removed.ts';
import { copiesAgree } from './rules/data/copies-agree.ts';
import { copiesFirst } from './rules/data/copies-first.ts';
import { figuresTrue } from './rules/data/figures-true.ts';
import { gapsPulled } from './rules/data/gaps-pulled.ts';
import { labelsPublished } from './rules/data/labels-published.ts';
import { pagesFollowed } from './rules/data/pages-followed.ts';
import { recordingsListed } from './rules/data/recordings-listed.ts';
import { recordsFollowCalls } from './rules/data/records-follow-calls.ts';
import { recordsSound } from './rules/data/records-sound.ts';
import { recordsStay } from './rules/data/records-stay.ts';
import { recordsTrue } from './rules/data/records-true.ts';
import { recordsWhole } from './rules/data/records-whole.ts';
import { writesStay } from './rules/data/writes-stay.ts';
import { allDrills } from './rules/drills/all.ts';
import { filesStay } from './rules/histories/files-stay.ts';
import { itemsLinearizable } from './rules/histories/items-linearizable.ts';
import { readsAtMaster } from './rules/histories/reads-at-master.ts';
import { sessionsLast } from './rules/histories/sessions-last.ts';
import { uniqueValues } from './rules/histories/unique-values.ts';
import { answersDeclared } from './rules/interface/answers-declared.ts';
import { callResults } from './rules/interface/call-results.ts';
import { callsReported } from './rules/interface/calls-reported.ts';
import { eventsDeclared } from './rules/interface/events-declared.ts';
import { hearsConsistent } from './rules/interface/hears-consistent.ts';
import { meetingControls } from './rules/interface/meeting-controls.ts';
import { meetingsBegin } from './rules/interface/meetings-begin.ts';
import { meetingsEnd } from './rules/interface/meetings-end.ts';
import { originatedReported } from './rules/interface/originated-reported.ts';
import { participantsCalled } from './rules/interface/participants-called.ts';
import { participantsRemoved } from './rules/interface/participants-removed.ts';
import { subscriptionsAnswered } from './rules/interface/subscriptions-answered.ts';
import { transfersPublished } from './rules/interface/transfers-published.ts';
import { dialogsConform } from './rules/legs/dialogs-conform.ts';
import { legsAgree } from './rules/legs/legs-agree.ts';
import { legsAnswer } from './rules/legs/legs-answer.ts';
import { legsKept } from './rules/legs/legs-kept.ts';
import { legsSpeak } from './rules/legs/legs-speak.ts';
import { lossesExplained } from './rules/legs/losses-explained.ts';
import { mediaPassedOn } from './rules/legs/media-passed-on.ts';
import { participantsConnected } from './rules/legs/participants-connected.ts';
import { recordingsHear } from './rules/legs/recordings-hear.ts';
import { referredLeave } from './rules/legs/referred-leave.ts';
import { replacementsKnown } from './rules/legs/replacements-known.ts';
import { ringingEnds } from './rules/legs/ringing-ends.ts';
import { sessionsRefreshed } from './rules/legs/sessions-refreshed.ts';
import { transfersReturned } from './rules/legs/transfers-returned.ts';
import { devicesLimited } from './rules/registrations/devices-limited.ts';
import { devicesRevoked } from './rules/registrations/devices-revoked.ts';
import { registersKept } from './rules/registrations/registers-kept.ts';
import { registersTaken } from './rules/registrations/registers-taken.ts';
import { registrationsAgree } from './rules/registrations/registrations-agree.ts';
import { registrationsEnd } from './rules/registrations/registrations-end.ts';
import { registrationsFollow } from './rules/registrations/registrations-follow.ts';
import { registrationsFresh } from './rules/registrations/registrations-fresh.ts';
import { registrationsPublished } from './rules/registrations/registrations-published.ts';
import { silentLeave } from './rules/registrations/silent-leave.ts';
import { unregisteredRest } from './rules/registrations/unregistered-rest.ts';
import { borderObeyed } from './rules/routes/border-obeyed.ts';
import { callsCounted } from './rules/routes/calls-counted.ts';
import { callsRouted } from './rules/routes/calls-routed.ts';
import { partiesNamed } from './rules/routes/parties-named.ts';
import { providersServed } from './rules/routes/providers-served.ts';
import { sitesRouted } from './rules/routes/sites-routed.ts';
import { talksLimited } from './rules/routes/talks-limited.ts';
import { targetsOnce } from './rules/routes/targets-once.ts';
import { trunksKept } from './rules/routes/trunks-kept.ts';
import { usersCalls } from './rules/routes/users-calls.ts';
import { effectsOnce } from './rules/scripts/effects-once.ts';
import { globalsStay } from './rules/scripts/globals-stay.ts';
import { ivrLegsOwned } from './rules/scripts/ivr-legs-owned.ts';
import { menusCollect } from './rules/scripts/menus-collect.ts';
import { runsContinue } from './rules/scripts/runs-continue.ts';
import { runsEnd } from './rules/scripts/runs-end.ts';
import { scriptsLimited } from './rules/scripts/scripts-limited.ts';
import { callsFound } from './rules/shown/calls-found.ts';
import { callsListed, conferencesListed } from './rules/shown/calls-listed.ts';
import { callsNotDenied } from './rules/shown/calls-not-denied.ts';
import { callsShown } from './rules/shown/calls-shown.ts';
import { domainsClosed } from './rules/shown/domains-closed.ts';
import { domainsShown } from './rules/shown/domains-shown.ts';
import { listsAgree } from './rules/shown/lists-agree.ts';
import { listsSelected } from './rules/shown/lists-selected.ts';
import { meetingsShown } from './rules/shown/meetings-shown.ts';
import { othersStay } from './rules/shown/others-stay.ts';
import { participantsHold } from './rules/shown/participants-hold.ts';
import { removalsShow } from './rules/shown/removals-show.ts';
import { statesShown } from './rules/shown/states-shown.ts';
import { answersAcknowledged } from './rules/sip/answers-acknowledged.ts';
import { answersRepeated } from './rules/sip/answers-repeated.ts';
import { cancelsFollow } from './rules/sip/cancels-follow.ts';
import { allUseCases } from './rules/use-cases/all.ts';

export const oracles: readonly OracleMaker[] = [
  requestsAnswered,
  answersAcknowledged,
  answersRepeated,
  cancelsFollow,
  answersDeclared,
  listsSelected,
  domainsClosed,
  domainsShown,
  callResults,
  callsReported,
  callsShown,
  callsFound,
  callsListed,
  conferencesListed,
  callsNotDenied,
  statesShown,
  removalsShow,
  othersStay,
  asksEnd,
  asksAnswered,
  fanOutOnce,
  noBugs,
  oneActive,
  standbysWait,
  statusesSpread,
  sitesRouted,
  sourcesRead,
  leasesWait,
  tiesClaimed,
  legsAgree,
  legsAnswer,
  legsKept,
  legsSpeak,
  ringingEnds,
  sessionsRefreshed,
  dialogsConform,
  eventsInOrder,
  eventsDeclared,
  subscribersHear,
  subscriptionsAnswered,
  callsServed,
  callsRouted,
  callsThroughGates,
  callersKnown,
  providersServed,
  trunksKept,
  talksLimited,
  partiesNamed,
  targetsOnce,
  usersCalls,
  borderObeyed,
  callsProgress,
  endsExplained,
  lossesExplained,
  callsLast,
  callsStop,
  callsAgree,
  oneRecordACall,
  recordsFollowCalls,
  recordingsListed,
  recordsStay,
  recordsSound,
  participantsConnected,
  participantsHold,
  participantsLeave,
  oneHome,
  oneMeeting,
  meetingsBegin,
  meetingsEnd,
  meetingsCall,
  participantsCalled,
  participantsRemoved,
  meetingControls,
  meetingsShown,
  hearsConsistent,
  transfersPublished,
  transfersReturned,
  recordsTrue,
  recordsWhole,
  originatedReported,
  transfersEnd,
  transfersReported,
  referredLeave,
  replacementsKnown,
  mediaPassedOn,
  recordingsHear,
  accountsAnswered,
  accountsKept,
  accountsRegistered,
  accountsReleased,
  callsCounted,
  figuresTrue,
  bansEnd,
  bansLast,
  bansShown,
  sessionsEnd,
  logoutsHold,
  sessionsLast,
  sessionsBound,
  sessionsLimited,
  sessionsRevoked,
  registrationsEnd,
  registersKept,
  devicesRevoked,
  devicesLimited,
  silentLeave,
  registrationsFollow,
  registrationsFresh,
  registrationsPublished,
  unregisteredRest,
  registersTaken,
  registrationsAgree,
  lwtForward,
  writesStay,
  changesFollowed,
  gapsPulled,
  labelsPublished,
  pagesFollowed,
  childrenRemoved,
  itemsLinearizable,
  readsAtMaster,
  uniqueValues,
  filesStay,
  copiesAgree,
  copiesFirst,
  listsAgree,
  runsEnd,
  runsContinue,
  scriptsLimited,
  effectsOnce,
  globalsStay,
  ivrLegsOwned,
  menusCollect,
  // After the others have looked.
  ...allUseCases,
  ...allDrills,
  // Last, because these wait until everything else has ended.
  nothingLeft,
  nothingGrows,
];

/** The rules, and what else a run plays. */
export function oraclesAmong({ useCases = false, drills = false } = {}): readonly OracleMaker[] {
  return oracles.filter(
    ({ plays }) => plays === undefined || (plays === 'useCase' && useCases) || (plays === 'drill' && drills),
  );
}
