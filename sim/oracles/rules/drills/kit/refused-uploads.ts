/** Files that are sent while the master does nothing: nothing of them is kept. */

import { refusing } from '../../use-cases/calls/call-judges.ts';
import { parking } from '../../use-cases/kit/paths.ts';
import { type Judge, textOf } from '../../use-cases/kit/use-case.ts';
import type { Drill } from './drill.ts';
import { inTime, timed } from './silence.ts';

function fileAt(site: string): string {
  return `${parking}/refused-uploads-${site}.wav`;
}

/** It is refused in time, and the client may try again. */
export async function refusesUpload(drill: Drill, site: string, mostMs: number): Promise<void> {
  const bytes = { type: 'audio/wav', text: 'never' };
  const sent = await timed(drill, fileAt(site), { site, method: 'PUT', bytes });
  const judge: Judge = (answer) =>
    refusing(503)(answer) ??
    (Number(answer?.headers.get('retry-after')) >= 1 ? undefined : `no Retry-After with ${textOf(answer)}`);
  drill.expect(`PUT of a file at ${site} while the mdc is silent`, sent.answer, inTime(sent, mostMs, judge));
}

/** No front has the file. */
export async function hasNoUpload(drill: Drill, site: string): Promise<void> {
  const isAbsent: Judge = (answer) => (answer?.status === 404 ? undefined : `expected 404, got ${textOf(answer)}`);
  await drill.everywhere(fileAt(site), isAbsent, drill.quickMs);
}
