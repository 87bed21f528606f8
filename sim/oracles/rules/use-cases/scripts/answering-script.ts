/** A service script that answers as the request says. */
import { isSame, longTextOf } from '../calls/call-judges.ts';
import type { Item, Judge } from '../kit/use-case.ts';

/** It answers as the body says: nothing at all, only a content, or everything, perhaps later. */
export const components = [
  { name: 'begin', type: 'start', next: 'bare' },
  { name: 'bare', type: 'branch', condition: 'startparam(4).how === "bare"', yes: 'end', no: 'content' },
  { name: 'content', type: 'assign', set: { response_content: answerOf() }, next: 'more' },
  { name: 'more', type: 'branch', condition: 'startparam(4).how === "content"', no: 'headers' },
  {
    name: 'headers',
    type: 'assign',
    set: { response_code: '200 + startparam(4).n', response_headers: headers() },
    next: 'late',
  },
  { name: 'late', type: 'branch', condition: 'startparam(4).waits > 0', yes: 'wait', no: 'end' },
  { name: 'wait', type: 'wait', seconds: 'startparam(4).waits', next: 'end' },
  { name: 'end', type: 'stop' },
];

function answerOf(): string {
  return `JSON.stringify([${[1, 2, 3, 4, 5, 6, 7].map((n) => `startparam(${n})`).join()}])`;
}

function headers(): string {
  return "({'X-Own': 'yes', 'Content-Type': 'text/x-own'})";
}

interface Given {
  readonly entity: Item;
  readonly body: Item;
  readonly sent: Readonly<Record<string, string>>;
  readonly type?: string;
}

/** The answer that the script makes of its start parameters. */
export function made7(status: number, { entity, body, sent, type = 'text/x-own' }: Given): Judge {
  return (answer) => {
    if (answer?.status !== status || !Array.isArray(answer.body))
      return `expected ${status}, got ${longTextOf(answer)}`;
    const [one, method, url, json, list, sender, protocol] = answer.body as unknown[];
    const own = type === 'text/x-own' ? 'yes' : null;
    const given = ((list ?? []) as { name?: string; value?: string }[]).find(({ name }) => name === 'x-sent');
    const got = [
      answer.headers.get('content-type'),
      answer.headers.get('x-own'),
      one,
      method,
      url,
      json,
      sender,
      protocol,
    ];
    const expected = [type, own, entity, 'POST', '/exec', body, '10.6.0.33', 'http'];
    const at = expected.findIndex((value, index) => !isSame(value, got[index]));
    if (at >= 0) return `expected ${JSON.stringify(expected[at])}, got ${JSON.stringify(got[at])}`;
    return given?.value === sent['x-sent'] ? undefined : `no header x-sent in ${JSON.stringify(list)}`;
  };
}
