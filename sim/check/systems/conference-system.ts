/** A conference and two participants, as conf has them in one process, with legs that answer or fail at any time. */
import {
  type ConferenceCommand,
  type ConferenceEnd,
  conferenceMachine,
} from '../../../src/machines/conference/conference.ts';
import { type ParticipantCommand, participantMachine } from '../../../src/machines/conference/participant.ts';
import { type Part, type PartMessage, reliably, type SystemCheck, type View } from '../system/system-check.ts';

const end: ConferenceEnd = { type: 'conf_terminate', reason: 'ended by command', by: 'api' };
const left: ConferenceEnd = { type: 'bye', reason: 'left', by: '<sip:1001@acme.root.test>' };
const people = ['one', 'two'] as const;

/** A participant: events of its leg at any moment, and its removal. No participant joins at the end. */
function participant(name: string): Part {
  const isOpen = (view: View) => openStates.has(view.state('conference'));
  const events = [
    { type: 'leg.rang', answer: { status: 180, reason: 'Ringing' } },
    { type: 'leg.answered', media: 'sendrecv' },
    { type: 'leg.gone', end: left },
    { type: 'removal.requested', end },
  ];
  return {
    machine: participantMachine,
    spawn: { on: 'comes', input: () => ({ isReferred: false }) },
    ownerEvents: [
      { event: { type: 'comes' }, times: 1, when: (view) => view.state(name) === 'none' && isOpen(view) },
      ...events.map((event) => ({ event, times: 1, when: (view: View) => isThere(view, name) })),
    ],
  };
}

const openStates: ReadonlySet<string> = new Set(['creating.waiting', 'creating.inviting', 'active']);

/** The phone of the participant of a move. */
function phoneOf(move: string): string {
  return `acme.root.test/${move.startsWith('one') ? 1001 : 1002}`;
}

function isThere(view: View, person: string): boolean {
  const state = view.state(person);
  return state !== 'none' && state !== 'gone';
}

function onCommand(from: string, command: ConferenceCommand | ParticipantCommand, view: View): readonly PartMessage[] {
  const toConference = (event: { type: string; end?: ConferenceEnd }) => reliably('conference', event);
  switch (command.type) {
    case 'publish.joined':
      return [toConference({ type: 'participant.joined' })];
    // A leg that has gone answers BYE or CANCEL, unless its answer is lost.
    case 'end.leg':
      return [{ to: from, event: { type: 'leg.gone', end: left } as PartMessage['event'] }];
    case 'drop.leg':
      return [];
    case 'end.participants':
      return people
        .filter((person) => isThere(view, person))
        .map((person) => reliably(person, { type: 'removal.requested', end }));
    case 'drop.participants':
      return people
        .filter((person) => isThere(view, person))
        .map((person) => reliably(person, { type: 'leg.gone', end: left }));
    default:
      return [];
  }
}

function alive(view: View): number {
  return people.filter((person) => isThere(view, person)).length;
}

function agrees(view: View): boolean | string {
  const conference = view.state('conference');
  if (conference === 'stopped' && alive(view) === 0) return true;
  return `the conference is ${conference}, with ${alive(view)} participants`;
}

export const conferenceSystem: SystemCheck = {
  name: 'conference+participants',
  parts: {
    conference: {
      machine: conferenceMachine,
      ownerEvents: [{ event: { type: 'end.requested', end } as PartMessage['event'], times: 1 }],
    },
    one: participant('one'),
    two: participant('two'),
  },
  onCommand: ({ from, command, view }) => onCommand(from, command as ConferenceCommand | ParticipantCommand, view),
  onStateChange: ({ part, before, after }) => {
    if (!(people as readonly string[]).includes(part) || before === after) return [];
    const type = before === 'none' ? 'participant.came' : after === 'gone' ? 'participant.gone' : undefined;
    if (type === undefined) return [];
    const event = type === 'participant.gone' ? { type, end: left } : { type };
    return [{ to: 'conference', event, isReliable: true }];
  },
  channel: { losses: 1, duplicates: 1, inFlight: 2, latencyMs: 35_000 },
  rules: {
    'it counts its participants': (view) => {
      const { participants } = view.context('conference') as { readonly participants: number };
      const state = view.state('conference');
      if (state === 'over' || state === 'stopped') return alive(view) === 0 || `${alive(view)} remain`;
      return participants === alive(view) || `it counts ${participants}, but there are ${alive(view)}`;
    },
    'its stop is published once, without participants': (view) =>
      view.count('conference', 'publish.stop') === (view.state('conference') === 'stopped' ? 1 : 0),
    'no participant joins twice': (view) => people.every((person) => view.count(person, 'publish.joined') <= 1),
  },
  agree: agrees,
  mend: [{ to: 'conference', event: { type: 'end.requested', end } as PartMessage['event'], isReliable: true }],
  scenario: (move) => {
    if (move.endsWith('is sent comes')) return [{ dial: { from: phoneOf(move), to: '5501' } }];
    return move.endsWith('is sent leg.gone') ? [{ hangUp: phoneOf(move) }] : [];
  },
  counted: ['conference publish.stop', 'one publish.joined', 'two publish.joined'],
  bound: { depth: 14, states: 12_000, healedWithinMs: 400_000 },
};
