/** The reference of the command line, from the commands themselves. */
import type { Command, Option } from 'commander';

export function cliDocument(program: Command): string {
  return `# Command line

Generated from the commands by \`npm run docs\`. After \`npm run build\`, or in a project that has the package: \`npx strowger COMMAND\`.
\`--help\` after a command prints the same.

| exit code | meaning |
|---|---|
| 0 | passed |
| 1 | failed |
| 2 | unknown: the run proves nothing |
| 64 | wrong usage |
| 130 | \`run\`, \`sweep\`, \`shrink\` or \`worker\` was stopped by SIGINT or SIGTERM before its end |

\`serve\`, \`up\`, \`node\` and \`record\` run until SIGINT or SIGTERM. They stop in order then, and exit with 0. A second signal ends a command at
once, with 1.

A file that is invalid, or a login that is refused, is a failed run in every report; the other files are run.
A file in the place of a folder that an option names, a folder in the place of a file, and a missing folder are wrong usage.

${leaves(program).map(section).join('\n')}`;
}

/** The commands that do something, below a command: \`scenario explain\`, not \`scenario\`. */
function leaves(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);
}

function section(command: Command): string {
  const rows = command.options.map(optionRow);
  const operands = command.registeredArguments.map((each) => `| \`${each.name()}\` | ${cell(each.description)} | |`);
  const all = [...operands, ...rows];
  const table =
    all.length === 0 ? '' : `\n| argument or option | meaning | default |\n|---|---|---|\n${all.join('\n')}\n`;
  return `## ${pathOf(command)}

${command.description()}

\`\`\`
strowger ${pathOf(command)} ${command.usage()}
\`\`\`
${table}`;
}

function pathOf(command: Command): string {
  const { parent } = command;
  return parent === null || parent.parent === null ? command.name() : `${pathOf(parent)} ${command.name()}`;
}

function optionRow({ flags, description, defaultValue, defaultValueDescription }: Option): string {
  const initial = defaultValueDescription ?? (defaultValue === undefined ? '' : `\`${JSON.stringify(defaultValue)}\``);
  return `| \`${flags.replaceAll('|', '\\|')}\` | ${cell(description)} | ${initial} |`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
