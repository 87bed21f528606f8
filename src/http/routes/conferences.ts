/** Routes of conferences and their participants. */
import { z } from 'zod';
import { conferenceKeys, conferenceLookupSchema, numberSchema, searchKeyOf } from '../../model/call-request-bodies.ts';
import { applyItem } from '../../model/collection/collection.ts';
import { limits } from '../../model/limits.ts';
import {
  conferenceSchema,
  conferenceShape,
  participantSchema,
  participantShape,
} from '../../model/shapes/call-shapes.ts';
import {
  commandConference,
  findConferences,
  listConferences,
  listParticipants,
  showConference,
  showParticipant,
  topologyOf,
} from '../../services/call-requests.ts';
import { type Requester, requesterOf } from '../../services/mware-requests.ts';
import {
  type Access,
  type Exchange,
  identityOf,
  idsSchema,
  itemQuery,
  listOf,
  listQuery,
  maskedOf,
  type RouteDefinition,
  type Source,
} from '../contract.ts';
import { answerFound, answerList, listParams } from '../lists.ts';
import { readBody, readCollectionQuery, readItemQuery } from '../read-request.ts';
import { answerJson } from '../responses.ts';

/** Calls a number from a conference. (`to` documented) */
export const participantBodySchema = z.strictObject({ to: numberSchema.describe('Number to call') });

const hearsWanted = 'expected an object with an array of participant ids for each participant';

/** Sets the audio topology. (chosen) */
export const conferenceHearsBody = z.strictObject({
  hears: z
    .record(z.string(), z.array(z.string(hearsWanted), hearsWanted).max(limits.participants, hearsWanted), hearsWanted)
    .describe('For each participant, by id, the ids of the participants that it hears'),
});

/** A path for conferences: of the whole domain, or of the session's user only. */
interface Branch {
  readonly base: string;
  readonly isOwn: boolean;
  readonly sameAs?: string;
  /** The provenance of routes that interface.md shows for all conferences, of public and of chosen ones. */
  readonly source: (kind: Source) => Source;
}

const ownBase = '/rest/v1/uc/conferences_by_participation';
const branches: readonly Branch[] = [
  { base: '/rest/v1/uc/conferences', isOwn: false, source: (kind) => kind },
  { base: ownBase, isOwn: true, source: () => 'chosen' },
  {
    base: '/rest/v1/user/sip/conferences',
    isOwn: true,
    sameAs: ownBase,
    source: (kind) => (kind === 'chosen' ? 'chosen' : 'public'),
  },
];

const addedSchema = z.strictObject({
  confid: z.string().describe('Id of the conference'),
  participantid: z.string().describe('Id of the participant'),
});

export const conferenceRoutes: readonly RouteDefinition[] = branches.flatMap((branch) => [
  ...collectionRoutes(branch),
  ...itemRoutes(branch),
  ...topologyRoutes(branch),
  ...participantRoutes(branch, 'participants'),
  // Spelled as in the public tables of the platform.
  ...participantRoutes(branch, 'paticipants'),
]);

function collectionRoutes(branch: Branch): RouteDefinition[] {
  const which = branch.isOwn ? 'conferences in which your own SIP users take part' : 'conferences of the domain';
  return [
    {
      ...pathsOf(branch, ''),
      method: 'GET',
      does: `Lists the ${which}.`,
      source: branch.source('documented'),
      access: accessOf(branch, 'read'),
      takes: { query: listQuery(conferenceShape) },
      gives: { 200: listOf(conferenceSchema, conferenceShape) },
      answer: async (exchange) => {
        readCollectionQuery(exchange.request.url, conferenceShape);
        const params = listParams(exchange.request.url);
        const { scope } = exchange.ws;
        return answerList(scope, await listConferences(scope, requesterIn(exchange, branch), params));
      },
    },
    {
      ...pathsOf(branch, ''),
      method: 'LOOKUP',
      does: `Finds ${which} by one key.`,
      source: branch.source('public'),
      access: accessOf(branch, 'read'),
      takes: { body: conferenceLookupSchema },
      gives: { 200: idsSchema },
      refuses: [404],
      answer: async (exchange) => {
        const search = searchKeyOf(conferenceKeys, await readBody(exchange.request, conferenceLookupSchema));
        return answerFound(await findConferences(exchange.ws.scope, requesterIn(exchange, branch), search));
      },
    },
  ];
}

function itemRoutes(branch: Branch): RouteDefinition[] {
  return [
    {
      ...pathsOf(branch, '/:confid'),
      method: 'GET',
      does: 'Shows a conference.',
      source: branch.source('documented'),
      access: accessOf(branch, 'read'),
      takes: { query: itemQuery },
      gives: { 200: maskedOf(conferenceSchema) },
      answer: async (exchange) => {
        const query = readItemQuery(exchange.request.url, conferenceShape);
        const { scope } = exchange.ws;
        return answerJson(
          applyItem(await showConference(scope, requesterIn(exchange, branch), confidIn(exchange)), query),
        );
      },
    },
    {
      ...pathsOf(branch, '/:confid'),
      method: 'DELETE',
      does: 'Ends a conference: BYE to every participant, CANCEL to the devices that are being called; does not wait for them.',
      source: branch.source('documented'),
      access: accessOf(branch, 'change'),
      gives: { 200: z.strictObject({ confid: z.string().describe('Id of the conference') }) },
      answer: async (exchange) => {
        const confid = confidIn(exchange);
        const command = { verb: 'end' as const };
        await commandConference(exchange.ws.scope, requesterIn(exchange, branch), { confid, command });
        return answerJson({ confid });
      },
    },
  ];
}

function topologyRoutes(branch: Branch): RouteDefinition[] {
  const paths = pathsOf(branch, '/:confid/topology');
  return [
    {
      ...paths,
      method: 'GET',
      does: 'Shows which participants hear which others.',
      source: branch.source('public'),
      access: accessOf(branch, 'read'),
      gives: { 200: conferenceHearsBody },
      answer: async (exchange) =>
        answerJson(await topologyOf(exchange.ws.scope, requesterIn(exchange, branch), confidIn(exchange))),
    },
    {
      ...paths,
      method: 'POST',
      does: 'Sets which participants hear which others.',
      source: branch.source('public'),
      access: accessOf(branch, 'change'),
      takes: { body: conferenceHearsBody },
      gives: { 200: conferenceHearsBody },
      refuses: [409],
      answer: async (exchange) => {
        const { hears } = await readBody(exchange.request, conferenceHearsBody);
        const request = { confid: confidIn(exchange), command: { verb: 'hears' as const, hears } };
        const reply = await commandConference(exchange.ws.scope, requesterIn(exchange, branch), request);
        return answerJson({ hears: reply.hears ?? hears });
      },
    },
  ];
}

function participantRoutes(branch: Branch, spelling: 'participants' | 'paticipants'): RouteDefinition[] {
  const kind = spelling === 'participants' ? 'documented' : 'public';
  const common = { source: branch.source(kind) };
  const collection = participantPaths(branch, spelling, '');
  const item = participantPaths(branch, spelling, '/:participantid');
  return [
    {
      ...common,
      ...collection,
      method: 'GET',
      does: 'Lists the participants of a conference.',
      access: accessOf(branch, 'read'),
      takes: { query: listQuery(participantShape) },
      gives: { 200: listOf(participantSchema, participantShape) },
      answer: async (exchange) => {
        readCollectionQuery(exchange.request.url, participantShape);
        const which = { confid: confidIn(exchange), params: listParams(exchange.request.url) };
        const { scope } = exchange.ws;
        return answerList(scope, await listParticipants(scope, requesterIn(exchange, branch), which));
      },
    },
    {
      ...common,
      ...collection,
      method: 'POST',
      does: 'Calls a number from a conference; does not wait for its answer.',
      access: accessOf(branch, 'change'),
      takes: { body: participantBodySchema },
      gives: { 200: addedSchema },
      refuses: [409],
      answer: async (exchange) => {
        const confid = confidIn(exchange);
        const command = { verb: 'call' as const, ...(await readBody(exchange.request, participantBodySchema)) };
        const reply = await commandConference(exchange.ws.scope, requesterIn(exchange, branch), { confid, command });
        return answerJson({ confid, participantid: reply.participantid });
      },
    },
    {
      ...common,
      ...item,
      method: 'GET',
      does: 'Shows a participant.',
      access: accessOf(branch, 'read'),
      takes: { query: itemQuery },
      gives: { 200: maskedOf(participantSchema) },
      answer: async (exchange) => {
        const query = readItemQuery(exchange.request.url, participantShape);
        const participant = await showParticipant(exchange.ws.scope, requesterIn(exchange, branch), idsIn(exchange));
        return answerJson(applyItem(participant, query));
      },
    },
    {
      ...common,
      ...item,
      method: 'DELETE',
      does: 'Removes a participant; does not wait until it has left.',
      access: accessOf(branch, 'change'),
      gives: { 200: addedSchema },
      answer: async (exchange) => {
        const { confid, participantid } = idsIn(exchange);
        const command = { verb: 'remove' as const, participantid };
        await commandConference(exchange.ws.scope, requesterIn(exchange, branch), { confid, command });
        return answerJson({ confid, participantid });
      },
    },
  ];
}

function pathsOf({ base, sameAs }: Branch, end: string): { path: string; sameAs?: string } {
  const path = `${base}${end}`;
  return sameAs === undefined ? { path } : { path, sameAs: `${sameAs}${end}` };
}

/** The misspelt path is an alias of the correct one. */
function participantPaths(branch: Branch, spelling: string, end: string): { path: string; sameAs?: string } {
  const right = pathsOf(branch, `/:confid/participants${end}`);
  if (spelling === 'participants') return right;
  return { path: `${branch.base}/:confid/${spelling}${end}`, sameAs: right.sameAs ?? right.path };
}

function accessOf({ isOwn }: Branch, to: 'read' | 'change'): Access {
  return { domain: 'any', to: isOwn ? 'own' : to };
}

function requesterIn(exchange: Exchange, { isOwn }: Branch): Requester {
  return requesterOf(identityOf(exchange).session, isOwn);
}

function confidIn({ params }: Exchange): string {
  return params['confid'] ?? '';
}

function idsIn(exchange: Exchange): { confid: string; participantid: string } {
  return { confid: confidIn(exchange), participantid: exchange.params['participantid'] ?? '' };
}
