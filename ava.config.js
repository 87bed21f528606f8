/** How `npm test` runs the suites. */
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';

/** The suites that take longest, which start first: what starts last is short, so that the workers end together. */
const longest = ['cli', 'sim-1', 'rest', 'sim-2', 'ports', 'front', 'roles', 'browser'];

// Tests run most code a few times only. Node 20 optimizes a function after 66 KB of its bytecode have been executed; later takes 6 to 14 % less
// processor time, the less the longer a suite is. Node 24 has another compiler before that one, and does not have this flag. A young
// generation that begins large is collected less often: 2 % less.
if (process.versions.node.startsWith('20.'))
  for (const flag of ['--interrupt-budget=500000', '--min-semi-space-size=16', '--max-semi-space-size=64']) setFlagsFromString(flag);

function placeOf(file) {
  const place = longest.indexOf(basename(file, '.js'));
  return place < 0 ? longest.length : place;
}

export default {
  files: ['dist/test/suites/*.js'],
  concurrency: 2,
  timeout: '2m',
  sortTestFiles: (one, other) => placeOf(one) - placeOf(other) || one.localeCompare(other),
  // Each worker, and each process that a test starts, loads what others have compiled. Coverage counts exactly only without it.
  environmentVariables:
    process.env.NODE_V8_COVERAGE === undefined
      ? { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url)) }
      : {},
};
