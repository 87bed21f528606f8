/** What the reports of a participant's leg mean to its machine. */
import type { ConferenceEnd } from '../../machines/conference/conference.ts';
import type { CallAnswer, ParticipantEvent } from '../../machines/conference/participant.ts';
import type { LegReport } from '../../sip/user-agent.ts';

/** The leg is not there any more. */
export const lost: ConferenceEnd = { type: 'error', reason: 'lost', by: 'platform' };

/** The event of a report; `undefined` for one that changes no state. `ruri`: the participant. */
export function eventOf(report: LegReport, ruri: string): ParticipantEvent | undefined {
  switch (report.type) {
    case 'leg.rang':
      return { type: 'leg.rang', answer: answerOf(report) };
    case 'leg.answered':
      return { type: 'leg.answered', media: report.media };
    case 'leg.media.changed':
      return { type: 'media.changed', media: report.media };
    case 'leg.failed':
      return { type: 'leg.gone', end: endOf(report, ruri), answer: answerOf(report) };
    case 'leg.cancelled':
    case 'leg.ended':
      return { type: 'leg.gone', end: endOf(report, ruri) };
    default:
      return undefined;
  }
}

function answerOf({ status, reason }: CallAnswer): CallAnswer {
  return { status, reason };
}

function endOf(report: LegReport, by: string): ConferenceEnd {
  if (report.type === 'leg.cancelled') return { type: 'cancel', reason: 'cancelled', by };
  if (report.type === 'leg.failed') return { type: 'call_final', reason: `${report.status} ${report.reason}`, by };
  return report.type === 'leg.ended' && report.by === 'remote' ? { type: 'bye', reason: 'left', by } : lost;
}
