/** A leg sends what its state says that it has sent. */
import type { SipMessage, SipMethod, SipResponse } from '../../../../src/model/sip/message.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { forgetBefore } from '../kit/shared.ts';

/** The request with which a leg enters a state. */
const saidIn: Readonly<Record<string, SipMethod>> = { calling: 'INVITE', offering: 'INVITE', ending: 'BYE' };
/** Requests in a dialog which the next one may wait for. */
const asking: ReadonlySet<SipMethod> = new Set(['REFER', 'NOTIFY', 'INFO', 'UPDATE']);
/** Less than the time after which a request without an answer is repeated: a repetition must not stand in for it. */
const atOnceMs = 250;
const noRoute = /^(b2b\.no_route|sip\.no_such_hop)$/;

interface Entered {
  readonly owner: string;
  readonly callid: string;
  readonly state: string;
  readonly method: SipMethod;
  readonly atMs: number;
  /** Whether it has waited for the answer to another request. */
  readonly hasWaited?: boolean;
}

export const legsSpeak: OracleMaker = {
  name: 'legs-speak',
  rule: 'A leg of an instance that begins to call, to offer media or to end sends its INVITE or BYE at once, whatever else is broken.',
  exclusions:
    'Requests for which the instance knows no way. An offer waits for the answer to what the leg has asked before it.',
  make: ({ map, now, check, fail }) => {
    const sentMs = new Map<string, number>();
    const open = new Map<string, Entered>();
    /** The CSeq of the last request of a leg that has no final answer. */
    const asked = new Map<string, number>();
    let noRouteMs = Number.NEGATIVE_INFINITY;
    const nameOf = (owner: string, callid: string, method: SipMethod) => `${owner} ${callid} ${method}`;
    const isSaid = ({ owner, callid, method, atMs }: Entered) =>
      Math.abs((sentMs.get(nameOf(owner, callid, method)) ?? Number.NEGATIVE_INFINITY) - atMs) <= atOnceMs;
    const hadNoRoute = ({ atMs }: Entered) => noRouteMs >= atMs - atOnceMs;
    const judge = (key: string, entered: Entered) => {
      const { owner, callid, state, method } = entered;
      const isDone = isSaid(entered) || hadNoRoute(entered);
      if (!isDone && state === 'offering' && asked.has(key)) return;
      open.delete(key);
      check();
      if (!isDone) fail(`leg ${callid} of ${owner} is ${state}, and no ${method} was sent`);
    };
    /** The turn of what waited for it. */
    const answered = (key: string, { status, cseq }: SipResponse, atMs: number) => {
      if (status < 200 || asked.get(key) !== cseq) return;
      asked.delete(key);
      const waiting = open.get(key);
      if (waiting?.state === 'offering' && !isSaid(waiting) && !hadNoRoute(waiting))
        open.set(key, { ...waiting, atMs, hasWaited: true });
    };
    const forget = (owner: string) => {
      for (const [key, entered] of open) if (entered.owner === owner) open.delete(key);
      for (const key of asked.keys()) if (key.startsWith(`${owner} `)) asked.delete(key);
    };
    const listeners: ObservationListeners = {
      'entity.state': {
        leg: ({ owner, key: callid, state, atMs }) => {
          const method = saidIn[state ?? ''];
          const key = `${owner} ${callid}`;
          // What waited is offered no more: the leg is over, or the answer ended it.
          if ((asked.has(key) || open.get(key)?.hasWaited === true) && state !== 'reoffering') open.delete(key);
          if (state === undefined) asked.delete(key);
          if (!map.instances.has(owner) || state === undefined || method === undefined) return;
          open.set(key, { owner, callid, state, method, atMs });
        },
      },
      'envelope.sent': {
        sip: ({ envelope: { from, body }, atMs }) => {
          const { kind, callid, method, cseq } = body as SipMessage;
          if (kind !== 'request') return;
          const key = `${from} ${callid}`;
          if (asking.has(method)) asked.set(key, cseq);
          const name = nameOf(from, callid, method);
          // The first one after the state was entered: what comes later is a repetition.
          const entered = open.get(key);
          const isKnown = entered !== undefined && (sentMs.get(name) ?? 0) >= entered.atMs;
          if (isKnown) return;
          sentMs.delete(name);
          sentMs.set(name, atMs);
        },
      },
      // An answer that is lost on its way leaves the leg waiting.
      'envelope.delivered': {
        sip: ({ envelope: { to, body }, atMs }) => {
          const { kind, callid } = body as SipMessage;
          if (kind === 'response') answered(`${to} ${callid}`, body as SipResponse, atMs);
        },
      },
      counted: ({ name, atMs }) => {
        if (noRoute.test(name)) noRouteMs = atMs;
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
    return { listeners, tick };
  },
};
