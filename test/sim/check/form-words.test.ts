/** What is said of a check that does not fit is in the words of the kit, whichever field it is and whatever stands there. */

import { expectMachineCheck, expectOptions } from '../../../sim/check/machine/machine-form.ts';
import { expectSystemCheck } from '../../../sim/check/system/system-form.ts';
import { test } from '../../kit/test.ts';

const values = [7.5, -1, 'two words!', true, null, [], [5], { surprise: 1, other: 2 }, () => 5, new Date(0)];
const said = /^ {2}(the bound: )?(\S.*: )?(expected \S|not known here )/;
const parser =
  /expected (string|number|int|integer|boolean|array|record|object|map|function|input|option|null|undefined|never)\b|Invalid|received|Unrecognized|(be|have) [<>]=|NaN/;

type Expect = (given: object) => void;

/** The names of the fields that an object may have, as the message about two unknown fields lists them. */
function fieldsOf(expect: Expect, around: (inner: object) => object): readonly string[] {
  const line = linesOf(expect, around({ surprise: 1, other: 2 })).find((each) => each.includes('not known here')) ?? '';
  return /\(([^)]*)\)/.exec(line)?.[1]?.split(', ') ?? [];
}

function linesOf(expect: Expect, given: object): string[] {
  try {
    expect(given);
    return [];
  } catch (error) {
    return (error as Error).message.split('\n').slice(1);
  }
}

const ofMachine: Expect = (given) => expectMachineCheck(given, 'checkMachine');
const ofPair: Expect = (given) => expectSystemCheck(given, {});
const objects: readonly [what: string, expect: Expect, around: (inner: object) => object][] = [
  ['a check of a machine', ofMachine, (inner) => inner],
  ['how a life ends', ofMachine, (inner) => ({ finally: inner })],
  ['what is undecided', ofMachine, (inner) => ({ undecided: { shut: inner } })],
  ['options', (given) => expectOptions(given, 'checkMachine'), (inner) => inner],
  ['a check of interacting machines', ofPair, (inner) => inner],
  ['a part', ofPair, (inner) => ({ parts: { client: inner } })],
  ['an input of a part', ofPair, (inner) => ({ parts: { client: { ownerEvents: [inner] } } })],
  ['what a part is spawn by', ofPair, (inner) => ({ parts: { client: { spawn: inner } } })],
  ['a channel', ofPair, (inner) => ({ channel: inner })],
  ['a message', ofPair, (inner) => ({ mend: [inner] })],
  ['a bound', (given) => expectSystemCheck({}, given), (inner) => inner],
];

for (const [what, expect, around] of objects) {
  test(`of no field of ${what} the parser's own words are said`, (t) => {
    const fields = fieldsOf(expect, around);
    t.true(fields.length >= 2, fields.join());
    let lines = 0;
    for (const field of fields) {
      for (const value of values) {
        for (const line of linesOf(expect, around({ [field]: value }))) {
          lines += 1;
          t.regex(line, said, `${field}: ${line}`);
          t.notRegex(line, parser, `${field}: ${line}`);
        }
      }
    }
    t.true(lines >= fields.length, String(lines));
  });
}
