/** The reference of the events of the web socket: every event with its fields, and examples of a run. */

import { join } from 'node:path';
import { z } from 'zod';
import { type EventClass, eventCatalogue } from '../../../src/model/events/event-catalogue.ts';
import type { EventDeclaration } from '../../../src/model/events/event-declaration.ts';
import type { StreamItem } from '../../../src/model/protocol/messages/stream.ts';
import { scenariosFolder } from '../../input/package-folder.ts';
import { loadScenario } from '../../scenario/load-scenario.ts';
import { runScenario } from '../../scenario/run/runner.ts';
import { VirtualWorld } from '../../world/virtual.ts';
import { fieldTable } from '../field-table.ts';

/** What each class is about, and which instances send it. */
const classes: Readonly<Record<EventClass, string>> = {
  callevents: 'The life of a call. Source: the b2b instance that has the call; `dlg_dead` may come from a callstore.',
  confevents: 'The life of a conference. Source: the conf instance that has it.',
  ivrevents: 'Calls of IVR scripts. Source: the ivr instance that runs the script.',
  selectorevents: 'The states of a selector meeting. Source: the conf instance that has its conference.',
  registrarevents: 'Registrations of devices. Source: an sr instance of the site through which the device registered.',
  modelevents: 'Changes of collections. Only `sipuser_states` sends them. Source: as for registrarevents.',
};

export async function eventsDocument(): Promise<string> {
  const sent = await sentEvents();
  const sections = Object.entries(eventCatalogue).map(([of, declared]) => classSection(of, declared, sent));
  return `# Events over the web socket

Generated from \`src/model/events/\` and the limits by \`npm run docs\`. *Public*: public facts about the platform name it.
*Chosen*: this product chose it; trust it least before going live. The data of every event as JSON Schema:
[events.schema.json](events.schema.json). How a client subscribes: [web-socket.md](web-socket.md).

## Examples of order

Events of a run ([every-event.yaml](../../scenarios/examples/every-event.yaml)), in seconds since the start of the call or conference.

| what happens | events |
|---|---|
${orders(sent).join('\n')}

${sections.join('\n')}`;
}

/** The data of every event as JSON Schema, under \`class.name\`. */
export function eventsSchema(): string {
  const definitions = Object.entries(eventCatalogue).flatMap(([of, declared]) =>
    Object.entries(declared).map(([name, { when, data }]) => {
      const { $schema: _, ...schema } = z.toJSONSchema(data);
      return [`${of}.${name}`, { description: when, ...schema }];
    }),
  );
  const schema = 'https://json-schema.org/draft/2020-12/schema';
  return `${JSON.stringify({ $schema: schema, $defs: Object.fromEntries(definitions) }, null, 1)}\n`;
}

function classSection(
  of: string,
  declared: Readonly<Record<string, EventDeclaration>>,
  sent: readonly SentEvent[],
): string {
  const all = Object.entries(declared);
  const common = commonOf(Object.values(declared));
  const exampleOf = (name: string) => sent.find((each) => each.class === of && each.name === name);
  return `## ${of}

${classes[of as EventClass]}

| event | when it is sent | order |
|---|---|---|
${all.map(([name, { when, order }]) => `| [${name}](#${name}) | ${when} | ${order} |`).join('\n')}

Fields of every event of the class:

${fieldTable(common)}
${all.map(([name, { data }]) => eventSection(name, data, { common, example: exampleOf(name) })).join('\n')}`;
}

/** The fields that all of them have, as the first one declares them. */
function commonOf([first, ...others]: readonly EventDeclaration[]): z.ZodObject {
  const shape = Object.entries(first?.data.shape ?? {});
  return z.strictObject(Object.fromEntries(shape.filter(([name]) => others.every(({ data }) => name in data.shape))));
}

interface SectionParts {
  readonly common: z.ZodObject;
  readonly example: SentEvent | undefined;
}

/** An event: the fields that it has beside those of its class, or declares otherwise, and an example. */
function eventSection(name: string, data: z.ZodObject, { common, example }: SectionParts): string {
  const own = Object.entries(data.shape).filter(([field, schema]) => common.shape[field] !== schema);
  const table = own.length === 0 ? 'No further fields.\n' : fieldTable(z.strictObject(Object.fromEntries(own)));
  return `### ${name}

${table}
\`\`\`json
${inLines(example?.data ?? {})}
\`\`\`
`;
}

/** JSON with a line for each member; what is nested is on one line where it fits. */
function inLines(value: unknown, indent = ''): string {
  const line = JSON.stringify(value, null, 1).replace(/\n */g, ' ');
  if (typeof value !== 'object' || value === null || (indent !== '' && line.length <= 150)) return line;
  const inner = `${indent} `;
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const parts = Array.isArray(value)
    ? value.map((each) => inLines(each, inner))
    : Object.entries(value).flatMap(([key, each]) =>
        each === undefined ? [] : [`${JSON.stringify(key)}: ${inLines(each, inner)}`],
      );
  return `${open}\n${parts.map((part) => `${inner}${part}`).join(',\n')}\n${indent}${close}`;
}

/** Which events of the run belong together: the first event of one object that has these events, and what that shows. */
const shown: readonly (readonly [what: string, by: 'cid' | 'confid' | 'selectorid', has: readonly string[]])[] = [
  ['a call is answered, and one side hangs up', 'cid', ['dlg_start']],
  ['the callee is busy', 'cid', ['fork_stop']],
  ['the device redirects', 'cid', ['fork_redirect']],
  ['the callee plays an announcement, and refuses', 'cid', ['fork_announcement']],
  ['`POST /rest/v1/uc/calls`: the call to X, which refers X to Y', 'cid', ['refer']],
  ['`POST /rest/v1/uc/calls`: the call from X to Y, which results', 'cid', ['referring_invite']],
  ['an attended transfer: the call whose leg is replaced', 'cid', ['replaces_refer']],
  ['the b2b instance of the call crashes', 'cid', ['dlg_dead']],
  ['a conference of a selector meeting', 'confid', ['conf_start']],
];

function orders(sent: readonly SentEvent[]): string[] {
  return shown.flatMap(([what, by, has]) => {
    const first = sent.find(({ name }) => has.includes(name));
    if (first === undefined) return [];
    const all = sent.filter(({ data }) => data[by] === first.data[by]);
    const startMs = all[0]?.atMs ?? 0;
    const texts = all.map(
      ({ name, atMs, data }) => `\`${name}\`${detail(name, data)} ${((atMs - startMs) / 1_000).toFixed(1)}`,
    );
    return [`| ${what} | ${texts.join(', ')} |`];
  });
}

function detail(name: string, { state }: SentEvent['data']): string {
  return name === 'state_changed' ? ` (\`${String(state)}\`)` : '';
}

/** An event, and when it was sent (milliseconds since the cluster was ready). */
export interface SentEvent {
  readonly class: string;
  readonly name: string;
  readonly atMs: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Runs `scenarios/examples/every-event.yaml` in virtual time. Resolves to its events, each once, in the order of their sending. */
export async function sentEvents(): Promise<SentEvent[]> {
  const { scenario, map, webApps } = loadScenario(join(scenariosFolder, 'examples', 'every-event.yaml'));
  const world = new VirtualWorld({ map, webApps, seed: scenario.seed });
  const sent = new Map<unknown, SentEvent>();
  let readyMs = world.now();
  world.observe(
    ({ envelope, atMs }) => {
      const { items } = envelope.body as { readonly items: readonly StreamItem[] };
      for (const { event } of items) {
        if (event === undefined) continue;
        const { class: of, name, data } = event;
        if (!sent.has(data['eventid'])) sent.set(data['eventid'], { class: of, name, atMs: atMs - readyMs, data });
      }
    },
    { kinds: ['envelope.sent'], types: ['stream.published'] },
  );
  const report = await runScenario(scenario, world, {
    seed: scenario.seed,
    onReady: () => {
      readyMs = world.now();
    },
  });
  if (report.verdict !== 'pass') throw new Error(`${scenario.name}: ${report.verdict}, expected pass`);
  return [...sent.values()];
}
