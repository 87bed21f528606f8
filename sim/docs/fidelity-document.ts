/** What of the interface is documented, public, chosen, and what is not built: for the step to the real platform. */
import { type Document, openApiOf, resolved } from '../../src/http/openapi/document.ts';
import { fieldsOf, type ListedOperation, operationsIn } from '../../src/http/openapi/operations.ts';
import { routesOf } from '../../src/http/routes.ts';
import { entities } from '../../src/model/entities/entities.ts';
import type { Entity } from '../../src/model/entities/entity.ts';
import { type Field, type Fields, isGroup } from '../../src/model/entities/field.ts';
import { type Provenance, sourceKey } from '../../src/model/provenance.ts';

/** What the platform has and this product does not. */
interface Unbuilt {
  readonly what: string;
  readonly answer: string;
  readonly why: string;
}

const unbuilt: readonly Unbuilt[] = [
  {
    what: 'Media',
    answer: 'none',
    why: 'only the routing of audio between participants is simulated; recordings are tones of the right length, made from the times of the call at each callstore, which has no sound files: a file that is played is shown by what a phone hears, not in a recording',
  },
];

export function fidelityDocument(): string {
  const document = openApiOf(routesOf({ webApps: () => [] }));
  const operations = operationsIn(document);
  const own = operations.filter(({ operation }) => operation['x-strowger-same-as'] === undefined);
  return `# Fidelity

Generated from the routes by \`npm run docs\`. *Documented*: the platform's interface shows it. *Public*: public facts about the
platform name it, not always with bodies and answers. *Chosen*: this product chose it; trust it least before going live.
\`strowger serve --strict\` refuses everything that is chosen and marked below: operations, parameters, fields of bodies.

${(['documented', 'public', 'chosen'] as const).map((source) => section(source, own)).join('\n')}
## Parameters and fields that are chosen

| where | what |
|---|---|
${own.flatMap((each) => chosenParts(document, each)).join('\n')}

## Errors

The shape \`{error_code, error_message}\` is documented, and so are these statuses; all others are chosen.

| status | words | where |
|---|---|---|
${documentedErrors(own).join('\n')}

## What nothing refuses

Chosen as well, and not refused: what the interface leaves open and something must be (status codes of refusals, the codes of
errors, defaults of paging, operators of filters beyond \`==\`, names in bodies of verbs that are public by name only, states
beyond the examples), and the headers \`X-Missing-Sites\` and \`X-Data-Age\`. docs/reference/interface.md says which.

Conversations of chats come from messengers, and nothing in this interface begins one: the class \`ccsevents\` can be subscribed to
and has no events, and bots of chat campaigns are stored only. The scripts of a chat campaign run when a client asks for them.

## Fields that are stored only

The platform acts on every field of an entity ([entities.md](entities.md)), except on these: it keeps and returns them.

| entity | fields | why |
|---|---|---|
${entities.flatMap(storedRows).join('\n')}

## Not built

| what | answer | why |
|---|---|---|
${unbuilt.map(({ what, answer, why }) => `| ${what} | ${answer} | ${why} |`).join('\n')}
`;
}

function section(source: Provenance, operations: readonly ListedOperation[]): string {
  const rows = operations
    .filter(({ operation }) => operation['x-strowger-source'] === source)
    .map(({ method, path, operation }) => `| ${method} | \`${path}\` | ${operation.summary} |`);
  const title = source.slice(0, 1).toUpperCase() + source.slice(1);
  return `## ${title} (${rows.length})\n\n| Method | Path | What it does |\n|---|---|---|\n${rows.join('\n')}\n`;
}

/** Each refusal that is documented, with the operations that have it. */
function documentedErrors(operations: readonly ListedOperation[]): string[] {
  const places = new Map<string, string[]>();
  for (const { method, path, operation } of operations) {
    for (const [status, answer] of Object.entries(operation.responses)) {
      if (answer[sourceKey] !== 'documented') continue;
      const error = `${status} | ${answer['description']}`;
      places.set(error, [...(places.get(error) ?? []), `${method} \`${path}\``]);
    }
  }
  return [...places].map(([error, where]) => `| ${error} | ${where.join(', ')} |`);
}

/** Chosen parts of an operation that is not chosen itself. */
function chosenParts(document: Document, { method, path, operation }: ListedOperation): string[] {
  if (operation['x-strowger-source'] === 'chosen') return [];
  const names = operation.parameters
    .filter((each) => each['x-strowger-source'] === 'chosen')
    .map(({ name }) => `parameter \`${name}\``);
  const json = operation.requestBody?.content['application/json'] as { schema: Record<string, unknown> } | undefined;
  const fields =
    json === undefined
      ? []
      : fieldsOf(resolved(document, json.schema), { source: '' }).filter(({ source }) => source === 'chosen');
  const all = [...names, ...fields.map(({ name }) => `field \`${name}\``)];
  return all.length === 0 ? [] : [`| ${method} \`${path}\` | ${all.join(', ')} |`];
}

/** The fields of an entity on which the platform does not act, by the reason. */
function storedRows({ noun, fields }: Entity): string[] {
  const byReason = new Map<string, string[]>();
  for (const [path, { storedOnly }] of fieldsIn(fields)) {
    if (storedOnly !== undefined) byReason.set(storedOnly, [...(byReason.get(storedOnly) ?? []), `\`${path}\``]);
  }
  return [...byReason].map(([reason, paths]) => `| ${noun} | ${paths.join(', ')} | ${reason} |`);
}

/** The fields of an entity with their paths, those of groups included. */
export function fieldsIn(fields: Fields, prefix = ''): [path: string, field: Field][] {
  return Object.entries(fields).flatMap(([name, field]): [string, Field][] =>
    isGroup(field) ? fieldsIn(field.fields, `${prefix}${name}.`) : [[`${prefix}${name}`, field]],
  );
}
