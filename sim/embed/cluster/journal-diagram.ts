/** Messages as a sequence diagram in Mermaid's syntax. */
import type { SipMessage } from '../../../src/model/sip/message.ts';
import type { Observation } from '../../oracles/observation.ts';

interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

/** `nameOf`: the name of a participant by its SIP address; an edge has the same name inside and outside. */
export function sequenceDiagram(entries: readonly Observation[], nameOf: (address: string) => string): string {
  const arrows = entries.flatMap((entry) => {
    const arrow = arrowOf(entry);
    return arrow === undefined ? [] : [{ ...arrow, from: nameOf(arrow.from), to: nameOf(arrow.to) }];
  });
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
      return { from, to, text: sipText(message) };
    }
    case 'envelope.sent': {
      const { from, to, type, body } = entry.envelope;
      return { from, to, text: type === 'sip' ? `sip ${sipText(body as SipMessage)}` : type };
    }
    case 'request.received':
      return { from: 'client', to: entry.site, text: `${entry.method} ${entry.target}` };
    case 'request.answered':
      return { from: entry.site, to: 'client', text: `${entry.status} ${entry.method} ${entry.target}` };
    default:
      return undefined;
  }
}

function sipText(message: SipMessage): string {
  return message.kind === 'response' ? `${message.status} ${message.method}` : message.method;
}

/** Mermaid ends a message at a semicolon or a line end, and reads # as the begin of an entity. */
function plain(text: string): string {
  return text.replaceAll(/[;#\n]/g, ' ');
}
