/** Sources publish the events of a call in the order in which they happen. */
import type { PlatformEvent, StreamItem } from '../../../../src/model/protocol/messages/stream.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';

const keepMs = 120_000;

/** Recently ended names, to detect an event after the last one without growing memory. */
export class OverCalls {
  #young = new Set<string>();
  #old = new Set<string>();
  #turnedMs = 0;

  add(name: string): void {
    this.#young.add(name);
  }

  has(name: string): boolean {
    return this.#young.has(name) || this.#old.has(name);
  }

  /** Drops names older than two minutes, at intervals. */
  forget(nowMs: number): void {
    if (nowMs - this.#turnedMs < keepMs) return;
    this.#turnedMs = nowMs;
    this.#old = this.#young;
    this.#young = new Set();
  }
}

/** The events that must precede an event of a dialog; the first of all is `invite`. */
const after: Readonly<Record<string, readonly string[]>> = {
  route_referred: ['invite'],
  referring_invite: ['invite'],
  dlg_init: ['invite'],
  dlg_call: ['dlg_init'],
  fork_start: ['dlg_call'],
  fork_redirect: ['fork_start'],
  fork_announcement: ['fork_start'],
  fork_stop: ['fork_start'],
  dlg_start: ['fork_start'],
  refer: ['invite'],
  replaces_refer: ['invite'],
  dlg_end: ['invite'],
  dlg_stop: ['dlg_end'],
};
const once: ReadonlySet<string> = new Set([
  'invite',
  'dlg_init',
  'dlg_call',
  'dlg_start',
  'dlg_end',
  'dlg_stop',
  'dlg_dead',
]);
/** The only events after the end of a dialog. */
const late: ReadonlySet<string> = new Set(['dlg_stop', 'dlg_dead', 'fork_stop']);

/** By source and incarnation: the last item, and the events of its dialogs. */
interface SourceIncarnation {
  readonly epoch: number;
  last: number;
  readonly dialogs: Map<string, Set<string>>;
}

export const eventsInOrder: OracleMaker = {
  name: 'events-in-order',
  rule: 'The events of a call come in their order, events that occur once are not repeated, and none follows dlg_stop.',
  make: ({ check, fail }) => {
    const lives = new Map<string, SourceIncarnation>();
    const over = new OverCalls();
    const take = (incarnation: SourceIncarnation, source: string, { event, n }: StreamItem) => {
      if (n !== incarnation.last + 1) fail(`${source} sent item ${n} after item ${incarnation.last}`);
      incarnation.last = n;
      if (event?.class !== 'callevents') return;
      const wrong = judge(incarnation, event, over);
      check();
      if (wrong !== undefined) fail(`${source}: ${wrong}`);
    };
    const listeners: ObservationListeners = {
      'published.items': ({ from, epoch, items, atMs }) => {
        const known = lives.get(from);
        const isNew = known === undefined || epoch > known.epoch;
        const incarnation = isNew ? { epoch, last: (items[0]?.n ?? 1) - 1, dialogs: new Map() } : known;
        lives.set(from, incarnation);
        over.forget(atMs);
        // Several messages may have the same items.
        for (const item of items) if (item.n > incarnation.last) take(incarnation, from, item);
      },
    };
    return { listeners };
  },
};

function judge(incarnation: SourceIncarnation, { name, data }: PlatformEvent, over: OverCalls): string | undefined {
  const dialogid = String(data['dialogid']);
  // A callstore publishes for calls of others only that they are dead.
  const isForeign = name === 'dlg_dead' && !incarnation.dialogs.has(dialogid);
  if (isForeign) return undefined;
  if (over.has(dialogid)) return `${name} of call ${dialogid} after its dlg_stop`;
  const published = incarnation.dialogs.get(dialogid) ?? new Set<string>();
  incarnation.dialogs.set(dialogid, published);
  const missing = after[name]?.find((earlier) => !published.has(earlier));
  if (missing !== undefined) return `${name} of call ${dialogid} before its ${missing}`;
  if (once.has(name) && published.has(name)) return `a second ${name} of call ${dialogid}`;
  if (published.has('dlg_end') && !late.has(name)) return `${name} of call ${dialogid} after its dlg_end`;
  published.add(name);
  if (name !== 'dlg_stop') return undefined;
  incarnation.dialogs.delete(dialogid);
  over.add(dialogid);
  return undefined;
}
