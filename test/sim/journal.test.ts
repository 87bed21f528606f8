/** The journal of a run: its lines and its hash. That it is a log is in the log contract. */

import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { Journal } from '../../sim/ports/journal.ts';
import { VirtualClock } from '../../sim/ports/virtual-clock.ts';
import type { Log } from '../../src/ports/log.ts';
import { sized } from '../kit/property.ts';
import { test } from '../kit/test.ts';

function hashOf(lines: readonly string[], clock = new VirtualClock(0)): string {
  const journal = new Journal(clock);
  for (const line of lines) journal.write(line);
  return journal.hash();
}

test('the same lines give the same hash, others another', (t) => {
  t.is(hashOf(['a', 'b']), hashOf(['a', 'b']));
  t.not(hashOf(['a', 'b']), hashOf(['a', 'c']));
  t.regex(hashOf([]), /^[0-9a-f]{64}$/);
});

test('the order of the lines matters, and where one ends', (t) => {
  t.not(hashOf(['a', 'b']), hashOf(['b', 'a']));
  t.not(hashOf(['ab']), hashOf(['a', 'b']));
  t.not(hashOf(['a']), hashOf(['a', 'a']));
});

test('the time of a line matters', (t) => {
  t.not(hashOf(['a'], new VirtualClock(1)), hashOf(['a'], new VirtualClock(2)));
});

test('the hash is that of all lines, however many there are, and asking for it changes nothing', (t) => {
  const property = fc.property(
    fc.array(fc.string(), { maxLength: 40 }),
    fc.nat(600),
    fc.nat(40),
    (some, more, every) => {
      const journal = new Journal(new VirtualClock(7));
      const lines = [...some, ...Array.from({ length: more }, (_, number) => `line ${number}`)];
      const expected = createHash('sha256');
      lines.forEach((line, number) => {
        journal.write(line);
        expected.update(`7 ${line}\n`);
        if (every > 0 && number % every === 0) t.is(journal.hash(), expected.copy().digest('hex'));
      });
      t.is(journal.hash(), expected.digest('hex'));
      t.is(journal.count, lines.length);
    },
  );
  fc.assert(property, { numRuns: sized(13, 50) });
});

test('lines are kept with their times where that is asked for', (t) => {
  const clock = new VirtualClock(0);
  const journal = new Journal(clock, { keep: true });
  journal.write('first');
  clock.advanceTo(1.5);
  journal.write('second');
  t.deepEqual(journal.lines, ['0 first\n', '1.5 second\n']);
  t.is(journal.count, 2);
  const forgetful = new Journal(clock);
  forgetful.write('first');
  t.deepEqual(forgetful.lines, []);
  t.is(forgetful.count, 1);
});

test('a stack differs from one machine to the next: it goes to the next log, not into the journal', (t) => {
  const passed: unknown[] = [];
  const next: Log = { write: (...line) => passed.push(line), child: () => next };
  const journal = new Journal(new VirtualClock(0), { keep: true });
  journal.log(next, { node: 'n1' }).write('error', 'broken', { reason: 'x', stack: 'at line 1' });
  t.deepEqual(journal.lines, ['0 log broken {"node":"n1","reason":"x"}\n']);
  t.deepEqual(passed, [['error', 'broken', { reason: 'x', stack: 'at line 1' }]]);
});

test('a line that has line ends is one line, so that the lines of an artefact compare with those of its replay', (t) => {
  const journal = new Journal(new VirtualClock(0), { keep: true });
  journal.write('answer <html>\n<head>\n');
  t.deepEqual(journal.lines, ['0 answer <html>\\n<head>\\n\n']);
});
