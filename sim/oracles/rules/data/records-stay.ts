/** What the journal has shown of a call stays, and what was removed of it stays removed, whichever callstore serves. */
import type { ClusterMap } from '../../../../src/model/cluster/cluster-map.ts';
import type { BodyOf, ReplyOf } from '../../../../src/model/protocol/catalogue.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleContext, OracleMaker } from '../../oracle.ts';
import { ClientRequests, type ObservedAnswer, type ObservedRequest } from '../kit/client-requests.ts';
import { setLast, together } from '../kit/shared.ts';
import { Undisturbed } from '../kit/undisturbed.ts';
import { idsIn } from '../shown/removals-show.ts';

const journal = '/rest/v1/journal/calls';
/** A call, its recordings, and one of them. */
const places = /^\/rest\/v1\/journal\/calls(?:_by_participation)?(?:\/([^/]+)(?:\/attachments(?:\/([^/]+))?)?)?$/;
/** The type of a record of a call whose end no instance has seen. */
const dead = 'dead';
/** The last ones. */
const [mostRecords, mostRemovals, mostMarks] = [300, 60, 3_000];

interface Row {
  readonly inviteid?: string;
  readonly startts?: number;
  readonly answerts?: number | null;
  readonly endts?: number;
  readonly type?: string;
  readonly participations?: readonly unknown[];
}

interface Removal {
  readonly domain: string;
  readonly inviteid: string;
  readonly name: string;
  readonly returnedMs: number;
  /** Whether every callstore of the group knew it soon, since nothing was broken. */
  isSpread: boolean;
}

export const recordsStay: OracleMaker = {
  name: 'records-stay',
  rule: 'In a quiescent cluster, whichever callstores serve, the journal shows what it has shown of a call before: it began no later, its answer, its end and its participations are there; and no recording that was removed is there, two seconds after the removal if nothing was broken then. Members of a group that compare their records ask for what differs, and know the same of each call then.',
  exclusions:
    'Recordings that are gone: their storage rule may have ended. Records that are missing: one-record-a-call.',
  make: (context) => {
    const { map, now } = context;
    const { quickMs } = boundsOf(map);
    const undisturbed = new Undisturbed();
    const shown = new Map<string, { readonly domain: string; readonly row: Row }>();
    /** The names of the recordings of calls, as lists have shown them. */
    const listed = new Map<string, ReadonlySet<string>>();
    const removals = new Map<string, Removal>();
    const answered = ({ method, path, domain, query }: ObservedRequest, answer: ObservedAnswer) => {
      const { status, body, returnedMs } = answer;
      const [isJournal, inviteid, name] = places.exec(path) ?? [];
      if (isJournal === undefined || domain === undefined || status >= 300) return;
      const isOfRecordings = path.includes('/attachments');
      if (method === 'GET' && !isOfRecordings) {
        for (const row of [body].flat() as readonly (Row | undefined)[])
          if (typeof row?.inviteid === 'string')
            setLast(shown, `${domain} ${row.inviteid}`, { domain, row }, mostRecords);
      }
      if (inviteid === undefined || !isOfRecordings) return;
      const key = `${domain} ${inviteid}`;
      if (method === 'GET' && name === undefined) setLast(listed, key, idsIn(body), mostRecords);
      if (method !== 'DELETE' || query.size > 0) return;
      // Sites that did not answer keep theirs.
      const names = name === undefined ? (answer.missing === undefined ? (listed.get(key) ?? []) : []) : [name];
      for (const each of names) {
        const removal = { domain, inviteid, name: decodeURIComponent(each), returnedMs, isSpread: false };
        setLast(removals, `${key} ${removal.name}`, removal, mostRemovals);
      }
    };
    const marks = new RecordMarks(map);
    const requests = new ClientRequests((_, path) => places.test(path), answered);
    const tick = (nowMs: number) => {
      for (const removal of removals.values()) {
        const sinceMs = nowMs - removal.returnedMs;
        if (sinceMs > quickMs && sinceMs <= 2 * quickMs)
          removal.isSpread ||= undisturbed.isSince(removal.returnedMs, nowMs);
      }
    };
    const atQuiescence = async () => {
      await compare(context, { shown: [...shown.values()], removals: [...removals.values()] });
      await judgeMarks(context, marks);
    };
    const listeners = together(undisturbed.listeners, requests.listeners, marks.listeners);
    return { listeners, tick: () => tick(now()), atQuiescence };
  },
};

type Entries = BodyOf<'callstore.compare'>['entries'];

/** A record of which an active callstore did not ask for what a standby knows of it. */
interface Unwanted {
  readonly by: string;
  readonly inviteid: string;
  readonly mark: string;
  /** How often the instance had compared by then. */
  readonly comparisons: number;
}

/** What the callstores have said of their records when they compared these: a text that differs where the records differ. */
class RecordMarks {
  /** By group, call and instance. */
  readonly #said = new Map<string, Map<string, Map<string, string>>>();
  readonly #asked = new Map<string, Entries>();
  readonly #comparisons = new Map<string, number>();
  readonly #unwanted = new Map<string, Unwanted>();
  readonly listeners: ObservationListeners;
  readonly #map: ClusterMap;

  constructor(map: ClusterMap) {
    this.#map = map;
    this.listeners = {
      'envelope.sent': {
        'callstore.compare': ({ envelope: { kind, id, re = '', from, body } }) => {
          if (kind !== 'ask' && kind !== 'reply') return;
          const { entries } = body as BodyOf<'callstore.compare'> | ReplyOf<'callstore.compare'>;
          this.#comparisons.set(from, (this.#comparisons.get(from) ?? 0) + 1);
          const calls = this.#callsOf(from);
          for (const [inviteid, mark] of entries)
            setLast(calls, inviteid, (calls.get(inviteid) ?? new Map<string, string>()).set(from, mark), mostMarks);
          if (kind === 'ask') setLast(this.#asked, id, entries, mostRemovals);
          else this.#answered(from, this.#asked.get(re) ?? [], body as ReplyOf<'callstore.compare'>);
        },
      },
    };
  }

  get size(): number {
    return [...this.#said.values()].reduce((sum, calls) => sum + calls.size, 0);
  }

  /** The calls of which members know different things, or have not asked for what another one knows. */
  problems(): string[] {
    const different = [...this.#said.values()].flatMap((calls) =>
      [...calls].flatMap(([inviteid, marks]) => {
        if (new Set(marks.values()).size < 2) return [];
        const texts = [...marks].map(([instance, mark]) => `${instance}: ${mark}`);
        return [`of the call ${inviteid} callstores know different things (${texts.join(', ')})`];
      }),
    );
    const unwanted = [...this.#unwanted.values()].flatMap(({ by, inviteid, mark, comparisons }) => {
      // A record that has changed since is compared again: it may have changed before the answer.
      const isAsThen = this.#callsOf(by).get(inviteid)?.get(by) === mark;
      if (!isAsThen || (this.#comparisons.get(by) ?? 0) === comparisons) return [];
      return [`${by} did not ask for the record of the call ${inviteid} that differs from its own`];
    });
    return [...different, ...unwanted];
  }

  #answered(by: string, asked: Entries, { entries, wants }: ReplyOf<'callstore.compare'>): void {
    const theirs = new Map(asked);
    const comparisons = this.#comparisons.get(by) ?? 0;
    for (const [inviteid, mark] of entries) {
      if (!theirs.has(inviteid) || theirs.get(inviteid) === mark || wants.includes(inviteid)) continue;
      setLast(this.#unwanted, `${by} ${inviteid}`, { by, inviteid, mark, comparisons }, mostRemovals);
    }
  }

  #callsOf(instance: string): Map<string, Map<string, string>> {
    const group = this.#map.groupOf(this.#map.instance(instance))[0]?.address ?? instance;
    const calls = this.#said.get(group) ?? new Map<string, Map<string, string>>();
    this.#said.set(group, calls);
    return calls;
  }
}

/** What was compared is exchanged, and compared again: twice the interval, in which they compare. */
async function judgeMarks({ questions, map, stableMs, check, fail }: OracleContext, marks: RecordMarks): Promise<void> {
  if (stableMs() === 0 || marks.size === 0) return;
  const wrong = await questions.lasting(2 * boundsOf(map).comparedMs, async () => marks.problems());
  if (stableMs() === 0) return;
  check(marks.size);
  for (const what of wrong) fail(`quiescent: ${what}`);
}

interface Known {
  readonly shown: readonly { readonly domain: string; readonly row: Row }[];
  readonly removals: readonly Removal[];
}

async function compare(context: OracleContext, { shown, removals }: Known): Promise<void> {
  const { questions, map, stableMs, check, fail } = context;
  if (stableMs() === 0 || shown.length + removals.length === 0) return;
  const spread = await restored(
    context,
    removals.filter(({ isSpread }) => isSpread),
  );
  const look = async () => [
    ...(await restored(context, removals)),
    ...(await Promise.all(questions.domains.map((domain) => lessOf(context, domain, shown)))).flat(),
  ];
  const wrong = await questions.lasting(boundsOf(map).comparedMs, look);
  if (stableMs() === 0) return;
  check(shown.length + removals.length);
  for (const what of new Set([...spread, ...wrong])) fail(`quiescent: ${what}`);
}

/** The removed recordings that a front shows. */
async function restored({ questions }: OracleContext, removals: readonly Removal[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const { domain, inviteid, name } of removals) {
    for (const site of questions.sites) {
      const answer = await questions.ask({ site, domain, path: `${journal}/${inviteid}/attachments` });
      if (answer?.status === 200 && idsIn(answer.body).has(name))
        wrong.push(`${site} shows the recording ${name} of the call ${inviteid}, which was removed`);
    }
  }
  return wrong;
}

/** The records of a domain that say less than before. */
async function lessOf({ questions }: OracleContext, domain: string, shown: Known['shown']): Promise<string[]> {
  const before = shown.filter((each) => each.domain === domain);
  if (before.length === 0) return [];
  const wrong: string[] = [];
  for (const site of questions.sites) {
    const answer = await questions.ask({ site, domain, path: `${journal}?limit=10000` });
    if (answer?.status !== 200) continue;
    const rows = new Map((answer.body as readonly Row[]).map((row) => [row.inviteid, row]));
    for (const { row } of before) {
      const later = rows.get(row.inviteid);
      const what = later && lossOf(row, later);
      if (what !== undefined) wrong.push(`${site} shows the call ${row.inviteid} ${what}`);
    }
  }
  return wrong;
}

/** What a later record lacks of an earlier one, of which a client may have seen some fields only. */
function lossOf(before: Row, later: Row): string | undefined {
  const { startts = Number.POSITIVE_INFINITY, endts = 0, type = dead, answerts, participations = [] } = before;
  if ((later.startts ?? 0) > startts) return `begun at ${later.startts}, and before at ${startts}`;
  if (typeof answerts === 'number' && later.answerts === null) return 'not answered, and before answered';
  if (type !== dead && later.type === dead) return 'whose end is not known, and before it was';
  if (type !== dead && (later.endts ?? 0) < endts) return `ended at ${later.endts}, and before at ${endts}`;
  const texts = new Set((later.participations ?? []).map((each) => JSON.stringify(each)));
  const lost = participations.filter((each) => !texts.has(JSON.stringify(each)));
  return lost.length === 0 ? undefined : `without the participations ${JSON.stringify(lost)}`;
}
