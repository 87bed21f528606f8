/** What has happened in a world, in the control interface: its journal, the verdicts of its oracles, its actors. */
import { z } from 'zod';
import type { ActorTree } from '../../src/actors/actor-logic.ts';
import { FaultError, fault } from '../../src/model/fault.ts';
import { ClusterJournal } from '../embed/cluster/cluster-journal.ts';
import type { Observation } from '../observation/observation.ts';
import { observationKinds } from '../observation/observers.ts';
import type { World } from '../world/world.ts';
import { type ControlRoute, optional, route } from './route.ts';

const entrySchema = z
  .looseObject({
    kind: z.enum(observationKinds).describe('The kind of entry; each has fields of its own'),
    atMs: z.number().describe('When it happened, in milliseconds since the epoch'),
    at: z.string().describe('The same as text'),
  })
  .describe('An entry of the journal');

const verdictSchema = z.object({
  name: z.string().describe('The name of the oracle'),
  rule: z.string().describe('The rule that it checks'),
  verdict: z.enum(['pass', 'fail', 'unknown']).describe('unknown: the rule was not exercised'),
  checks: z.int().describe('How often the rule was exercised'),
  failures: z
    .array(
      z.object({
        atMs: z.number().describe('When, in milliseconds since the epoch'),
        what: z.string().describe('What was wrong'),
      }),
    )
    .describe('The first failures'),
});

const nodeActors = z.looseObject({
  node: z.string().describe('The name of the node'),
  site: z.string().describe('Its site'),
  actors: z.looseObject({}).describe('Its actors: the id of each, and its children'),
});

export const journalRoutes: readonly ControlRoute[] = [
  route({
    method: 'GET',
    path: '/journal',
    does: 'Lists requests, SIP, cluster messages, transitions and faults, the oldest first.',
    query: [
      optional('call', 'A dialogid, an inviteid or a Call-Id: everything of this call'),
      optional('request', 'The id of a request (`id` of its entries): what happened from its arrival to its answer'),
      optional('fromMs', 'Milliseconds since the epoch'),
      optional('untilMs', 'Milliseconds since the epoch'),
      optional('kinds', `Kinds, separated by commas: ${observationKinds.join(', ')}`),
      optional(
        'form',
        '`json` (default), `lines` for JSON lines, `diagram` for a sequence diagram in the syntax of Mermaid',
      ),
    ],
    gives: z.array(entrySchema),
    answer: ({ world, query }) => journalIn(new ClusterJournal(() => world.present), query),
  }),
  route({
    method: 'GET',
    path: '/verdicts',
    does: 'Shows the verdict of each oracle so far. 409 if no oracles observe the world: start it with --oracles.',
    gives: z.array(verdictSchema),
    answer: ({ world: { name, present } }) => {
      if (present.watch !== undefined) return present.watch.verdicts();
      throw new FaultError(fault('conflict', `no oracles observe ${name}: start it with --oracles all`));
    },
  }),
  route({
    method: 'GET',
    path: '/actors',
    does: 'Shows the actor tree of every node that runs.',
    gives: z.array(nodeActors),
    answer: ({ world }) => actorsOf(world.present.world),
  }),
];

const forms = ['json', 'lines', 'diagram'];

function journalIn(journal: ClusterJournal, query: URLSearchParams): unknown {
  const call = query.get('call');
  const filter = {
    ...(call !== null && { call }),
    ...kindsIn(query),
    ...numberIn(query, 'request', 'the id of a request'),
    ...numberIn(query, 'fromMs', 'milliseconds since the epoch'),
    ...numberIn(query, 'untilMs', 'milliseconds since the epoch'),
  };
  const form = query.get('form') ?? 'json';
  if (!forms.includes(form)) throw invalid(`form: expected one of ${forms.join(', ')}, got "${shortened(form)}"`);
  if (form === 'lines') return textAnswer('application/x-ndjson', journal.lines(filter));
  if (form === 'diagram') return textAnswer('text/plain; charset=utf-8', journal.diagram(filter));
  return journal.entries(filter);
}

function kindsIn(query: URLSearchParams): { readonly kinds?: Observation['kind'][] } {
  const kinds = query.get('kinds')?.split(',');
  const wrong = kinds?.find((kind) => !(observationKinds as readonly string[]).includes(kind));
  if (wrong !== undefined)
    throw invalid(`kinds: expected some of ${observationKinds.join(', ')}, got "${shortened(wrong)}"`);
  return kinds === undefined ? {} : { kinds: kinds as Observation['kind'][] };
}

function numberIn(query: URLSearchParams, name: string, expected: string): Readonly<Record<string, number>> {
  const text = query.get(name);
  if (text === null) return {};
  const value = Number(text);
  if (text !== '' && Number.isFinite(value)) return { [name]: value };
  throw invalid(`${name}: expected ${expected}, got "${shortened(text)}"`);
}

function shortened(text: string): string {
  return text.slice(0, 100);
}

function invalid(message: string): FaultError {
  return new FaultError(fault('invalid', message));
}

function textAnswer(type: string, text: string): Response {
  return new Response(text, { headers: { 'content-type': type } });
}

/** The actors of every node that runs, in the order of the topology. */
function actorsOf({ map, here }: World): { node: string; site: string; actors: ActorTree }[] {
  if (here === undefined) throw new FaultError(fault('conflict', 'each node is a process: see /nodes/NODE/actors'));
  return [...map.nodes.values()].flatMap(({ name, site }) => {
    const node = here.node(name);
    return node === undefined ? [] : { node: name, site, actors: node.actorTree };
  });
}
