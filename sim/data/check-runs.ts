/** Checks a store of runs of scripts. */
import { z } from 'zod';
import type { Store, StoreChange } from '../../src/ports/store.ts';
import { issueText } from './check-rows.ts';
import { type Finding, parsedJson, type StorePlace } from './stores.ts';

const frame = z.looseObject({
  code: z.string(),
  position: z.string().optional(),
  variables: z.record(z.string(), z.unknown()),
});

/** What an instance that continues a run relies on. */
const runSchema = z.looseObject({
  id: z.string(),
  kind: z.string(),
  domain: z.string(),
  code: z.string(),
  params: z.array(z.unknown()),
  startedMs: z.number(),
  untilMs: z.number(),
  scripts: z.record(z.string(), z.array(z.looseObject({ name: z.string(), type: z.string() }))),
  frames: z.array(frame).min(1),
  passed: z.int(),
  steps: z.array(z.unknown()),
  status: z.enum(['running', 'finished', 'failed']),
});

export class RunsCheck {
  readonly findings: Finding[] = [];
  readonly #place: StorePlace;
  #records = 0;

  constructor(place: StorePlace) {
    this.#place = place;
  }

  get records(): number {
    return this.#records;
  }

  async read(store: Store): Promise<void> {
    for await (const [key, value] of store.entries({})) {
      this.#records += 1;
      const problem = problemOf(key, value);
      if (problem === undefined) continue;
      const repair = 'removed; the run ends where it was';
      this.findings.push({ level: 'damage', store: this.#place.store, at: key, problem, repair });
    }
  }

  repairs(): StoreChange[] {
    return this.findings.map(({ at = '' }) => ({ delete: at }));
  }
}

function problemOf(key: string, value: string): string | undefined {
  const json = parsedJson(value);
  if ('problem' in json) return json.problem;
  const read = runSchema.safeParse(json.value);
  if (!read.success) return issueText(read.error);
  return key === `run/${read.data.id}` ? undefined : 'has an unknown key';
}
