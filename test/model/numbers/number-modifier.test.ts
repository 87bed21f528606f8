/** Number modifiers: which rule applies, and what it leaves alone. */

import { modifiedNumber } from '../../../src/model/numbers/number-modifier.ts';
import { test } from '../../kit/test.ts';

const rows: readonly [number: string, modifier: string, expected: string][] = [
  ['0301234', '0/+49', '+49301234'],
  ['+49301234', '+49/0', '0301234'],
  ['00301234', '00/+,0/+49', '+301234'],
  ['0301234', '00/+,0/+49', '+49301234'],
  ['1234', '/9', '91234'],
  ['1234', 'XX/', '34'],
  ['*234', 'X/', '*234'],
  ['12', 'XXX/9', '12'],
  ['1234', '', '1234'],
  ['9', '9/', '9'],
  ['anonymous', '/9', 'anonymous'],
  ['1234', 'older text', '1234'],
];

for (const [number, modifier, expected] of rows) {
  test(`"${modifier}" makes ${expected} of ${number}`, (t) => {
    t.is(modifiedNumber(number, modifier), expected);
  });
}
