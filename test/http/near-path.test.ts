/** What is suggested for a path that there is not. */
import { nearPath } from '../../src/http/near-path.ts';
import { test } from '../kit/test.ts';

const known = ['/docs', '/rest/v1/uc/calls', '/rest/v1/uc/calls/:dialogid', '/rest/v1/uc/conferences', '/rest/v1/fs/*'];

for (const [path, near] of [
  ['/rest/v1/uc/call', '/rest/v1/uc/calls'],
  ['/rest/v1/uc/calls/', '/rest/v1/uc/calls'],
  ['/rest/v1/uc/cals/125-1', '/rest/v1/uc/calls/125-1'],
  ['/rest/v1/ucc/conferences', '/rest/v1/uc/conferences'],
  ['/doc', '/docs'],
  ['/rest/v2/uc/cals', undefined],
  ['/nowhere', undefined],
  ['/', undefined],
  ['//', undefined],
  [`/${'x'.repeat(8_000)}`, undefined],
] as const)
  test(`the path that ${path.slice(0, 40)} probably means`, (t) => {
    t.is(nearPath(path, known), near);
  });
