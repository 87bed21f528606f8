/**
 * One leg of a user agent, either direction: INVITE with CANCEL and the 200 that crosses it, the dialog with its offers, BYE.
 * It has no context: events are classified, the commands that it emits are plain, and the agent (`src/sip/`) fills in the rest
 * from the message or operation at hand, so that the chart can be compiled to a table (`actors/compiled-machine.ts`).
 *
 * States without a deadline here have one in the transaction that they wait for (timers B and F, RFC 3261 17.1), or rest
 * (`confirmed`, which the session timer of the agent watches).
 */
import { emit, setup } from 'xstate';

/** What its owner does: a new call, or a `LegOperation` (`src/sip/leg.ts`). */
type FromOwner = 'call' | 'ring' | 'answer' | 'reject' | 'end' | 'drop' | 'offer' | 'request' | 'reply';

/**
 * What came, or failed to come, from the other side. `offer`: a re-INVITE. `request`: REFER, NOTIFY, INFO, UPDATE. `remote.lost`: the
 * other side is out of reach, for now or for good.
 */
type FromRemote =
  | 'invite.received'
  | 'invite.tried'
  | 'invite.rang'
  | 'invite.accepted'
  | 'invite.refused'
  | 'cancel.received'
  | 'ack.received'
  | 'ack.missed'
  | 'bye.received'
  | 'bye.answered'
  | 'offer.received'
  | 'offer.accepted'
  | 'offer.clashed'
  | 'offer.refused'
  | 'request.received'
  | 'request.answered'
  | 'request.lost'
  | 'session.lapsed'
  | 'remote.lost';

export type LegEvent = { type: FromOwner | FromRemote };

/** Before an answer, in a call, and at its end. */
export type LegState =
  | 'idle'
  | 'calling'
  | 'proceeding'
  | 'ringing'
  | 'withdrawn'
  | 'cancelling'
  | 'expiring'
  | 'clearing'
  | 'incoming'
  | 'alerting'
  | 'answering'
  | 'hanging'
  | 'confirmed'
  | 'offering'
  | 'reoffering'
  | 'glare'
  | 'ending'
  | 'ended';

export type LegCommand =
  | {
      type:
        | 'send.invite'
        | 'send.cancel'
        | 'send.ack'
        | 'send.bye'
        /** BYE that is sent until it is answered: the other side may be back without knowing. */
        | 'repeat.bye'
        | 'send.trying'
        | 'send.ringing'
        | 'send.ok'
        | 'send.refusal'
        | 'send.terminated'
        | 'send.offer'
        | 'accept.offer'
        | 'refuse.offer'
        | 'send.request'
        | 'take.request'
        | 'refuse.request'
        | 'settle.request'
        | 'send.reply'
        | 'keep.operation'
        | 'report.invited'
        | 'report.rang'
        | 'report.answered'
        | 'report.failed'
        | 'report.withdrawn'
        /** There was no answer, and the other side is out of reach. */
        | 'report.unreached'
        | 'report.timeout'
        | 'report.rejected'
        | 'report.cancelled'
        | 'report.settled'
        | 'report.ended'
        | 'report.hungup'
        | 'report.lost';
    }
  | { type: 'event.unexpected'; event: string };

/**
 * Milliseconds, by the name of the deadline. `ack` and `cancel` are 64 T1 (RFC 3261 13.3.1.4 and 9.1), `expire` and `patience`
 * bound the ringing of a call whose other side is gone (chosen), `glare` is drawn anew by the agent each time (RFC 3261 14.1).
 */
export const legDelaysMs = { ack: 32_000, cancel: 32_000, expire: 600_000, patience: 660_000, glare: 2_000 } as const;
export type LegDelay = keyof typeof legDelaysMs;

/** `answered`: a 2xx was sent or came, and the leg is not to be ended. */
export type LegTag = 'answered';

const chart = setup({
  types: { events: {} as LegEvent, emitted: {} as LegCommand, tags: {} as LegTag },
  actions: {
    sendInvite: emit({ type: 'send.invite' }),
    sendCancel: emit({ type: 'send.cancel' }),
    sendAck: emit({ type: 'send.ack' }),
    sendBye: emit({ type: 'send.bye' }),
    repeatBye: emit({ type: 'repeat.bye' }),
    sendTrying: emit({ type: 'send.trying' }),
    sendRinging: emit({ type: 'send.ringing' }),
    sendOk: emit({ type: 'send.ok' }),
    sendRefusal: emit({ type: 'send.refusal' }),
    sendTerminated: emit({ type: 'send.terminated' }),
    sendOffer: emit({ type: 'send.offer' }),
    acceptOffer: emit({ type: 'accept.offer' }),
    refuseOffer: emit({ type: 'refuse.offer' }),
    sendRequest: emit({ type: 'send.request' }),
    takeRequest: emit({ type: 'take.request' }),
    refuseRequest: emit({ type: 'refuse.request' }),
    settleRequest: emit({ type: 'settle.request' }),
    sendReply: emit({ type: 'send.reply' }),
    keepOperation: emit({ type: 'keep.operation' }),
    reportInvited: emit({ type: 'report.invited' }),
    reportRang: emit({ type: 'report.rang' }),
    reportAnswered: emit({ type: 'report.answered' }),
    reportFailed: emit({ type: 'report.failed' }),
    reportWithdrawn: emit({ type: 'report.withdrawn' }),
    reportUnreached: emit({ type: 'report.unreached' }),
    reportTimeout: emit({ type: 'report.timeout' }),
    reportRejected: emit({ type: 'report.rejected' }),
    reportCancelled: emit({ type: 'report.cancelled' }),
    reportSettled: emit({ type: 'report.settled' }),
    reportEnded: emit({ type: 'report.ended' }),
    reportHungup: emit({ type: 'report.hungup' }),
    reportLost: emit({ type: 'report.lost' }),
    unexpected: emit(({ event }) => ({ type: 'event.unexpected', event: event.type })),
  },
  delays: legDelaysMs,
});

/** What comes too late in any dialog, or says again what is known: ignored on purpose. */
const late = { 'invite.tried': {}, 'invite.rang': {}, 'cancel.received': {}, 'ack.received': {} } as const;
/** The other side speaks in a dialog that is not there, or no more. */
const strange = {
  'request.received': { actions: 'refuseRequest' },
  'offer.received': { actions: 'refuseRequest' },
} as const;

const endsWithdrawn = { target: 'ended', actions: 'reportWithdrawn' } as const;
const timedOut = { target: 'ended', actions: 'reportTimeout' } as const;
const accepted = { target: 'confirmed', actions: ['sendAck', 'reportAnswered'] } as const;
const refused = { target: 'ended', actions: 'reportFailed' } as const;
/** The 200 crossed our CANCEL: the call is established, and must be ended by BYE. */
const crossed = { target: 'clearing', actions: ['sendAck', 'sendBye'] } as const;
const rejected = { target: 'ended', actions: ['sendRefusal', 'reportRejected'] } as const;
const cancelled = { target: 'ended', actions: ['sendTerminated', 'reportCancelled'] } as const;
const answered = { target: 'answering', actions: 'sendOk' } as const;
const ended = { target: 'ended', actions: 'reportEnded' } as const;
const hungup = { target: 'ended', actions: 'reportHungup' } as const;
const lost = { target: 'ended', actions: ['sendBye', 'reportLost'] } as const;
const unreached = { target: 'ended', actions: 'reportUnreached' } as const;
/** The other side may be back in time, and rings until it gets the CANCEL, or the final answer. */
const unreachedCallee = { target: 'ended', actions: ['sendCancel', 'reportUnreached'] } as const;
const unreachedCaller = { target: 'ended', actions: ['sendRefusal', 'reportUnreached'] } as const;
/** The 200 is sent: the other side may have the dialog. BYE does not wait for its ACK, as after 64 T1 without one (RFC 3261 13.3.1.4). */
const outOfReach = { target: 'ended', actions: ['repeatBye', 'reportLost'] } as const;
/** An operation or an answer that met the end of the leg on its way. */
const crossing = { end: {}, offer: {}, request: {}, reply: {}, 'request.answered': {}, 'request.lost': {} } as const;

/** The answer to what was said while it rang comes after the end. */
const unsettled = { 'request.answered': {}, 'request.lost': {} } as const;

/** An INVITE of ours that has a provisional answer, or none yet. */
const invited = {
  ...strange,
  'invite.rang': { target: 'ringing', actions: 'reportRang' },
  'invite.accepted': accepted,
  'invite.refused': refused,
  drop: endsWithdrawn,
  'remote.lost': unreached,
  // Its 200 never came through, and it gave up waiting for the ACK.
  'bye.received': timedOut,
} as const;
/** An INVITE of ours that is to be taken back. */
const takenBack = {
  ...strange,
  ...unsettled,
  'invite.tried': {},
  'invite.rang': {},
  'invite.accepted': crossed,
  'invite.refused': endsWithdrawn,
  end: {},
  drop: endsWithdrawn,
  'remote.lost': unreached,
  'bye.received': endsWithdrawn,
} as const;
/** An INVITE of theirs that has no final answer. */
const inviting = {
  ...strange,
  answer: answered,
  reject: rejected,
  end: rejected,
  drop: { target: 'ended', actions: 'reportRejected' },
  'remote.lost': unreachedCaller,
  'cancel.received': cancelled,
  'bye.received': cancelled,
} as const;

/** What holds in a dialog, whatever its offers are doing. */
const dialog = {
  ...late,
  end: { target: 'ending', actions: 'sendBye' },
  drop: hungup,
  request: { actions: 'sendRequest' },
  reply: { actions: 'sendReply' },
  'request.received': { actions: 'takeRequest' },
  'request.answered': { actions: 'settleRequest' },
  'request.lost': lost,
  'session.lapsed': lost,
  'remote.lost': outOfReach,
  'ack.missed': lost,
  'bye.received': ended,
} as const;

/** @internal */
export const legMachine = chart.createMachine({
  id: 'leg',
  initial: 'idle',
  on: { '*': { actions: 'unexpected' } },
  states: {
    idle: {
      on: {
        call: { target: 'calling', actions: 'sendInvite' },
        'invite.received': { target: 'incoming', actions: ['sendTrying', 'reportInvited'] },
      },
    },

    calling: { on: { ...invited, 'invite.tried': 'proceeding', end: 'withdrawn' } },
    proceeding: {
      after: { patience: { target: 'expiring', actions: 'sendCancel' } },
      on: {
        ...invited,
        'invite.tried': {},
        end: { target: 'cancelling', actions: 'sendCancel' },
        'remote.lost': unreachedCallee,
      },
    },
    ringing: {
      after: { patience: { target: 'expiring', actions: 'sendCancel' } },
      on: {
        ...invited,
        'invite.tried': {},
        'invite.rang': { target: 'ringing', reenter: true, actions: 'reportRang' },
        end: { target: 'cancelling', actions: 'sendCancel' },
        'remote.lost': unreachedCallee,
        // There is a dialog, if only an early one: a device that rings can be made to answer.
        request: { actions: 'sendRequest' },
        'request.answered': { actions: 'settleRequest' },
        'request.lost': {},
      },
    },
    /** To be cancelled as soon as there is a provisional answer (RFC 3261 9.1). */
    withdrawn: {
      on: {
        ...takenBack,
        'invite.tried': { target: 'cancelling', actions: 'sendCancel' },
        'invite.rang': { target: 'cancelling', actions: 'sendCancel' },
      },
    },
    cancelling: { after: { cancel: endsWithdrawn }, on: takenBack },
    /** Cancelled by ourselves, for it rang too long. */
    expiring: {
      after: { cancel: timedOut },
      on: { ...takenBack, 'invite.refused': timedOut, drop: timedOut, 'bye.received': timedOut },
    },
    clearing: {
      on: {
        ...late,
        ...strange,
        ...unsettled,
        end: {},
        drop: endsWithdrawn,
        'remote.lost': { target: 'ended', actions: ['repeatBye', 'reportUnreached'] },
        'bye.received': endsWithdrawn,
        'bye.answered': endsWithdrawn,
      },
    },

    incoming: {
      after: { expire: rejected },
      on: { ...inviting, ring: { target: 'alerting', actions: 'sendRinging' } },
    },
    alerting: {
      after: { expire: rejected },
      on: {
        ...inviting,
        ring: { actions: 'sendRinging' },
        'request.received': { actions: 'takeRequest' },
        reply: { actions: 'sendReply' },
      },
    },
    /** The 200 is sent. What the owner wants of the dialog is kept until the ACK comes. */
    answering: {
      tags: 'answered',
      after: { ack: lost },
      on: {
        ...strange,
        offer: { actions: 'keepOperation' },
        request: { actions: 'keepOperation' },
        'ack.received': { target: 'confirmed', actions: 'reportAnswered' },
        'ack.missed': {},
        'cancel.received': {},
        'bye.received': ended,
        end: 'hanging',
        drop: hungup,
        'remote.lost': outOfReach,
      },
    },
    /** Answered, and to be ended; BYE waits for the ACK (RFC 3261 15). */
    hanging: {
      after: { ack: { target: 'ending', actions: 'sendBye' } },
      on: {
        ...strange,
        ...crossing,
        'ack.received': { target: 'ending', actions: 'sendBye' },
        'ack.missed': {},
        'cancel.received': {},
        'bye.received': ended,
        drop: hungup,
        'remote.lost': outOfReach,
      },
    },

    confirmed: {
      tags: 'answered',
      on: {
        ...dialog,
        offer: { target: 'offering', actions: 'sendOffer' },
        'offer.received': { actions: 'acceptOffer' },
      },
    },
    offering: {
      tags: 'answered',
      on: {
        ...dialog,
        offer: 'reoffering',
        'offer.received': { actions: 'refuseOffer' },
        'offer.accepted': { target: 'confirmed', actions: ['sendAck', 'reportSettled'] },
        'offer.refused': { target: 'confirmed', actions: 'reportSettled' },
        'offer.clashed': 'glare',
      },
    },
    /** Offering, with another offer to be made after this one. */
    reoffering: {
      tags: 'answered',
      on: {
        ...dialog,
        offer: {},
        'offer.received': { actions: 'refuseOffer' },
        'offer.accepted': { target: 'offering', actions: ['sendAck', 'reportSettled', 'sendOffer'] },
        'offer.refused': { target: 'offering', actions: ['reportSettled', 'sendOffer'] },
        'offer.clashed': 'glare',
      },
    },
    /** Both sides offered at once; both wait, one longer than the other (RFC 3261 14.1). */
    glare: {
      tags: 'answered',
      after: { glare: { target: 'offering', actions: 'sendOffer' } },
      on: { ...dialog, offer: {}, 'offer.received': { actions: 'acceptOffer' } },
    },
    ending: {
      on: {
        ...late,
        ...strange,
        ...crossing,
        drop: hungup,
        'remote.lost': outOfReach,
        'ack.missed': {},
        'bye.received': hungup,
        'bye.answered': hungup,
        'offer.accepted': { actions: 'sendAck' },
        'offer.refused': {},
        'offer.clashed': {},
        'session.lapsed': {},
      },
    },

    ended: { type: 'final' },
  },
});
