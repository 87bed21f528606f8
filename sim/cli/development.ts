/** The commands for work on the product itself: `strowger bench` and `strowger docs`. */
import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { stringify } from 'yaml';
import { runBench } from '../bench/bench.ts';
import { runPeers } from '../bench/peers.ts';
import { makeFolders } from '../data/make-folders.ts';
import { clientSources } from '../docs/client/source.ts';
import { documents, openApiDocument, openApiVersions, printedDocuments } from '../docs/documents.ts';
import { controlExamplesFile, controlExamplesSource } from '../docs/examples/control-examples.ts';
import { examplesFile, examplesSource } from '../docs/examples/operation-examples.ts';
import { packageFolder } from '../input/package-folder.ts';
import { outputFolderArgument, UsageError } from './process.ts';

/** `strowger bench`: measures the product against bare floors in the same run. */
export function benchCommand(): Command {
  return new Command('bench')
    .option('--only <name>', 'measure only rows whose name contains this text')
    .option(
      '--peers',
      'measure requests against Prism over the same OpenAPI document instead; npm installs it in a temporary folder',
    )
    .action(({ only, peers }: { only?: string; peers?: boolean }) => {
      if (peers !== true) return runBench({ only: only ?? '' });
      if (only !== undefined) throw new UsageError('--only: expected it without --peers');
      return runPeers(openApiDocument('3.1'));
    });
}

interface DocsOptions {
  readonly write?: string;
  readonly yaml?: boolean;
  readonly version?: (typeof openApiVersions)[number];
}

/** `strowger docs`: generates the reference documents from the declarations in the code. */
export function docsCommand(): Command {
  const names = [...printedDocuments.keys()];
  return new Command('docs')
    .argument('[name]', `one of ${names.join(', ')}; the extension may be left out`)
    .addOption(
      new Option(
        '--version <version>',
        'of OpenAPI: 3.1 is for generators that cannot read 3.2; it has methods such as LOOKUP as the post of a path with a fragment',
      ).choices(openApiVersions),
    )
    .option('--yaml', 'print a JSON document as YAML')
    .option('--write <folder>', 'write all documents into this folder', outputFolderArgument('--write'))
    .action(async (name: string | undefined, { write, yaml = false, version }: DocsOptions, { parent }: Command) => {
      const program = parent as Command;
      if (write !== undefined) return writeAll(write, program);
      if (name === undefined) return void process.stdout.write(`${names.join('\n')}\n`);
      const full = names.find((each) => each === name || each.slice(0, each.lastIndexOf('.')) === name);
      const make = printedDocuments.get(full ?? '');
      if (make === undefined) throw new UsageError(`no document "${name}"; expected one of ${names.join(', ')}`);
      if (yaml && !String(full).endsWith('.json')) throw new UsageError(`--yaml: "${full}" is not JSON`);
      if (version !== undefined && full !== 'openapi.json')
        throw new UsageError(`--version: expected it with openapi, got it with "${full}"`);
      const text = version === undefined ? await make(program) : openApiDocument(version);
      return void process.stdout.write(yaml ? stringify(JSON.parse(text), { aliasDuplicateObjects: false }) : text);
    });
}

async function writeAll(folder: string, program: Command): Promise<void> {
  for (const [path, make] of documents) {
    const file = join(folder, path);
    makeFolders(dirname(file));
    writeFileSync(file, await make(program));
  }
  if (resolve(folder) !== join(packageFolder, 'docs')) return;
  writeClient();
  await writeExamples();
}

/** The examples of the OpenAPI documents. An installed package has no sources. */
async function writeExamples(): Promise<void> {
  if (!existsSync(join(packageFolder, examplesFile))) return;
  writeFileSync(join(packageFolder, examplesFile), await examplesSource());
  writeFileSync(join(packageFolder, controlExamplesFile), await controlExamplesSource());
}

/** The typed client is made from the same declarations. An installed package has no sources. */
function writeClient(): void {
  if (!existsSync(join(packageFolder, 'src/client'))) return;
  for (const [path, text] of clientSources()) {
    const file = join(packageFolder, path);
    makeFolders(dirname(file));
    writeFileSync(file, text);
  }
}
