/** A leg sends what its state says that it has sent. */
import type { SipMessage, SipMethod } from '../../../../src/model/sip/message.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { forgetBefore } from '../shared.ts';

/** The request with which a leg enters a state. */
const saidIn: Readonly<Record<string, SipMethod>> = { calling: 'INVITE', offering: 'INVITE', ending: 'BYE' };
/** Less than the time after which a request without an answer is repeated: a repetition must not stand in for it. */
const atOnceMs = 250;
const wayless = /^(b2b\.no_way|sip\.no_such_hop)$/;

interface Entered {
  readonly owner: string;
  readonly callid: string;
  readonly state: string;
  readonly method: SipMethod;
  readonly atMs: number;
}

export const legsSpeak: OracleMaker = {
  name: 'legs-speak',
  rule: 'A leg of an instance that begins to call, to offer media or to end sends its INVITE or BYE at once, whatever else is broken.',
  exclusions: 'Requests for which the instance knows no way.',
  make: ({ map, now, check, fail }) => {
    const sentMs = new Map<string, number>();
    const open = new Map<string, Entered>();
    let waylessMs = Number.NEGATIVE_INFINITY;
    const nameOf = (owner: string, callid: string, method: SipMethod) => `${owner} ${callid} ${method}`;
    const judge = (key: string, { owner, callid, state, method, atMs }: Entered) => {
      open.delete(key);
      check();
      const last = sentMs.get(nameOf(owner, callid, method)) ?? Number.NEGATIVE_INFINITY;
      if (Math.abs(last - atMs) <= atOnceMs || waylessMs >= atMs - atOnceMs) return;
      fail(`leg ${callid} of ${owner} is ${state}, and no ${method} was sent`);
    };
    const forget = (owner: string) => {
      for (const [key, entered] of open) if (entered.owner === owner) open.delete(key);
    };
    const listeners: ObservationListeners = {
      'entity.state': ({ owner, key: callid, state, atMs }) => {
        const method = saidIn[state ?? ''];
        if (!map.instances.has(owner) || state === undefined || method === undefined) return;
        open.set(`${owner} ${callid}`, { owner, callid, state, method, atMs });
      },
      'envelope.sent': ({ envelope: { from, body }, atMs }) => {
        const { kind, callid, method } = body as SipMessage;
        const name = nameOf(from, callid, method);
        // The first one after the state was entered: what comes later is a repetition.
        const entered = open.get(`${from} ${callid}`);
        const isKnown = entered !== undefined && (sentMs.get(name) ?? 0) >= entered.atMs;
        if (kind !== 'request' || isKnown) return;
        sentMs.delete(name);
        sentMs.set(name, atMs);
      },
      counted: ({ name, atMs }) => {
        if (wayless.test(name)) waylessMs = atMs;
      },
      'instance.status': ({ instance, status }) => {
        if (status === 'stopped') forget(instance);
      },
      'node.ended': ({ node }) => {
        for (const { address } of map.node(node).instances) forget(address);
      },
    };
    const tick = () => {
      for (const [key, entered] of open) if (now() - entered.atMs > atOnceMs) judge(key, entered);
      // What is still open was entered after that.
      forgetBefore(sentMs, now() - 2 * atOnceMs);
    };
    return { listeners, tick, types: ['leg', 'sip'] };
  },
};
