/** A selector meeting is one conference, and calls its participants. */
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';
import { Connectedness } from '../cluster/one-home.ts';
import { together } from '../kit/shared.ts';

interface Meeting {
  readonly confid: string;
  readonly owner: string;
}

export const oneMeeting: OracleMaker = {
  name: 'one-meeting',
  rule: 'A selector meeting has one conference at a time, whichever mware instances have run it: another one begins only after the first has ended.',
  exclusions:
    'Conferences that begin within 11 seconds of a partition, a crash or a start: mware may not know of the others.',
  make: ({ map, now, check, fail }) => {
    const { noticedMs } = boundsOf(map);
    const links = new Connectedness();
    let changedMs = 0;
    const running = new Map<string, Meeting>();
    const note = (owner: string, { selectorid = '', confid = '', state }: Readonly<Record<string, unknown>>) => {
      const [meeting, id] = [String(selectorid), String(confid)];
      const before = running.get(meeting);
      if (state === '$terminating') {
        if (before?.confid === id) running.delete(meeting);
        return;
      }
      const isStart = state === '$connecting' && before?.confid !== id;
      const isKnown = links.forMs(now()) > noticedMs && now() - changedMs > noticedMs;
      // An instance knows its own conferences, whatever is broken.
      const mustKnow = isKnown || before?.owner === owner;
      if (isStart && isKnown) check();
      if (isStart && mustKnow && before !== undefined)
        fail(`meeting ${meeting} begins as ${id} at ${owner} while it is ${before.confid} at ${before.owner}`);
      running.set(meeting, { confid: id, owner });
    };
    return {
      listeners: together(links.listeners, {
        'instance.status': ({ instance, status, atMs }) => {
          changedMs = atMs;
          if (status !== 'stopped' && status !== 'starting') return;
          for (const [meeting, { owner }] of running) if (owner === instance) running.delete(meeting);
        },
        'published.event': { selectorevents: ({ from, event: { data } }) => note(from, data) },
      }),
    };
  },
};

interface Begun {
  readonly meeting: string;
  readonly owner: string;
  readonly atMs: number;
}

export const meetingsCall: OracleMaker = {
  name: 'meetings-call',
  rule: 'A selector meeting that has begun calls a participant within five seconds, unless an instance, a node or a link was lost meanwhile.',
  make: ({ map, check, fail }) => {
    const { promptMs } = boundsOf(map);
    const links = new Connectedness();
    let changedMs = 0;
    /** Meetings that have called no participant, by their conference. */
    const silent = new Map<string, Begun>();
    const nameOf = (owner: string, confid: string) => `${owner} ${confid}`;
    const tick = (nowMs: number) => {
      for (const [name, { meeting, owner, atMs }] of silent) {
        if (nowMs - atMs <= promptMs) continue;
        silent.delete(name);
        const isWhole = links.forMs(nowMs) > nowMs - atMs && changedMs < atMs;
        if (isWhole) fail(`meeting ${meeting} at ${owner} has called no participant for ${nowMs - atMs} ms`);
      }
    };
    return {
      listeners: together(links.listeners, {
        'instance.status': ({ atMs }) => {
          changedMs = atMs;
        },
        'entity.state': {
          participant: ({ owner, key }) => {
            if (silent.delete(nameOf(owner, key.slice(0, key.lastIndexOf('-'))))) check();
          },
        },
        'published.event': {
          selectorevents: ({ from: owner, event: { data }, atMs }) => {
            const { selectorid = '', confid = '', state } = data;
            const name = nameOf(owner, String(confid));
            if (state !== '$connecting') silent.delete(name);
            else if (!silent.has(name)) silent.set(name, { meeting: String(selectorid), owner, atMs });
          },
        },
      }),
      tick,
    };
  },
};
