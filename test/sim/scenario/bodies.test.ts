/** Bodies of requests and expected answers in scenarios, checked against the schemas of the interface. */
import { test } from '../../kit/test.ts';
import { faultsOf } from './kit.ts';

const calls = '/rest/v1/uc/calls';
const start = `through: north, as: clerk, method: POST, path: ${calls}`;
const list = `through: north, as: clerk, path: ${calls}`;
const dialogid = `  - request: { ${list}, save: { call: 0.dialogid } }\n`;

const fieldsOfStart = 'from, to, mode, callerid, callername, timeout, label, response_mode';
const fieldsOfResult = 'result, ivrcallid, acallid, bcallid, last_response, dialogid';

const wrong: readonly (readonly [title: string, steps: string, faults: readonly string[]])[] = [
  [
    'a misspelt field and a wrong value in the body of a request',
    `  - request: { ${start}, body: { form: '1001', to: '1002', response_mode: three } }\n`,
    [
      'steps[0].request.body.from: expected a number of 1 to 128 characters without blanks, alone or as number@domain, got nothing',
      `steps[0].request.body.form: no such field here, expected one of ${fieldsOfStart}; did you mean "from"?`,
      'steps[0].request.body.response_mode: expected an integer from 0 to 3, got "three"',
    ],
  ],
  [
    'a body that is missing',
    `  - request: { ${start} }\n`,
    [`steps[0].request: expected "body" beside "path": POST ${calls} takes { ${fieldsOfStart} }`],
  ],
  [
    'the body of a workload',
    `  - workload: { requests: { rate: 1, as: clerk, method: POST, path: ${calls}, body: { from: '1001' } } }\n`,
    [
      'steps[0].workload.requests.body.to: expected a number of 1 to 128 characters without blanks, alone or as number@domain, got nothing',
    ],
  ],
  [
    'an expected answer with a field, or a value, that no answer has',
    `  - request: { ${start}, body: { from: '1001', to: '1002' } }
    expect: { status: 200, body: { result: good, lastresponse: 486 } }
  - request: { ${start}, body: { from: '1001', to: '1002' } }
    expect: { status: 201 }\n`,
    [
      'steps[0].expect.body.result: expected one of ok, failed, redirected, timeout, no_answer, unknown (`ok`: the request was carried out, and `last_response` says whether Y answered), got "good"',
      `steps[0].expect.body.lastresponse: no such field here, expected one of ${fieldsOfResult}; did you mean "last_response"?`,
      'steps[1].expect.status: expected a status of the operation (200, or of a refusal), got 201',
    ],
  ],
  [
    'a misspelt header, also where it must be absent; a script may have headers of its own',
    `  - request: { ${list} }
    expect: { headers: { X-Missing-Site: north } }
  - request: { ${list} }
    expect: { headers: { x-missing-site: null, X-Missing-Sites: null, Content-Type: application/json, x-other: null } }
  - request: { through: north, as: clerk, method: POST, path: /exec, body: {} }
    expect: { headers: { X-Missing-Site: north } }\n`,
    [
      'steps[0].expect.headers.x-missing-site: expected a header of the interface, got "x-missing-site"; did you mean "x-missing-sites"?',
      'steps[1].expect.headers.x-missing-site: expected a header of the interface, got "x-missing-site"; did you mean "x-missing-sites"?',
    ],
  ],
  [
    'items of a list, and what is saved of them',
    `  - request: { ${list}, save: { id: 0.legs.0.calid } }
    expect: { items: [{ where: { site: 3 }, every: { opts.title: x, legs: [{ sid: a }] } }] }\n`,
    [
      'steps[0].request.save.id: 0.legs.0.calid: no such field here, expected one of callid, expirets, localuri, remoteuri, side; did you mean "callid"?',
      'steps[0].expect.items[0].where.site: expected a text (Site whose b2b instance serves the call), got 3; put it in quotes',
      'steps[0].expect.items[0].every.legs[0].sid: no such field here, expected one of callid, expirets, localuri, remoteuri, side; did you mean "side"?',
    ],
  ],
  [
    'a count of what is no list, and the answer of a refusal',
    `${dialogid}  - request: { ${list}/$call }
    expect: { count: 1 }
  - request: { ${list}/$call }
    expect: { status: 404, body: { error_cod: 1404 } }\n`,
    [
      'steps[1].expect.count: expected "count" only where the answer is a list: this one is an object',
      'steps[2].expect.body.error_cod: no such field here, expected one of error_code, error_message; did you mean "error_code"?',
    ],
  ],
];

for (const [title, steps, faults] of wrong) {
  test(`reported with its place: ${title}`, (t) => {
    t.deepEqual(faultsOf(`steps:\n${steps}`), [...faults]);
  });
}

const valid: readonly (readonly [title: string, steps: string])[] = [
  [
    'a body that the operation refuses, where a refusal is expected',
    `  - request: { ${start}, body: { form: 1 } }\n    expect: { status: 400 }\n`,
  ],
  [
    'saved values, of which nothing is known yet',
    `${dialogid}  - request: { ${list}/$call, method: REFER, body: { by: $call, referto: $call, response_mode: $call } }
    expect: { body: { dialogid: $call, result: $call } }\n`,
  ],
  [
    'an answer with flat names',
    `  - request: { ${list}?flat }\n    expect: { items: [{ where: { opts.title: x }, count: 0 }] }\n`,
  ],
  [
    'an answer that may be a refusal or not',
    `${dialogid}  - request: { ${list}/$call }\n    expect: { body: { error_code: 1404 } }\n`,
  ],
  [
    'the answer of a script',
    `  - request: { through: north, path: /exec }\n    expect: { status: 418, body: { any: thing } }\n`,
  ],
];

for (const [title, steps] of valid) {
  test(`valid: ${title}`, (t) => {
    t.deepEqual(faultsOf(`steps:\n${steps}`), []);
  });
}
