/** The page of a run: one file with all that it needs, which opens from disk. */
import { readdirSync, readFileSync } from 'node:fs';
import { html, raw } from 'hono/html';
import { iconLink } from '../../../src/http/icon.ts';
import type { ReportData } from './data.ts';
import { style } from './style.ts';
import { summary } from './summary.ts';

const viewer = new URL('./viewer/', import.meta.url);

export async function htmlReport(data: ReportData): Promise<string> {
  // A script of data ends at the first `</script`: no sign of markup is left in it.
  const json = JSON.stringify(data).replaceAll('<', '\\u003c');
  const page = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${data.scenario}: ${data.verdict}</title>
${raw(iconLink)}
<style>${raw(style)}</style>
</head>
<body>
<main id="page"></main>
<noscript>${await summary(data)}</noscript>
<script type="application/json" id="data">${raw(json)}</script>
<script>${raw(script())}</script>
</body>
</html>
`;
  return String(page);
}

/** The scripts of the page, in the order of their names, as one. */
function script(): string {
  const files = readdirSync(viewer).filter((name) => name.endsWith('.js'));
  const parts = files.sort().map((name) => readFileSync(new URL(name, viewer), 'utf8'));
  return `'use strict';\n{\n${parts.join('\n').replaceAll(/^\/\/# sourceMappingURL.*$/gm, '')}\n}`;
}
