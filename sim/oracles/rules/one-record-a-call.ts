/** What is over is written down, once. */
import { coverOf } from '../../../src/model/domain-tree.ts';
import type { BodyOf } from '../../../src/model/protocol/catalogue.ts';
import { boundsOf } from '../bounds.ts';
import type { Hears, OracleContext, OracleMaker } from '../oracle.ts';

/** The end of a call, and which callstore instances have heard it and live on. */
interface Ended {
  readonly domains: readonly string[];
  readonly heardBy: Set<string>;
}

const path = '/rest/v1/journal/calls';
/** Who has heard an end writes it down at once; so long it must live for that. */
const writtenMs = 5_000;

export const oneRecordACall: OracleMaker = {
  name: 'one-record-a-call',
  rule: 'Every call whose end a callstore has heard has exactly one record in the journal of each of its domains that this callstore serves, at every front.',
  make: (context) => {
    const { map } = context;
    const calls = new Map<string, Ended>();
    /** Ends that were heard a moment ago, by who heard them. */
    const fresh = new Map<string, Map<string, number>>();
    const lose = (instance: string, atMs: number) => {
      for (const [inviteid, heardMs] of fresh.get(instance) ?? []) {
        if (heardMs + writtenMs > atMs) calls.get(inviteid)?.heardBy.delete(instance);
      }
      fresh.delete(instance);
    };
    const hears: Hears = {
      'envelope.delivered': ({ envelope: { to, body }, atMs }) => {
        for (const { event } of (body as BodyOf<'stream.told'>).items) {
          if (event?.name !== 'dlg_end' && event?.name !== 'dlg_dead') continue;
          const inviteid = String(event.data['inviteid']);
          const ended = calls.get(inviteid) ?? { domains: event.domains, heardBy: new Set() };
          calls.set(inviteid, ended);
          ended.heardBy.add(to);
          const heard = fresh.get(to) ?? new Map<string, number>();
          fresh.set(to, heard.set(inviteid, atMs));
        }
      },
      'instance.crashed': ({ instance, atMs }) => lose(instance, atMs),
      'node.ended': ({ node, atMs }) => {
        for (const each of map.instancesOf('callstore')) if (each.node === node) lose(each.address, atMs);
      },
    };
    const tick = (nowMs: number) => {
      for (const heard of fresh.values()) {
        for (const [inviteid, atMs] of heard) if (atMs + writtenMs < nowMs) heard.delete(inviteid);
      }
    };
    /** The journal of a domain is what the callstores know that serve it. */
    const isKept = ({ domains, heardBy }: Ended, domain: string) =>
      domains.includes(domain) &&
      [...heardBy].some((address) => coverOf(domain, map.instance(address).domains) !== undefined);
    const atQuiet = async () => {
      for (const domain of context.questions.domains) {
        const ids = [...calls].filter(([, ended]) => isKept(ended, domain)).map(([inviteid]) => inviteid);
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
