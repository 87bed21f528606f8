/** Checks stores whose records stand alone: starts of a node, changes of sessions, runs of scripts, bans. */
import { z } from 'zod';
import { sessionChangeSchema } from '../../src/model/protocol/messages/session.ts';
import type { StoreChange } from '../../src/ports/store.ts';
import { keyOfChange } from '../../src/roles/ws/session-log.ts';
import type { RecordsOnDisk } from '../ports/store.ts';
import { issueText } from './check-rows.ts';
import { type Finding, parsedJson, type StoreLocation } from './store-kinds.ts';

export interface KeyedRule {
  /** What is wrong with a record. */
  readonly problemOf: (key: string, value: string) => string | undefined;
  /** What its removal means. */
  readonly repair: string;
}

export class KeyedCheck {
  readonly findings: Finding[] = [];
  readonly #place: StoreLocation;
  readonly #rule: KeyedRule;
  #records = 0;

  constructor(place: StoreLocation, rule: KeyedRule) {
    this.#place = place;
    this.#rule = rule;
  }

  get records(): number {
    return this.#records;
  }

  async read(store: RecordsOnDisk): Promise<void> {
    const { problemOf, repair } = this.#rule;
    for await (const [at, value] of store.entries({})) {
      this.#records += 1;
      const problem = problemOf(at, value);
      if (problem !== undefined) this.findings.push({ level: 'damage', store: this.#place.store, at, problem, repair });
    }
  }

  repairs(): StoreChange[] {
    return this.findings.map(({ at = '' }) => ({ delete: at }));
  }
}

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

const problemOfRun = json(runSchema, ({ id }) => `run/${id}`);

/** The global variables of a domain, by name. */
const globalsSchema = z.record(z.string(), z.unknown());
const problemOfGlobals = json(globalsSchema);

const banSchema = z.strictObject({ ip: z.string(), untilMs: z.number() });

/** `keyOf`: the key of a value. Absent: the value does not say it. */
function json<S extends z.ZodType>(schema: S, keyOf?: (value: z.infer<S>) => string): KeyedRule['problemOf'] {
  return (key, value) => {
    const parsed = parsedJson(value);
    if ('problem' in parsed) return parsed.problem;
    const read = schema.safeParse(parsed.value);
    if (!read.success) return issueText(read.error);
    return keyOf === undefined || key === keyOf(read.data) ? undefined : 'has an unknown key';
  };
}

/** By the kind of the store. */
export const keyedRules = {
  starts: {
    problemOf: (key, value) => {
      // Earlier versions stored a number of the node beside the epoch.
      const isSound = (key === 'epoch' || key === 'incarnation') && /^\d{1,15}$/.test(value);
      return isSound ? undefined : 'is not valid';
    },
    repair: 'removed; the numbers go on from the time of day',
  },
  sessions: {
    problemOf: json(sessionChangeSchema, keyOfChange),
    repair: 'removed; other sites may know of the logout still',
  },
  runs: {
    problemOf: (key, value) => (key.startsWith('global/') ? problemOfGlobals : problemOfRun)(key, value),
    repair: 'removed; the run ends where it was, the variables are empty',
  },
  bans: { problemOf: json(banSchema, ({ ip }) => ip), repair: 'removed; the address is not banned any more' },
} as const satisfies Record<string, KeyedRule>;
