/** A request and an answer of each operation, from a virtual cluster: the examples of the OpenAPI document. */
import { openApiOf } from '../../../src/http/openapi/document.ts';
import { type ListedOperation, operationsIn } from '../../../src/http/openapi/operations.ts';
import { routesOf } from '../../../src/http/routes.ts';
import { type Example, exampleLines, shortened } from './example-text.ts';
import { exampleBody, knownPath, rank, tokenFor, usesUp } from './walk-requests.ts';
import { externalDomain, externalScript, WalkedInterface } from './walked-interface.ts';

export const examplesFile = 'src/http/openapi/examples.ts';

/** The source of the module with the examples. */
export async function examplesSource(): Promise<string> {
  return `/** Generated from a virtual cluster by \`npm run docs\`: a request and an answer of each operation, as JSON. */
export const exampleTexts: ReadonlyMap<string, string> = new Map([
${exampleLines(await examples())}
]);
`;
}

async function examples(): Promise<[title: string, example: Example][]> {
  const walked = new WalkedInterface();
  await walked.start();
  await walked.fill();
  await runScript(walked);
  const document = openApiOf(routesOf({ webApps: () => [] }));
  const wanted = operationsIn(document).filter(isShown);
  const order = wanted
    .filter((listed) => !isExternal(titleOf(listed)))
    .sort((a, b) => rank(a) - rank(b) || b.path.length - a.path.length);
  const found = new Map<string, Example>();
  const failed: string[] = [];
  for (const [index, listed] of order.entries()) {
    const title = titleOf(listed);
    const { example, problem } = await exampleOf(listed, walked, 100 + index);
    if (problem !== undefined) failed.push(`${title}: ${problem}`);
    found.set(title, example);
  }
  for (const [title, example] of await externalExamples(walked)) found.set(title, example);
  await walked.world.stop();
  if (failed.length > 0) throw new Error(`operations without an example:\n${failed.join('\n')}`);
  return wanted.map((listed) => [titleOf(listed), found.get(titleOf(listed)) ?? {}]);
}

async function exampleOf(
  listed: ListedOperation,
  walked: WalkedInterface,
  n: number,
): Promise<{ example: Example; problem?: string }> {
  const { method, path } = listed;
  await walked.refresh(`${path}${method === 'REFERCONF' ? ' {confid}' : ''}`);
  if (usesUp.has(method)) await walked.callAnew();
  const { json, bytes } = exampleBody(listed, walked, n);
  const token = await tokenFor(listed, walked);
  const asked = { method, path: knownPath(listed, walked), token };
  const sent = { ...asked, ...(json !== undefined && { json }), ...(bytes !== undefined && { bytes }) };
  const { status, type, text } = await walked.ask(sent);
  if (status >= 400) return { example: {}, problem: `${status} ${text} for ${JSON.stringify(json)}` };
  const isJson = type.startsWith('application/json') && text !== '';
  const example = {
    ...(json !== undefined && { request: json }),
    ...(isJson && { status, answer: shortened(JSON.parse(text)) }),
  };
  return { example };
}

/** Operations with JSON in them. An alias has the example of its original. */
function isShown({ method, path, operation }: ListedOperation): boolean {
  if (operation['x-strowger-same-as'] !== undefined || elsewhere.test(`${method} ${path}`)) return false;
  const contents = [operation.requestBody?.content, ...Object.entries(operation.responses).map(contentOf)];
  return contents.some((content) => content?.['application/json'] !== undefined);
}

function contentOf([status, response]: readonly [string, Readonly<Record<string, unknown>>]) {
  return Number(status) < 400 ? (response['content'] as Readonly<Record<string, unknown>> | undefined) : undefined;
}

/** Operations whose answer is that of a script, and files. */
const elsewhere = /^(GET|POST) \/(exec|static\/.*|openapi\.json)$/;

const external = '/rest/v1/iam/external';

function isExternal(title: string): boolean {
  return title.endsWith(` ${external}`);
}

/** Asks for a login, then for a code. */
const loginScript = {
  start: { type: 'start', next: 'which' },
  which: { type: 'branch', condition: 'startparam(2) === "GET"', yes: 'form', no: 'code' },
  form: { type: 'assign', set: { fields: '[{name: "login", type: "line", title: "Login"}]' } },
  code: {
    type: 'assign',
    set: { success: 'true', next_step: '2', fields: '[{name: "code", type: "line", title: "Code"}]' },
  },
};

/** External authentication, of a domain that has a script for it. */
async function externalExamples(walked: WalkedInterface): Promise<[title: string, example: Example][]> {
  const components = Object.entries(loginScript).map(([name, component]) => ({ name, ...component }));
  const json = { code: externalScript, components };
  const made = await walked.ask({ method: 'POST', path: '/rest/v1/domain/svcscripts', token: walked.acme, json });
  const request = { domain: externalDomain, login: 'user' };
  const form = await walked.ask({ method: 'GET', path: `${external}?domain=${externalDomain}` });
  const step = await walked.ask({ method: 'POST', path: external, json: request });
  for (const { status, text } of [made, form, step])
    if (status !== 200) throw new Error(`${external}: ${status} ${text}`);
  return [
    [`GET ${external}`, { status: form.status, answer: JSON.parse(form.text) }],
    [`POST ${external}`, { request, status: step.status, answer: JSON.parse(step.text) }],
  ];
}

/** Runs a script once, so that the journal has a run. */
async function runScript(walked: WalkedInterface): Promise<void> {
  const token = 'a-token-of-the-example';
  const ask = (method: string, path: string, json?: unknown, as = walked.acme) =>
    walked.ask({ method, path, token: as, ...(json !== undefined && { json }) });
  await ask('POST', '/rest/v1/domain/svcscripts', { code: 'example', components: [{ name: 'start', type: 'start' }] });
  const channel = { code: 'example', token_local: token, svcscriptcode: 'example' };
  await ask('POST', '/rest/v1/domain/integrationchannels', channel);
  await ask('POST', '/exec', {}, token);
  const { text } = await ask('GET', '/rest/v1/journal/scripts');
  const [run] = JSON.parse(text) as readonly { readonly id: string }[];
  walked.ids.set('/rest/v1/journal/scripts', run?.id ?? '');
}

function titleOf({ method, path }: ListedOperation): string {
  return `${method} ${path}`;
}
