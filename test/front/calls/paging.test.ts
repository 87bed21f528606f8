/** One list over many sites: whatever is asked, it is the list that one place with all calls would give. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseCollectionQuery } from '../../../src/model/collection/query.ts';
import { dialogOf, dialogShape } from '../../../src/model/shapes/call-shapes.ts';
import { applyAtOnce } from '../../kit/at-once.ts';
import { callOf, ScriptedCalls } from '../../kit/calls/scripted-calls.ts';
import { acmeAdmin } from '../../kit/front.ts';
import { holds, runs } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';

const sites = ['hq', 'north', 'south'];

const call = fc.record({
  site: fc.constantFrom(...sites),
  startts: fc.integer({ min: 0, max: 4 }),
  status: fc.constantFrom('forking' as const, 'dialog' as const),
  esgdlg: fc.constantFrom('', 'x'),
});

const query = fc.record(
  {
    offset: fc.integer({ min: 0, max: 6 }).map(String),
    limit: fc.integer({ min: 0, max: 6 }).map(String),
    order: fc.constantFrom(
      'status',
      '[{"startts":"desc"},"status"]',
      '["esgdlg"]',
      'dialogid',
      '[{"dialogid":"desc"}]',
    ),
    filter: fc.constantFrom('{"status":"dialog"}', '[">",["property","startts"],1]', '{"site":"north"}'),
    mask: fc.constantFrom('dialogid', 'startts,status'),
    countonly: fc.constantFrom('true', 'false'),
  },
  { requiredKeys: [] },
);

test('a list over many sites is the list of all their calls', async (t) => {
  const script = await ScriptedCalls.start();
  const token = await script.cluster.token(acmeAdmin);
  const rule = fc.asyncProperty(fc.array(call, { maxLength: 12 }), query, async (calls, asked) => {
    const records = calls.map((more, index) => callOf('1001', '1002', { dialogid: `1-${index}`, ...more }));
    for (const site of sites)
      script.calls.set(
        site,
        records.filter((record) => record.site === site),
      );
    const params = new URLSearchParams(asked);
    const parsed = parseCollectionQuery(params, dialogShape);
    assert.ok(parsed.ok);
    const all = records.map((record) => dialogOf(record, 0));
    const answer = await script.cluster.ask(`GET /rest/v1/uc/calls?${params}`, { token });
    assert.deepEqual(answer.body, applyAtOnce(all, parsed.value, dialogShape));
  });
  await holds(t, rule, { numRuns: runs(13) });
});
