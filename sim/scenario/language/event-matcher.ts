/** An event matcher: something that a scenario waits for, repeats until, or expects to see, anywhere in the world. */
import { z } from 'zod';
import { duration } from './fault-schema.ts';
import { placeName } from './places.ts';

export const matcherKinds = ['event', 'message', 'state', 'status', 'log', 'answer', 'oracle', 'settled'] as const;

const matcherShape = {
  event: z.string().optional().describe('An event of the platform: callevents.dlg_start, or dlg_start'),
  message: z
    .string()
    .optional()
    .describe(
      'A message that was sent: "sip" between the platform and the world outside, else a type such as dialog.originate',
    ),
  method: z
    .string()
    .optional()
    .describe('For a SIP message its method (INVITE, BYE …); for an answer the method of its request'),
  state: z.string().optional().describe('A machine enters this state'),
  machine: z.string().optional().describe('Id of the machine: dialog, registration …'),
  status: z
    .union([z.string(), z.int().min(100).max(699)], 'expected a status such as active, or a number from 100 to 699')
    .optional()
    .describe(
      'For a role instance the status that it enters (active, standby …); for a SIP message or an answer its number',
    ),
  log: z.string().optional().describe('Name of a log event'),
  answer: z.string().optional().describe('Path, or beginning of the path, of a request that was answered'),
  oracle: z.string().optional().describe('Name of an oracle that fails'),
  settled: z.literal(true).optional().describe('All nodes see each other, and each group has its active instance'),
  at: placeName
    .optional()
    .describe('Place: a site, a node, a role, a role instance, a phone or a provider; $name refers to a saved value'),
  times: z.int().min(1).max(1_000_000).optional().describe('Number of matches; default: one'),
};

/** Fields that qualify some kinds only. */
const details: readonly (readonly [field: 'method' | 'machine' | 'status' | 'at', of: readonly string[]])[] = [
  ['method', ['message', 'answer']],
  ['machine', ['state']],
  ['status', ['message', 'answer', 'status']],
  ['at', ['event', 'message', 'state', 'status', 'log', 'answer']],
];

type Shape = Readonly<Record<string, unknown>>;

function kindsOf(matcher: Shape): string[] {
  const kinds = matcherKinds.filter((kind) => matcher[kind] !== undefined);
  return kinds.length > 1 ? kinds.filter((kind) => kind !== 'status') : kinds;
}

/** The problem of the matcher as a whole. */
function problemOf(matcher: Shape): string | undefined {
  const [kind, ...more] = kindsOf(matcher);
  if (kind === undefined) return `expected exactly one of ${matcherKinds.join(', ')}`;
  if (more.length > 0)
    return `expected exactly one of ${matcherKinds.join(', ')}, got ${[kind, ...more].join(' and ')}`;
  const [wrong] = details.filter(([field, of]) => matcher[field] !== undefined && !of.includes(kind));
  return wrong && `expected "${wrong[0]}" only beside ${wrong[1].join(', ')}, got it beside ${kind}`;
}

function mustBeOne(matcher: Shape, context: { addIssue(message: string): void }): void {
  const problem = problemOf(matcher);
  if (problem !== undefined) context.addIssue(problem);
}

export const matcherSchema = z.strictObject(matcherShape).superRefine(mustBeOne);

/** A matcher to wait for. It counts matches from the beginning of the wait. */
export const whenSchema = z
  .strictObject({ ...matcherShape, within: duration.default(60_000).describe('Longest wait; default 60s') })
  .superRefine(mustBeOne);

export type EventMatcher = z.infer<typeof matcherSchema>;
export type When = z.infer<typeof whenSchema>;
