/** Messages as a sequence diagram in Mermaid's syntax. */
import type { Observation } from '../../oracles/observation.ts';

interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

export function sequenceDiagram(entries: readonly Observation[]): string {
  const arrows = entries.flatMap((entry) => arrowOf(entry) ?? []);
  const names = [...new Set(arrows.flatMap(({ from, to }) => [from, to]))];
  const aliases = new Map(names.map((name, index) => [name, `p${index}`]));
  const lines = [
    'sequenceDiagram',
    ...names.map((name) => `  participant ${aliases.get(name)} as ${name}`),
    ...arrows.map(({ from, to, text }) => `  ${aliases.get(from)}->>${aliases.get(to)}: ${plain(text)}`),
  ];
  return `${lines.join('\n')}\n`;
}

function arrowOf(entry: Observation): Arrow | undefined {
  switch (entry.kind) {
    case 'outside.sent': {
      const { from, to, message } = entry;
      return { from, to, text: message.kind === 'response' ? `${message.status} ${message.method}` : message.method };
    }
    case 'envelope.sent': {
      const { from, to, type } = entry.envelope;
      return { from, to, text: type };
    }
    case 'request.received':
      return { from: 'client', to: entry.site, text: `${entry.method} ${entry.target}` };
    case 'request.answered':
      return { from: entry.site, to: 'client', text: `${entry.status} ${entry.method} ${entry.target}` };
    default:
      return undefined;
  }
}

/** Mermaid ends a message at a semicolon or a line end, and reads # as the begin of an entity. */
function plain(text: string): string {
  return text.replaceAll(/[;#\n]/g, ' ');
}
