/**
 * Measures the campaign by mutants of the product: `npm run mutants -- --draw N --seeds S`. They are drawn by a seed
 * from the mutants that the campaign executes without faults of its own; each runs until a seed of the campaign fails, with
 * the seeds that execute it. With `--all`, survivors also run in the shipped scenarios and in `check`. Results are appended to
 * a file, and the same command continues there. Of the survivors, it says which change nothing that is observed: there the
 * workload is short, for the others an oracle.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Chance } from '../../sim/campaign/chance.ts';
import { SeededRandom } from '../../sim/ports/random.ts';
import { ownBuildInfo } from '../../sim/scenario/build-info.ts';
import { type CleanRun, cleanRuns } from './clean-runs.ts';
import { activeMutant, instrument, instrumentedRoot, type MutantEntry, rootFor } from './instrumented.ts';
import type { MutantRun } from './run.ts';

const { values } = parseArgs({
  options: {
    draw: { type: 'string', default: '20' },
    seeds: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '1' },
    out: { type: 'string', default: 'mutants' },
    all: { type: 'boolean', default: false },
  },
});
const runner = fileURLToPath(new URL('./run.js', import.meta.url));
/** Seconds of a processor for the first trial, and for each further one: a seed takes some three, `check` some sixty. */
const processorSeconds = { first: 60, further: 15, check: 300 };

interface Judged {
  readonly build: string;
  readonly seeds: number;
  readonly mutant: MutantEntry;
  /** The seed of the campaign that found it, what failed there, and how. */
  readonly trial?: string;
  readonly by?: string;
  readonly failure?: string;
  /** Of a survivor: what of the scenarios and of `check` found it. Absent: not tried. */
  readonly also?: string | null;
  /** How many seeds execute it, and, of a survivor, in how many of them the trace is another one. */
  readonly executedBy: number;
  readonly changed?: number;
}

/** Works on all items, on `jobs` of them at a time. */
async function eachOf<Item, Made>(items: readonly Item[], work: (item: Item) => Promise<Made>): Promise<Made[]> {
  const made: Made[] = [];
  const rest = items.entries();
  const workOn = async () => {
    for (const [index, item] of rest) made[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, workOn));
  return made;
}

function runIn(root: string, trials: readonly string[], id?: string): Promise<MutantRun> {
  return new Promise((resolve) => {
    const env = { ...process.env, ...(id !== undefined && { [activeMutant]: id }) };
    const { first, further, check } = processorSeconds;
    const mostSeconds = first + (trials.length - 1) * further + (trials.includes('check') ? check : 0);
    const args = [runner, root, trials.join(), String(mostSeconds)];
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk;
    });
    child.on('close', () => {
      resolve(
        text === '' ? { by: 'a run that never ends, or a crash of the process' } : (JSON.parse(text) as MutantRun),
      );
    });
  });
}

/**
 * Mutants that no input can tell apart, as what is done with events that never come, or that change only a text for people,
 * whether it is logged, or which random numbers are drawn.
 */
function isSetAside({ kind, original, file, isOfLog, isOfRandom, isOfTypes }: MutantEntry): boolean {
  const isText = kind === 'StringLiteral' && (/\s/.test(original) || original.length <= 2);
  const isOfUnexpected = original.includes('event.unexpected');
  // What a simulation makes happen: without it the product does what it always does.
  const isOfFaultPoint = original.includes('faultPoints.fires(');
  const isOfLogCall = isOfLog || /\.write\(/.test(original);
  return (
    isText || isOfUnexpected || isOfFaultPoint || isOfLogCall || isOfRandom || isOfTypes || file.includes('unprovided')
  );
}

function tableOf(all: readonly Judged[], keyOf: (judged: Judged) => string): string {
  const keys = [...new Set(all.map(keyOf))].sort();
  const rows = keys.map((key) => {
    const own = all.filter((judged) => keyOf(judged) === key);
    const killed = own.filter(({ by }) => by !== undefined).length;
    return `  ${key.padEnd(60)} ${String(killed).padStart(4)} of ${own.length}`;
  });
  return `${rows.join('\n')}\n`;
}

function lineOf({ mutant, trial, by, executedBy, changed, also }: Judged): string {
  const { id, file, line, kind, original, replacement } = mutant;
  const said = `${id} ${file}:${line} ${kind}: ${original.slice(0, 60)} -> ${replacement.slice(0, 60)}`;
  const result =
    by === undefined
      ? `SURVIVED, changes ${changed} of ${executedBy} traces${typeof also === 'string' ? `; found by ${also}` : ''}`
      : `seed ${trial ?? '-'} of ${executedBy}, ${by}`;
  return `${result}: ${said.replaceAll(/\s+/g, ' ')}\n`;
}

/** The scenarios of the package, by their paths in it. */
function shippedScenarios(): string[] {
  const names = readdirSync(join(instrumentedRoot, '../scenarios')).filter((name) => name.endsWith('.yaml'));
  return names.sort().map((name) => `scenarios/${name}`);
}

function recordedIn(file: string): readonly Judged[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Judged);
}

const folder = values.out;
mkdirSync(folder, { recursive: true });
const { build: ofBuild } = ownBuildInfo();
const mutants = await instrument(ofBuild);
const seeds = Array.from({ length: Number(values.seeds) }, (_, index) => String(index + 1));
const others = values.all ? [...shippedScenarios(), 'check'] : [];
const runClean = cleanRuns(join(folder, 'clean'), ofBuild, (trial) => runIn(instrumentedRoot, [trial]));
const clean = await eachOf(seeds, runClean);
const cleanOthers = await eachOf(others, runClean);
const trialsThatExecute = (runs: readonly CleanRun[], id: string) => runs.filter(({ executed }) => executed.has(id));
const executed = new Set(clean.flatMap((run) => [...run.executed]));
const eligible = mutants.filter((mutant) => executed.has(mutant.id) && !isSetAside(mutant));
process.stdout.write(
  `${mutants.length} mutants, ${executed.size} executed by ${seeds.length} seeds, ${eligible.length} of them not set aside\n`,
);

const record = join(folder, 'mutants.jsonl');
const known = recordedIn(record).filter((judged) => judged.build === ofBuild && judged.seeds === seeds.length);
const chance = new Chance(new SeededRandom(Number(values.seed)).fork('mutants').stream('ids'));
const drawn = new Set<MutantEntry>();
while (drawn.size < Math.min(Number(values.draw), eligible.length)) drawn.add(chance.one(eligible));

/** Runs the trials that execute a mutant, with it. */
async function runWith(mutant: MutantEntry, runs: readonly CleanRun[]): Promise<MutantRun> {
  if (runs.length === 0) return {};
  const trials = runs.map(({ trial }) => trial);
  const { root, remove } = rootFor(mutant);
  return await runIn(root, trials, mutant.id).finally(remove);
}

async function judgeByCampaign(mutant: MutantEntry): Promise<Judged> {
  const runs = trialsThatExecute(clean, mutant.id);
  const { traces, ...found } = await runWith(mutant, runs);
  const about = { build: ofBuild, seeds: seeds.length, mutant, executedBy: runs.length };
  if (found.by !== undefined) return { ...about, ...found };
  return { ...about, changed: runs.filter(({ trial, trace }) => traces?.[trial] !== trace).length };
}

/** What of the scenarios and of `check` finds a mutant. */
async function foundByOthers(mutant: MutantEntry): Promise<string | null> {
  const { trial, by } = await runWith(mutant, trialsThatExecute(cleanOthers, mutant.id));
  return by === undefined ? null : `${trial ?? '-'}, ${by}`;
}

async function judge(mutant: MutantEntry): Promise<Judged> {
  const before = known.findLast((each) => each.mutant.id === mutant.id);
  const first = before ?? (await judgeByCampaign(mutant));
  const isComplete = !values.all || first.by !== undefined || first.also !== undefined;
  const judged = isComplete ? first : { ...first, also: await foundByOthers(mutant) };
  if (judged !== before) {
    appendFileSync(record, `${JSON.stringify(judged)}\n`);
    process.stdout.write(lineOf(judged));
  }
  return judged;
}

const judged = await eachOf([...drawn], judge);
const killed = judged.filter(({ by }) => by !== undefined);
const foundLater = judged.filter(({ also }) => typeof also === 'string');
const unchanging = judged.filter(({ changed }) => changed === 0);
process.stdout.write(
  `\nfound ${killed.length} of ${judged.length}; ${unchanging.length} of the survivors change no trace` +
    (values.all ? `\nwith the scenarios and check: ${killed.length + foundLater.length} of ${judged.length}` : '') +
    `\n\nby kind:\n${tableOf(judged, ({ mutant }) => mutant.kind)}`,
);
process.stdout.write(`\nby folder:\n${tableOf(judged, ({ mutant }) => mutant.file.split('/').slice(0, 3).join('/'))}`);
process.stdout.write(`\nby what found them:\n${tableOf(killed, ({ by = '' }) => by)}`);
