/** What all drills share: what they break is mended, and what they see while it is broken counts. */
import { oracles } from '../../../sim/oracles/all.ts';
import { type Drill, drillOf } from '../../../sim/oracles/rules/drills/kit/drill.ts';
import { expecting } from '../../../sim/oracles/rules/use-cases/kit/use-case.ts';
import { test } from '../../kit/test.ts';
import { signedIn, Trial } from './trial.ts';

const path = '/rest/v1/uc/calls';

/** Plays a drill against fronts that answer 200; `during`: what else happens while something is broken. */
async function played(play: (drill: Drill) => Promise<void>, during: (trial: Trial) => void = () => {}) {
  const done: string[] = [];
  let trial: Trial | undefined;
  const maker = drillOf({
    name: 'breaking',
    rule: 'When something breaks, all fronts answer.',
    sender: '10.6.1.99',
    play: async (drill) => {
      if (trial !== undefined) during(trial);
      await play(drill);
    },
  });
  trial = new Trial(maker, { answer: signedIn(() => ({})), onFault: (what) => done.push(what) });
  await trial.quiesce();
  return { done, trial };
}

test('a fault lasts as long as the work, and the drill waits until the cluster is whole', async (t) => {
  const { done, trial } = await played((drill) =>
    drill.cutOff('north', () => drill.everywhere(path, expecting(200)).then(() => {})),
  );
  t.deepEqual(done, ['cut {"from":"north"}', 'end cut']);
  t.is(trial.verdict, 'pass');
});

test('what is seen while something is broken counts', async (t) => {
  const { trial } = await played((drill) =>
    drill.cutOff('north', () => drill.everywhere(path, expecting(503)).then(() => {})),
  );
  t.regex(trial.failures.join(), /GET \/rest\/v1\/uc\/calls: expected 503/);
});

test('what a drill has broken is mended also where the drill fails', async (t) => {
  const done: string[] = [];
  const maker = drillOf({
    name: 'failing',
    rule: 'When something breaks, all fronts answer.',
    sender: '10.6.1.99',
    play: (drill) =>
      drill.without(['n1'], () => {
        throw new Error('unexpected');
      }),
  });
  const trial = new Trial(maker, { answer: signedIn(() => ({})), onFault: (what) => done.push(what) });
  await t.throwsAsync(trial.quiesce());
  t.deepEqual(done, ['crashNode "n1"', 'restartNode "n1"']);
});

test('a cluster that does not become whole fails the drill', async (t) => {
  const { trial } = await played(
    (drill) => drill.cutOff('north', async () => {}),
    (broken) => {
      broken.isStable = false;
    },
  );
  t.regex(trial.failures.join(), /not within 120 s: the cluster is whole/);
});

test('the rule of each drill begins with what breaks', (t) => {
  const drills = oracles.filter(({ plays }) => plays === 'drill');
  t.true(drills.length > 0);
  for (const { name, rule } of drills) t.regex(rule, /^When /, name);
});
