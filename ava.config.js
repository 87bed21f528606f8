/** How `npm test` runs the suites. */
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The suites that take longest, which start first: what starts last is short, so that the workers end together. */
const longest = ['cli', 'sim-1', 'rest', 'sim-2', 'ports', 'front', 'roles', 'browser'];

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
