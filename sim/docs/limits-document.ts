/** The reference of limits and of the timings of a cluster. */
import { readFileSync } from 'node:fs';
import { httpLimitNames, limits } from '../../src/model/limits.ts';
import { timingsSchema } from '../../src/model/topology/schema.ts';

export function limitsDocument(): string {
  const timings = timingsSchema.parse({});
  return `# Limits

Generated from \`src/model/limits.ts\` and the topology schema by \`npm run docs\`. Bytes, milliseconds, seconds as the name says.

Limits of the fronts can be set, as in \`strowger serve --limit connectionsPerAddress=500 --limit writeTimeMs=10000\`:
${httpLimitNames.map((name) => `\`${name}\``).join(', ')}.
Past a limit of connections, web sockets or unread bytes a client is answered 503. The share of an address holds for all clients
behind it, such as those of a proxy.

| Limits | Values | |
|---|---|---|
${limitGroups().map(rowOf).join('\n')}

Timings of a cluster, which its topology can change:

| Timing | Default | |
|---|---|---|
${Object.entries(timings)
  .map(([name, value]) => `| ${name} | ${value.toLocaleString('en')} | ${describe(name)} |`)
  .join('\n')}
`;
}

/** Limits that have one comment, and its text. */
interface LimitGroup {
  readonly names: string[];
  readonly meaning: string;
}

/** The bundle has no comments: it is built with the groups. */
const groupsAtBuild = (globalThis as { strowgerLimits?: readonly LimitGroup[] }).strowgerLimits;

/** Read from the comments of the compiled `limits.ts`. */
export function limitGroups(): readonly LimitGroup[] {
  if (groupsAtBuild !== undefined) return groupsAtBuild;
  const code = readFileSync(new URL('../../src/model/limits.js', import.meta.url), 'utf8');
  const [, body = ''] = /export const limits = \{(.*?)\n\};/s.exec(code) ?? [];
  const groups: LimitGroup[] = [];
  for (const [, comment, name] of body.matchAll(/\/\*\*(.*?)\*\/|^ {4}(\w+):/gms)) {
    if (comment !== undefined) groups.push({ names: [], meaning: comment.replace(/\s*\n\s*\* ?/g, ' ').trim() });
    else if (name !== undefined) groups.at(-1)?.names.push(name);
  }
  return groups;
}

function rowOf({ names, meaning }: LimitGroup): string {
  const values = names.map((name) => limits[name as keyof typeof limits].toLocaleString('en'));
  return `| ${names.join('<br>')} | ${values.join('<br>')} | ${meaning} |`;
}

function describe(name: string): string {
  const shape = timingsSchema.def.innerType.shape as Record<string, { description?: string | undefined }>;
  return shape[name]?.description ?? '';
}
