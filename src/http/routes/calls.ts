/**
 * Call control: live calls of the domain, and those of one's own SIP users. (verbs documented or public, their behaviour
 * chosen)
 */
import type { z } from 'zod';
import {
  type CallCommand,
  type CallVerb,
  callBodySchema,
  callByScriptSchema,
  callKeys,
  callLookupSchema,
  callVerbSchemas,
  searchKeyOf,
} from '../../model/call-request-bodies.ts';
import { applyItem } from '../../model/collection/collection.ts';
import { dialogSchema } from '../../model/protocol/messages/callstore.ts';
import { callResultSchema } from '../../model/protocol/messages/dialog.ts';
import { commandReplySchema } from '../../model/protocol/messages/mware.ts';
import { scriptNumberPrefix } from '../../model/script/component.ts';
import { dialogShape } from '../../model/shapes/call-shapes.ts';
import { commandCall, findCalls, listCalls, showCall, startCall } from '../../services/call-requests.ts';
import { type Requester, requesterOf } from '../../services/mware-requests.ts';
import { requireIvrScript } from '../../services/script-services.ts';
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

/** A path for calls: of the whole domain, or of the session's user only. */
interface Branch {
  readonly base: string;
  readonly isOwn: boolean;
  readonly sameAs?: string;
  /** The provenance of routes that interface.md shows for all calls, and of public ones. */
  readonly source: { readonly documented: Source; readonly public: Source };
}

const ownBase = '/rest/v1/uc/calls_by_participation';
const branches: readonly Branch[] = [
  { base: '/rest/v1/uc/calls', isOwn: false, source: { documented: 'documented', public: 'public' } },
  { base: ownBase, isOwn: true, source: { documented: 'public', public: 'public' } },
  {
    base: '/rest/v1/user/sip/calls',
    isOwn: true,
    sameAs: ownBase,
    source: { documented: 'chosen', public: 'chosen' },
  },
];

/** The verbs, and whether interface.md shows them. */
const verbs: Readonly<Record<CallVerb, { does: string; kind: 'documented' | 'public' }>> = {
  REFER: { does: 'Transfers the opponent of a party to another number.', kind: 'documented' },
  REFERREPLACES: { does: 'Connects the opponents of two calls of one party.', kind: 'public' },
  SWITCHCONF: { does: 'Moves both parties into a new conference.', kind: 'public' },
  REFERCONF: { does: 'Transfers the opponent of a party into a conference.', kind: 'public' },
  NOTIFY: { does: "Makes a party's device answer or resume (`talk`), or hold (`hold`).", kind: 'public' },
  SEND_DTMF: { does: 'Sends a DTMF character to a party.', kind: 'public' },
  SETUP_RECORD: { does: 'Starts or stops the recording of a call.', kind: 'public' },
  SETUP_ASR: { does: "Starts or stops the transcription of a party's speech.", kind: 'public' },
  SETUP_BINDINGS: { does: 'Adds and removes labels of a call.', kind: 'public' },
  DELETE: { does: 'Ends a call; does not wait for its end.', kind: 'public' },
};

const starting = { takes: { body: callBodySchema }, gives: { 200: callResultSchema } };

export const callRoutes: readonly RouteDefinition[] = branches.flatMap(routesOf);

function routesOf(branch: Branch): RouteDefinition[] {
  return [...collectionRoutes(branch), ...itemRoutes(branch)];
}

function collectionRoutes({ base, isOwn, sameAs, source }: Branch): RouteDefinition[] {
  const common = { path: base, ...sameOf(base, base, sameAs) };
  const which = isOwn ? 'live calls of your own SIP users' : 'live calls of the domain';
  return [
    {
      ...common,
      method: 'GET',
      does: `Lists the ${which}.`,
      source: source.documented,
      access: accessOf(isOwn, 'read'),
      takes: { query: listQuery(dialogShape) },
      gives: { 200: listOf(dialogSchema, dialogShape) },
      answer: async (exchange) => {
        readCollectionQuery(exchange.request.url, dialogShape);
        const params = listParams(exchange.request.url);
        return answerList(exchange.ws.scope, await listCalls(exchange.ws.scope, requesterIn(exchange, isOwn), params));
      },
    },
    {
      ...common,
      method: 'POST',
      does: 'Starts a call: IVR calls X and, when X has answered, refers it to Y.',
      source: source.documented,
      access: accessOf(isOwn, 'change'),
      ...starting,
      answer: (exchange) => answerStart(exchange, requesterIn(exchange, isOwn), 'ivr'),
    },
    {
      ...common,
      method: 'INVITE',
      does: 'Starts a call of X and Y as two legs, without IVR.',
      source: source.public,
      access: accessOf(isOwn, 'change'),
      ...starting,
      answer: (exchange) => answerStart(exchange, requesterIn(exchange, isOwn), 'direct'),
    },
    {
      ...common,
      method: 'INVITEBYIVR',
      does: 'Starts a call of X that an IVR script serves; 404 where the domain has no such script.',
      source: source.public,
      access: accessOf(isOwn, 'change'),
      ...starting,
      takes: { body: callByScriptSchema },
      refuses: [404],
      answer: (exchange) => answerStartByScript(exchange, requesterIn(exchange, isOwn)),
    },
    {
      ...common,
      method: 'LOOKUP',
      does: `Finds ${which} by one key.`,
      source: source.documented,
      access: accessOf(isOwn, 'read'),
      takes: { body: callLookupSchema },
      gives: { 200: idsSchema },
      refuses: [404],
      answer: async (exchange) => {
        const search = searchKeyOf(callKeys, await readBody(exchange.request, callLookupSchema));
        return answerFound(await findCalls(exchange.ws.scope, requesterIn(exchange, isOwn), search));
      },
    },
  ];
}

function itemRoutes({ base, isOwn, sameAs, source }: Branch): RouteDefinition[] {
  const path = `${base}/:dialogid`;
  const common = { path, ...sameOf(base, path, sameAs) };
  const changes = (Object.keys(verbs) as CallVerb[]).map((verb): RouteDefinition => {
    const { does, kind } = verbs[verb];
    const access = accessOf(isOwn, 'change');
    const takes = verb === 'DELETE' ? {} : { body: callVerbSchemas[verb], isBodyOptional: isBodyOptional(verb) };
    const contract = { takes, gives: { 200: commandReplySchema }, refuses: [409] };
    return {
      ...common,
      ...contract,
      method: verb,
      does,
      source: source[kind],
      access,
      answer: answerVerb(verb, isOwn),
    };
  });
  return [
    {
      ...common,
      method: 'GET',
      does: 'Shows a live call.',
      source: source.documented,
      access: accessOf(isOwn, 'read'),
      takes: { query: itemQuery },
      gives: { 200: maskedOf(dialogSchema) },
      answer: async (exchange) => {
        const query = readItemQuery(exchange.request.url, dialogShape);
        const dialog = await showCall(exchange.ws.scope, requesterIn(exchange, isOwn), dialogidIn(exchange));
        return answerJson(applyItem(dialog, query));
      },
    },
    ...changes,
  ];
}

async function answerStart({ ws, request }: Exchange, requester: Requester, by: 'ivr' | 'direct'): Promise<Response> {
  const call = await readBody(request, callBodySchema);
  return answerJson(await startCall(ws.scope, requester, { by, call }));
}

async function answerStartByScript({ ws, request }: Exchange, requester: Requester): Promise<Response> {
  const { ivrscript, ...call } = await readBody(request, callByScriptSchema);
  await requireIvrScript(ws.scope, requester.domain, ivrscript);
  const to = `${scriptNumberPrefix}${ivrscript}`;
  return answerJson(await startCall(ws.scope, requester, { by: 'script', call: { ...call, to } }));
}

function answerVerb(verb: CallVerb, isOwn: boolean): RouteDefinition['answer'] {
  return async (exchange) => {
    const body = await bodyOf(exchange.request, verb);
    const command = { verb, body } as CallCommand;
    const dialogid = dialogidIn(exchange);
    return answerJson(await commandCall(exchange.ws.scope, requesterIn(exchange, isOwn), { dialogid, command }));
  };
}

function isBodyOptional(verb: CallVerb): boolean {
  return verb === 'SWITCHCONF';
}

/** DELETE has no body. */
async function bodyOf(request: Request, verb: CallVerb): Promise<z.infer<(typeof callVerbSchemas)[CallVerb]>> {
  if (verb === 'DELETE') return {};
  return readBody(request, callVerbSchemas[verb], { isOptional: isBodyOptional(verb) });
}

function accessOf(isOwn: boolean, to: 'read' | 'change'): Access {
  return { domain: 'any', to: isOwn ? 'own' : to };
}

function sameOf(base: string, path: string, sameAs: string | undefined): { sameAs?: string } {
  return sameAs === undefined ? {} : { sameAs: path.replace(base, sameAs) };
}

function requesterIn(exchange: Exchange, isOwn: boolean): Requester {
  return requesterOf(identityOf(exchange).session, isOwn);
}

function dialogidIn({ params }: Exchange): string {
  return params['dialogid'] ?? '';
}
