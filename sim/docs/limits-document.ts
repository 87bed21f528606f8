/** The reference of limits and of the timings of a cluster. */
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

| Limit | Value |
|---|---|
${Object.entries(limits)
  .map(([name, value]) => `| ${name} | ${value.toLocaleString('en')} |`)
  .join('\n')}

Timings of a cluster, which its topology can change:

| Timing | Default | |
|---|---|---|
${Object.entries(timings)
  .map(([name, value]) => `| ${name} | ${value.toLocaleString('en')} | ${describe(name)} |`)
  .join('\n')}
`;
}

function describe(name: string): string {
  const shape = timingsSchema.def.innerType.shape as Record<string, { description?: string | undefined }>;
  return shape[name]?.description ?? '';
}
