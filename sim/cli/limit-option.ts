/** `--limit NAME=NUMBER`: sets a limit of the fronts in place of its default. */
import { Option } from 'commander';
import { type DoorLimitName, type DoorLimits, doorLimitNames } from '../../src/model/door-limits.ts';
import { UsageError } from './failure.ts';

export function limitOption(): Option {
  return new Option('--limit <name=number>', 'set a limit of the fronts, such as connectionsPerAddress=500; repeatable')
    .argParser((text: string, before: Partial<DoorLimits>) => ({ ...before, ...limitIn(text) }))
    .default({}, 'those of docs/limits.md');
}

function limitIn(text: string): Partial<DoorLimits> {
  const [, name = '', digits = ''] = /^([A-Za-z]+)=(\d+)$/.exec(text) ?? [];
  const value = Number(digits);
  if (!isDoorLimit(name)) {
    throw new UsageError(`--limit: expected NAME=NUMBER with a name of ${doorLimitNames.join(', ')}, got "${text}"`);
  }
  if (value >= 1 && value <= 2 ** 31 - 1) return { [name]: value };
  throw new UsageError(`--limit ${name}: expected an integer from 1 to ${2 ** 31 - 1}, got "${digits}"`);
}

function isDoorLimit(name: string): name is DoorLimitName {
  return (doorLimitNames as readonly string[]).includes(name);
}
