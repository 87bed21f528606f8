/** `strowger data check`: checks and repairs a folder of `serve --data`. */
import { Command } from 'commander';
import { type CheckedFolder, checkFolder } from '../../data/check.ts';
import { findingText } from '../../data/store-kinds.ts';
import { exitCodes, folderArgument } from '../process.ts';

interface CheckOptions {
  readonly repair?: boolean;
  readonly json?: boolean;
}

export function dataCommand(): Command {
  return new Command('data').addCommand(
    new Command('check')
      .description('Check all files and records of a data folder that is not in use, and repair them.')
      .argument('<folder>', 'folder of `serve --data`', folderArgument('<folder>'))
      .option('--repair', 'remove damaged parts, rebuild what depends on them, and report what was lost')
      .option('--json', 'print the findings as JSON')
      .action(check),
  );
}

async function check(folder: string, { repair = false, json = false }: CheckOptions): Promise<void> {
  const checked = await checkFolder(folder, { isRepair: repair });
  process.stdout.write(json ? `${JSON.stringify(checked, null, 2)}\n` : textOf(checked));
  const isWhole = checked.isRepaired || !checked.findings.some(({ level }) => level === 'damage');
  process.exitCode = isWhole ? exitCodes.pass : exitCodes.fail;
}

function textOf({ folder, cluster, stores, findings, isRepaired }: CheckedFolder): string {
  const records = stores.reduce((sum, each) => sum + each.records, 0);
  const damage = findings.filter(({ level }) => level === 'damage').length;
  const verdict =
    damage === 0
      ? 'nothing is damaged'
      : `${damage} damaged ${damage === 1 ? 'part' : 'parts'}${isRepaired ? ', repaired' : ''}`;
  const whose = cluster === undefined ? 'not marked yet' : `cluster "${cluster}"`;
  const lines = findings.map((finding) => findingText(finding, isRepaired));
  return `${[...lines, `${folder} (${whose}): ${stores.length} stores, ${records} records: ${verdict}`].join('\n')}\n`;
}
