/** Judges of whole answers. */
import { isDeepStrictEqual } from 'node:util';
import { expecting, type Item, type Judge, textOf } from './use-case.ts';

/** The body is exactly this; what is `undefined` is absent. */
export function being(body: unknown): Judge {
  const wanted: unknown = JSON.parse(JSON.stringify(body));
  return (answer) => {
    if (answer?.status === 200 && isDeepStrictEqual(answer.body, wanted)) return undefined;
    const field = answer?.status === 200 ? differing(wanted, answer.body) : undefined;
    return field ?? `expected ${JSON.stringify(wanted)}, got ${textOf(answer)}`;
  };
}

/** The first field of an item that is another one. */
function differing(wanted: unknown, got: unknown): string | undefined {
  if (!isItem(wanted) || !isItem(got)) return undefined;
  const name = Object.keys({ ...wanted, ...got }).find((each) => !isDeepStrictEqual(got[each], wanted[each]));
  const short = (value: unknown) => String(JSON.stringify(value)).slice(0, 200);
  return name && `${name}: expected ${short(wanted[name])}, got ${short(got[name])}`;
}

function isItem(value: unknown): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A refusal as invalid, whose message begins with the name of what is wrong, or of a part of it. */
export function refusing(name: string): Judge {
  return (answer) => {
    const wrong = expecting(400, { error_code: 1400 })(answer);
    const message = String((answer?.body as Item | undefined)?.['error_message']);
    const isNamed = message.startsWith(name) && ':.['.includes(message.charAt(name.length));
    return wrong ?? (isNamed ? undefined : `expected a message about ${name}, got ${textOf(answer)}`);
  };
}
