/** Bugs of the roles that speak SIP: b2b, ivr, conf. */
import type { SipMessage } from '../../../src/model/sip/message.ts';
import type { PlantedBug } from '../plant.ts';
import { changing, everyNthKey, forgetting, isRequest, losing } from '../spoiling.ts';

/** How long ivr and b2b let a callee ring at least, and at most. */
const ringing = { leastMs: 5_000, mostMs: 180_000 };

export const signallingBugs: readonly PlantedBug[] = [
  {
    name: 'lost-cancel',
    does: 'b2b does not cancel the devices that go on ringing when another has answered or the caller has given up.',
    role: 'b2b',
    scope: (scope) => losing(scope, 'sip', (message) => isRequest(message, 'CANCEL')),
  },
  {
    name: 'lost-bye',
    does: 'b2b does not send BYE in every third leg that it should end.',
    role: 'b2b',
    scope: (scope) => losing(scope, 'sip', byesOf(everyNthKey(3))),
  },
  {
    name: 'forgotten-ring-timer',
    does: 'ivr forgets how long X may ring.',
    role: 'ivr',
    scope: (scope) => forgetting(scope, (ms) => ms >= ringing.leastMs && ms <= ringing.mostMs),
    // A node that is to leave would wait for these calls for ever, and the run with it.
    life: () => ({ drain: async () => {} }),
  },
  {
    name: 'participant-left-behind',
    does: 'conf does not say BYE to every second participant that it should let go.',
    role: 'conf',
    scope: (scope) => losing(scope, 'sip', byesOf(everyNthKey(2))),
  },
  {
    name: 'two-homes',
    does: 'conf instances hide from each other which rooms they have.',
    role: 'conf',
    handlers: () => ({ 'conference.find': () => ({ ok: true, value: { confid: null } }) }),
  },
  {
    name: 'events-out-of-order',
    does: 'b2b sends the events of one moment in the wrong order.',
    role: 'b2b',
    scope: (scope) =>
      changing(scope, 'stream.published', (body) => {
        const events = body.items.flatMap(({ event }) => event ?? []).reverse();
        const items = body.items.map((item) => (item.event === undefined ? item : { ...item, event: events.shift() }));
        return { ...body, items };
      }),
  },
  {
    name: 'event-told-twice',
    does: 'b2b sends the answer of a call twice, the second time under another number.',
    role: 'b2b',
    scope: (scope) => {
      const answers = new Map<unknown, never>();
      return changing(scope, 'stream.published', (body) => {
        const items = body.items.map((item) => {
          const inviteid = item.event?.data['cid'] ?? item.event?.data['inviteid'];
          if (item.event?.name === 'dlg_start') answers.set(inviteid, item.event as never);
          const before = answers.get(inviteid);
          return item.event?.name === 'dlg_end' && before !== undefined ? { ...item, event: before } : item;
        });
        return { ...body, items };
      });
    },
  },
  {
    name: 'lost-dlg-stop',
    does: 'b2b does not tell that a call has stopped.',
    role: 'b2b',
    scope: (scope) =>
      changing(scope, 'stream.published', (body) => ({
        ...body,
        items: body.items.map(({ event, ...item }) => (event?.name === 'dlg_stop' ? item : { ...item, event })),
      })),
  },
];

/** Picks the BYEs of those legs that `isPicked` names, also when they are sent again. */
function byesOf(isPicked: (callid: string) => boolean): (message: SipMessage) => boolean {
  return (message) => isRequest(message, 'BYE') && isPicked(message.callid);
}
