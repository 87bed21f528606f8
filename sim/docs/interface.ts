/** The reference of the HTTP interface, from its routes. */
import type { Access } from '../../src/http/route.ts';
import { routesOf } from '../../src/http/routes.ts';

export function interfaceDocument(): string {
  const rows = routesOf({ webApps: () => [] }).map(
    ({ method, path, does, source, access }) =>
      `| ${method} | \`${path.replaceAll(/:(\w+)/g, '<$1>')}\` | ${does} | ${accessText(access)} | ${source} |`,
  );
  return `# Interface

Generated from \`src/http/routes/\` by \`npm run docs\`. *documented*: the platform's interface shows it. *public*: public facts
about the platform name it. *chosen*: this product chose it; trust it least before going live.

Every path answers HEAD where it answers GET, and OPTIONS; any other method is 405 with \`Allow\`.

| Method | Path | What it does | Who may | Source |
|---|---|---|---|---|
${rows.join('\n')}
`;
}

function accessText(access: Access): string {
  if (access === 'open') return 'anybody';
  if (access === 'session') return 'any session';
  const domain = access.domain === 'master' ? 'the master domain' : 'a working domain';
  return access.to === 'read' ? `user or admin of ${domain}` : `admin of ${domain}`;
}
