/** The scenarios that ship: without what is asked of the cluster none of them proves anything. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { scenariosFolder } from '../../../sim/input/package-folder.ts';
import { blocksOf } from '../../../sim/scenario/language/steps.ts';
import { referencesIn } from '../../../sim/scenario/language/values.ts';
import { loadScenario, readScenario } from '../../../sim/scenario/load-scenario.ts';
import { runScenario } from '../../../sim/scenario/run/runner.ts';
import type { PlainData } from '../../../sim/shrink/candidates.ts';
import { VirtualWorld } from '../../../sim/world/virtual.ts';
import { test } from '../../kit/test.ts';

const files = readdirSync(scenariosFolder).filter((name) => name.endsWith('.yaml'));

/** A step without what it asks of the cluster: a moment passes instead. */
function silenced(step: PlainData): PlainData {
  if (['request', 'dial', 'load', 'workload'].some((kind) => kind in step)) return { wait: '1s' };
  if ('when' in step) {
    const { when: _when, ...rest } = step;
    return Object.keys(rest).every((key) => key === 'note') ? { wait: '1s' } : silenced(rest);
  }
  // The target that an answer would have named is another one now.
  if ('fault' in step && referencesIn(step['fault']).length > 0) return { fault: { crash: 'n2' } };
  if ('look' in step && referencesIn(step).length > 0) return { look: step['look'], expect: { count: 1 } };
  if (blocksOf(step).length === 0) return step;
  const { steps, repeat, parallel, ...rest } = step;
  const inner = (list: unknown) => (list as PlainData[]).map(silenced);
  return {
    ...rest,
    ...(steps !== undefined && { steps: inner(steps) }),
    ...(repeat !== undefined && { repeat: { ...(repeat as PlainData), steps: inner((repeat as PlainData)['steps']) } }),
    ...(parallel !== undefined && {
      parallel: (parallel as PlainData[]).map((branch) => ({ ...branch, steps: inner(branch['steps']) })),
    }),
  };
}

for (const name of files) {
  test(`without its requests and its workload ${name} does not pass`, async (t) => {
    const file = join(scenariosFolder, name);
    const loaded = loadScenario(file);
    const {
      workload: _workload,
      eventually: _eventually,
      ...data
    } = parse(readFileSync(file, 'utf8'), { merge: true });
    const promise =
      data.promise === undefined
        ? {}
        : { promise: { ...data.promise, failOver: undefined, request: undefined, agree: undefined } };
    const kept =
      promise.promise !== undefined && (promise.promise.detect ?? promise.promise.recover) === undefined
        ? { promise: undefined }
        : promise;
    const text = stringify({ ...data, ...kept, steps: data.steps.map(silenced) });
    const { scenario, map, webApps } = readScenario({ file, text }, () => loaded);
    const world = new VirtualWorld({ map, webApps, seed: scenario.seed });
    const { verdict } = await runScenario(scenario, world, { seed: scenario.seed });
    t.not(verdict, 'pass');
  });
}

test('at least fifteen ship, each breaks something, and each says what must hold', (t) => {
  t.true(files.length >= 15);
  for (const name of files) {
    const { steps, why } = loadScenario(join(scenariosFolder, name)).scenario;
    const faults = JSON.stringify(steps).split('"fault":').length - 1;
    const expectations = JSON.stringify(steps).split('"expect":').length - 1;
    t.true(faults > 0 && expectations >= 3 && why.length > 80, name);
  }
});
