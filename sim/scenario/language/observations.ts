/** What a scenario can wait for: something that is seen to happen anywhere in the world. */
import { z } from 'zod';
import { duration } from './faults.ts';
import { placeName } from './places.ts';

export const sightKinds = ['event', 'message', 'state', 'status', 'log', 'answer', 'oracle', 'settled'] as const;

const sightShape = {
  event: z.string().optional().describe('An event of the platform: callevents.dlg_start, or dlg_start'),
  message: z
    .string()
    .optional()
    .describe(
      'A message that was sent: "sip" for one between the platform and outside, else its type, such as dialog.originate',
    ),
  method: z.string().optional().describe('Of a SIP message: INVITE, BYE … Of an answer: the method of its request'),
  state: z.string().optional().describe('A machine is in this state now'),
  machine: z.string().optional().describe('Of which machine: dialog, registration …'),
  status: z
    .union([z.string(), z.int().min(100).max(699)], 'expected a status such as active, or a number from 100 to 699')
    .optional()
    .describe('A role instance has this status now (active, standby …); of a SIP message or an answer: its number'),
  log: z.string().optional().describe('A line of the log, by its name'),
  answer: z.string().optional().describe('An answer to a request of this path, or one that begins with it'),
  oracle: z.string().optional().describe('An oracle says that its rule is broken'),
  settled: z.literal(true).optional().describe('All nodes see each other, and each group has its active instance'),
  at: placeName
    .optional()
    .describe('Where: a site, a node, a role, a role instance, a phone or a provider; $name: what a step saved'),
  times: z.int().min(1).max(1_000_000).optional().describe('Seen so many times; default: once'),
};

/** Fields that say more about some kinds only. */
const details: readonly (readonly [field: 'method' | 'machine' | 'status' | 'at', of: readonly string[]])[] = [
  ['method', ['message', 'answer']],
  ['machine', ['state']],
  ['status', ['message', 'answer', 'status']],
  ['at', ['event', 'message', 'state', 'status', 'log', 'answer']],
];

type Shape = Readonly<Record<string, unknown>>;

function kindsOf(sight: Shape): string[] {
  const kinds = sightKinds.filter((kind) => sight[kind] !== undefined);
  return kinds.length > 1 ? kinds.filter((kind) => kind !== 'status') : kinds;
}

/** What is wrong with it as a whole. */
function problemOf(sight: Shape): string | undefined {
  const [kind, ...more] = kindsOf(sight);
  if (kind === undefined) return `expected exactly one of ${sightKinds.join(', ')}`;
  if (more.length > 0) return `expected exactly one of ${sightKinds.join(', ')}, got ${[kind, ...more].join(' and ')}`;
  const [wrong] = details.filter(([field, of]) => sight[field] !== undefined && !of.includes(kind));
  return wrong && `expected "${wrong[0]}" only beside ${wrong[1].join(', ')}, got it beside ${kind}`;
}

function mustBeOne(sight: Shape, context: { addIssue(message: string): void }): void {
  const problem = problemOf(sight);
  if (problem !== undefined) context.addIssue(problem);
}

export const sightSchema = z.strictObject(sightShape).superRefine(mustBeOne);

/** The same, awaited: it counts from the moment at which one begins to wait. */
export const whenSchema = z
  .strictObject({ ...sightShape, within: duration.default(60_000).describe('Longest wait; default 60s') })
  .superRefine(mustBeOne);

export type Sight = z.infer<typeof sightSchema>;
export type When = z.infer<typeof whenSchema>;
