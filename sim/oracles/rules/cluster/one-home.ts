/** All callers of a room meet in one conference. */
import type { Envelope } from '../../../../src/model/cluster/envelope.ts';
import type { BodyOf } from '../../../../src/model/protocol/catalogue.ts';
import { targetOfVerb } from '../../../faults/verbs.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';

/** Since when all nodes run and see each other: no fault of their traffic is active, and none is down or paused. */
export class Connectedness {
  readonly listeners: ObservationListeners;
  /** Faults of traffic that nodes get around, by number. */
  readonly around = new Set<number>();
  readonly #open = new Set<number>();
  /** Nodes that do not run; nodes that are paused. */
  readonly #away = new Set<string>();
  readonly #paused = new Set<string>();
  #brokenMs = Number.NEGATIVE_INFINITY;

  /** `isAround`: whether nodes get around a fault of their traffic. */
  constructor(isAround: (verb: string, args: readonly unknown[]) => boolean = () => false) {
    this.listeners = {
      'fault.inflicted': ({ fault, verb, args, atMs }) => {
        if (verb === 'pauseNode' || verb === 'resumeNode')
          this.#note(this.#paused, String(args[0]), { isIn: verb === 'pauseNode', atMs });
        if (targetOfVerb(verb).on !== 'traffic') return;
        this.#brokenMs = atMs;
        const faults = isAround(verb, args) ? this.around : this.#open;
        faults.add(fault);
      },
      'fault.mended': ({ fault, verb, atMs }) => {
        for (const faults of [this.#open, this.around]) {
          if (faults.delete(fault)) this.#brokenMs = atMs;
          if (verb !== 'mend') continue;
          if (faults.size > 0) this.#brokenMs = atMs;
          faults.clear();
        }
      },
      'node.started': ({ node, atMs }) => this.#note(this.#away, node, { isIn: false, atMs }),
      'node.ended': ({ node, atMs }) => {
        this.#note(this.#away, node, { isIn: true, atMs });
        this.#paused.delete(node);
      },
    };
  }

  /** Milliseconds; 0 while they are not connected. */
  forMs(nowMs: number): number {
    const isBroken = [this.#open, this.#away, this.#paused].some(({ size }) => size > 0);
    return isBroken ? 0 : nowMs - this.#brokenMs;
  }

  #note(nodes: Set<string>, node: string, { isIn, atMs }: { isIn: boolean; atMs: number }): void {
    this.#brokenMs = atMs;
    if (isIn) nodes.add(node);
    else nodes.delete(node);
  }
}

/** A feature code and the two digits of a room. (documented) */
const roomNumber = /^[0-9*#]+\d\d$/;

/** As events have it: rooms of two feature codes may end with the same digits. */
function confnumOf(number: string): string {
  return roomNumber.test(number) ? BigInt(number.replace(/\D/g, '')).toString(16) : '';
}

interface Home {
  readonly room: string;
  readonly owner: string;
  readonly confid: string;
}

export const oneHome: OracleMaker = {
  name: 'one-home',
  rule: 'A room has one conference at a time, wherever its callers enter: an instance opens a second one only if it cannot learn of the first.',
  make: ({ map, now, check, fail }) => {
    const { promptMs, quickMs } = boundsOf(map);
    const links = new Connectedness();
    /** Since when each instance serves. */
    const activeMs = new Map<string, number>();
    /** Whether two instances have seen each other for long enough. */
    const knowEachOther = (...owners: readonly string[]) => {
      const sinceMs = Math.max(...owners.map((owner) => activeMs.get(owner) ?? now()));
      // Which nodes a node can reach again, it sends to the others in its next rounds.
      return links.forMs(now()) > promptMs && now() - sinceMs > quickMs;
    };
    /** By room, then by instance and conference. */
    const rooms = new Map<string, Map<string, Home>>();
    const byConference = new Map<string, Home>();
    /** Asks for the home of a room, by id, from their arrival at the owner to the answer. */
    const asked = new Map<string, { readonly asker: string; readonly home: Home }>();
    /** By asking instance and room: the home that it could not learn of. */
    const hidden = new Map<string, Home>();
    const heardFind = ({ id, kind, re = '', from, to, body }: Envelope) => {
      if (kind === 'ask') {
        const { domain, number } = body as BodyOf<'conference.find'>;
        const room = `${confnumOf(number)}@${domain}`;
        const home = [...(rooms.get(room)?.values() ?? [])].find(({ owner }) => owner === to);
        if (home !== undefined) asked.set(id, { asker: from, home });
        return;
      }
      const question = asked.get(re);
      asked.delete(re);
      if (question === undefined || kind !== 'reply') return;
      check();
      const key = `${question.asker} ${question.home.room}`;
      if ((body as { confid: string | null }).confid === null) hidden.set(key, question.home);
      else hidden.delete(key);
    };
    const open = (home: Home) => {
      const homes = rooms.get(home.room) ?? new Map<string, Home>();
      rooms.set(home.room, homes);
      if (knowEachOther(home.owner)) check();
      const key = `${home.owner} ${home.room}`;
      const untold = hidden.get(key);
      hidden.delete(key);
      for (const other of homes.values()) {
        if (other !== untold && !knowEachOther(other.owner, home.owner)) continue;
        fail(
          `room ${home.room} was opened at ${home.owner} while conference ${other.confid} of it is at ${other.owner}`,
        );
      }
      homes.set(nameOf(home), home);
      byConference.set(nameOf(home), home);
    };
    const listeners: ObservationListeners = {
      ...links.listeners,
      'instance.status': ({ instance, status, atMs }) => {
        if (status === 'active') activeMs.set(instance, atMs);
        else activeMs.delete(instance);
      },
      'published.event': {
        confevents: ({ from: owner, event: { name, data } }) => {
          const { confnum = '', confdomain = '', confid = '' } = data;
          const home = { room: `${confnum}@${confdomain}`, owner, confid: String(confid) };
          if (name === 'conf_start' && confnum !== '' && !byConference.has(nameOf(home))) open(home);
        },
      },
      'envelope.delivered': { 'conference.find': ({ envelope }) => heardFind(envelope) },
      'entity.state': {
        conference: ({ owner, key, state = 'over' }) => {
          if (!state.startsWith('ending') && !state.startsWith('over') && state !== 'stopped') return;
          const home = byConference.get(nameOf({ owner, confid: key }));
          if (home === undefined) return;
          byConference.delete(nameOf(home));
          rooms.get(home.room)?.delete(nameOf(home));
        },
      },
    };
    return { listeners };
  },
};

function nameOf({ owner, confid }: Pick<Home, 'owner' | 'confid'>): string {
  return `${owner} ${confid}`;
}
