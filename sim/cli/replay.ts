/** `strowger replay ARTEFACT`: runs again what failed, and says whether it happened byte for byte as then. */
import { Command } from 'commander';
import { reportText, stepText } from '../report/text.ts';
import { type Artefact, firstDifference, readArtefact, scenarioIn } from '../scenario/artefact.ts';
import { runScenario } from '../scenario/runner.ts';
import type { Stage } from '../scenario/stage.ts';
import { readText } from '../topology/load.ts';
import { exitCodes, outputArgument, UsageError } from './failure.ts';
import { makeWorld, PageKeeper } from './run.ts';
import { build, version } from './version.ts';

export function replayCommand(): Command {
  return new Command('replay')
    .description('Run an artefact again: exit 0 if all happened as then, the failure included, 1 if not.')
    .argument('<artefact>', 'a file that `sweep` or `run --artefacts` has kept')
    .option('--any-build', 'replay what another version or build of the code has kept')
    .option('--report <file>', 'write a page of the run that opens from disk', outputArgument('--report'))
    .action(replay);
}

interface ReplayOptions {
  readonly anyBuild?: boolean;
  readonly report?: string;
}

async function replay(file: string, { anyBuild = false, report: pageFile }: ReplayOptions): Promise<void> {
  const artefact = readArtefact({ file, text: readText(file) });
  if (!anyBuild) refuseOthers(artefact);
  const { seed } = artefact;
  const loaded = scenarioIn(artefact);
  const world = makeWorld(loaded, { mode: 'virtual', seed, keepJournal: true });
  const page = new PageKeeper(pageFile);
  const keeping = page.begin(loaded, world);
  process.stdout.write(`${loaded.scenario.name}, replayed, seed ${seed}\n`);
  const onStep = (step: Parameters<typeof stepText>[0]) => {
    keeping.step();
    process.stdout.write(stepText(step));
  };
  const onReady = (stage: Stage) => keeping.ready(world.now() - stage.atMs);
  const report = await runScenario(loaded.scenario, world, { seed, onStep, onReady, onEnd: () => keeping.over() });
  keeping.done(report);
  await page.write();
  process.stdout.write(reportText(report));
  const difference = firstDifference(artefact, world.journal.lines);
  if (difference === undefined) process.stdout.write('reproduced: every event is as it was\n');
  else {
    const { line, was = '(nothing)', now = '(nothing)' } = difference;
    process.stdout.write(`not reproduced: event ${line} is the first that differs\n  was ${was}\n  now ${now}\n`);
  }
  process.exitCode = difference === undefined ? exitCodes.pass : exitCodes.fail;
}

function refuseOthers(artefact: Artefact): void {
  const here = { version: version(), build: build() };
  if (artefact.version === here.version && artefact.build === here.build) return;
  const made = `${artefact.version} (build ${artefact.build})`;
  throw new UsageError(`kept by version ${made}, this is ${here.version} (build ${here.build}); see --any-build`);
}
