/** The types of the events of the web socket, from their declarations: a file for each class, and the table of the classes. */
import { z } from 'zod';
import { eventCatalogue } from '../../../src/model/events/event-catalogue.ts';
import type { EventDeclaration } from '../../../src/model/events/event-declaration.ts';
import { commentLines, fieldLines, type JsonSchema } from './type-text.ts';

const banner = '// Generated from src/model/events by `npm run docs`.\n';

/** The files by their path below the folder of the package. */
export function eventSources(): ReadonlyMap<string, string> {
  const classes = Object.entries(eventCatalogue);
  const files = classes.map(([name, events]) => [`src/client/api/events/${name}.ts`, classFile(name, events)] as const);
  return new Map([...files, ['src/client/api/events/events.ts', tableFile(classes.map(([name]) => name))]]);
}

function classFile(name: string, events: Readonly<Record<string, EventDeclaration>>): string {
  const fields = Object.entries(events).flatMap(([event, { when, data }]) => {
    const schema = z.toJSONSchema(data, { io: 'output', unrepresentable: 'any' }) as JsonSchema;
    return [...commentLines(when, '  '), `  readonly ${event}: {`, ...fieldLines(schema, 2), '  };'];
  });
  const comment = `/** The data of the events of class ${name}, by name. */`;
  return `${banner}\n${comment}\nexport interface ${typeOf(name)} {\n${fields.join('\n')}\n}\n`;
}

function tableFile(classes: readonly string[]): string {
  const imports = classes.map((name) => `import type { ${typeOf(name)} } from './${name}.ts';`).toSorted();
  const fields = classes.map((name) => `  readonly ${name}: ${typeOf(name)};`);
  const comment = '/** The data of every event, by class and name. */';
  return `${banner}${imports.join('\n')}\n\n${comment}\nexport interface Events {\n${fields.join('\n')}\n}\n`;
}

/** `callevents`: `CallEvents`. */
function typeOf(name: string): string {
  const subject = name.replace(/events$/, '');
  return `${subject.charAt(0).toUpperCase()}${subject.slice(1)}Events`;
}
