/** Answers are as the document of the interface declares them. */

import { isBytes } from '../../../../src/http/contract.ts';
import { scriptAnswer } from '../../../../src/http/script-requests.ts';
import type { OracleMaker } from '../../oracle.ts';
import { type Declared, declaredOf } from '../kit/declared-operations.ts';
import { jsonIn, problemWith } from '../kit/reading.ts';

export const answersDeclared: OracleMaker = {
  name: 'answers-declared',
  rule: 'Each answer has a status that the OpenAPI document declares for its operation, and the form that it declares for the status; an error has the code 1000 and its status, and a message.',
  exclusions: 'Paths and methods that the document does not have.',
  make: ({ check, fail }) => ({
    listeners: {
      'request.answered': ({ site, method, target, status, body }) => {
        const path = target.replace(/\?.*/s, '');
        const declared = status === 0 ? undefined : declaredOf(method, path);
        if (declared === undefined) return;
        check();
        const what = wrongWith(declared, status, body);
        if (what !== undefined) fail(`${site} answered ${method} ${target} with ${status}: ${what}`);
      },
    },
  }),
};

function wrongWith({ route, statuses }: Declared, status: number, body: string | undefined): string | undefined {
  // A script sets the status, and what comes with it. (documented)
  if (route.gives[200] === scriptAnswer && !statuses.has(status)) return undefined;
  const given = route.gives[status];
  if (given === undefined && !statuses.has(status)) return `expected one of ${[...statuses].join(', ')}`;
  if (given === 'nothing') return body === undefined || body === '' ? undefined : 'expected no body';
  if (body === undefined || (given !== undefined && isBytes(given))) return undefined;
  const json = jsonIn(body);
  if (given === undefined) return status < 400 ? undefined : wrongError(json, status);
  return problemWith(given, json);
}

function wrongError(json: unknown, status: number): string | undefined {
  const { error_code: code, error_message: message } = (json ?? {}) as Readonly<Record<string, unknown>>;
  if (code !== 1_000 + status) return `error_code: expected ${1_000 + status}, got ${String(code)}`;
  return typeof message === 'string' && message !== '' ? undefined : 'error_message: expected a text';
}
