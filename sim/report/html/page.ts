/** The report page of a run: one self-contained file that opens from disk. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { html, raw } from 'hono/html';
import { iconLink } from '../../../src/http/openapi/page-assets.ts';
import { packageFolder } from '../../input/package-folder.ts';
import type { ReportData } from './page-data.ts';
import { summary } from './summary.ts';

/** The style of the report page, light and dark. */
export const style = `
:root { color-scheme: light dark; --ink: #1b1f24; --dim: #5b6270; --line: #d5d9e0; --paper: #fff; --soft: #f3f5f8;
  --good: #1a7f37; --bad: #c62828; --open: #9a6700; --blue: #2458b3; --fault: #f3c9a5; --heal: #b9dfc3; --mark: #ffe3e0; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --dim: #9aa3b0; --line: #353b45; --paper: #14171c;
  --soft: #1d2229; --good: #4fc26b; --bad: #ff7b72; --open: #d9a634; --blue: #78a9ff; --fault: #7a4a24; --heal: #23543a; --mark: #5a1d1a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem 1.5rem 4rem; max-width: 1920px; background: var(--paper); color: var(--ink);
  font: 14px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { margin: 0; font-size: 1.5rem; } h2 { margin: 1.2rem 0 .4rem; font-size: 1.05rem; }
header p { margin: .3rem 0; max-width: 60rem; } .note { color: var(--dim); }
.badge { padding: .1rem .5rem; border-radius: .3rem; color: #fff; font-size: .9rem; vertical-align: middle; }
.badge.pass { background: #1a7f37; } .badge.fail { background: #c62828; } .badge.unknown { background: #9a6700; }
nav, .bar { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin: .8rem 0; }
nav { border-bottom: 1px solid var(--line); } nav button { border-bottom: 0; border-radius: .3rem .3rem 0 0; }
button { font: inherit; color: inherit; padding: .2rem .7rem; border: 1px solid var(--line); border-radius: .3rem;
  background: var(--soft); cursor: pointer; }
button.on { background: var(--blue); border-color: var(--blue); color: var(--paper); }
button.moment { padding: 0 .2rem; border: 0; background: none; color: var(--blue); font-variant-numeric: tabular-nums; }
input[type=search] { font: inherit; color: inherit; padding: .2rem .5rem; min-width: 16rem; border: 1px solid var(--line);
  border-radius: .3rem; background: var(--paper); } input[type=range] { width: 22rem; }
table { border-collapse: collapse; width: 100%; } th { text-align: left; color: var(--dim); font-weight: 500; overflow-wrap: normal; }
td, th { padding: .2rem .6rem .2rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
.moment, td.number { white-space: nowrap; } td.number { text-align: right; font-variant-numeric: tabular-nums; } td pre { white-space: pre-wrap; margin: .2rem 0; }
tr.fail td { color: var(--bad); } tr.unknown td { color: var(--open); } tr.choice { cursor: pointer; }
tr.choice:hover td, tr.on td { background: var(--soft); }
svg { display: block; } svg text { fill: var(--ink); font-size: 11px; } svg.timeline { max-width: 100%; cursor: crosshair;
  user-select: none; touch-action: pan-y; }
.hatched { fill: url(#hatch); } .hatch { stroke: var(--line); stroke-width: 3; } .rate.gone { opacity: .18; }
.over { paint-order: stroke; stroke: var(--paper); stroke-width: 3px; }
rect.healing { fill: var(--heal); } rect.healing.fail { stroke: var(--bad); stroke-width: 1.5; }
.missing { margin: .4rem 0; padding: .2rem .8rem; border-left: 4px solid var(--open); background: var(--soft); max-width: 75rem; }
.stale { color: var(--open); font-size: .85rem; } :focus-visible { outline: 2px solid var(--blue); outline-offset: 1px; }
[role=tabpanel]:focus { outline: none; } .arrow:focus { outline: none; } .arrow:focus-visible .reach { fill: var(--soft); stroke: var(--blue); }
.arrow .edge { stroke-width: 1.5; } .arrow text.away { fill: var(--dim); } .heads text.away { display: none; }
.timeline .label, .tick, .ladder .site, .ladder .time { fill: var(--dim); } .tick { stroke: var(--line); }
text.tick { stroke: none; } .rate { fill: var(--blue); opacity: .5; } .cursor { stroke: var(--blue); stroke-width: 1.5; }
circle.pass { fill: var(--good); } circle.fail { fill: var(--bad); } circle.plain { fill: var(--dim); }
rect.fault { fill: var(--fault); stroke: var(--paper); stroke-width: .5; } text.inside { pointer-events: none; } .failure { stroke: var(--bad); stroke-width: 2.5; fill: none; }
rect.drag { fill: var(--blue); opacity: .2; } .hint { display: flex; gap: 1rem; align-items: center; font-size: .85rem; min-height: 2rem; }
.verdict { margin: .8rem 0; padding: .1rem 1rem; border-left: 4px solid var(--bad); background: var(--soft); }
.verdict.unknown { border-color: var(--open); } .failed, .unproved { margin: .5rem 0; } .failed b { color: var(--bad); }
.failed pre { margin: .2rem 0 .4rem; max-height: 8rem; overflow: auto; } .failed button + button { margin-left: .5rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: .85rem; }
.summary { display: grid; grid-template-columns: repeat(auto-fit, minmax(34rem, 1fr)); gap: 0 3rem; align-items: start; }
.compared { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0 1rem; margin: .3rem 0 .5rem; color: var(--ink); }
.failed .compared b, .compared b { color: var(--dim); font-weight: 600; font-size: .9rem; } .compared pre { position: relative; margin: .1rem 0; padding: .4rem .6rem; max-height: 24rem; overflow: auto; background: var(--paper); border: 1px solid var(--line); border-radius: .3rem; }
.compared mark { display: block; background: var(--mark); color: var(--ink); box-shadow: -3px 0 var(--bad); } button.rounds { padding: 0 .4rem; font-size: .85rem; }
.summary > div { min-width: 0; } td.name { white-space: nowrap; } .Workload th:nth-child(n + 2):nth-child(-n + 5) { text-align: right; }
.ladder { display: grid; grid-template-columns: max-content max-content; max-height: 75vh; overflow: auto; border: 1px solid var(--line);
  border-radius: .3rem; width: fit-content; max-width: 100%; }
.ladder .corner, .ladder .heads, .ladder .times { background: var(--paper); position: sticky; }
.ladder .corner { top: 0; left: 0; z-index: 2; border-bottom: 1px solid var(--line); }
.ladder .heads { top: 0; z-index: 1; border-bottom: 1px solid var(--line); } .ladder .times { left: 0; }
.ladder .band { fill: var(--soft); } .ladder .silence { fill: none; } .ladder text.pause { fill: var(--dim); }
.ladder line.lane { stroke: var(--line); } .ladder line.outside { stroke-dasharray: 4 3; } .ladder text.lane { font-weight: 600; }
.ladder .time { cursor: pointer; } .arrow { cursor: pointer; } .arrow .reach { fill: transparent; }
.arrow path { stroke: var(--ink); fill: none; } .arrow:hover path, .arrow.on path { stroke: var(--blue); }
.arrow text { paint-order: stroke; stroke: var(--paper); stroke-width: 3px; } .arrow:hover text, .arrow.on text { fill: var(--blue); }
.arrow.on .reach { fill: var(--soft); }
aside { position: sticky; bottom: 0; z-index: 3; padding: 0 1rem .5rem; background: var(--soft); border: 1px solid var(--line);
  border-radius: .3rem; } aside pre { max-height: 9rem; overflow: auto; margin: 0; }
.split { display: grid; grid-template-columns: minmax(22rem, 30%) minmax(0, 1fr); gap: 1.5rem; }
.history { display: grid; grid-template-columns: minmax(0, 1fr) minmax(16rem, 26rem); gap: 1.5rem; align-items: start; }
.history > :last-child { position: sticky; top: 1rem; max-height: 95vh; overflow: auto; overflow-wrap: anywhere; }
.list td, td.key { overflow-wrap: anywhere; } td.since { white-space: nowrap; } td.new { color: var(--blue); }
.list tr { scroll-margin-top: 5.5rem; } .split .list { max-height: 80vh; overflow: auto; } .split .list .bar { position: sticky; top: 0; margin: 0; padding: .4rem 0; background: var(--paper); }
@media (max-width: 900px) { .split, .history, .summary { grid-template-columns: minmax(0, 1fr); } }
@media (max-width: 600px) { body { padding: .8rem .8rem 3rem; } .compared { grid-template-columns: minmax(0, 1fr); } .verdict { padding: .1rem .7rem; }
  h1 { font-size: 1.25rem; } .summary thead, .history > :first-child thead { display: none; }
  .summary table, .summary tbody, .history > :first-child table, .history > :first-child tbody { display: block; }
  .summary tr, .history > :first-child tr { display: flex; flex-wrap: wrap; gap: 0 .7rem; padding: .3rem 0; border-bottom: 1px solid var(--line); }
  .summary td, .history > :first-child td { border: 0; padding: 0; } .summary td:last-child { flex-basis: 100%; } .Workload td.number::before { content: attr(data-head) ' '; }
  input[type=range] { width: 100%; } input[type=search] { min-width: 0; width: 100%; font-size: 16px; } }
`;

const viewer = join(packageFolder, 'dist/sim/report/html/viewer');

export async function htmlReport(data: ReportData): Promise<string> {
  // A data script ends at the first `</script`, so all `<` are escaped.
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

/** The scripts of the page, concatenated in the order of their names. */
function script(): string {
  const files = readdirSync(viewer).filter((name) => name.endsWith('.js'));
  const parts = files.sort().map((name) => readFileSync(join(viewer, name), 'utf8'));
  return `'use strict';\n{\n${parts.join('\n').replaceAll(/^\/\/# sourceMappingURL.*$/gm, '')}\n}`;
}
