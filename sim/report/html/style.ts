/** How the page of a run looks, in light and dark. */
export const style = `
:root { color-scheme: light dark; --ink: #1b1f24; --dim: #667; --line: #d5d9e0; --paper: #fff; --soft: #f3f5f8;
  --good: #1a7f37; --bad: #c62828; --open: #9a6700; --blue: #2458b3; --fault: #f3c9a5; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --dim: #9aa3b0; --line: #353b45; --paper: #14171c;
  --soft: #1d2229; --good: #4fc26b; --bad: #ff7b72; --open: #d9a634; --blue: #78a9ff; --fault: #7a4a24; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem 1.5rem 4rem; max-width: 1280px; background: var(--paper); color: var(--ink);
  font: 14px/1.5 system-ui, sans-serif; }
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
table { border-collapse: collapse; width: 100%; } th { text-align: left; color: var(--dim); font-weight: 500; }
td, th { padding: .2rem .6rem .2rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
.moment, td.number { white-space: nowrap; } td.number { text-align: right; font-variant-numeric: tabular-nums; } td pre { white-space: pre-wrap; margin: .2rem 0; }
tr.fail td { color: var(--bad); } tr.unknown td { color: var(--open); } tr.choice { cursor: pointer; }
tr.choice:hover td, tr.on td { background: var(--soft); }
svg { display: block; } svg text { fill: var(--ink); font-size: 11px; } svg.timeline { width: 100%; cursor: crosshair; }
.timeline .label, .tick, .ladder .site, .ladder .time { fill: var(--dim); } .tick { stroke: var(--line); }
text.tick { stroke: none; } .rate { fill: var(--blue); opacity: .5; } .cursor { stroke: var(--blue); stroke-width: 1.5; }
circle.pass { fill: var(--good); } circle.fail { fill: var(--bad); } circle.plain { fill: var(--dim); }
rect.fault { fill: var(--fault); } .failure { stroke: var(--bad); stroke-width: 2.5; fill: none; }
.wide { overflow-x: auto; } .ladder line.lane { stroke: var(--line); } .ladder line.outside { stroke-dasharray: 4 3; }
.ladder text.lane { font-weight: 600; } .arrow path { stroke: var(--ink); fill: none; } .arrow:hover path { stroke: var(--blue); }
.arrow:hover text { fill: var(--blue); } .split { display: grid; grid-template-columns: 26rem minmax(0, 1fr); gap: 1.5rem; }
.split .list { max-height: 80vh; overflow: auto; } @media (max-width: 900px) { .split { grid-template-columns: 1fr; } }
`;
