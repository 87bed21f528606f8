/** Both ends of a leg know each other. */
import { participantDelaysMs } from '../../../../src/machines/conference/participant.ts';
import { legDelaysMs } from '../../../../src/machines/sip/leg.ts';
import type { ClusterMap } from '../../../../src/model/cluster/cluster-map.ts';
import type { SipMessage, SipResponse } from '../../../../src/model/sip/message.ts';
import { targetOfVerb } from '../../../faults/verbs.ts';
import { partyDelaysMs } from '../../../outside/endpoints/party-machine.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';

/** Losses inside the cluster are observed. */
function isInside(verb: string): boolean {
  return !['outside', 'all'].includes(targetOfVerb(verb).on);
}

/** Phones and providers with these faults are silent, at least at times, until they are revived. */
export const silencing: ReadonlySet<string> = new Set(['silence', 'flapOutside']);
const noRoute = /^(b2b\.no_route|sip\.no_such_hop|edge\.dropped\.|edge\.refused\.(408|480|481|503)$)/;

/**
 * When a message of a call may have been lost unseen: between an edge and the world outside, where deliveries are not
 * observed, or at a sender without a route.
 */
export class LostOutside {
  readonly listeners: ObservationListeners;
  /** Last loss (ms since the epoch): anywhere, and inside the cluster. */
  lastMs = Number.NEGATIVE_INFINITY;
  lastInsideMs = Number.NEGATIVE_INFINITY;
  readonly #open = new Set<number>();
  readonly #delaysMs = new Map<number, number>();
  readonly #silent = new Set<string>();
  /** Edges that do not serve, and paused ones; messages to them are lost. */
  readonly #away = new Set<string>();
  readonly #paused = new Set<string>();

  constructor(map: ClusterMap) {
    const isEdge = (address: string) => ['sg', 'esg'].includes(map.instances.get(address)?.role ?? '');
    this.listeners = {
      'instance.status': ({ instance, status, atMs }) => {
        if (isEdge(instance)) this.#note(this.#away, instance, { isIn: status !== 'active', atMs });
      },
      'instance.crashed': ({ instance, atMs }) => {
        if (isEdge(instance)) this.#note(this.#away, instance, { isIn: true, atMs });
      },
      'node.ended': ({ node, atMs }) => {
        for (const { address } of map.node(node).instances) {
          if (!isEdge(address)) continue;
          this.#note(this.#away, address, { isIn: true, atMs });
          this.#paused.delete(address);
        }
      },
      'fault.inflicted': ({ fault, verb, args, atMs }) => {
        // A paused edge keeps messages until it resumes.
        if (verb === 'pauseNode' || verb === 'resumeNode') {
          for (const { address } of map.nodes.get(String(args[0]))?.instances ?? []) {
            if (isEdge(address)) this.#note(this.#paused, address, { isIn: verb === 'pauseNode', atMs });
          }
        }
        if (isInside(verb)) return;
        this.lastMs = Math.max(this.lastMs, atMs);
        if (verb === 'delayOutside') this.#delaysMs.set(fault, Number(args[0]));
        this.#open.add(fault);
        if (silencing.has(verb)) this.#silent.add(String(args[0]));
        if (verb === 'revive') this.#silent.delete(String(args[0]));
      },
      'fault.mended': ({ fault, verb, atMs }) => {
        if (isInside(verb)) return;
        // What is on its way stays late, and what is sent after it does not overtake it.
        const lateMs = [...this.#delaysMs.values()].reduce((sum, each) => sum + each, 0);
        this.#delaysMs.delete(fault);
        this.lastMs = Math.max(this.lastMs, atMs + lateMs);
        this.#open.delete(fault);
        if (verb === 'mend') this.#open.clear();
      },
      counted: ({ name, atMs }) => {
        if (!noRoute.test(name)) return;
        this.lastMs = Math.max(this.lastMs, atMs);
        this.lastInsideMs = atMs;
      },
    };
  }

  /** Called regularly: paused edges lose messages. */
  look(nowMs: number): void {
    const isLosing = [this.#open, this.#silent, this.#away, this.#paused].some(({ size }) => size > 0);
    if (isLosing) this.lastMs = Math.max(this.lastMs, nowMs);
  }

  #note(edges: Set<string>, edge: string, { isIn, atMs }: { isIn: boolean; atMs: number }): void {
    this.lastMs = Math.max(this.lastMs, atMs);
    if (isIn) edges.add(edge);
    else edges.delete(edge);
  }
}

/** The phase of one end: it calls and waits for the answer, is called, talks, or ends the leg. */
type Phase = 'waiting' | 'called' | 'talking' | 'ending';

interface Leg {
  readonly bornMs: number;
  readonly ends: Map<string, Phase>;
  /** When one end began to end the leg, or was gone. */
  endedMs: number | undefined;
  /** The instance that ended it without a further message or with a complete answer. */
  endedBy: string | undefined;
  /** Messages between instances that are under way or lost, and the time of the last movement. */
  readonly underWay: Set<string>;
  movedMs: number;
  /** An end was gone with its instance, or a message was dropped. */
  isTorn: boolean;
  isOutside: boolean;
}

const talking: ReadonlySet<string> = new Set(['confirmed', 'offering', 'reoffering', 'glare']);
const waiting: ReadonlySet<string> = new Set(['calling', 'proceeding', 'ringing']);
const called: ReadonlySet<string> = new Set(['incoming', 'alerting', 'answering']);

export const legsAgree: OracleMaker = {
  name: 'legs-agree',
  rule: 'When one end of a leg ends it, the other end does so within two seconds, or, if a message of it was lost, when the session timer expires or, before an answer, when the patience of the caller is over or a device has rung for too long.',
  make: ({ map, stableMs, check, fail }) => {
    const { quickMs, promptMs, orphanedCallMs } = boundsOf(map);
    /** Before an answer there is no session timer. */
    const giveUpMs = Math.max(orphanedCallMs, partyDelaysMs.patience + promptMs);
    const participantMs = Math.max(giveUpMs, participantDelaysMs.call + promptMs);
    /** How long an end that has lost a message keeps its leg. */
    const keptMs = (owner: string, phase: Phase) => {
      // Its user may not answer, and no CANCEL comes where the edge of the call has crashed.
      if (phase === 'called' && !map.instances.has(owner)) return legDelaysMs.expire + promptMs;
      if (phase !== 'waiting') return orphanedCallMs;
      return map.instances.get(owner)?.role === 'conf' ? participantMs : giveUpMs;
    };
    const lost = new LostOutside(map);
    const legs = new Map<string, Leg>();
    /** Legs that have ended at one end only. */
    const halves = new Map<string, Leg>();
    const listeners: ObservationListeners = {
      ...lost.listeners,
      'entity.state': {
        // A device that its user has silenced sends and takes nothing, though nothing is broken.
        presence: ({ key, state }) => {
          if (state === 'silent') for (const leg of legs.values()) if (leg.ends.has(key)) leg.isTorn = true;
        },
        leg: ({ owner, key, state, atMs }) => {
          const leg = legs.get(key) ?? newLeg(atMs);
          if (state === undefined && leg.ends.has(owner)) leg.isTorn = true;
          if (!map.instances.has(owner)) leg.isOutside = true;
          const isOver = state === undefined || state === 'ended';
          if (isOver) leg.ends.delete(owner);
          else leg.ends.set(owner, phaseOf(state));
          if (leg.ends.size === 0) {
            if (leg.endedMs !== undefined) check();
            legs.delete(key);
            halves.delete(key);
            return;
          }
          legs.set(key, leg);
          if (leg.endedMs !== undefined || !(isOver || phaseOf(state) === 'ending')) return;
          leg.endedMs = atMs;
          if (isOver && map.instances.has(owner)) leg.endedBy = owner;
          halves.set(key, leg);
        },
      },
      'envelope.sent': {
        sip: ({ envelope: { id, from, body }, atMs }) => {
          const leg = legs.get((body as SipMessage).callid);
          if (leg === undefined) return;
          // The b2b of the leg is out of reach of its edge, and another one was asked, which does not know it.
          const isUnknown = (body as SipMessage).kind === 'response' && (body as SipResponse).status === 481;
          if (isUnknown && map.instances.has(from) && !leg.ends.has(from)) leg.isTorn = true;
          leg.underWay.add(id);
          leg.movedMs = atMs;
          if (leg.endedBy === from && leg.endedMs === atMs) leg.endedBy = undefined;
        },
      },
      'envelope.delivered': {
        sip: ({ envelope: { id, body }, atMs }) => {
          const leg = legs.get((body as SipMessage).callid);
          if (leg?.underWay.delete(id)) leg.movedMs = atMs;
        },
      },
      'envelope.dead': {
        sip: ({ envelope: { body } }) => {
          const leg = legs.get((body as SipMessage).callid);
          if (leg !== undefined) leg.isTorn = true;
        },
      },
    };
    /** Whether all messages of the ending were sent and have arrived. */
    const isWhole = (leg: Leg) => {
      const lostMs = leg.isOutside ? lost.lastMs : lost.lastInsideMs;
      return leg.endedBy === undefined && !leg.isTorn && leg.underWay.size === 0 && lostMs < leg.bornMs;
    };
    const tick = (nowMs: number) => {
      lost.look(nowMs);
      const stability = halves.size === 0 ? 0 : stableMs();
      for (const [callid, leg] of halves) {
        const { ends, endedMs = nowMs } = leg;
        const open = [...ends].filter(([, phase]) => phase !== 'ending');
        if (open.length === 0) continue;
        const sinceMs = nowMs - Math.max(endedMs, leg.movedMs);
        const boundMs = Math.max(...open.map(([owner, phase]) => keptMs(owner, phase)));
        const isLate = isWhole(leg) ? sinceMs > quickMs : Math.min(nowMs - endedMs, stability) > boundMs;
        if (!isLate) continue;
        halves.delete(callid);
        const who = open.map(([owner, phase]) => `${owner} (${phase})`).join(', ');
        const seconds = Math.round((nowMs - endedMs) / 1_000);
        fail(`leg ${callid} has ended at one side, and ${seconds} s later not at ${who}`);
      }
    };
    return { listeners, tick };
  },
};

function newLeg(bornMs: number): Leg {
  const times = { bornMs, endedMs: undefined, movedMs: 0 };
  return { ...times, ends: new Map(), endedBy: undefined, underWay: new Set(), isTorn: false, isOutside: false };
}

function phaseOf(state: string): Phase {
  if (talking.has(state)) return 'talking';
  if (waiting.has(state)) return 'waiting';
  return called.has(state) ? 'called' : 'ending';
}
