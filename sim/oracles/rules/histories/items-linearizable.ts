/** The operations of clients on each item of the domain data are linearizable. */
import { checkLinearizable } from '../../../histories/linearizable.ts';
import type { OracleMaker } from '../../oracle.ts';
import { ItemHistories, type ItemHistory, type ItemOperation } from './item-histories.ts';
import { itemModel } from './item-model.ts';
import { staleReads } from './stale-reads.ts';

export const itemsLinearizable: OracleMaker = {
  name: 'items-linearizable',
  rule: 'What all clients read and change of an item of the domain data, through any front, is one sequence of changes; a read that a copy answers is behind by no more than its X-Data-Age.',
  exclusions:
    'Copies while the clock of a node is wrong: the age is measured by it. Items with so many changes without an answer that all orders cannot be tried.',
  make: ({ areClocksRight, check, fail }) => {
    const histories = new ItemHistories();
    return {
      listeners: {
        ...histories.listeners,
      },
      atQuiescence: () => {
        histories.close();
        for (const history of histories.all.values()) {
          const wrong = wrongWith(history);
          if (wrong !== undefined) fail(wrong);
          const stale = areClocksRight() ? staleReads(history.operations) : [];
          for (const what of stale) fail(`${history.name}: ${what}`);
          check(history.operations.length);
        }
      },
    };
  },
};

/** The operations at the master, and no others than those: a copy may be behind. */
function wrongWith({ name, operations }: ItemHistory): string | undefined {
  const atMaster = operations.filter(({ ageS }) => ageS === undefined);
  const result = checkLinearizable(worthTrying(atMaster), itemModel);
  if (result.verdict !== 'fail') return undefined;
  return `${name}: no order of its changes explains ${describe(result.at as ItemOperation, atMaster)}`;
}

/** Without the patches that have no answer and of whose values none was ever seen: they explain nothing. */
function worthTrying(operations: readonly ItemOperation[]): ItemOperation[] {
  const seen = new Set<string>();
  for (const { output } of operations) {
    if (output === undefined || output === 'absent') continue;
    for (const [name, value] of output) seen.add(`${name}=${value}`);
  }
  return operations.filter(({ input: { type, fields }, output }) => {
    return (
      output !== undefined || type !== 'patch' || [...fields].some(([name, value]) => seen.has(`${name}=${value}`))
    );
  });
}

/** An operation, and the last changes that had returned before it. */
function describe(at: ItemOperation, all: readonly ItemOperation[]): string {
  const before = all
    .filter(({ input, calledAt }) => input.type !== 'read' && calledAt < at.returnedAt)
    .sort((a, b) => a.calledAt - b.calledAt)
    .slice(-4);
  return `${textOf(at)} after ${before.map(textOf).join(', ')}`;
}

function textOf({ input: { type, fields }, output, site }: ItemOperation): string {
  const shown = output === undefined ? 'no answer' : output === 'absent' ? 'not found' : valuesOf(output, fields);
  const sent = fields.size === 0 ? '' : ` ${valuesOf(fields, fields)}`;
  return `${type}${sent} through ${site} (${shown})`;
}

function valuesOf(fields: ReadonlyMap<string, string>, wanted: ReadonlyMap<string, string>): string {
  const some = [...fields].filter(([name]) => wanted.size === 0 || wanted.has(name)).slice(0, 4);
  return some.map(([name, value]) => `${name}=${value.slice(0, 40)}`).join(' ') || 'done';
}
