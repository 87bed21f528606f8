import { z } from 'zod';
import { duration, faultSchema } from './faults.ts';
import { sightSchema, whenSchema } from './observations.ts';
import { expectSchema, outside, requestSchema } from './requests.ts';
import { rate, workloadStepSchema } from './workloads.ts';

/** The steps of a scenario as a tree: blocks, and the steps in them. Steps are counted without blocks, wherever it is told how many there are. */

type Data = Readonly<Record<string, unknown>>;

/** The steps in a list of steps that are no blocks, those of blocks included. */
export function leavesIn(steps: unknown): Data[] {
  if (!Array.isArray(steps)) return [];
  return (steps as Data[]).flatMap((step) => {
    const inner = blocksOf(step);
    return inner.length === 0 ? [step] : inner.flatMap(leavesIn);
  });
}

/** The lists of steps of a block; none of a step that is no block. */
export function blocksOf(step: Data): (readonly Data[])[] {
  const branches = Array.isArray(step['parallel']) ? step['parallel'].map((branch: Data) => branch['steps']) : [];
  const repeated = (step['repeat'] as Data | undefined)?.['steps'];
  return [step['steps'], repeated, ...branches].filter((list) => Array.isArray(list));
}

/** The steps of a scenario: one thing to do each, when to do it, and blocks of steps, one after the other or side by side. */

/** Blocks in blocks, steps of a block, branches of a `parallel`, and rounds of what is repeated. */
export const stepLimits = { depth: 8, steps: 1_000, branches: 50, rounds: 100_000 } as const;

export const stepKinds = [
  'fault',
  'wait',
  'request',
  'look',
  'dial',
  'hangUp',
  'load',
  'workload',
  'converge',
  'steps',
  'parallel',
  'repeat',
] as const;
export type StepKind = (typeof stepKinds)[number];

const converge = z.strictObject({
  core: z
    .union([z.literal('random'), z.array(z.string()).min(1)], 'expected random, or a list of sites')
    .default('random')
    .describe('Sites that are healed, the master site always: others by chance, or these'),
  within: duration.default(60_000).describe('Default 60s'),
});

const rounds = z.int().min(1).max(stepLimits.rounds);

const plain = z.strictObject({
  at: duration.optional().describe('Time since the cluster was ready; default: right after the step before'),
  when: whenSchema.optional().describe('It begins when this is seen; alone: it is waited for'),
  every: duration
    .optional()
    .describe(
      'Again and again, so long from beginning to beginning: `times`, `until`, or as long as the other branches run',
    ),
  times: rounds.optional().describe('How often, with `every`'),
  until: z
    .union([duration, sightSchema], 'expected a duration such as 5s, or something seen such as { settled: true }')
    .optional()
    .describe('Until when, with `every`: a time since the cluster was ready, or something seen'),
  note: z.string().optional().describe('Stands for the step in what is told'),
  fault: faultSchema.optional(),
  wait: duration.optional(),
  request: requestSchema.optional(),
  look: outside
    .optional()
    .describe('A phone or provider, to be looked at: what is expected is of its name, state and calls'),
  dial: z
    .strictObject({ from: outside, to: z.string().describe('A number, or number@domain') })
    .optional()
    .describe('A phone or provider calls by itself'),
  hangUp: outside.optional().describe('A phone or provider ends all its calls'),
  load: z
    .strictObject({
      rate: rate.describe('Calls a second, in the mean; 0: no more'),
      holding: duration.optional().describe('How long a call lasts from its answer, in the mean; default 20s'),
    })
    .optional()
    .describe('A load of calls between phones, providers and rooms, in place of the one before'),
  workload: workloadStepSchema.optional().describe('Changes parts of the workload'),
  converge: converge
    .optional()
    .describe('A core of the cluster is healed, other faults stay for ever: within this time it must serve and agree'),
  expect: expectSchema.optional(),
});

export interface Branch {
  readonly note?: string | undefined;
  readonly steps: readonly ScenarioStep[];
}
export interface Repeat {
  readonly times: number;
  readonly steps: readonly ScenarioStep[];
}
export type ScenarioStep = z.infer<typeof plain> & {
  readonly steps?: readonly ScenarioStep[] | undefined;
  readonly parallel?: readonly Branch[] | undefined;
  readonly repeat?: Repeat | undefined;
};

/** Beside these a step that waits for something needs nothing to do. */
function hasOneKind(step: ScenarioStep): boolean {
  const count = stepKinds.filter((kind) => step[kind] !== undefined).length;
  return count === 1 || (count === 0 && step.when !== undefined);
}

function gotText(step: ScenarioStep): string {
  const kinds = stepKinds.filter((kind) => step[kind] !== undefined);
  return kinds.length === 0 ? '' : `, got ${kinds.join(' and ')}`;
}

export const stepSchema: z.ZodType<ScenarioStep> = plain
  .extend({
    get steps() {
      return block.optional().describe('A block: one step after the other');
    },
    get parallel() {
      return z
        .array(z.strictObject({ note: z.string().optional().describe('Stands for the branch'), steps: block }))
        .min(1)
        .max(stepLimits.branches)
        .optional()
        .describe('Blocks side by side; it is over when all are');
    },
    get repeat() {
      return z
        .strictObject({ times: rounds, steps: block })
        .optional()
        .describe('A block several times, one after the other');
    },
  })
  .superRefine((step, { addIssue }) => {
    if (!hasOneKind(step))
      addIssue(`expected exactly one of ${stepKinds.join(', ')} (or "when" alone)${gotText(step)}`);
  })
  .refine(
    ({ request, look, expect }) => expect === undefined || request !== undefined || look !== undefined,
    'expected "expect" only beside a request or a look',
  )
  .refine(
    ({ every, times, until }) => every !== undefined || (times === undefined && until === undefined),
    'expected "times" and "until" only beside "every"',
  )
  .meta({ id: 'step' });

const block: z.ZodType<readonly ScenarioStep[]> = z.lazy(() => z.array(stepSchema).min(1).max(stepLimits.steps));

export type Converge = z.infer<typeof converge>;
