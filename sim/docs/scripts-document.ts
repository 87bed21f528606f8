/** The reference of the language of scripts, from the declarations of its components. */
import { z } from 'zod';
import { limits } from '../../src/model/limits.ts';
import type { ComponentKind, ScriptKind } from '../../src/model/script/component.ts';
import { componentFailureCodes } from '../../src/model/script/component-failure.ts';
import { componentKinds, componentUnion } from '../../src/model/script/script.ts';
import { type OperationDeclaration, operations } from '../../src/model/script/script-operations.ts';
import { scriptSettings } from '../../src/model/script/script-settings.ts';

const nounOf: Readonly<Record<ScriptKind, string>> = { svcscript: 'service scripts', ivrscript: 'IVR scripts' };

/** What each start of a script gives it, and what the request reads from its variables. */
const startParameters = `## Start parameters

What \`startparam(N)\` returns depends on what starts the script. One that is not in the table is \`undefined\`. A nested script has those of the
script that runs it, and besides the variables of its field \`params\`.

| started by | 1 | 2 | 3 | 4 | 5, 6, 7 | 8 |
|---|---|---|---|---|---|---|
| \`/exec\` with the token of an integration channel (documented) | the channel, an object | \`POST\` or \`GET\` | \`/exec\` | the body | headers, address of the sender, \`http\` | the query |
| \`/exec\` of a role application (documented) | the role application | \`POST\` or \`GET\` | \`/exec\` | the body | the same | the query |
| a request to a chat campaign (chosen) | the campaign | \`POST\` | path of the request | the body | the same | the query |
| external authentication (chosen) | the fields, an object | \`POST\` or \`GET\` | \`/rest/v1/iam/external\` | the fields again | the same | |
| a login with \`external_token\` (chosen) | \`{external_token}\` | \`POST\` | \`/rest/v1/iam/sessions\` | | | |
| a call to the number of an IVR script, also by a selector meeting (chosen) | number of the caller; of a conference \`conf-CONFID\` | number that was called | \`inviteid\` of the call | | | |
| INVITEBYIVR (chosen) | number of X, \`from\` | \`ivr-CODE\` | \`inviteid\` of the call | | | |

The body is the object or the list of its JSON, else its text; \`{}\` of a GET. The headers are a list of \`{name, value}\`, without \`authorization\` and
\`cookie\`. The query is an object of texts (chosen). No script is started by an event or at a time.

## What a script answers

The request reads these variables when the script has ended. A script that failed is 500, or 504 where it is not known whether an effect
happened; for a login it is 401. A wait that is over is 504 as well, and the script goes on.

| started by | variable | meaning |
|---|---|---|
| \`/exec\`, chat campaign | \`response_code\` | status, 200 (default) to 599 |
| | \`response_headers\` | an object, a list of \`{name, value}\`, or either as JSON text; without a \`content-type\` it is \`application/octet-stream\` |
| | \`response_content\` | body: a text as it is, else its JSON; default: none |
| external token | \`domain\`, \`login\` | user whose session begins; without a known one the login is 401 |
| IVR | | none: the script acts by its components |

## External authentication

\`POST /rest/v1/iam/external\` runs the script that \`iam_external_svcscript_code\` of the domain names, with the fields of its body. Two of them have a
meaning of their own: \`domain\` says whose script it is (default: the master domain), \`step\` names the step (default: 1). GET runs the same script with the
parameters of the query, all of them texts, and answers its \`fields\`. A request waits ${limits.externalWaitMs / 1_000} s; the fields of a POST have at most
${limits.externalFieldChars.toLocaleString('en')} characters of JSON. An [example](../how-to/write-service-scripts.md#log-in-through-a-script).

| variable | meaning |
|---|---|
| \`success\` | \`true\`: the step was accepted; anything else: it was not |
| \`next_step\` | any value but \`null\`: the step that follows. Without one, \`success\` ends the flow |
| \`fields\` | form of the step that follows, or again of the one that was refused: a list of \`{name, type, title?, value?}\`; default: empty |
| \`message\` | a text for people, such as why it was refused |
| \`location\` | where the main application is; default: \`/\` |
| \`redirect\` | \`true\`: success is a 302 to \`location\`; else 200 with it |

| set | answer |
|---|---|
| \`success\` and \`next_step\` | \`{success: true, complete: false, next_step, fields, message?}\` |
| \`next_step\` alone | the same with \`success: false\` |
| \`success\` alone | the cookie of the session that the script has created by \`session.create\`, and \`{success: true, complete: true, location}\` or 302; 500 without a session |
| neither | \`{success: false, complete: false, fields, message?}\`: a refusal |

A session of a script that does not end in success is closed. The front counts no failures here: a script bans by \`webban.add\`.

- The types of fields are \`hidden\` (not shown, and sent back as it is) and \`line\` (a text input with \`title\`); a script may use others that its page
  knows. \`name\` and \`type\` are texts; wrong \`fields\` are 500.
- A field of a POST with the value \`{from: {step: N}}\` stands for what was entered in the field of the same name at step N. So a script gives that value to
  a \`hidden\` field, the page sends it back, and the script reads what was entered. The front keeps it ${limits.externalFlowMs / 60_000} minutes for the flow, by the cookie
  \`RExternal\`; at another front, later, or without the cookie it is 400.
`;

export function scriptsDocument(): string {
  return `# Scripts

Generated from \`src/model/script/\` by \`npm run docs\`. A script is a graph of components: the field \`components\` of a
[\`svcscript\` or an \`ivrscript\`](entities.md). The form is chosen; the names of components follow public facts where there are any.
The schema for editors is [scripts.schema.json](scripts.schema.json).

- A component has a \`name\`, a \`type\`, and the fields of its type. A branch is a field with the name of the next component.
- The run begins at the component \`start\`, and ends where no component is next, at \`stop\`, or when one fails.
- A failed run has a problem that names the script, the component and the field. The same holds for a script that is refused.

## Expressions

JavaScript, evaluated by QuickJS in a sandbox: without clock, chance and network, and synchronous. Variables of the script are
global variables, and hold JSON values. \`startparam(1)\`, \`startparam(2)\` … are the start parameters; an object among them becomes its
JSON when it is used as a text. One evaluation may take ${(limits.sandboxFuel / 1e6).toLocaleString('en')} million steps of the
engine (functions entered, turns of loops, 32 bytes copied; its native functions count too), ${limits.sandboxBytes / 1024 / 1024} MiB of memory and ${limits.sandboxStackBytes / 1024} KiB of
stack; the variables may take ${limits.scriptVariableChars.toLocaleString('en')} characters of JSON, nested scripts included.

An instance executes one component in a turn, of one domain after the other, and spends a tenth of its time on them after a burst. What the
runs of a domain hold at an instance is limited to ${limits.scriptDomainChars.toLocaleString('en')} characters of JSON, and that of all domains to
${limits.scriptMemoryChars.toLocaleString('en')}: a start beyond that is refused (503), and a run that grows beyond it fails.

\`jwtverify(token, key, options)\` verifies a JSON Web Token. \`getglobal(name)\` and \`setglobal(name, value)\` use global variables, where
the domain allows them: the runs of an \`mware\` group or of an \`ivr\` instance share them by domain. Those of \`mware\` are stored with
the position of a run and survive a failover; a component that a failover repeats sets them again. Those of \`ivr\` end with its instance.

${startParameters}
## Effects

A run stores its position and variables before and after each component with an effect. When its instance is lost, the instance
that takes over continues it there. The effect that was under way has an idempotency key, the same for each attempt: with
\`unknown: "repeat"\` it is performed again under that key, with \`"indefinite"\` the run continues at the branch \`indefinite\`.

A receiver knows the key: other systems by the headers \`idempotency-key\` and \`webhook-id\`, the gateway for short messages, and domain data,
where the id of a created item is made of it. Operations on calls and conferences have no receiver that knows it: with \`"repeat"\` a call may be
made twice. A run that has ended, or whose instance serves no more, makes no further attempt.

## Failures

A component that fails or whose outcome is unknown sets the variable that its field \`result\` names to an object with \`problem\`, a text
for people, and \`code\`. A call or transfer that was refused has a \`status\` besides, an HTTP request its \`attempts\`. (chosen)

| code | meaning |
|---|---|
${Object.entries(componentFailureCodes)
  .map(([code, meaning]) => `| \`${code}\` | ${meaning} |`)
  .join('\n')}

## Settings of a domain

Set under \`opts\` of the domain in the topology. (names public, meanings chosen)

| name | default | meaning |
|---|---|---|
${Object.entries(scriptSettings)
  .map(([name, schema]) => `| \`${name}\` | \`${JSON.stringify(schema.def.defaultValue)}\` | ${schema.description} |`)
  .join('\n')}

## Operations

The component \`operation\` executes them in the domain of the script. A call or a conference is named by any key of LOOKUP, in its
documented order; of several matches the first one counts (documented). One that fails, also by wrong parameters, gives
\`{problem, code}\` ([Failures](#failures)). Those on calls do what the
[commands of the interface](interface.md#calls) do, also where these change nothing. Names and further parameters are chosen.

| operation | target | parameters | |
|---|---|---|---|
${Object.entries(operations as Readonly<Record<string, OperationDeclaration>>)
  .map(([name, { does, target = '', params }]) => `| \`${name}\` | ${target} | ${namesOf(params)} | ${does} |`)
  .join('\n')}

## Components

${componentKinds.map(section).join('\n')}`;
}

function section({ type, does, scripts, fields, branches, hasEffect }: ComponentKind): string {
  const notes = [
    `In ${scripts.map((kind) => nounOf[kind]).join(' and ')}.`,
    hasEffect === true ? 'Has an effect.' : '',
  ];
  const rows = [
    ...Object.entries(fields).map(([name, { does, initial }]) => [name, initialText(initial), does] as const),
    ...Object.entries(branches).map(([name, outcome]) => [name, 'branch', `Next component: ${outcome}`] as const),
  ].map(([name, given, text]) => `| \`${name}\` | ${given} | ${text} |`);
  const table = rows.length === 0 ? '' : `\n| field | when not given | |\n|---|---|---|\n${rows.join('\n')}\n`;
  return `### ${type}

${does} ${notes.filter((note) => note !== '').join(' ')}
${table}`;
}

function namesOf({ shape }: z.ZodObject): string {
  return Object.keys(shape)
    .map((name) => `\`${name}\``)
    .join(', ');
}

function initialText(initial: unknown): string {
  return initial === undefined ? 'required' : `\`${JSON.stringify(initial)}\``;
}

/** The schema of the components of both kinds of scripts. */
export function scriptsSchema(): string {
  const schemas = (['svcscript', 'ivrscript'] as const).map((kind) => [kind, z.array(componentUnion(kind))] as const);
  return `${JSON.stringify(z.toJSONSchema(z.object(Object.fromEntries(schemas)), { io: 'input' }), null, 2)}\n`;
}
