/** All oracles, in the order of the documents. */
import type { OracleMaker } from './oracle.ts';
import { asksEnd } from './rules/asks-end.ts';
import { bansEnd } from './rules/bans-end.ts';
import { callsAgree } from './rules/calls-agree.ts';
import { callsStop } from './rules/calls-stop.ts';
import { copiesAgree } from './rules/copies-agree.ts';
import { eventsInOrder } from './rules/events-in-order.ts';
import { fanOutOnce } from './rules/fan-out-once.ts';
import { figuresTrue } from './rules/figures-true.ts';
import { legsAgree } from './rules/legs-agree.ts';
import { listsAgree } from './rules/lists-agree.ts';
import { logoutsHold } from './rules/logouts-hold.ts';
import { lwtForward } from './rules/lwt-forward.ts';
import { noBugs } from './rules/no-bugs.ts';
import { nothingGrows } from './rules/nothing-grows.ts';
import { nothingLeft } from './rules/nothing-left.ts';
import { oneActive } from './rules/one-active.ts';
import { oneHome } from './rules/one-home.ts';
import { oneRecordACall } from './rules/one-record-a-call.ts';
import { participantsLeave } from './rules/participants-leave.ts';
import { registrationsAgree } from './rules/registrations-agree.ts';
import { registrationsEnd } from './rules/registrations-end.ts';
import { requestsAnswered } from './rules/requests-answered.ts';
import { ringingEnds } from './rules/ringing-ends.ts';
import { sessionsEnd } from './rules/sessions-end.ts';
import { writesStay } from './rules/writes-stay.ts';

export const oracles: readonly OracleMaker[] = [
  requestsAnswered,
  asksEnd,
  fanOutOnce,
  noBugs,
  oneActive,
  legsAgree,
  ringingEnds,
  eventsInOrder,
  callsStop,
  callsAgree,
  oneRecordACall,
  participantsLeave,
  oneHome,
  figuresTrue,
  bansEnd,
  sessionsEnd,
  logoutsHold,
  registrationsEnd,
  registrationsAgree,
  lwtForward,
  writesStay,
  copiesAgree,
  listsAgree,
  // Last, for they wait until everything else is over.
  nothingLeft,
  nothingGrows,
];
