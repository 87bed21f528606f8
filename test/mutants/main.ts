/**
 * Measures the campaign by mutants of the product: `npm run mutants -- --draw N --seeds S`. They are drawn by a seed
 * from the mutants that the campaign executes without faults of its own; each runs until a seed of the campaign fails. Results are
 * appended to a file, and the same command continues there.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Chance } from '../../sim/campaign/chance.ts';
import { SeededRandom } from '../../sim/ports/random.ts';
import { ownBuildInfo } from '../../sim/scenario/build-info.ts';
import { activeMutant, instrument, type MutantEntry } from './instrumented.ts';
import type { MutantRun } from './run.ts';

const { values } = parseArgs({
  options: {
    draw: { type: 'string', default: '20' },
    seeds: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    out: { type: 'string', default: 'mutants' },
  },
});
const runner = fileURLToPath(new URL('./run.js', import.meta.url));
/** Seconds of a processor for the first seed, and for each further one: a seed takes some three. */
const processorSeconds = { first: 60, further: 15 };

interface Judged extends MutantRun {
  readonly build: string;
  readonly seeds: number;
  readonly mutant: MutantEntry;
}

function runWith(id: string | undefined, seeds: number): Promise<MutantRun> {
  return new Promise((resolve) => {
    const env = { ...process.env, ...(id !== undefined && { [activeMutant]: id }) };
    const mostSeconds = processorSeconds.first + (seeds - 1) * processorSeconds.further;
    const args = [runner, String(seeds), String(mostSeconds)];
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

/** Mutants that no input can tell apart, or that change only a text for people, or whether it is logged. */
function isSetAside({ kind, original, file, isOfLog }: MutantEntry): boolean {
  const isText = kind === 'StringLiteral' && (/\s/.test(original) || original.length <= 2);
  return isText || /\.write\(/.test(original) || file.includes('unprovided') || isOfLog;
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

const folder = values.out;
mkdirSync(folder, { recursive: true });
const { build: ofBuild } = ownBuildInfo();
const mutants = await instrument(ofBuild);
const seeds = Number(values.seeds);
const executedFile = join(
  folder,
  `executed-${createHash('sha256').update(`${ofBuild} ${seeds}`).digest('hex').slice(0, 12)}.json`,
);
if (!existsSync(executedFile)) {
  const clean = await runWith(undefined, seeds);
  if (clean.executed === undefined) throw new Error(`the campaign fails without a mutant: ${JSON.stringify(clean)}`);
  appendFileSync(executedFile, JSON.stringify(clean.executed));
}
const executed = new Set(JSON.parse(readFileSync(executedFile, 'utf8')) as string[]);
const eligible = mutants.filter((mutant) => executed.has(mutant.id) && !isSetAside(mutant));
process.stdout.write(
  `${mutants.length} mutants, ${executed.size} executed by ${seeds} seeds, ${eligible.length} of them not set aside\n`,
);

const record = join(folder, 'mutants.jsonl');
const known = (
  existsSync(record)
    ? readFileSync(record, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : []
)
  .map((line) => JSON.parse(line) as Judged)
  .filter((judged) => judged.build === ofBuild && judged.seeds === seeds);
const chance = new Chance(new SeededRandom(Number(values.seed)).fork('mutants').stream('ids'));
const drawn = new Set<MutantEntry>();
while (drawn.size < Math.min(Number(values.draw), eligible.length)) drawn.add(chance.one(eligible));
const judged: Judged[] = [];
for (const mutant of drawn) {
  const before = known.find((each) => each.mutant.id === mutant.id);
  const result = before ?? { build: ofBuild, seeds, mutant, ...(await runWith(mutant.id, seeds)) };
  judged.push(result);
  if (before !== undefined) continue;
  appendFileSync(record, `${JSON.stringify(result)}\n`);
  const { file, line, kind, original, replacement } = mutant;
  const said = `${file}:${line} ${kind}: ${original.slice(0, 60)} -> ${replacement.slice(0, 60)}`.replaceAll(
    /\s+/g,
    ' ',
  );
  process.stdout.write(
    `${result.by === undefined ? 'SURVIVED' : `seed ${result.seed ?? '-'}, ${result.by}`}: ${said}\n`,
  );
}
const killed = judged.filter(({ by }) => by !== undefined);
process.stdout.write(
  `\nfound ${killed.length} of ${judged.length}\n\nby kind:\n${tableOf(judged, ({ mutant }) => mutant.kind)}`,
);
process.stdout.write(`\nby folder:\n${tableOf(judged, ({ mutant }) => mutant.file.split('/').slice(0, 3).join('/'))}`);
process.stdout.write(`\nby what found them:\n${tableOf(killed, ({ by = '' }) => by)}`);
