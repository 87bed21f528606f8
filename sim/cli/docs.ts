/** `strowger docs`: the reference documents that are generated from what the code declares. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { documents } from '../docs/documents.ts';
import { UsageError } from './failure.ts';

export function docsCommand(): Command {
  return new Command('docs')
    .description('Print a generated document, or write them all into a folder.')
    .argument('[name]', `one of ${[...documents.keys()].join(', ')}`)
    .option('--write <folder>', 'write all documents there')
    .action((name: string | undefined, { write }: { write?: string }) => {
      if (write !== undefined) return writeAll(write);
      if (name === undefined) return void process.stdout.write(`${[...documents.keys()].join('\n')}\n`);
      const make = documents.get(name);
      if (make === undefined)
        throw new UsageError(`no document "${name}"; there are ${[...documents.keys()].join(', ')}`);
      return void process.stdout.write(make());
    });
}

function writeAll(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, make] of documents) writeFileSync(join(folder, name), make());
}
