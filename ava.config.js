/** How `npm test` runs the suites. */
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';

/**
 * The order of the suites. Those that wait for processes, disks and sockets begin, beside one that computes, so that two cores are in use
 * throughout; the last two only compute, and end together.
 */
const order = ['cli', 'rest', 'front', 'browser', 'sim-1', 'sim-2'];

// A young generation that begins large is collected less often: 2 % less processor time on Node 20, 3 to 6 % on Node 24.
const flags = ['--min-semi-space-size=16', '--max-semi-space-size=64'];
// Tests run most code a few times only. Node 20 optimizes a function after 66 KB of its bytecode have been executed; later takes 6 to 14 % less
// processor time, the less the longer a suite is. Node 24 has another compiler before that one, and does not have this flag.
if (process.versions.node.startsWith('20.')) flags.push('--interrupt-budget=500000');
for (const flag of flags) setFlagsFromString(flag);

function placeOf(file) {
  const place = order.indexOf(basename(file, '.js'));
  return place < 0 ? order.length : place;
}

export default {
  files: ['dist/test/suites/*.js'],
  // One more than there are cores in small machines: a suite that waits leaves its core to another.
  concurrency: 3,
  timeout: '2m',
  sortTestFiles: (one, other) => placeOf(one) - placeOf(other) || one.localeCompare(other),
  // Each worker, and each process that a test starts, loads what others have compiled. Coverage counts exactly only without it.
  environmentVariables:
    process.env.NODE_V8_COVERAGE === undefined
      ? { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url)) }
      : {},
};
