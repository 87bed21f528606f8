import { listedCommands } from '../../sim/cli/commands.ts';
import { listProgram, newProgram } from '../../sim/cli/program.ts';
import { test } from '../kit/test.ts';

test('the list of all commands has the usage of each, and loads none of them', async (t) => {
  const { commands } = await newProgram();
  t.deepEqual(
    listedCommands.map(({ name, usage }) => `${name} ${usage}`),
    commands.map((command) => `${command.name()} ${command.usage()}`),
  );
  t.is(listProgram().helpInformation(), (await newProgram()).helpInformation());
});
