/** External authentication: a script of the domain asks for fields, step by step, and may create a session. */
import { z } from 'zod';
import { FaultError, fault } from '../../../model/fault.ts';
import { limits } from '../../../model/limits.ts';
import { logOut, refuseBanned } from '../../../services/logins.ts';
import { type EndedScript, runScript } from '../../../services/script-services.ts';
import { freshCookie } from '../../authorization.ts';
import type { Exchange, RouteDefinition } from '../../contract.ts';
import { paramsOf, readBody } from '../../read-request.ts';
import { answerJson, HttpError } from '../../responses.ts';
import { variablesOf } from '../../script-answers.ts';

const path = '/rest/v1/iam/external';
const flowCookie = 'RExternal';

type Values = Readonly<Record<string, unknown>>;

const fieldSchema = z.looseObject({
  name: z.string().describe('Name of the field'),
  type: z.string().describe('`hidden`: not shown, and sent back; `line`: a text input'),
  title: z.string().optional().describe('Title of the field'),
  value: z.unknown().optional().describe('Value; `{from: {step: n}}` is what was entered at that step'),
});
const fieldsSchema = z.array(fieldSchema);
const formSchema = z.strictObject({ fields: fieldsSchema.describe('Fields of the step') });
const stepSchema = z.looseObject({
  success: z.boolean().describe('Whether the step was accepted'),
  complete: z.boolean().describe('Whether authentication is complete: then the cookie of the session is set'),
  next_step: z.unknown().optional().describe('The next step'),
  fields: fieldsSchema.optional().describe('Fields of the next step, or those of the step that is repeated'),
  location: z.string().optional().describe('Address of the main application'),
  message: z.string().optional().describe('Why it was refused'),
});

const common = { path, source: 'documented', access: 'open', refuses: [404, 500] } as const;

export const externalRoutes: readonly RouteDefinition[] = [
  {
    ...common,
    method: 'GET',
    refusesHead: true,
    does: 'Returns the fields of a step of external authentication. 404 where the domain has no script for it.',
    takes: {
      query: [
        { name: 'step', schema: z.string(), does: 'The step; its meaning depends on the script', source: 'documented' },
        { name: 'domain', schema: z.string(), does: 'Domain; default: the master domain', source: 'chosen' },
      ],
    },
    gives: { 200: formSchema },
    answer: async (exchange) => {
      refuseBanned(exchange.ws, exchange.sender);
      if (exchange.request.method === 'HEAD')
        throw new HttpError(405, 'HEAD is not a method of this path', { allow: 'GET, POST, OPTIONS' });
      const fields = Object.fromEntries(paramsOf(exchange.request.url));
      const ended = await runStep(exchange, fields);
      await dropSession(exchange, ended);
      return answerJson({ fields: fieldsIn(variablesOf(ended.result)) });
    },
  },
  {
    ...common,
    method: 'POST',
    does: 'Submits a step of external authentication: the next step, a session, or a refusal.',
    takes: { body: z.looseObject({}).describe('The values of the fields') },
    gives: { 200: stepSchema, 302: 'nothing' },
    answer: answerStep,
  },
];

async function answerStep(exchange: Exchange): Promise<Response> {
  const { ws, sender, request, header } = exchange;
  refuseBanned(ws, sender);
  exchange.refuseForged();
  const given = await readBody(request, z.looseObject({}));
  const flow = flowIn(header('cookie'));
  const fields = resolved(exchange, flow, given);
  if (JSON.stringify(fields).length > limits.externalFieldChars) {
    throw new HttpError(413, `body: expected at most ${limits.externalFieldChars} characters of JSON`);
  }
  const ended = await runStep(exchange, fields);
  const variables = variablesOf(ended.result);
  const { success = false, next_step: nextStep, location = '/', redirect = false, message } = variables;
  if (success === true && (nextStep === undefined || nextStep === null)) {
    return succeed(exchange, ended, { location: String(location), isRedirect: redirect === true });
  }
  await dropSession(exchange, ended);
  const id = ws.externalFlows.note(flow, stepOf(fields), fields);
  const headers = {
    'set-cookie': `${flowCookie}=${id}; Max-Age=${limits.externalFlowMs / 1_000}; Path=${path}; SameSite=Strict; HttpOnly`,
  };
  const isNext = nextStep !== undefined && nextStep !== null;
  const step = isNext ? { next_step: nextStep } : {};
  const reason = typeof message === 'string' ? { message } : {};
  return answerJson(
    { success: isNext && success === true, complete: false, ...step, fields: fieldsIn(variables), ...reason },
    headers,
  );
}

/** The session that the script has created by Operation; without one there is no success. */
async function succeed(
  exchange: Exchange,
  { id }: EndedScript,
  { location, isRedirect }: { location: string; isRedirect: boolean },
): Promise<Response> {
  const created = await exchange.ws.scriptSessions.take(id);
  if (created === undefined) throw new HttpError(500, 'the script reports success, but has created no session');
  const headers = { 'set-cookie': freshCookie(exchange, created.session.key, created.id) };
  if (!isRedirect) return answerJson({ success: true, complete: true, location }, headers);
  return new Response(null, { status: 302, headers: { ...headers, location, 'content-length': '0' } });
}

/** Closes a session of a script that does not end in success. */
async function dropSession({ ws }: Exchange, { id }: EndedScript): Promise<void> {
  const created = await ws.scriptSessions.take(id);
  if (created !== undefined) await logOut(ws, created.session);
}

/** Runs the script of the domain that the fields name. Throws `not_found` where it has none. A script that fails leaves no session. */
async function runStep(exchange: Exchange, fields: Values): Promise<EndedScript> {
  const { ws, request, sender } = exchange;
  const { map, instance } = ws.scope;
  const domain = typeof fields['domain'] === 'string' ? fields['domain'] : map.masterDomain;
  const code = map.domains.get(domain)?.opts.iam_external_svcscript_code ?? '';
  if (code === '')
    throw new FaultError(fault('not_found', `domain ${domain} has no script of external authentication`));
  const headers = [...request.headers]
    .filter(([name]) => name !== 'authorization' && name !== 'cookie')
    .map(([name, value]) => ({ name, value }));
  const params = [fields, request.method, path, fields, headers, sender, 'http'];
  const requester = { by: 'external', front: instance.address } as const;
  const ended = await runScript(ws.scope, { domain, code, params, requester, waitMs: limits.externalWaitMs });
  if (ended.result.status === 'failed') await dropSession(exchange, ended);
  return ended;
}

/** The fields with what earlier steps of this flow have entered in the place of references. */
function resolved({ ws }: Exchange, flow: string | undefined, given: Values): Values {
  const pairs = Object.entries(given).map(([name, value]) => {
    const step = referenceIn(value);
    if (step === undefined) return [name, value] as const;
    const entered = ws.externalFlows.entered(flow, step);
    if (entered !== undefined && Object.hasOwn(entered, name)) return [name, entered[name]] as const;
    throw new FaultError(
      fault(
        'invalid',
        `${name}: nothing was entered at step ${step} of this flow within the last ${limits.externalFlowMs / 60_000} minutes`,
      ),
    );
  });
  return Object.fromEntries(pairs);
}

function referenceIn(value: unknown): string | undefined {
  const { from } = (typeof value === 'object' && value !== null ? value : {}) as { from?: { step?: unknown } | null };
  return typeof from === 'object' && from !== null && 'step' in from ? textOf(from.step) : undefined;
}

/** The step of a request; the first one where it has none. */
function stepOf({ step }: Values): string {
  return step === undefined ? '1' : textOf(step);
}

function textOf(step: unknown): string {
  return typeof step === 'string' ? step : JSON.stringify(step);
}

function flowIn(cookie: string | null): string | undefined {
  return new RegExp(`(?:^|;)\\s*${flowCookie}=([\\w-]{1,64})`).exec(cookie ?? '')?.[1];
}

function fieldsIn({ fields = [] }: Values): z.infer<typeof fieldsSchema> {
  const read = fieldsSchema.safeParse(fields);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new HttpError(500, `variable fields of the script: ${issue?.path.join('.')}: ${issue?.message}`);
}
