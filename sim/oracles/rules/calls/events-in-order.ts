import type { BodyOf } from '../../../../src/model/protocol/catalogue.ts';
import type { PlatformEvent, StreamItem } from '../../../../src/model/protocol/stream.ts';
import type { Hears, OracleMaker } from '../../oracle.ts';

/** Names of what is over, for a while: an event that comes after the last one is noticed, and memory does not grow. */

const keepMs = 120_000;

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

  /** Forgets what is older than two minutes, now and then. */
  forget(nowMs: number): void {
    if (nowMs - this.#turnedMs < keepMs) return;
    this.#turnedMs = nowMs;
    this.#old = this.#young;
    this.#young = new Set();
  }
}

/** What sources tell of calls comes in the order in which it happens. */

/** What must have been told of a dialog before; the first of all is `invite`. */
const after: Readonly<Record<string, readonly string[]>> = {
  route_referred: ['invite'],
  referring_invite: ['invite'],
  dlg_init: ['invite'],
  dlg_call: ['dlg_init'],
  fork_start: ['dlg_call'],
  fork_redirect: ['fork_start'],
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
/** Nothing but these is told of a dialog that has ended. */
const late: ReadonlySet<string> = new Set(['dlg_stop', 'dlg_dead', 'fork_stop']);

/** How far each source's life was seen, and what was told of its dialogs. */
interface Life {
  readonly epoch: number;
  last: number;
  readonly dialogs: Map<string, Set<string>>;
}

export const eventsInOrder: OracleMaker = {
  name: 'events-in-order',
  rule: 'The events of a call are sent in their order, none twice that is sent once, and none after dlg_stop.',
  make: ({ check, fail }) => {
    const lives = new Map<string, Life>();
    const over = new OverCalls();
    const take = (life: Life, source: string, { event, n }: StreamItem) => {
      if (n !== life.last + 1) fail(`${source} told item ${n} after item ${life.last}`);
      life.last = n;
      if (event?.class !== 'callevents') return;
      const wrong = judge(life, event, over);
      check();
      if (wrong !== undefined) fail(`${source}: ${wrong}`);
    };
    const hears: Hears = {
      'envelope.sent': ({ envelope, atMs }) => {
        const { epoch, items } = envelope.body as BodyOf<'stream.told'>;
        const { from } = envelope;
        const known = lives.get(from);
        const isNew = known === undefined || epoch > known.epoch;
        const life = isNew ? { epoch, last: (items[0]?.n ?? 1) - 1, dialogs: new Map() } : known;
        lives.set(from, life);
        over.forget(atMs);
        // Each of those who listen is told the same.
        for (const item of items) if (item.n > life.last) take(life, from, item);
      },
    };
    return { hears, types: ['stream.told'] };
  },
};

function judge(life: Life, { name, data }: PlatformEvent, over: OverCalls): string | undefined {
  const dialogid = String(data['dialogid']);
  // A callstore tells of the calls of others, and of those only that they are dead.
  const isForeign = name === 'dlg_dead' && !life.dialogs.has(dialogid);
  if (isForeign) return undefined;
  if (over.has(dialogid)) return `${name} of call ${dialogid} after its dlg_stop`;
  const told = life.dialogs.get(dialogid) ?? new Set<string>();
  life.dialogs.set(dialogid, told);
  const missing = after[name]?.find((earlier) => !told.has(earlier));
  if (missing !== undefined) return `${name} of call ${dialogid} before its ${missing}`;
  if (once.has(name) && told.has(name)) return `a second ${name} of call ${dialogid}`;
  if (told.has('dlg_end') && !late.has(name)) return `${name} of call ${dialogid} after its dlg_end`;
  told.add(name);
  if (name !== 'dlg_stop') return undefined;
  life.dialogs.delete(dialogid);
  over.add(dialogid);
  return undefined;
}
