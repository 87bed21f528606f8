/** Routes of sessions (login, switch, logout), and of web sockets. */
import { z } from 'zod';
import { FaultError, fault } from '../../model/fault.ts';
import { limits } from '../../model/limits.ts';
import { chosen } from '../../model/provenance.ts';
import { sessionDataSchema } from '../../model/shapes/platform-shapes.ts';
import {
  cloneSession,
  describeSession,
  identify,
  logIn,
  logInByToken,
  logOut,
  refuseBanned,
  switchDomain,
} from '../../services/logins.ts';
import type { WebApps } from '../../services/web-apps/web-apps.ts';
import { deletedCookie, freshCookie, sessionIdIn } from '../authorization.ts';
import { type Exchange, identityOf, type RouteDefinition } from '../contract.ts';
import { check, readBody } from '../read-request.ts';
import { answerEmpty, answerError, answerJson } from '../responses.ts';
import { socketPath } from '../web-sockets.ts';

const loginSchema = z.looseObject({
  session_type: z.enum(['token', 'token_clone_cookie']).optional(),
  external_token: z.unknown().optional(),
});

/** With `token_clone_cookie`, credentials are ignored. (documented) */
const cloneSchema = z.strictObject({
  domain: z.unknown().optional().describe('Ignored'),
  login: z.unknown().optional().describe('Ignored'),
  pwd: z.unknown().optional().describe('Ignored'),
  session_type: z
    .literal('token_clone_cookie')
    .describe('Opens a token session for the user of the session in the cookie `RSession`; needs no credentials'),
});

const credentialsSchema = z.strictObject({
  domain: z.string().max(253).describe('Domain of the user, such as `acme.root.test`'),
  login: z.string().max(1_000).describe('Login of the user'),
  pwd: z.string().max(1_000).describe('Password of the user'),
  session_type: z
    .literal('token')
    .optional()
    .describe('`token`: answer a session token; absent: set the cookie `RSession`'),
});

/** A script verifies the token; credentials are ignored. (public; the name `external_token` chosen) */
const tokenWanted = `expected a token of 1 to ${limits.externalFieldChars} characters`;
const externalSchema = z.strictObject({
  external_token: z
    .string(tokenWanted)
    .min(1, tokenWanted)
    .max(limits.externalFieldChars, tokenWanted)
    .describe('Token of another system, which the script `iam_token_svcscript_code` of the master domain verifies')
    .meta(chosen),
  domain: z.unknown().optional().describe('Ignored'),
  login: z.unknown().optional().describe('Ignored'),
  pwd: z.unknown().optional().describe('Ignored'),
  session_type: credentialsSchema.shape.session_type,
});

const switchSchema = z.strictObject({
  domain: z.string().describe('Domain to bind the session to: one of `domains` of the session'),
});

const tokenSchema = z.strictObject({
  session_token: z.string().describe('Token for the header `Authorization: Bearer <session_token>`'),
});

async function answerLogin(exchange: Exchange): Promise<Response> {
  const { ws, sender, request } = exchange;
  refuseBanned(ws, sender);
  const body = await readBody(request, loginSchema);
  if (body.session_type === 'token_clone_cookie') {
    check(cloneSchema, body, 'body');
    return answerClone(exchange);
  }
  // Otherwise the page could make the browser continue in a session of its choice.
  if (body.session_type === undefined) exchange.refuseForged();
  const { session_type } = body;
  const { id, session } = await openSession(exchange, body);
  if (session_type === 'token') return answerJson({ session_token: id });
  return answerEmpty({ 'set-cookie': freshCookie(exchange, session.key, id) });
}

/** The session for an external token or for credentials. */
async function openSession({ ws, sender }: Exchange, body: z.infer<typeof loginSchema>) {
  if (body.external_token !== undefined) {
    return logInByToken(ws, sender, check(externalSchema, body, 'body').external_token);
  }
  const { session_type: _, ...credentials } = check(credentialsSchema, body, 'body');
  return logIn(ws, sender, credentials);
}

async function answerClone({ ws, sender, request, refuseForged }: Exchange): Promise<Response> {
  const cookie = sessionIdIn(request.headers.get('cookie'));
  if (cookie === undefined) {
    throw new FaultError(fault('unauthorized', 'token_clone_cookie needs the cookie RSession of a session to clone'));
  }
  refuseForged();
  const { id } = await cloneSession(ws, await identify(ws, sender, cookie));
  return answerJson({ session_token: id });
}

async function answerSwitch(exchange: Exchange): Promise<Response> {
  const { ws, request } = exchange;
  const { session, id } = identityOf(exchange);
  const { domain } = await readBody(request, switchSchema);
  await switchDomain(ws, session, domain);
  return answerEmpty({ 'set-cookie': freshCookie(exchange, session.key, id) });
}

export function sessionRoutes(webApps: WebApps): readonly RouteDefinition[] {
  const collection = '/rest/v1/iam/sessions';
  const current = `${collection}/current`;
  return [
    {
      method: 'POST',
      path: collection,
      does: `Logs in. ${limits.loginFailures} failures within ${limits.loginWindowMs / 60_000} minutes ban the address.`,
      source: 'documented',
      access: 'open',
      takes: { body: z.union([credentialsSchema, cloneSchema, externalSchema]) },
      gives: { 200: tokenSchema, 204: 'nothing' },
      refuses: [401, 404],
      answer: answerLogin,
    },
    {
      method: 'GET',
      path: current,
      does: 'Describes the session and what it may do.',
      source: 'documented',
      access: 'session',
      gives: { 200: sessionDataSchema },
      answer: async (exchange) => answerJson(await describeSession(exchange.ws, identityOf(exchange).session, webApps)),
    },
    {
      method: 'PATCH',
      path: current,
      does: 'Binds the session to another of its domains.',
      source: 'documented',
      access: 'session',
      takes: { body: switchSchema },
      gives: { 204: 'nothing' },
      refuses: [403],
      answer: answerSwitch,
    },
    {
      method: 'DELETE',
      path: current,
      does: 'Logs out.',
      source: 'documented',
      access: 'session',
      gives: { 204: 'nothing' },
      answer: async (exchange) => {
        await logOut(exchange.ws, identityOf(exchange).session);
        return answerEmpty({ 'set-cookie': deletedCookie(exchange) });
      },
    },
  ];
}

export const socketRoutes: readonly RouteDefinition[] = [
  {
    method: 'GET',
    path: socketPath,
    does: 'Opens a web socket for subscriptions to events (`Upgrade: websocket`; a session by header, cookie or `?token=`; `?subscribe=callevents.*` subscribes at once). See docs/reference/web-socket.md.',
    source: 'public',
    access: 'open',
    gives: {},
    refuses: [426],
    answer: () =>
      answerError(426, 'this is a web socket: expected Upgrade: websocket', {
        upgrade: 'websocket',
        connection: 'Upgrade',
      }),
  },
];
