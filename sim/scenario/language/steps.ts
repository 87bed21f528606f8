/** The steps of a scenario: one action each, its time or condition, and blocks of steps in sequence or in parallel. */
import { z } from 'zod';
import { stubAnswerSchema, stubUrlSchema } from '../../outside/http/stub-answer.ts';
import { matcherSchema, whenSchema } from './event-matcher.ts';
import { duration, faultSchema } from './fault-schema.ts';
import { expectSchema, looked, outside, requestSchema } from './request-schema.ts';
import { rate, workloadStepSchema } from './workloads.ts';

type Data = Readonly<Record<string, unknown>>;

/** All steps in a list that are not blocks, nested ones included. */
export function leavesIn(steps: unknown): Data[] {
  if (!Array.isArray(steps)) return [];
  return (steps as Data[]).flatMap((step) => {
    const inner = blocksOf(step);
    return inner.length === 0 ? [step] : inner.flatMap(leavesIn);
  });
}

/** The lists of steps in a block; empty for other steps. */
export function blocksOf(step: Data): (readonly Data[])[] {
  const branches = Array.isArray(step['parallel']) ? step['parallel'].map((branch: Data) => branch['steps']) : [];
  const repeated = (step['repeat'] as Data | undefined)?.['steps'];
  return [step['steps'], repeated, ...branches].filter((list) => Array.isArray(list));
}

/** Depth of blocks, steps in a block, branches of a `parallel`, and rounds of a repetition. */
export const stepLimits = { depth: 8, steps: 1_000, branches: 50, rounds: 100_000 } as const;

export const stepKinds = [
  'fault',
  'wait',
  'request',
  'look',
  'dial',
  'press',
  'hangUp',
  'stub',
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
    .describe('Sites to heal: random, or a list; the master site is always one of them'),
  within: duration.default(60_000).describe('Default 60s'),
});

const rounds = z.int().min(1).max(stepLimits.rounds);

const plain = z.strictObject({
  at: duration.optional().describe('Time since the cluster was ready; default: right after the step before'),
  when: whenSchema.optional().describe('The step begins when this is seen; without an action it only waits'),
  every: duration
    .optional()
    .describe('Repeats the step at this interval, until `times` or `until`, or as long as the other branches run'),
  times: rounds.optional().describe('Number of rounds, with `every`'),
  until: z
    .union([duration, matcherSchema], 'expected a duration such as 5s, or a matcher such as { settled: true }')
    .optional()
    .describe('End of the repetition, with `every`: a time since the cluster was ready, or something that is seen'),
  note: z.string().optional().describe('Text that reports show for the step'),
  fault: faultSchema.optional(),
  wait: duration.optional(),
  request: requestSchema.optional(),
  look: looked.optional(),
  dial: z
    .strictObject({ from: outside, to: z.string().describe('A number, or number@domain') })
    .optional()
    .describe('A phone or provider makes a call'),
  press: z
    .strictObject({
      from: outside,
      digits: z.string().regex(/^[0-9*#A-D]{1,32}$/, 'expected 1 to 32 of the digits 0-9 * # A-D'),
    })
    .optional()
    .describe('A phone or provider presses digits in all its calls'),
  hangUp: outside.optional().describe('A phone or provider ends all its calls'),
  stub: z
    .strictObject({ url: stubUrlSchema, answer: stubAnswerSchema })
    .optional()
    .describe('Answers the HTTP requests of scripts whose address begins with `url`'),
  load: z
    .strictObject({
      rate: rate.describe('Mean number of calls a second; 0 stops the load'),
      holding: duration.optional().describe('Mean duration of a call from its answer; default 20s'),
    })
    .optional()
    .describe('Load of calls between phones, providers and rooms; replaces the load before'),
  workload: workloadStepSchema.optional().describe('Replaces or stops parts of the workload'),
  converge: converge
    .optional()
    .describe(
      'The runner heals a core of the cluster and leaves all other faults active; the core must serve and agree within this time',
    ),
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

/** A step with a `when` needs no action. */
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
      return block.optional().describe('A block: steps in sequence');
    },
    get parallel() {
      return z
        .array(
          z.strictObject({
            note: z.string().optional().describe('Text that reports show for the branch'),
            steps: block,
          }),
        )
        .min(1)
        .max(stepLimits.branches)
        .optional()
        .describe('Blocks in parallel; the step ends when all branches have ended');
    },
    get repeat() {
      return z.strictObject({ times: rounds, steps: block }).optional().describe('A block that is repeated');
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
