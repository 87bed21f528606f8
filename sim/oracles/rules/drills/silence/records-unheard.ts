/** The node of a callstore does nothing for some seconds: what is said meanwhile of the calls whose records it has. */

import { steadyUsers } from '../../use-cases/kit/call.ts';
import { records } from '../../use-cases/kit/paths.ts';
import { filterOf, type Item, itemsOf, type Judge, textOf } from '../../use-cases/kit/use-case.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { connectPair, isGone, type KnownCall } from '../kit/known-call.ts';
import { inTime, silentNode, timed } from '../kit/silence.ts';

/** Beyond the wait for an instance. */
const marginMs = 1_000;

export const recordsUnheard = drillOf({
  name: 'records-unheard',
  rule: 'When the node of a callstore does nothing, a list of call records has the records of its site, or says that it lacks the site, before and after the others notice, and a record is shown, or refused with 503, and never said to be unknown; in the time that a list may take. When the node goes on, each front has all of them.',
  exclusions:
    'Domains with fewer than two phones that are registered and answer; callstores on the node of each front or each mware.',
  sender: '10.6.1.91',
  play: async (drill) => {
    const [a, b] = await steadyUsers(drill, 2);
    if (a === undefined || b === undefined) return;
    for (const asked of drill.sites) {
      if (silencedAt(drill, asked) === undefined) continue;
      const call = await connectPair(drill, [a, b], { label: 'records-unheard', site: asked });
      if (call === undefined) return;
      await drill.ask(call.path, { method: 'DELETE' });
      await isGone(drill, call, { withinMs: drill.patienceMs });
      const silenced = silencedAt(drill, call.b2b.site);
      if (silenced !== undefined) return silence(drill, call, silenced);
    }
  },
});

interface Silenced {
  readonly node: string;
  /** Where lists can be asked for meanwhile. */
  readonly sites: readonly string[];
}

/** The node with the callstore of a site; `undefined`: there is none without which lists are answered. */
function silencedAt(drill: Drill, site: string): Silenced | undefined {
  const [callstore] = drill.activeOf('callstore', site);
  const silent = callstore && silentNode(drill, callstore.node);
  if (silent === undefined) return undefined;
  const node = silent.node.name;
  const isServed = (each: string) => drill.activeOf('mware', each).some((mware) => mware.node !== node);
  const sites = silent.sites.filter(isServed);
  return sites.length === 0 ? undefined : { node, sites };
}

async function silence(drill: Drill, { inviteid, b2b: { site } }: KnownCall, { node, sites }: Silenced): Promise<void> {
  const mostMs = drill.context.map.topology.timings.edgeWaitMs + marginMs;
  const list = `${records}?${filterOf({ inviteid })}`;
  const judgeAt = async (asked: string) => {
    const listed = await timed(drill, list, { site: asked });
    const isTold: Judge = (answer) => (isRefused(answer) ? undefined : hasOrLacks(inviteid, site)(answer));
    drill.expect(`GET ${list} at ${asked}`, listed.answer, inTime(listed, mostMs, isTold));
    const shown = await timed(drill, `${records}/${inviteid}`, { site: asked });
    const isKnown: Judge = (answer) =>
      answer?.status === 200 || isRefused(answer) ? undefined : `expected 200 or 503, got ${textOf(answer)}`;
    drill.expect(`GET ${records}/${inviteid} at ${asked}`, shown.answer, inTime(shown, mostMs, isKnown));
  };
  await drill.paused([node], async () => {
    await Promise.all(sites.map(judgeAt));
    await drill.context.questions.wait(drill.noticedMs);
    await Promise.all(sites.map(judgeAt));
  });
  await drill.everywhere(list, hasOrLacks(inviteid, undefined), drill.patienceMs);
}

/** Nothing is said of it. A gateway may be silent. */
const isRefused: (answer: Parameters<Judge>[0]) => boolean = (answer) =>
  answer?.status === 503 || answer?.status === 504;

/** The list has the record, or says that it lacks the site. */
function hasOrLacks(inviteid: string, site: string | undefined): Judge {
  return (answer) => {
    const rows: readonly Item[] = itemsOf(answer);
    const missing = answer?.headers.get('x-missing-sites')?.split(',') ?? [];
    const isRight = rows.some((row) => row['inviteid'] === inviteid) || (site !== undefined && missing.includes(site));
    return answer?.status === 200 && isRight
      ? undefined
      : `expected ${inviteid}${site === undefined ? '' : `, or ${site} as missing`}, got ${textOf(answer)} without ${missing.join() || 'none'}`;
  };
}
