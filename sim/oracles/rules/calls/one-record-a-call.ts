/** What is over is written down, once. */
import { coverOf } from '../../../../src/model/domain-tree.ts';
import type { BodyOf } from '../../../../src/model/protocol/catalogue.ts';
import type { StreamItem } from '../../../../src/model/protocol/stream.ts';
import { boundsOf } from '../../bounds.ts';
import type { Hears, OracleContext, OracleMaker } from '../../oracle.ts';

/** A call, and which callstore instances have heard of it and live on, or had the time to write it down. */
interface Told {
  domains: readonly string[];
  readonly heardBy: Set<string>;
  /** The b2b instance that has it, as far as is known. */
  b2b: string | undefined;
  /** Its end was heard, or the life of its b2b has ended. */
  isOver: boolean;
}

const path = '/rest/v1/journal/calls';
/** Who has heard an end writes it down at once; so long it must live for that. */
const writtenMs = 5_000;
/** When an instance heard the end of a call that it knows to go on. */
const notYet = Number.POSITIVE_INFINITY;

export const oneRecordACall: OracleMaker = {
  name: 'one-record-a-call',
  rule: 'Every call that a callstore has received events of, however it has ended, has exactly one record in the journal of each of its domains that this callstore serves, at every front.',
  make: (context) => {
    const { map } = context;
    const calls = new Map<string, Told>();
    /** By instance: the calls that it may not have written down yet, with the time at which it heard their end. */
    const unwritten = new Map<string, Map<string, number>>();
    const lose = (instance: string, atMs: number) => {
      for (const [inviteid, heardMs] of unwritten.get(instance) ?? []) {
        if (heardMs + writtenMs > atMs) calls.get(inviteid)?.heardBy.delete(instance);
      }
      unwritten.delete(instance);
    };
    const end = (instance: string, atMs: number) => {
      lose(instance, atMs);
      for (const told of calls.values()) if (told.b2b === instance) told.isOver = true;
    };
    const take = (to: string, { event, dialog }: StreamItem, atMs: number) => {
      const isEnd = event?.name === 'dlg_end' || event?.name === 'dlg_dead';
      const inviteid = isEnd ? String(event.data['inviteid']) : dialog?.inviteid;
      if (inviteid === undefined) return;
      const domains = (isEnd ? event : dialog)?.domains ?? [];
      const told = calls.get(inviteid) ?? { domains, heardBy: new Set(), b2b: undefined, isOver: false };
      calls.set(inviteid, told);
      told.domains = domains;
      told.b2b ??= dialog?.b2b;
      told.isOver ||= isEnd;
      const heard = unwritten.get(to) ?? new Map<string, number>();
      unwritten.set(to, heard);
      // A second end, or news of what it has written down already, tells nothing more.
      if (told.heardBy.has(to) && !(isEnd && heard.get(inviteid) === notYet)) return;
      told.heardBy.add(to);
      heard.set(inviteid, isEnd ? atMs : notYet);
    };
    const hears: Hears = {
      'envelope.delivered': ({ envelope: { to, body }, atMs }) => {
        for (const item of (body as BodyOf<'stream.told'>).items) take(to, item, atMs);
      },
      'instance.crashed': ({ instance, atMs }) => end(instance, atMs),
      'node.ended': ({ node, atMs }) => {
        for (const each of map.node(node).instances) end(each.address, atMs);
      },
    };
    const tick = (nowMs: number) => {
      for (const heard of unwritten.values()) {
        for (const [inviteid, atMs] of heard) if (atMs + writtenMs < nowMs) heard.delete(inviteid);
      }
    };
    /** The journal of a domain is what the callstores know that serve it. */
    const isKept = ({ domains, heardBy, isOver }: Told, domain: string) =>
      isOver &&
      domains.includes(domain) &&
      [...heardBy].some((address) => coverOf(domain, map.instance(address).domains) !== undefined);
    const atQuiet = async () => {
      for (const domain of context.questions.domains) {
        const ids = [...calls].filter(([, told]) => isKept(told, domain)).map(([inviteid]) => inviteid);
        if (ids.length > 0) await compare(context, domain, ids);
      }
    };
    return { hears, tick, atQuiet, types: ['stream.told'] };
  },
};

async function compare({ map, questions, calmMs, check, fail }: OracleContext, domain: string, ids: readonly string[]) {
  if (calmMs() === 0) return;
  const look = async () => {
    const wrong: string[] = [];
    for (const site of questions.sites) {
      const answer = await questions.ask({ site, domain, path: `${path}?mask=inviteid&limit=10000` });
      if (answer?.status === 200)
        wrong.push(...differences(ids, answer.body as Row[]).map((what) => `${site}: ${what}`));
    }
    return wrong;
  };
  const wrong = await questions.eventually(boundsOf(map).toldMs, look);
  if (calmMs() === 0) return;
  check(ids.length);
  for (const what of wrong) fail(`${what} in the journal of ${domain}`);
}

interface Row {
  readonly inviteid: string;
}

function differences(ids: readonly string[], rows: readonly Row[]): string[] {
  const counts = new Map<string, number>();
  for (const { inviteid } of rows) counts.set(inviteid, (counts.get(inviteid) ?? 0) + 1);
  const missing = ids.filter((id) => !counts.has(id)).map((id) => `call ${id} has no record`);
  const doubled = [...counts].filter(([, count]) => count > 1).map(([id, count]) => `call ${id} has ${count} records`);
  return rows.length >= 10_000 ? doubled : [...missing, ...doubled];
}
