/** What all use cases share: when they are played, and what counts. */
import { oracles } from '../../../sim/oracles/all.ts';
import { expecting, useCaseOf } from '../../../sim/oracles/rules/use-cases/kit/use-case.ts';
import { test } from '../../kit/test.ts';
import { signedIn, Trial } from './trial.ts';

const path = '/rest/v1/uc/calls';

/** Asks each front once, and wants 200; `during`: what else happens. */
function asking(during: (trial: Trial) => void = () => {}) {
  let trial: Trial | undefined;
  const maker = useCaseOf({
    name: 'asking',
    rule: 'In a quiescent cluster, all fronts answer.',
    sender: '10.6.0.99',
    play: async (useCase) => {
      if (trial !== undefined) during(trial);
      await useCase.everywhere(path, expecting(200, { isRight: true }));
    },
  });
  return {
    maker,
    play: (answer: unknown) => {
      trial = new Trial(maker, { answer: signedIn(() => answer) });
      return trial.quiesce();
    },
  };
}

test('a use case passes where each front answers as it should, and names the front that does not', async (t) => {
  t.is((await asking().play({ isRight: true })).verdict, 'pass');
  const wrong = await asking().play({ isRight: false });
  t.regex(wrong.failures.join(), /hq, GET \/rest\/v1\/uc\/calls: expected 200 \{"isRight":true\}/);
});

test('what is seen while something breaks does not count', async (t) => {
  const broken = asking((trial) => {
    trial.isStable = false;
  });
  t.is((await broken.play({ isRight: false })).failures.length, 0);
});

test('a problem has the time when it was seen, and not that of the end of the use case', async (t) => {
  const maker = useCaseOf({
    name: 'cleaning',
    rule: 'In a quiescent cluster, something is done afterwards.',
    sender: '10.6.0.99',
    play: async (useCase) => {
      useCase.afterwards(async () => {
        trial.nowMs += 1_000;
      });
      trial.nowMs += 10;
      useCase.expect('the calls', await useCase.ask(path), expecting(404));
    },
  });
  const trial = new Trial(maker, { answer: signedIn(() => ({})) });
  await trial.quiesce();
  t.deepEqual(trial.failedMs, [10]);
});

test('it is played where its administrator has a session only', async (t) => {
  const { maker } = asking();
  const trial = await new Trial(maker, { answer: () => undefined }).quiesce();
  t.is(trial.verdict, 'unknown');
});

test('the rule of each use case is one of a quiescent cluster', (t) => {
  const useCases = oracles.filter(({ plays }) => plays === 'useCase');
  t.true(useCases.length > 0);
  for (const { name, rule } of useCases) t.regex(rule, /^In a quiescent cluster/, name);
});
