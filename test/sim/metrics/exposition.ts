/** Reads the text format of Prometheus by its grammar: https://prometheus.io/docs/instrumenting/exposition_formats/. */

export interface Exposition {
  /** The type of each family, in the order of the text. */
  readonly types: ReadonlyMap<string, string>;
  /** The sample of a series, written as in the text without its value: `name{label="value"}`. */
  readonly samples: ReadonlyMap<string, number>;
}

const name = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const pair = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"';
const sampleLine = new RegExp(`^(${name})(?:\\{${pair}(?:,${pair})*,?\\})? (\\S+)(?: -?\\d+)?$`);
const metaLine = new RegExp(`^# (HELP|TYPE) (${name}) (.+)$`);
const types = ['counter', 'gauge', 'histogram', 'summary', 'untyped'];

/** Throws, with the line, where the text breaks the grammar: an unknown line, a family without a type, a series twice. */
export function readExposition(text: string): Exposition {
  if (!text.endsWith('\n')) throw new Error('the last line must end with a line feed');
  const found = { types: new Map<string, string>(), samples: new Map<string, number>() };
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [, kind, family = '', rest = ''] = metaLine.exec(line) ?? [];
    if (kind === 'HELP') continue;
    if (kind === 'TYPE') {
      if (!types.includes(rest) || found.types.has(family)) throw new Error(`wrong type: ${line}`);
      found.types.set(family, rest);
      continue;
    }
    const [, of = '', value = ''] = sampleLine.exec(line) ?? [];
    const series = line.slice(0, line.lastIndexOf(' '));
    const isTyped = [of, of.replace(/_(bucket|sum|count)$/, '')].some((each) => found.types.has(each));
    const isNumber = !Number.isNaN(Number(value)) || /^(nan|[+-]inf)$/i.test(value);
    if (of === '' || !isTyped || !isNumber || found.samples.has(series)) throw new Error(`wrong sample: ${line}`);
    found.samples.set(series, Number(value));
  }
  return found;
}
